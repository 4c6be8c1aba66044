"""What is asked of a protected table: k, l, t, the chances of an attacker, and rows left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidInput, is_whole
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.shown import percent, shown


@dataclass(frozen=True, slots=True)
class Limits:
    """What every equivalence class, and the table as a whole, must keep."""

    k: int = 1
    """The least rows of a class."""
    l: int = 1  # noqa: E741
    """The least distinct values of each sensitive column in a class."""
    t: Fraction | None = None
    """The most total variation between a class and the table, for each sensitive column."""
    below: Fraction | None = None
    """The chance that a row is found must be below this."""
    guessed_below: Fraction | None = None
    """The chance that the sensitive values are guessed must be below this."""
    suppress: Fraction = Fraction(0)
    """The largest share of rows that may be left out."""

    @classmethod
    def of(
        cls,
        k: int | None,
        l: int | None,  # noqa: E741
        t: Number | None,
        below: Number | None,
        guessed_below: Number | None,
        suppress: Number,
        sensitive: tuple[str, ...],
    ) -> "Limits":
        """Check what is asked."""
        found = cls(
            k=_count(k, "at_least_k"),
            l=_count(l, "l_diversity"),
            t=None if t is None else _share(t, "t_closeness"),
            below=None if below is None else _share(below, "below"),
            guessed_below=None if guessed_below is None else _share(guessed_below, "guessed_below"),
            suppress=_share(suppress, "suppress"),
        )
        if found.suppress == 1:
            raise InvalidInput("suppress is the largest share of rows left out, below 1")
        if found == cls(suppress=found.suppress):
            raise InvalidInput(
                "say what the table must keep: at_least_k, l_diversity, t_closeness, below or "
                "guessed_below"
            )
        if not sensitive and found.of_sensitive:
            raise InvalidInput(
                "l_diversity, t_closeness and guessed_below need sensitive, the column they are of"
            )
        return found

    @property
    def of_classes(self) -> bool:
        """Whether there is something that single classes must keep, so that rows help."""
        return self.k > 1 or self.l > 1

    @property
    def of_sensitive(self) -> bool:
        """Whether there is something that sensitive columns must keep."""
        return self.l > 1 or self.t is not None or self.guessed_below is not None

    def words(self) -> Iterator[str]:
        """Yield what is asked, in words."""
        if self.k > 1:
            yield f"k ≥ {self.k:,}"
        if self.l > 1:
            yield f"l ≥ {self.l:,}"
        if self.t is not None:
            yield f"t ≤ {shown(self.t)}"
        if self.below is not None:
            yield f"a row is found with less than {percent(self.below)}"
        if self.guessed_below is not None:
            yield f"the sensitive value is guessed with less than {percent(self.guessed_below)}"
        if self.suppress:
            yield f"at most {percent(self.suppress)} of the rows left out"


def _count(given: Any, name: str) -> int:
    if given is None:
        return 1
    if not is_whole(given, 1):
        raise InvalidInput(f"{name} must be a whole number, 1 or more, got {given!r:.60}")
    return given


def _share(given: Any, name: str) -> Fraction:
    share = fraction(rational(given))
    if not 0 <= share <= 1:
        raise InvalidInput(f"{name} must be between 0 and 1, got {shown(share)}")
    return share
