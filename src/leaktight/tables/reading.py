"""Rows of a table, read as records with values of a policy."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leaktight.errors import InvalidInput

KEEP = ("first", "last")

Outside: TypeAlias = Hashable | Mapping[str, Hashable] | None
"""The value of cells that have none of the declared ones, for all columns or by column."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows of a table become records with values of a policy.

    ``outside`` is the declared value of cells that have none of the others, or are missing, for all
    columns or by column; if it is the policy's absent value, such rows are left out. ``person`` is
    the column that says whose a row is; with ``keep`` only one row of each person counts, the one
    whose value is declared first, or last. ``cuts`` and ``clamp`` are by column, see
    :class:`Column`.
    """

    columns: tuple[str, ...]
    person: str | None = None
    keep: str | None = None
    outside: Outside = None
    cuts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    clamp: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = all(map(_is_name, self.columns)) and (self.person is None or _is_name(self.person))
        if not self.columns or not named or len(set(self.columns)) < len(self.columns):
            whose = [] if self.person is None else [self.person]
            raise InvalidInput(
                f"must be names of columns, each once, got {[*self.columns, *whose]!r:.60}"
            )
        given = self.outside if isinstance(self.outside, Mapping) else {}
        for key, listed in {"cuts": self.cuts, "clamp": self.clamp, "outside": given}.items():
            for column in listed:
                if column not in self.columns:
                    raise InvalidInput(f"{key} must be of {list(self.columns)}, got {column!r}")
        if self.keep is not None and (self.keep not in KEEP or self.person is None):
            raise InvalidInput('keep must be "first" or "last", and needs a person column')
        if self.person in self.columns:
            raise InvalidInput(f"the column {self.person!r} cannot be both a person and a value")

    def elsewhere(self, column: str) -> Hashable | None:
        """Return the value of cells of a column that have none of the declared ones."""
        return self.outside.get(column) if isinstance(self.outside, Mapping) else self.outside

    def leaves_out(self, absent: Hashable | None) -> bool:
        """Say whether rows with such cells are left out, as those of somebody absent."""
        return self.outside is not None and self.outside == absent

    def to_dict(self) -> dict[str, Any]:
        """The rules as a ledger has them."""
        other = self.outside
        if isinstance(other, Mapping):
            other = tuple(sorted(other.items()))
        return {
            "columns": list(self.columns),
            "person": self.person,
            "keep": self.keep,
            "outside": None if other is None else repr(other),
            "cuts": {column: list(map(str, cuts)) for column, cuts in self.cuts.items()},
            "clamp": list(self.clamp),
        }


def _is_name(column: Any) -> bool:
    """Say whether a column can have this name in a file."""
    return isinstance(column, str) and not re.search("[\0\ud800-\udfff]", column)
