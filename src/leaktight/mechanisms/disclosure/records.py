"""Disclosure control of records: PRAM, and swapping as the PRAM that keeps the margin."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidChannel, InvalidNumber
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.labels import listed_labels
from leaktight.mechanisms.registry import Key, construction

Matrix = Sequence[Sequence[Number]] | Mapping[Hashable, Mapping[Hashable, Number]]


def pram(matrix: Matrix, values: Iterable[Hashable] | None = None) -> Channel:
    """Return what is seen of a cell whose value is changed by a matrix, row by row (PRAM).

    It is a channel on the value of one record, for ``privacy_level``, ``individual_leakage``,
    ``uninformed_guess`` and the others; exact, if the matrix is.

    >>> from leaktight import SecretGraph, privacy_level
    >>> kept = pram([["9/10", "1/10"], ["1/5", "4/5"]], ["no", "yes"])
    >>> privacy_level(kept, SecretGraph.complete(["no", "yes"])).ratio
    Fraction(8, 1)
    """
    if isinstance(matrix, Mapping):
        return Channel(matrix)
    labels = None if values is None else list(values)
    return Channel(matrix, labels, labels)


@construction(
    "swapping",
    "beliefs",
    Key(
        "share",
        "number",
        "the share of records whose value is drawn anew by `prior`, each by itself",
        is_needed=True,
    ),
    has_distances=True,
    called="swapped at random",
    note=(
        "Each value is taken to be changed by itself. If values are exchanged between records, "
        "their totals stay as they are, and whoever knows all other records knows this one."
    ),
)
def swapping(values: Iterable[Hashable], share: Number, prior: PriorLike = None) -> Channel:
    """Return what is seen of a cell if a ``share`` of records has the value of a random other.

    The value of a record that is swapped is drawn by ``prior``, the frequencies of the values, each
    record by itself, so that the margin stays on average. If values are *exchanged* between
    records, the margin stays exactly: then this is how a record fares with the others unknown, and
    whoever knows all other records knows this one.

    >>> swapping(["no", "yes"], "1/10").matrix.tolist()
    [[19/20, 1/20], [1/20, 19/20]]
    """
    labels = listed_labels(values, "value", InvalidChannel)
    part = fraction(rational(share))
    if not 0 <= part <= 1:
        raise InvalidNumber(f"the share that is swapped must be between 0 and 1, got {part}")
    drawn = [fraction(p) for p in prior_on(prior, labels).exact().array]
    rows = [
        [part * p + (1 - part if i == j else Fraction(0)) for j, p in enumerate(drawn)]
        for i in range(len(labels))
    ]
    return Channel(rows, labels, labels)
