"""Gain and loss functions of an attacker, or of an honest user."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidGain, TooLarge
from leaktight.exact.matrix import html_table, matrix_product, read_table, text_table
from leaktight.exact.numbers import Array, Value, float_array, is_exact, public
from leaktight.labels import Labels, alignment, listed_labels, position, positions, read_labels


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class _Payoff:
    """A number for each guess and each true input."""

    guesses: Labels
    inputs: Labels
    matrix: Array
    """One row per guess, one column per input."""

    word: ClassVar[str]
    """What it is called: a gain or a loss."""
    sign: ClassVar[int]
    """1 if much of it is wanted, −1 if little is."""

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

    def expected(self, joint: Array, inputs: Labels) -> Array:
        """The expected payoff of each guess (rows) at each output (columns).

        ``joint`` has the probability of each input (rows, labelled ``inputs``) and output.
        """
        order = alignment(inputs, self.inputs, f"the {type(self).__name__.lower()} and the inputs")
        table = self.matrix if order is None else self.matrix[:, order]
        if not (is_exact(table) and is_exact(joint)):
            table, joint = float_array(table), float_array(joint)
        return matrix_product(table, joint)

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
        if isinstance(aim, Loss):
            raise InvalidGain(f"what strategies earn needs a gain, got {aim!r:.60}")
        if ways * channel.matrix.size > MOST_SETS:
            raise TooLarge(
                f"all strategies with {len(aim.guesses):,} guesses for each of {len(outputs):,} "
                "outputs are too many to list"
            )
        order = alignment(inputs, aim.inputs, "the gain and the channel's inputs")
        payoffs, matrix = aim.matrix if order is None else aim.matrix[:, order], channel.matrix
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
class Tries:
    """The attacker may guess ``k`` times and gains 1 if one guess is right.

    The k-subsets that are the guesses are never listed.
    """

    k: int

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 1:
            raise InvalidGain(f"there must be at least one try, a whole number, got {self.k!r}")


Aim: TypeAlias = "Gain | Loss | Tries | Callable[[Any, Any], Any] | Any"
"""What a guess is worth: also a plain table, a row for each guess, or a function of both."""

MOST_SETS = 2**20
"""The most inputs, times sets of them, for which these are listed."""


def read_aim(given: Aim, inputs: Labels) -> Gain | Loss:
    """Return what each guess earns or costs; 1 for the right one if nothing is given.

    A function of a guess and an input, or a table with a row for each guess, is a gain. The guesses
    are the inputs unless a table has names for its rows, or another number of them. With several
    tries, a guess is a set of inputs.

    >>> read_aim(Tries(2), ("a", "b", "c")).guesses
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    >>> read_aim(lambda w, x: w == x, (0, 1)).matrix.tolist()
    [[1, 0], [0, 1]]
    """
    if isinstance(given, Gain | Loss):
        return given
    if given is None:
        return Gain.binary(inputs)
    if isinstance(given, Tries):
        k = min(given.k, len(inputs))
        if (sets := math.comb(len(inputs), k)) * len(inputs) > MOST_SETS:
            raise TooLarge(f"{sets:,} sets of {k} of {len(inputs):,} inputs are too many to list")
        guesses = list(combinations(inputs, k))
        return Gain([[int(x in guess) for x in inputs] for guess in guesses], guesses, inputs)
    if callable(given):
        return Gain.from_function(given, inputs)
    if isinstance(given, str) or not isinstance(given, Iterable):
        named = "; Loss.by_distance(graph.vertices, graph.distance) is that of a graph"
        raise InvalidGain(
            f"expected a Gain, a Loss, Tries, a table or a function, got {given!r:.60}"
            + (named if given == "distance" else "")
        )
    if hasattr(given, "columns") or isinstance(given, Mapping):  # a table with names of its own
        return Gain(given, None, None if hasattr(given, "columns") else inputs)
    rows = list(given)
    return Gain(rows, inputs if len(rows) == len(inputs) else None, inputs)
