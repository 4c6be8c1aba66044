"""Questions about a secret, and what each answer leaves over.

What is left over after some answers are the secrets that are still possible, each with the
probability that it is the secret and gave those answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.numbers import Array, whole_numbers
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.limits import allowed

if TYPE_CHECKING:
    from leaktight.repetition.symmetry import Symmetries

Left: TypeAlias = tuple[npt.NDArray[np.intp], Array]
"""Which secrets are left, and their weights."""

Questions: TypeAlias = Mapping[Any, Channel] | npt.NDArray[Any]
"""A channel for each question; or the answer to each question (row) for each secret (column)."""

BLOCK = 2**22
"""How many answers are looked at together."""


MOST_HISTORIES = 2**20
"""The most sequences of answers that are drawn."""


@dataclass(frozen=True, eq=False)
class Asked(ABC):
    """Questions about the same secrets."""

    names: Labels
    secrets: Labels

    tells_by_parts: ClassVar[bool]
    """Whether a question that leaves one part tells nothing."""

    @abstractmethod
    def expect_few(self, n: int) -> None:
        """Refuse n questions if their answers come in too many ways."""

    @abstractmethod
    def possible(self, belief: Array) -> "tuple[Asked, Left, fmpq]":
        """Return questions, the secrets that are possible, and what a weight of 1 stands for."""

    @abstractmethod
    def symmetries(self, weights: Array) -> "Symmetries | None":
        """Return which questions are alike, if that can be found."""

    @abstractmethod
    def drawn(self, weights: Array) -> tuple[Any, ...]:
        """Return what the answers so far tell beyond the secrets that are left."""

    @abstractmethod
    def split(self, question: int, left: Left) -> Iterator[tuple[Hashable, Left]]:
        """Yield each answer that may come, and what it leaves over."""

    @abstractmethod
    def values(self, left: Left, questions: Array) -> tuple[Array, Array]:
        """Return what a guess after each question is worth, and the largest group it may leave."""

    @abstractmethod
    def bound(self, left: Left, n: int) -> Any:
        """Return what no n questions and a guess exceed: docs/proofs/adaptive.md."""


@dataclass(frozen=True, eq=False)
class Certain(Asked):
    """Questions whose answer the secret determines."""

    tells_by_parts = True
    answers: tuple[Labels, ...]
    """The answers to each question."""
    table: npt.NDArray[Any]
    """For each question (row) and secret (column), which answer it is."""
    _parts: dict[tuple[int, int], int] = field(default_factory=dict)

    def expect_few(self, n: int) -> None:
        """Take any number of them."""

    def possible(self, belief: Array) -> tuple[Asked, Left, fmpq]:
        """Return the questions about the secrets that are possible, with whole numbers."""
        weights, unit = whole_numbers(belief)
        at = np.flatnonzero(weights)
        return self.of(at), (np.arange(len(at)), weights[at]), unit

    def symmetries(self, weights: Array) -> "Symmetries | None":
        """Return which questions a symmetry takes to one another, if any are found."""
        from leaktight.repetition.symmetry import symmetries

        return symmetries(self, weights)

    def drawn(self, weights: Array) -> tuple[Any, ...]:
        """Return nothing: the secrets that are left tell their weights."""
        return ()

    def of(self, secrets: npt.NDArray[np.intp]) -> "Certain":
        """Return the same questions about some of the secrets."""
        if len(secrets) == len(self.secrets):
            return self
        labels = tuple(self.secrets[i] for i in secrets.tolist())
        return Certain(self.names, labels, self.answers, self.table[:, secrets])

    @cached_property
    def shapes(self) -> npt.NDArray[np.intp]:
        """The sizes of the groups that give the same answer, largest first, each shape once."""
        return np.unique(-np.sort(-self.sizes(self.table), axis=1), axis=0)

    def sizes(self, table: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        """Return how many secrets give each answer (column) to each question (row)."""
        answers = range(max(map(len, self.answers)))
        return np.stack([np.count_nonzero(table == z, axis=1) for z in answers], axis=1)

    def split(self, question: int, left: Left) -> Iterator[tuple[Hashable, Left]]:
        """Yield each answer that may come, and what it leaves over."""
        secrets, weights = left
        given = self.table[question, secrets]
        for z in np.unique(given).tolist():
            these = given == z
            yield self.answers[question][z], (secrets[these], weights[these])

    def values(self, left: Left, questions: Array) -> tuple[Array, Array]:
        """Return what a guess after each question is worth, and the largest group it may leave."""
        secrets, weights = left
        found = []
        for start in range(0, len(questions), size := max(1, BLOCK // len(secrets))):
            part = self.table[np.ix_(questions[start : start + size], secrets)]
            sizes = self.sizes(part)
            if (weights == weights[0]).all():
                worth = np.count_nonzero(sizes, axis=1) * weights[0]
            else:
                answers, nothing = range(sizes.shape[1]), weights[0] * 0
                largest = (np.where(part == z, weights, nothing).max(axis=1) for z in answers)
                worth = sum(largest, np.full(len(part), nothing))
            found.append((worth, sizes.max(axis=1)))
        worth, sizes = map(np.concatenate, zip(*found, strict=True))
        return worth, sizes

    def bound(self, left: Left, n: int) -> Any:
        """Return what no n questions and a guess exceed: docs/proofs/adaptive.md."""
        weights = left[1]
        parts = self._most_parts(n, len(weights))
        return weights.sum() if parts >= len(weights) else np.sort(weights)[-parts:].sum()

    def _most_parts(self, n: int, size: int) -> int:
        """Return into how many groups n questions may cut so many secrets, at most."""
        if n == 0 or size <= 1:
            return min(size, 1)
        if (n, size) not in self._parts:
            shapes = np.minimum(self.shapes, size)
            most = max(sum(self._most_parts(n - 1, s) for s in row) for row in shapes.tolist())
            self._parts[n, size] = min(size, most)
        return self._parts[n, size]


@dataclass(frozen=True, eq=False)
class Noisy(Asked):
    """Questions to which the answers are drawn."""

    tells_by_parts = False
    channels: tuple[Channel, ...]

    def expect_few(self, n: int) -> None:
        """Refuse n questions if their answers come in too many ways."""
        most = max(len(channel.outputs) for channel in self.channels)
        if most**n > allowed(MOST_HISTORIES):
            raise TooLarge(
                f"{n} drawn answers of {most} kinds come in {counted(most**n, 'way', 'ways')}, "
                f"more than {allowed(MOST_HISTORIES):,}"
            )

    def possible(self, belief: Array) -> tuple[Asked, Left, fmpq]:
        """Return the same questions, and the secrets that are possible."""
        at = np.flatnonzero(belief)
        return self, (at, belief[at]), fmpq(1)

    def symmetries(self, weights: Array) -> None:
        """Look for none."""

    def drawn(self, weights: Array) -> tuple[Any, ...]:
        """Return the weights, as answers change them."""
        return tuple(weights)

    @cached_property
    def capacity(self) -> fmpq:
        """The largest of Σ_z max_x K(z|x) over the questions."""
        return max(channel.sum_of_maxima() for channel in self.channels)

    def split(self, question: int, left: Left) -> Iterator[tuple[Hashable, Left]]:
        """Yield each answer that may come, and what it leaves over."""
        secrets, weights = left
        channel = self.channels[question]
        for z, column in zip(channel.outputs, channel.matrix[secrets].T, strict=True):
            these = np.flatnonzero(column)
            if len(these):
                yield z, (secrets[these], weights[these] * column[these])

    def values(self, left: Left, questions: Array) -> tuple[Array, Array]:
        """Return what a guess after each question is worth, and the largest group it may leave."""
        parts = [[part for _, part in self.split(q, left)] for q in questions.tolist()]
        worth = [sum((weights.max() for _, weights in each), fmpq(0)) for each in parts]
        sizes = [max(len(secrets) for secrets, _ in each) for each in parts]
        return np.array(worth, dtype=object), np.array(sizes)

    def bound(self, left: Left, n: int) -> Any:
        """Return what no n questions and a guess exceed: docs/proofs/adaptive.md."""
        return min(left[1].sum(), left[1].max() * self.capacity**n)


def read_questions(questions: Questions) -> Asked:
    """Return questions about the same secrets, in whatever form they are given."""
    if isinstance(questions, np.ndarray) and questions.ndim == 2 and questions.size:
        try:
            found = np.unique(np.concatenate([np.unique(row) for row in questions]))
        except TypeError as error:
            raise InvalidInput(
                "the answers in a table must have an order, as numbers or texts have; number them, "
                "or give a channel for each question"
            ) from error
        kind = np.min_scalar_type(len(found))
        if np.array_equal(found, np.arange(len(found))):
            table = questions.astype(kind)
        else:
            table = np.array([np.searchsorted(found, row).astype(kind) for row in questions])
        names, secrets = (tuple(range(size)) for size in table.shape)
        return Certain(names, secrets, (tuple(found.tolist()),) * len(names), table)
    if not isinstance(questions, Mapping) or not questions:
        raise InvalidInput(
            "expected a channel for each question, or a table of two dimensions with the answer to "
            f"each question for each secret, got {questions!r:.60}"
        )
    first = expect_channel(next(iter(questions.values())))
    channels = []
    for name, channel in questions.items():
        if set(expect_channel(channel).inputs) != set(first.inputs):
            raise Mismatch(f"all questions must be about the same secrets, but not {name!r:.60}")
        channels.append(channel.exact().restrict(first.inputs))
    certain = [channel.function for channel in channels if channel.function is not None]
    if len(certain) < len(channels):
        return Noisy(tuple(questions), first.inputs, tuple(channels))
    reduced = [channel.reduced() for channel in certain]
    table = np.array([channel.seen for channel in reduced])
    answers = tuple(channel.outputs for channel in reduced)
    return Certain(tuple(questions), first.inputs, answers, table)
