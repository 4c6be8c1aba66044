"""How far a long computation is, told to whoever listens.

A loop that may take seconds tells where it is and what is left; a command shows it. Nobody listens
unless somebody asks to, and each thread and task has its own listener.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENER: ContextVar[Callable[[str], object] | None] = ContextVar("_LISTENER", default=None)


def tell(how_far: str) -> None:
    """Say how far a computation is, if anybody listens."""
    if (hear := _LISTENER.get()) is not None:
        hear(how_far)


@contextmanager
def listening(hear: Callable[[str], object]) -> Iterator[None]:
    """Hear how far computations are, as long as this lasts.

    >>> with listening(print):
    ...     tell("2 of 3")
    2 of 3
    >>> tell("3 of 3")
    """
    token = _LISTENER.set(hear)
    try:
        yield
    finally:
        _LISTENER.reset(token)
