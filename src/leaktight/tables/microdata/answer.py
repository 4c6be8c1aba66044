"""What protecting a table found: the recodings, what they cost, and the risk before and after."""

from fractions import Fraction

from msgspec import Struct

from leaktight.exact.matrix import html_rows
from leaktight.exact.shown import Told, counted, percent


class Disclosure(Struct, frozen=True):
    """The risk of a table by the names that the field has for it."""

    rows: int
    classes: int
    """How many equivalence classes there are: rows alike in all quasi-identifiers."""
    k: int
    """How many rows the smallest class has."""
    unique: int
    """How many rows are alone in their class."""
    l: int | None = None  # noqa: E741
    """The least distinct values of a sensitive column in a class."""
    t: float | None = None
    """The largest total variation between a sensitive column in a class and in the table."""
    guess: Fraction | None = None
    """The chance that they are guessed by whoever knows the quasi-identifiers too."""
    journalist: float | None = None
    """The largest chance that somebody is found who is not known to be in the table, if it is a
    simple sample of a population; by the model of ``Sampled``."""

    @property
    def prosecutor(self) -> Fraction:
        """The largest chance that somebody is found who is known to be in the table: 1/k."""
        return Fraction(1, self.k)

    @property
    def marketer(self) -> Fraction:
        """The chance that a row is found, on average over the rows: classes/rows."""
        return Fraction(self.classes, self.rows)


class Loss(Struct, frozen=True):
    """What a recoding loses, by measures in use; 0 is nothing, 1 all that quasi-identifiers tell.

    Rows that are left out count as if all their quasi-identifiers were.
    """

    entropy: Fraction
    """Non-uniform entropy: the share of the bits of each column that are lost, over all cells."""
    granularity: Fraction
    """The loss metric LM: of each cell, the share of other values that it might be."""
    cells: Fraction
    """The share of cells of quasi-identifiers that are not what they were."""
    average_class: Fraction
    """Rows per class."""
    discernibility: int
    """The sum over rows of how many rows are alike; a row that is left out counts them all."""


class Plan(Struct, frozen=True):
    """A recoding that meets what was asked."""

    recodings: tuple[str, ...]
    """What is done to which column, in words; a column that is not named stays as it is."""
    levels: tuple[int, ...]
    """The level of each quasi-identifier, 0 as it is."""
    suppressed: int
    """How many rows are left out."""
    loss: Loss
    risk: Disclosure
    """The risk afterwards."""
    statistics: tuple[float | None, ...] = ()
    """What was chosen, as the protected table gives it; None is a mean over no rows."""

    @property
    def what(self) -> str:
        """What is done."""
        done = [*self.recodings] or ["columns as they are"]
        if self.suppressed:
            done.append(f"{counted(self.suppressed, 'row', 'rows')} left out")
        return " + ".join(done)


class Protected(Told, Struct, frozen=True):
    """What :func:`protect` found, and wrote if it was asked to."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    asked: tuple[str, ...]
    measure: str
    """Which loss was made least."""
    levels: tuple[tuple[str, ...], ...]
    """What may be done to each quasi-identifier, the finest first."""
    nodes: int
    """How many combinations of levels there are."""
    looked: int
    """How many of them were looked at; of all others it is proved that they are not better."""
    before: Disclosure
    guess: Fraction | None
    """The chance that the sensitive values are guessed from how frequent they are alone."""
    plans: tuple[Plan, ...]
    """The best first."""
    statistics: tuple[tuple[str, float | None], ...] = ()
    """The counts and means that were chosen, as the table has them."""
    kept: tuple[str, ...] = ()
    """Other columns that were written as they are."""
    left_out: tuple[str, ...] = ()
    """Other columns that were not written."""
    telling: tuple[str, ...] = ()
    """Columns among those written that are different in most rows, such as names and numbers of
    persons: whoever knows one finds the row, whatever the quasi-identifiers say."""
    notes: tuple[str, ...] = ()
    """Why a column can only be left out, where few of its values are to blame."""

    @property
    def best(self) -> Plan:
        """The recoding of least loss."""
        return self.plans[0]

    def _repr_html_(self) -> str:
        pair = self.before, self.best.risk
        rows = [
            ("smallest class (k)", *(f"{one.k:,}" for one in pair)),
            ("unique rows", *(f"{one.unique:,}" for one in pair)),
            ("a row is found", *(percent(one.marketer) for one in pair)),
        ]
        if self.sensitive:
            rows.append(("guessed", *(percent(one.guess or Fraction(0)) for one in pair)))
        return html_rows(self.best.what, ("risk", "before", "after"), rows)

    def __str__(self) -> str:
        best, before = self.best, self.before
        told = (
            f"{best.what}: k = {before.k:,} before, {best.risk.k:,} after; a row is found with "
            f"{percent(before.marketer)} before, {percent(best.risk.marketer)} after"
        )
        if before.guess is not None and best.risk.guess is not None:
            told += (
                f"; {', '.join(self.sensitive)} guessed with {percent(before.guess)} before, "
                f"{percent(best.risk.guess)} after"
            )
        return f"{told}; {percent(best.loss.entropy)} of the entropy is lost"
