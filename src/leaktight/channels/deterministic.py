"""Channels of functions, where a secret always shows the same, as one label per input."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import LARGEST, Distribution, PriorLike, prior_on
from leaktight.errors import InvalidChannel, TooLarge
from leaktight.exact.numbers import Array
from leaktight.exact.shown import counted
from leaktight.labels import Labels, alignment, listed_labels, position, read_labels, renamed
from leaktight.limits import allowed

Seen = npt.NDArray[np.intp]
"""For each input, where its output stands among the outputs."""


class Deterministic(Channel):
    """A channel whose rows are all certain; ``Channel.deterministic`` makes one.

    It is exact and has all that a channel has. The measures use the groups of inputs that show the
    same; the matrix is made when something asks for it, and refused if it is large.
    """

    __slots__ = ("seen",)
    seen: Seen

    def __init__(self, inputs: Labels, outputs: Labels, seen: Seen) -> None:
        seen.flags.writeable = False
        for name, value in (("inputs", inputs), ("outputs", outputs), ("seen", seen)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        function: Callable[[Any], Hashable] | Mapping[Any, Hashable] | npt.NDArray[Any],
        inputs: Iterable[Hashable] | int,
    ) -> "Deterministic":
        """Each input shows what ``function`` says; outputs stand in the order they come up."""
        labels = listed_labels(inputs, "input", InvalidChannel)
        if isinstance(function, np.ndarray):
            names, seen = _coded(function, len(labels))
        else:
            shows = renamed(function, labels, "input", InvalidChannel, complete=True)
            names, seen = numbered(shows)
        return cls(labels, read_labels(names, len(names), "output", InvalidChannel), seen)

    def __getattr__(self, name: str) -> Array:
        """Make the matrix when it is first asked for: its slot is empty until then."""
        if name != "matrix":
            raise AttributeError(f"a channel has no {name!r}")
        rows, columns = self.shape
        if rows * columns > allowed(LARGEST):
            raise TooLarge(
                f"this needs the whole matrix of {counted(rows, 'input', 'inputs')} and "
                f"{counted(columns, 'output', 'outputs')}, more than {allowed(LARGEST):,} entries; "
                "what is computed from groups of inputs does not"
            )
        matrix = _zeros((rows, columns))
        matrix[np.arange(rows), self.seen] = fmpq(1)
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        return matrix

    def __reduce__(self) -> tuple[Any, ...]:
        return Deterministic, (self.inputs, self.outputs, self.seen)

    # --- what it says ---

    @property
    def function(self) -> "Deterministic":
        """Itself."""
        return self

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact rationals: they are 0 and 1."""
        return True

    @property
    def occurring(self) -> Seen:
        """Where the outputs that some input shows stand."""
        return np.flatnonzero(np.bincount(self.seen, minlength=len(self.outputs)))

    def sum_of_maxima(self) -> fmpq:
        """Return how many outputs occur."""
        return fmpq(len(self.occurring))

    def row(self, x: Hashable) -> Distribution:
        """The certain output of input ``x``."""
        row = _zeros((len(self.outputs),))
        row[self.seen[position(x, self.inputs, "input")]] = fmpq(1)
        return Distribution.trusted(self.outputs, row)

    def _entry(self, i: int, j: int) -> Any:
        return fmpq(int(self.seen[i] == j))

    def _corner(self) -> Array:
        return (self.seen[:20, None] == np.arange(min(24, len(self.outputs)))).astype(int)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Deterministic):
            return super().__eq__(other)
        return (self.inputs, self.outputs) == (other.inputs, other.outputs) and bool(
            np.array_equal(self.seen, other.seen)
        )

    __hash__ = Channel.__hash__

    # --- what can be made of it ---

    def then(self, other: Channel) -> Channel:
        """The cascade: ``other`` sees only this channel's output."""
        what = "the first channel's outputs and the second's inputs"
        order = alignment(self.outputs, expect_channel(other).inputs, what)
        at = self.seen if order is None else np.array(order)[self.seen]
        if (following := other.function) is not None:
            return Deterministic(self.inputs, other.outputs, following.seen[at])
        return Channel.trusted(self.inputs, other.outputs, other.matrix[at])

    def about(
        self,
        other: Callable[[Any], Hashable] | Mapping[Any, Hashable] | Channel,
        prior: PriorLike = None,
    ) -> Channel:
        """What is seen of something else that depends on the input: Dalenius leakage."""
        first = other if isinstance(other, Channel) else Deterministic.of(other, self.inputs)
        if first.function is None:
            return super().about(first, prior)
        order = alignment(self.inputs, first.inputs, "both channels' inputs")
        belief = prior_on(prior, self.inputs).array
        rows = first.function.seen if order is None else first.function.seen[order]
        if len(first.outputs) * len(self.outputs) > allowed(LARGEST):
            raise TooLarge(
                f"{counted(len(first.outputs), 'secret', 'secrets')} and "
                f"{counted(len(self.outputs), 'output', 'outputs')} are more than "
                f"{allowed(LARGEST):,} entries"
            )
        weights = np.zeros((len(first.outputs), len(self.outputs)), dtype=belief.dtype)
        weights += belief[0] * 0
        np.add.at(weights, (rows, self.seen), belief)
        known = np.flatnonzero(weights.sum(axis=1) > 0)
        labels = tuple(first.outputs[s] for s in known)
        return Channel.normalised(weights[known], labels, self.outputs)

    def reduced(self) -> "Deterministic":
        """Drop the outputs that never occur; no two others are alike."""
        occurs = self.occurring
        at = np.searchsorted(occurs, self.seen)
        return Deterministic(self.inputs, tuple(self.outputs[z] for z in occurs), at)

    def _rows_at(self, at: list[int], labels: Labels) -> "Deterministic":
        return Deterministic(labels, self.outputs, self.seen[at])

    def _arranged(self, order: list[int], labels: Labels) -> "Deterministic":
        return Deterministic(self.inputs, labels, np.argsort(order)[self.seen])

    def _merged(self, names: list[Hashable], labels: Labels) -> "Deterministic":
        return Deterministic(self.inputs, labels, numbered(names)[1][self.seen])


def numbered(names: Iterable[Hashable]) -> tuple[Labels, Seen]:
    """Return the distinct names as they come up, and for each name where it stands among them.

    >>> numbered("abba")
    (('a', 'b'), array([0, 1, 1, 0]))
    """
    where: dict[Hashable, int] = {}
    seen = np.fromiter((where.setdefault(name, len(where)) for name in names), np.intp)
    return tuple(where), seen


def _coded(outputs: npt.NDArray[Any], count: int) -> tuple[Labels, Seen]:
    """Return the same of an array, which must have an entry for each of ``count`` inputs."""
    if outputs.shape != (count,):
        raise InvalidChannel(
            f"an array must have the output of each of {count:,} inputs, got one of the shape "
            f"{outputs.shape}"
        )
    if outputs.dtype == object:
        return numbered(outputs.tolist())
    names, first, codes = np.unique(outputs, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return tuple(names[order].tolist()), np.argsort(order)[codes]


def _zeros(shape: tuple[int, ...]) -> Array:
    return np.full(shape, fmpq(0), dtype=object)
