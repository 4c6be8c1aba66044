"""Questions about the risk of a table: by whom, and what they would like to try.

All of it is checked before the table is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations as subsets
from math import comb
from typing import Any

from leaktight.errors import InvalidInput, TooLarge, is_whole
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.shown import shown
from leaktight.limits import allowed
from leaktight.tables.risk.change import Change

MOST_COMBINATIONS = 10_000
"""The most combinations of columns that are looked at."""


@dataclass(frozen=True, slots=True)
class Question:
    """Quasi-identifiers and sensitive columns, and what else is asked; see :func:`risk`."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    combinations: tuple[tuple[str, ...], ...]
    shares: tuple[tuple[tuple[str, ...], Fraction], ...]
    later: tuple[Any, ...]
    """Further releases."""
    person: str | None
    changes: tuple[tuple[Change, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """What is read of the first release, but for the person."""
        return (*self.quasi_identifiers, *self.sensitive)

    @property
    def again(self) -> bool:
        """Whether the table is grouped more than once, or has to be changed."""
        return bool(self.changes) or len(self.combinations) + len(self.shares) > 1

    @classmethod
    def of(
        cls,
        quasi_identifiers: Any,
        sensitive: Any,
        combinations: int,
        known_share: Any,
        later_releases: Any,
        person: str | None,
        changes: Any,
    ) -> "Question":
        """Check what is asked."""
        columns, wanted = (
            names_of_columns(quasi_identifiers, "quasi_identifiers"),
            names_of_columns(sensitive, "sensitive", least=0),
        )
        if both := {*columns} & {*wanted}:
            raise InvalidInput(f"{min(both)!r} cannot be both a quasi-identifier and sensitive")
        count_combinations(len(columns), combinations)
        sizes = range(1, min(combinations, len(columns) - 1) + 1)
        chosen = tuple(each for size in sizes for each in subsets(columns, size))
        shares = tuple(_shares(known_share, columns))
        tried = tuple(_together(each, columns, wanted) for each in _several(changes))
        later = tuple(_several(later_releases))
        if later and person is None:
            raise InvalidInput("later releases need person=, the column that says whose a row is")
        if person in (*columns, *wanted):
            raise InvalidInput(
                f"{person!r} cannot be both a person and a quasi-identifier or sensitive"
            )
        return cls(columns, wanted, chosen, shares, later, person, tried)


def count_combinations(columns: int, most: int) -> int:
    """Return how many combinations of up to ``most`` columns there are; all of them are counted.

    >>> count_combinations(5, 2), count_combinations(5, 5)
    (15, 30)
    """
    if not is_whole(most, 0):
        raise InvalidInput(f"combinations is the most columns of one, 0 or more, got {most!r:.60}")
    number = sum(comb(columns, size) for size in range(1, min(most, columns - 1) + 1))
    if number > allowed(MOST_COMBINATIONS):
        raise TooLarge(
            f"there are {number:,} combinations of up to {most} of {columns} columns, more than "
            f"{allowed(MOST_COMBINATIONS):,}; ask for fewer columns, or for smaller combinations"
        )
    return number


def _several(given: Any) -> list[Any]:
    """Return what is listed, or the only one."""
    return list(given) if isinstance(given, list | tuple) else [given]


def names_of_columns(given: Any, what: str, least: int = 1) -> tuple[str, ...]:
    """Return one or more names of columns, each once."""
    names = _several(given)
    if len(names) < least or len({*map(repr, names)}) < len(names):
        raise InvalidInput(f"{what} must be names of columns, each once, got {given!r:.60}")
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"{what} must be names of columns, got {given!r:.60}")
    return tuple(names)


def _shares(known_share: Any, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], Fraction]]:
    if known_share is None:
        return []
    if not isinstance(known_share, Mapping):
        raise InvalidInput(
            f'known_share must be shares such as {{("age",): "1/2"}}, got {known_share!r:.60}'
        )
    found = []
    for names, share in known_share.items():
        chosen, number = (
            names_of_columns(names, "the columns of known_share"),
            fraction(rational(share)),
        )
        if unknown := [name for name in chosen if name not in columns]:
            raise InvalidInput(f"known_share is about quasi-identifiers, got {unknown[0]!r}")
        if number < 0:
            raise InvalidInput(f"a share of people must be at least 0, got {shown(number)}")
        found.append((chosen, number))
    if sum(share for _, share in found) > 1:
        raise InvalidInput("the shares of people in known_share must sum to at most 1")
    return found


def _together(
    given: Any, columns: tuple[str, ...], sensitive: tuple[str, ...]
) -> tuple[Change, ...]:
    changes = _several(given)
    if not changes or not all(isinstance(each, Change) for each in changes):
        raise InvalidInput(f'a change is such as Change.drop("age"), got {given!r:.60}')
    if len({each.column for each in changes}) < len(changes):
        raise InvalidInput("changes that are tried together must be of different columns")
    if sum(each.ratio is not None for each in changes) > 1:
        raise InvalidInput("only one column at a time can have noise")
    for each in changes:
        if each.column not in columns and (each.ratio is None or each.column not in sensitive):
            raise InvalidInput(
                "a quasi-identifier can be changed, a sensitive column can have noise; "
                f"{each.column!r} is neither"
            )
    return tuple(changes)
