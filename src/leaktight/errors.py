"""What can go wrong, as one tree.

::

    LeaktightError
    ├── InvalidInput (also a ValueError)   the caller's mistake
    │   ├── InvalidNumber                  not a number, a ratio below 1, …
    │   ├── InvalidDistribution            negative, does not sum to 1, …
    │   ├── InvalidChannel                 ragged, a row that does not sum to 1, …
    │   ├── InvalidGain                    a gain or loss that does not fit
    │   ├── InvalidGraph                   a loop, an unknown vertex, …
    │   ├── InvalidPolicy                  no database left, an unknown value, …
    │   ├── InvalidFile                    a file that cannot be read as what it should be
    │   └── Mismatch                       two objects whose labels do not fit together
    ├── OverBudget                         more than a ledger has left
    ├── TooLarge                           more than memory or time allows; says how much
    └── Undecided                          not settled at this precision; never a guess

Every message says where, what must hold, what was found and, if there is one, the way out.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from math import inf
from operator import index
from typing import Any, ParamSpec, TypeGuard, TypeVar

Kind = TypeVar("Kind")
Given = ParamSpec("Given")


class LeaktightError(Exception):
    """Anything that leaktight refuses to do, in one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(" ".join(map(str.strip, message.splitlines())))


class InvalidInput(LeaktightError, ValueError):
    """The caller's mistake."""


class InvalidNumber(InvalidInput):
    """A value that is not the number it must be."""


class InvalidDistribution(InvalidInput):
    """Probabilities that are no distribution."""


class InvalidChannel(InvalidInput):
    """A matrix or labels that are no channel."""


class InvalidGain(InvalidInput):
    """A gain or loss function that does not fit."""


class InvalidGraph(InvalidInput):
    """Vertices or edges that are no simple graph."""


class InvalidPolicy(InvalidInput):
    """A policy that cannot hold: no database left, or an unknown value."""


class InvalidFile(InvalidInput):
    """A file that cannot be read as what it should be."""


class Mismatch(InvalidInput):
    """Two objects whose labels do not fit together."""


class OverBudget(LeaktightError):
    """A release that would cost more than its ledger has left. Nothing was spent."""


class TooLarge(LeaktightError):
    """More than memory or time allows; the message says how much it would be.

    Where it names a limit, ``leaktight.limits.raised(times=8)`` allows more.
    """


class Undecided(LeaktightError):
    """A question that this precision does not settle. The way out is in the message."""


def expect(value: Kind, kind: type[Any], way_out: str) -> Kind:
    """Return ``value`` if it is of this kind, and say what to do if not.

    >>> expect("three", int, "write 3")
    Traceback (most recent call last):
    leaktight.errors.InvalidInput: expected int, got 'three'; write 3
    """
    if isinstance(value, kind):
        return value
    raise InvalidInput(f"expected {kind.__name__}, got {value!r:.60}; {way_out}")


def is_whole(value: object, least: int, most: float = inf) -> TypeGuard[int]:
    """Say whether a value is a whole number within two ends; true and false are none.

    >>> is_whole(3, 1), is_whole(True, 1), is_whole(3.0, 1), is_whole(3, 1, most=2)
    (True, False, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def expect_whole(
    value: Any,
    what: str,
    least: int = 1,
    most: int | None = None,
    error: type[InvalidInput] = InvalidNumber,
) -> int:
    """Return a whole number, of Python or numpy; true and false are none.

    >>> expect_whole(2.5, "the radius", 0)
    Traceback (most recent call last):
    leaktight.errors.InvalidNumber: the radius must be a whole number from 0 up, got 2.5
    """
    try:
        number = least - 1 if value is True or value is False else index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        upto = "up" if most is None else f"to {most:,}"
        found = "a huge one" if number.bit_length() > 200 else f"{value!r:.60}"
        raise error(f"{what} must be a whole number from {least} {upto}, got {found}")
    return number


def is_list(value: object) -> TypeGuard[Iterable[Any]]:
    """Say whether a value lists others; a text is one thing and no list of them.

    >>> is_list([1, 2]), is_list("ab"), is_list(1)
    (True, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str)


def expect_list(
    given: Any, must: str, error: type[InvalidInput] = InvalidInput, way_out: str = ""
) -> Iterable[Any]:
    """Return what was listed; a text is one thing and no list of them.

    >>> expect_list("ab", "a partition must be a list of groups")
    Traceback (most recent call last):
    leaktight.errors.InvalidInput: a partition must be a list of groups, got 'ab'
    """
    if is_list(given) and not isinstance(given, bytes):
        return given
    raise error(f"{must}, got {given!r:.80}{way_out}")


NEW_NAMES = {
    "CountsTell": "MarginLeakage",
    "OddsUnderCounts": "PosteriorBound",
    "Partly": "KnownShare",
    "Spent": "Accountant",
    "Thinned": "AllOrNothing",
    "counts_tell": "margin_leakage",
    "odds_under_counts": "posterior_bound",
}
"""What public names were called before."""


def with_new_names(room: str, load: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a room that says the new name to whoever uses the old one.

    >>> with_new_names("leaktight.leakage", str)("CountsTell")
    Traceback (most recent call last):
    AttributeError: leaktight.leakage has no CountsTell; it is MarginLeakage now
    """

    def get(name: str) -> Any:
        if new := NEW_NAMES.get(name):
            raise AttributeError(f"{room} has no {name}; it is {new} now", name=name)
        return load(name)

    return get


def renamed(**new: str) -> Callable[[Callable[Given, Kind]], Callable[Given, Kind]]:
    """Let a function say the new name of an argument to whoever uses the old one.

    >>> @renamed(width="length")
    ... def area(length): return length**2
    >>> area(width=3)
    Traceback (most recent call last):
    TypeError: area() has no argument width=; it is length= now
    """

    def with_names(function: Callable[Given, Kind]) -> Callable[Given, Kind]:
        @wraps(function)
        def checked(*args: Given.args, **named: Given.kwargs) -> Kind:
            for old in new.keys() & named.keys():
                raise TypeError(
                    f"{function.__name__}() has no argument {old}=; it is {new[old]}= now"
                )
            return function(*args, **named)

        return checked

    return with_names


def spelling(text: str) -> str:
    """Return the same text for both spellings of English, to compare words by.

    >>> spelling("neighbours") == spelling("neighbors"), spelling("randomized response")
    (True, 'randomised response')
    """
    return text.replace("iz", "is").replace("our", "or")


@contextmanager
def without_data() -> Iterator[None]:
    """Let an error of ours pass alone: what led to it, which hangs on it unseen, may quote a cell.

    >>> try:
    ...     with without_data():
    ...         try:
    ...             int("a cell")
    ...         except ValueError:
    ...             raise InvalidNumber("line 7: not a number") from None
    ... except InvalidNumber as wrong:
    ...     print(wrong, wrong.__context__)
    line 7: not a number None
    """
    try:
        yield
    except LeaktightError as wrong:
        wrong.__context__ = wrong.__cause__ = None
        raise
