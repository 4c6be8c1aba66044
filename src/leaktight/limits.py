"""How large something may be before it is refused, and how a caller allows more.

A limit stands in the module whose memory or time it protects, and says what it costs there; it is
made for a laptop and for a minute. Whoever has a larger machine, or a night, allows them to be some
times as large: in Python by :func:`raised`, anywhere by ``LEAKTIGHT_LIMITS=8`` in the environment.
What a proof or the width of a word needs never moves, nor what grows by powers, nor the page.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from leaktight.errors import InvalidNumber

MOST_TIMES = 32
"""The most by which limits are raised; indices stay within their words."""

VARIABLE = "LEAKTIGHT_LIMITS"

_TIMES: ContextVar[int | None] = ContextVar("_TIMES", default=None)


def allowed(limit: int) -> int:
    """Return a limit, as many times as large as is allowed."""
    times = _TIMES.get()
    return limit * (_from_environment() if times is None else times)


@contextmanager
def raised(times: int) -> Iterator[None]:
    """Refuse for its size only what is so many times as large, as long as this lasts.

    Work and memory grow with it, often faster than by the same factor.

    >>> with raised(times=8):
    ...     allowed(2**20)
    8388608
    """
    token = _TIMES.set(_checked(times, "times"))
    try:
        yield
    finally:
        _TIMES.reset(token)


def _from_environment() -> int:
    said = os.environ.get(VARIABLE, "1")
    return _checked(int(said) if said.isascii() and said.isdigit() else said, VARIABLE)


def _checked(times: object, name: str) -> int:
    if not isinstance(times, int) or not 1 <= times <= MOST_TIMES:
        raise InvalidNumber(
            f"{name} must be a whole number from 1 to {MOST_TIMES:,}, got {times!r:.40}"
        )
    return times
