"""Gain and loss functions of an attacker, or of an honest user."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidGain, TooLarge, is_list
from leaktight.exact.matrix import html_table, matrix_product, read_table, text_table
from leaktight.exact.numbers import (
    Array,
    Value,
    exact_array,
    float_array,
    is_exact,
    public,
    total,
)
from leaktight.exact.shown import counted
from leaktight.labels import Labels, alignment, listed_labels, position, positions, read_labels
from leaktight.limits import allowed


class Beliefs(Protocol):
    """What guesses are made from: how likely each input is together with each output."""

    @property
    def inputs(self) -> Labels:
        """The names of the inputs."""

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact."""

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that the guesses from the first to the end, best first, are right."""

    def share(self, k: int) -> Any:
        """Return the chance that one of k guesses is right after the output that suits best."""

    def likeliest(self, k: int) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield each output that can occur, and the k likeliest of the inputs that it leaves."""

    def expected(self, table: Array) -> Array:
        """Return what each guess (row of the table) brings on average at each output (column)."""

    def occurring(self, expected: Array) -> tuple[Array, Array, Array]:
        """Return which outputs can occur, how likely each is, and what is expected at these."""


class Objective(ABC):
    """What is wanted of a guess; ``sign`` is 1 if much of it is wanted, −1 if little is."""

    __slots__ = ()
    word: ClassVar[str]
    """What it is called: a gain or a loss."""
    sign: ClassVar[int]

    def aligned(self, inputs: Labels) -> "Objective":
        """Return the same for inputs in this order."""
        return self

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether all numbers are exact rationals."""

    @abstractmethod
    def listed(self, inputs: Labels) -> "Gain | Loss":
        """Return what each guess brings for each input."""

    def table(self, inputs: Labels, at: Array) -> Array:
        """Return what each guess (row) brings for some of the inputs (columns)."""
        return self.listed(inputs).aligned(inputs).matrix[:, at]

    @abstractmethod
    def worth(self, seen: Beliefs) -> Any:
        """Return what the best guess for each output brings on average."""

    @abstractmethod
    def peak(self, seen: Beliefs) -> Any:
        """Return what the best guess brings after the output that suits it best."""

    @abstractmethod
    def strategy(self, seen: Beliefs) -> Iterator[tuple[int, Hashable]]:
        """Yield each output that can occur and the best guess for it, the first of equals."""


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class _Payoff(Objective):
    """A number for each guess and each true input."""

    guesses: Labels
    inputs: Labels
    matrix: Array
    """One row per guess, one column per input."""

    def __init__(
        self,
        rows: Any,
        guesses: Iterable[Hashable] | None = None,
        inputs: Iterable[Hashable] | None = None,
    ) -> None:
        name = type(self).__name__.lower()
        if callable(rows):
            raise InvalidGain(f"a {name} from a function is {name.title()}.from_function(…)")
        matrix, guesses, inputs = read_table(rows, guesses, inputs, name, InvalidGain)
        if not is_exact(matrix) and not np.isfinite(matrix).all():
            raise InvalidGain(f"every {name} must be a finite number")
        object.__setattr__(
            self, "guesses", read_labels(guesses, matrix.shape[0], "guess", InvalidGain)
        )
        object.__setattr__(
            self, "inputs", read_labels(inputs, matrix.shape[1], "input", InvalidGain)
        )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    @classmethod
    def from_function(
        cls,
        function: Callable[[Any, Any], Any],
        inputs: Iterable[Hashable],
        guesses: Iterable[Hashable] | None = None,
    ) -> Self:
        """The value of ``function(guess, input)``; the guesses are the inputs unless given."""
        secrets = listed_labels(inputs, "input", InvalidGain)
        tried = secrets if guesses is None else listed_labels(guesses, "guess", InvalidGain)
        if not callable(function):
            raise InvalidGain(f"expected a function of a guess and an input, got {function!r:.60}")
        return cls([[function(w, x) for x in secrets] for w in tried], tried, secrets)

    @property
    def is_exact(self) -> bool:
        """Whether all numbers are exact rationals."""
        return is_exact(self.matrix)

    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> Value:
        guess, x = pair
        w = position(guess, self.guesses, "guess")
        return public(self.matrix[w, position(x, self.inputs, "input")])

    def aligned(self, inputs: Labels) -> Self:
        """Return the same with its columns in the order of ``inputs``."""
        order = alignment(inputs, self.inputs, f"the {self.word} and the inputs")
        return self if order is None else type(self)(self.matrix[:, order], self.guesses, inputs)

    def listed(self, inputs: Labels) -> Any:
        """Return it as it is."""
        return self

    def expected(self, joint: Array, inputs: Labels) -> Array:
        """The expected payoff of each guess (rows) at each output (columns).

        ``joint`` has the probability of each input (rows, labelled ``inputs``) and output.
        """
        table = self.aligned(inputs).matrix
        if not (is_exact(table) and is_exact(joint)):
            table, joint = float_array(table), float_array(joint)
        return matrix_product(table, joint)

    @staticmethod
    @abstractmethod
    def best(expected: Array) -> Any:
        """Return the best of each column."""

    def worth(self, seen: Beliefs) -> Any:
        """Return what the best guess for each output brings on average."""
        return total(self.best(seen.expected(self.matrix)))

    def peak(self, seen: Beliefs) -> Any:
        """Return what the best guess brings after the output that suits it best."""
        table = exact_array(self.matrix) if seen.is_exact else self.matrix
        _, chances, best = seen.occurring(self.best(seen.expected(table)))
        return self.best(best / chances)

    def strategy(self, seen: Beliefs) -> Iterator[tuple[int, Hashable]]:
        """Yield each output that can occur and the best guess for it, the first of equals."""
        at, _, expected = seen.occurring(seen.expected(self.matrix))
        best = (self.sign * expected).argmax(axis=0)
        return ((z, self.guesses[w]) for z, w in zip(at.tolist(), best.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (self.guesses, self.inputs) == (other.guesses, other.inputs) and bool(
            np.array_equal(self.matrix, other.matrix)
        )

    def __hash__(self) -> int:
        return hash((self.guesses, self.inputs, tuple(self.matrix[0])))

    def __repr__(self) -> str:
        return f"{self._title()}\n{text_table(self.matrix, self.guesses, self.inputs)}"

    def _repr_html_(self) -> str:
        return html_table(self.matrix, self.guesses, self.inputs, self._title())

    def _title(self) -> str:
        return f"{type(self).__name__.lower()} of guesses (rows) for inputs (columns)"


class Gain(_Payoff):
    """What each guess earns for each true input; an attacker wants much of it.

    >>> Gain([[1, 0], [0, 1], ["1/2", "1/2"]], ["a", "b", "pass"], inputs=["a", "b"])
    gain of guesses (rows) for inputs (columns)
            a    b
       a    1    0
       b    0    1
    pass  1/2  1/2
    """

    __slots__ = ()
    word, sign = "gain", 1

    @staticmethod
    def best(expected: Array) -> Any:
        """Return the largest of each column."""
        return expected.max(axis=0)

    @classmethod
    def binary(cls, inputs: Iterable[Hashable]) -> "Gain":
        """1 for the right guess, 0 otherwise."""
        return cls.from_function(lambda w, x: int(w == x), inputs)

    @classmethod
    def by_distance(
        cls,
        inputs: Iterable[Hashable],
        distance: Callable[[Any, Any], Any],
        guesses: Iterable[Hashable] | None = None,
    ) -> "Gain":
        """1 for distance 0, falling evenly to 0 at the largest distance.

        >>> Gain.by_distance([0, 1, 4], lambda a, b: abs(a - b))[1, 4]
        Fraction(1, 4)
        """
        losses = Loss.by_distance(inputs, distance, guesses)
        largest = losses.matrix.max()
        scaled = losses.matrix / largest if largest > 0 else losses.matrix
        return cls(1 - scaled, losses.guesses, losses.inputs)

    @classmethod
    def membership(cls, inputs: Iterable[Hashable], subset: Iterable[Hashable]) -> "Gain":
        """1 for guessing rightly whether the input is in ``subset``: True or False.

        >>> Gain.membership(["flu", "cold", "none"], ["flu", "cold"])[True, "flu"]
        Fraction(1, 1)
        """
        secrets = listed_labels(inputs, "input", InvalidGain)
        inside = set(positions(subset, secrets, "input"))
        return cls(
            [[int((i in inside) == w) for i in range(len(secrets))] for w in (True, False)],
            (True, False),
            secrets,
        )

    @classmethod
    def of_strategies(cls, channel: Channel, gain: "Aim" = None) -> "Gain":
        """What each strategy earns that has a guess for every output of a channel.

        Before an observation, whatever the prior, it is worth what ``gain`` is worth after it: a
        channel turned into a gain. A guess is a tuple of guesses, in the order of the outputs.

        >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> Gain.of_strategies(coin)
        gain of guesses (rows) for inputs (columns)
                  0    1
        (0, 0)    1    0
        (0, 1)  3/4  3/4
        (1, 0)  1/4  1/4
        (1, 1)    0    1
        """
        inputs, outputs = expect_channel(channel).inputs, channel.outputs
        aim = read_aim(gain, inputs)
        ways = len(aim.guesses) ** len(outputs)
        if aim.sign < 0:
            raise InvalidGain(f"what strategies earn needs a gain, got {aim!r:.60}")
        if ways * channel.matrix.size > allowed(MOST_SETS):
            raise TooLarge(
                f"all strategies with {len(aim.guesses):,} guesses for each of {len(outputs):,} "
                "outputs are too many to list"
            )
        payoffs, matrix = aim.aligned(inputs).matrix, channel.matrix
        if not (is_exact(payoffs) and is_exact(matrix)):
            payoffs, matrix = float_array(payoffs), float_array(matrix)
        chosen = list(product(range(len(aim.guesses)), repeat=len(outputs)))
        earned = [(payoffs[list(each)] * matrix.T).sum(axis=0) for each in chosen]
        return cls(
            np.array(earned), [tuple(aim.guesses[w] for w in each) for each in chosen], inputs
        )


class Loss(_Payoff):
    """What each guess costs for each true input; whoever guesses wants little of it.

    >>> Loss.by_distance([0, 1, 4], lambda a, b: (a - b) ** 2)[1, 4]
    Fraction(9, 1)
    """

    __slots__ = ()
    word, sign = "loss", -1

    @staticmethod
    def best(expected: Array) -> Any:
        """Return the least of each column."""
        return expected.min(axis=0)

    @classmethod
    def zero_one(cls, inputs: Iterable[Hashable]) -> "Loss":
        """0 for the right guess, 1 otherwise."""
        return cls.from_function(lambda w, x: int(w != x), inputs)

    @classmethod
    def by_distance(
        cls,
        inputs: Iterable[Hashable],
        distance: Callable[[Any, Any], Any],
        guesses: Iterable[Hashable] | None = None,
    ) -> "Loss":
        """The distance between the guess and the truth.

        A pair of ends, as ``Metric.distance`` gives them, is rounded up: to its upper end.

        >>> from leaktight.policies.metric import Metric
        >>> streets = Metric.manhattan([(0, 0), (1, 2)])
        >>> Loss.by_distance(streets.values, streets.distance)[(0, 0), (1, 2)]
        Fraction(3, 1)
        """
        if callable(distance):
            losses = cls.from_function(lambda w, x: _upper(distance(w, x)), inputs, guesses)
        else:
            losses = cls.from_function(distance, inputs, guesses)
        if losses.matrix.min() < 0:
            raise InvalidGain(f"a distance must not be negative, got {losses.matrix.min()}")
        return losses


def _upper(distance: Any) -> Any:
    """Return the upper end of a distance that is given by two."""
    return max(distance) if isinstance(distance, tuple) and len(distance) == 2 else distance


@dataclass(frozen=True, slots=True)
class Tries(Objective):
    """The attacker may guess ``k`` times and gains 1 if one guess is right.

    The k-subsets that are the guesses are never listed.
    """

    k: int
    word, sign = "gain", 1

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 1:
            raise InvalidGain(f"there must be at least one try, a whole number, got {self.k!r}")

    def worth(self, seen: Beliefs) -> Any:
        """Return the chance that one of the tries is right."""
        return seen.tried(0, self.k)

    def peak(self, seen: Beliefs) -> Any:
        """Return the chance after the output that suits the tries best."""
        return seen.share(self.k)

    def strategy(self, seen: Beliefs) -> Iterator[tuple[int, Hashable]]:
        """Yield each output and the values to try, best first."""
        return ((z, tuple(seen.inputs[i] for i in at)) for z, at in seen.likeliest(self.k))

    @property
    def is_exact(self) -> bool:
        """They are 0 and 1."""
        return True

    def table(self, inputs: Labels, at: Array) -> Array:
        """Return 1 where a set of values that may be tried (row) has an input (column)."""
        size, k = len(at), min(self.k, len(at))
        if (sets := math.comb(size, k)) > allowed(MOST_TRIED):
            raise TooLarge(
                f"{k} tries for {size} inputs choose from {counted(sets, 'set', 'sets')}, "
                f"the most are {allowed(MOST_TRIED):,}"
            )
        tried = (np.isin(np.arange(size), each) for each in combinations(range(size), k))
        return exact_array(int(hit) for each in tried for hit in each).reshape(-1, size)

    def listed(self, inputs: Labels) -> Gain:
        """Return the gain of all sets of inputs that may be tried."""
        k = min(self.k, len(inputs))
        if (sets := math.comb(len(inputs), k)) * len(inputs) > allowed(MOST_SETS):
            raise TooLarge(f"{sets:,} sets of {k} of {len(inputs):,} inputs are too many to list")
        guesses = list(combinations(inputs, k))
        return Gain([[int(x in guess) for x in inputs] for guess in guesses], guesses, inputs)


class _Right(Tries):
    """One guess, which is a value rather than a tuple of them."""

    __slots__ = ()

    def strategy(self, seen: Beliefs) -> Iterator[tuple[int, Hashable]]:
        """Yield each output and its likeliest value."""
        return ((z, seen.inputs[first]) for z, (first,) in seen.likeliest(1))

    def listed(self, inputs: Labels) -> Gain:
        """Return 1 for the right guess, 0 otherwise."""
        return Gain.binary(inputs)


class _Wrong(Objective):
    """The chance that one guess is wrong."""

    __slots__ = ()
    word, sign = "loss", -1

    @property
    def is_exact(self) -> bool:
        """They are 0 and 1."""
        return True

    def worth(self, seen: Beliefs) -> Any:
        """Return the chance that the secret is none of the likeliest values."""
        return seen.tried(1)

    def listed(self, inputs: Labels) -> Loss:
        """Return 0 for the right guess, 1 otherwise."""
        return Loss.zero_one(inputs)

    def peak(self, seen: Beliefs) -> Any:
        """Return the chance after the output that suits the guess best."""
        return 1 - seen.share(1)

    def strategy(self, seen: Beliefs) -> Iterator[tuple[int, Hashable]]:
        """Yield each output and its likeliest value."""
        return RIGHT.strategy(seen)


RIGHT, WRONG = _Right(1), _Wrong()
"""That one guess is right, and that it is wrong."""


Aim: TypeAlias = "Gain | Loss | Tries | Callable[[Any, Any], Any] | Any"
"""What a guess is worth: also a plain table, a row for each guess, or a function of both."""

MOST_SETS = 2**20
"""The most inputs, times sets of them, for which these are listed."""

MOST_TRIED = 2**12
"""The most sets of values that several tries may choose from, where each is gone through."""


def read_objective(given: Aim, inputs: Labels) -> Objective:
    """Return what is wanted of a guess of ``inputs``; that it is right if nothing is given.

    A function of a guess and an input, or a table with a row for each guess, is a gain. The guesses
    are the inputs unless a table has names for its rows, or another number of them.

    >>> read_objective(lambda w, x: w == x, (0, 1)).matrix.tolist()
    [[1, 0], [0, 1]]
    """
    if given is None:
        return RIGHT
    if isinstance(given, Objective):
        return given
    if callable(given):
        return Gain.from_function(given, inputs)
    if not is_list(given):
        named = "; Loss.by_distance(graph.vertices, graph.distance) is that of a graph"
        raise InvalidGain(
            f"expected a Gain, a Loss, Tries, a table or a function, got {given!r:.60}"
            + (named if given == "distance" else "")
        )
    if hasattr(given, "columns") or isinstance(given, Mapping):  # a table with names of its own
        return Gain(given, None, None if hasattr(given, "columns") else inputs)
    rows = list(given)
    return Gain(rows, inputs if len(rows) == len(inputs) else None, inputs)


def read_gain(given: Aim, inputs: Labels) -> Objective:
    """Return what is wanted of a guess as :func:`read_objective` does; no loss is."""
    found = read_objective(given, inputs)
    if found.sign < 0:
        raise InvalidGain("expected a gain, got a Loss; expected_loss takes one")
    return found


def read_loss(given: Any, what: str = "a Loss") -> "Loss":
    """Return a loss."""
    if not isinstance(given, Loss):
        raise InvalidGain(f"expected {what}, got {given!r:.60}")
    return given


def read_aim(given: Aim, inputs: Labels) -> Gain | Loss:
    """Return what each guess earns or costs, listed: of several tries, for each set of inputs.

    >>> read_aim(Tries(2), ("a", "b", "c")).guesses
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    """
    return read_objective(given, inputs).listed(inputs)
