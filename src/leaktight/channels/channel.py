"""Channels: labelled stochastic matrices, what an observer sees of each secret.

A channel has an input for each secret, an output for each observation and the probability
K(z|x) of each output given each input (Definition 5 of [Alvim2011a]_).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from leaktight.channels.distribution import Distribution, PriorLike, known, prior_on
from leaktight.channels.representation import Belief, Representation
from leaktight.errors import InvalidChannel
from leaktight.exact.matrix import (
    cascade,
    column_maxima,
    equal_rows,
    html_table,
    read_table,
    sum_columns,
    text_table,
)
from leaktight.exact.numbers import (
    Array,
    Value,
    exact_array,
    float_array,
    fraction,
    is_exact,
    kept,
    kept_floats,
    public,
    total,
)
from leaktight.exact.shown import shown
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import (
    Labels,
    alignment,
    listed_labels,
    position,
    positions,
    read_labels,
    renamed,
)

if TYPE_CHECKING:
    from leaktight.channels.deterministic import Deterministic
    from leaktight.channels.views import AverageView, Views
    from leaktight.policies.policy import Policy
    from leaktight.policies.symmetric_query import Query


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Channel(Representation):
    """A labelled stochastic matrix: exact if all its entries are, floating-point otherwise.

    ``rows`` may be nested sequences, a numpy array, a pandas table or a mapping of rows, each row
    a sequence or a mapping of outputs. Every row must sum to 1, exactly or up to rounding.
    Exact numbers beside floats become floats; what is too small for one is refused, here and
    wherever floats are computed, because a ratio would be hidden.

    >>> answers = ["no", "yes"]
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=answers, outputs=answers)
    >>> coin
    exact channel, 2 inputs × 2 outputs
          no  yes
     no  2/3  1/3
    yes  1/3  2/3
    >>> coin["yes", "no"]
    Fraction(1, 3)
    """

    inputs: Labels
    outputs: Labels
    matrix: Array
    """One row per input, read-only: ``float64``, or objects that are ``flint.fmpq``."""

    def __init__(
        self,
        rows: Any,
        inputs: Iterable[Hashable] | None = None,
        outputs: Iterable[Hashable] | None = None,
    ) -> None:
        if isinstance(rows, Channel):
            inputs = rows.inputs if inputs is None else inputs
            outputs = rows.outputs if outputs is None else outputs
            matrix = rows.matrix
        else:
            matrix, inputs, outputs = read_table(rows, inputs, outputs, "channel", InvalidChannel)
        x = read_labels(inputs, matrix.shape[0], "input", InvalidChannel)
        z = read_labels(outputs, matrix.shape[1], "output", InvalidChannel)
        _check(matrix, x, z)
        self._set(x, z, matrix)

    def _set(self, inputs: Labels, outputs: Labels, matrix: Array) -> None:
        matrix.flags.writeable = False
        object.__setattr__(self, "inputs", inputs)
        object.__setattr__(self, "outputs", outputs)
        object.__setattr__(self, "matrix", matrix)

    # --- other ways to make one ---

    @classmethod
    def trusted(cls, inputs: Labels, outputs: Labels, matrix: Array) -> "Channel":
        """Wrap a matrix that is known to be a channel; nothing is checked."""
        made = cls.__new__(cls)
        made._set(inputs, outputs, matrix)
        return made

    @classmethod
    def normalised(
        cls,
        rows: Any,
        inputs: Iterable[Hashable] | None = None,
        outputs: Iterable[Hashable] | None = None,
    ) -> "Channel":
        """Divide each row of non-negative weights, such as counts, by its sum.

        >>> Channel.normalised([[2, 1], [1, 3]])[1, 1]
        Fraction(3, 4)
        """
        weights, inputs, outputs = read_table(rows, inputs, outputs, "channel", InvalidChannel)
        sums = weights.sum(axis=1)
        for i, whole in enumerate(sums):
            if not whole > 0:
                raise InvalidChannel(f"the weights of row {i} must sum to more than 0, got {whole}")
        return cls(kept(weights / sums[:, None], weights), inputs, outputs)

    @classmethod
    def deterministic(
        cls,
        function: Callable[[Any], Hashable] | Mapping[Any, Hashable] | npt.NDArray[Any],
        inputs: Iterable[Hashable] | int,
    ) -> "Channel":
        """Each input certainly gives the output that ``function`` says.

        It may also be a numpy array with the output of each input. What is kept is one label per
        input: ten millions are no problem, and measures are computed from the groups of inputs
        that give the same. Where the whole matrix is needed, it is made, unless it is too large.

        >>> Channel.deterministic(lambda word: len(word), ["a", "b", "cd"]).outputs
        (1, 2)
        >>> ages = np.random.default_rng(7).integers(18, 90, 1_000_000)
        >>> Channel.deterministic(ages, len(ages)).shape
        (1000000, 72)
        """
        from leaktight.channels.deterministic import Deterministic

        return Deterministic.of(function, inputs)

    @classmethod
    def identity(cls, inputs: Iterable[Hashable] | int) -> "Channel":
        """Everything is seen."""
        return cls.deterministic(lambda x: x, inputs)

    @classmethod
    def no_interference(
        cls, inputs: Iterable[Hashable] | int, outputs: Distribution | None = None
    ) -> "Channel":
        """Nothing is seen: every row is ``outputs``, by default one certain output."""
        labels = listed_labels(inputs, "input", InvalidChannel)
        row = Distribution([1]) if outputs is None else known(outputs)
        return cls(np.tile(row.array, (len(labels), 1)), labels, row.values)

    @classmethod
    def random(cls, inputs: int, outputs: int, *, seed: int) -> "Channel":
        """Rows drawn uniformly from all distributions, as floats; the same for the same seed."""
        try:
            weights = np.random.default_rng(seed).standard_exponential((inputs, outputs))
        except (TypeError, ValueError, MemoryError) as wrong:
            raise InvalidChannel(
                f"a random channel has whole numbers of inputs and outputs and a seed: {wrong}"
            ) from None
        return cls.normalised(weights)

    # --- what it says ---

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact rationals."""
        return is_exact(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs and outputs there are."""
        return len(self.inputs), len(self.outputs)

    def sum_of_maxima(self) -> Any:
        """Return Σ_z max_x K(z|x), exact for an exact channel."""
        return total(column_maxima(self.matrix))

    def uniform(self) -> Distribution:
        """Return the uniform prior of the inputs."""
        return prior_on(None, self.inputs)

    def row(self, x: Hashable) -> Distribution:
        """The distribution of the outputs given input ``x``."""
        at = position(x, self.inputs, "input")
        return Distribution.trusted(self.outputs, self.matrix[at])

    @property
    def fractions(self) -> tuple[tuple[Fraction, ...], ...]:
        """The rows as exact numbers; a float is the binary number that it is.

        >>> Channel([["2/3", "1/3"], ["1/4", "3/4"]]).fractions[1]
        (Fraction(1, 4), Fraction(3, 4))
        """
        return tuple(tuple(map(fraction, exact_array(row))) for row in self.matrix)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The matrix as floats, as ``numpy.asarray`` and plots want it."""
        if copy is False:
            raise ValueError(
                "a channel has no array of floats to share; copy=False is not possible"
            )
        return self.to_numpy().astype(dtype or np.float64, copy=False)

    @overload
    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> Value: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, pair: Hashable) -> Distribution: ...
    def __getitem__(self, pair: Any) -> Value | Distribution:
        """Return ``channel[input, output]``, or what is seen of one input, ``channel[input]``.

        An input that is itself a pair, such as two records, has its own :meth:`row`.
        """
        if not (isinstance(pair, tuple) and len(pair) == 2):
            return self.row(pair)
        x, z = pair
        i, j = position(x, self.inputs, "input"), position(z, self.outputs, "output")
        return public(self._entry(i, j))

    def _entry(self, i: int, j: int) -> Any:
        return self.matrix[i, j]

    def to_numpy(self) -> npt.NDArray[np.float64]:
        """A copy of the matrix as floats, none of which may vanish."""
        return kept_floats(self.matrix).copy()

    def to_pandas(self) -> Any:
        """The matrix as a pandas table of ``Fraction`` or ``float``."""
        import pandas as pd

        rows = [[public(p) for p in row] for row in self.matrix]
        index, columns = (
            pd.Index(list(s), tupleize_cols=False) for s in (self.inputs, self.outputs)
        )
        return pd.DataFrame(rows, index=index, columns=columns)

    def exact(self) -> "Channel":
        """The exact binary value of every float, each row divided by its exact sum.

        >>> Channel([[0.25, 0.75]]).exact()[0, 1]
        Fraction(3, 4)
        """
        if self.is_exact:
            return self
        matrix = exact_array(self.matrix)
        return Channel.trusted(self.inputs, self.outputs, matrix / matrix.sum(axis=1)[:, None])

    def float(self) -> "Channel":
        """Every entry rounded to the nearest float, none of which may vanish."""
        if not self.is_exact:
            return self
        return Channel.trusted(self.inputs, self.outputs, kept_floats(self.matrix))

    # --- what can be made of it ---

    def then(self, other: "Channel") -> "Channel":
        """The cascade: ``other`` sees only this channel's output.

        >>> blur = Channel({"no": {"?": 1}, "yes": {"?": "1/2", "yes": "1/2"}})
        >>> Channel.identity(["no", "yes"]).then(blur)["yes", "?"]
        Fraction(1, 2)
        >>> Channel.identity(["no", "yes"]) @ blur == blur
        True
        """
        other = expect_channel(other)
        order = alignment(
            self.outputs, other.inputs, "the first channel's outputs and the second's inputs"
        )
        first, second = same_numbers(self, other)
        right = second.matrix if order is None else second.matrix[order]
        return Channel.trusted(self.inputs, other.outputs, cascade(first.matrix, right))

    def __matmul__(self, other: "Channel") -> "Channel":
        return self.then(other) if isinstance(other, Channel) else NotImplemented

    def reverse(self, prior: PriorLike = None) -> "Channel":
        """What is believed after each output that can occur: the channel from outputs to inputs.

        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
        >>> coin.reverse({"no": "1/4", "yes": "3/4"})["+", "yes"]
        Fraction(6, 7)
        """
        belief = prior_on(prior, self.inputs)
        one, other = self.matrix, belief.array
        if is_exact(one) != is_exact(other):
            one, other = kept_floats(one), kept_floats(other)
        joined = kept(one * other[:, None], one, other[:, None])
        occurs = np.flatnonzero(joined.sum(axis=0) > 0)
        outputs = tuple(self.outputs[z] for z in occurs)
        return Channel.normalised(joined[:, occurs].T, outputs, self.inputs)

    def about(
        self,
        other: "Callable[[Any], Hashable] | Mapping[Any, Hashable] | Channel",
        prior: PriorLike = None,
    ) -> "Channel":
        """What is seen of something else that depends on the input: Dalenius leakage.

        ``other`` is a function of the input, or a channel from the inputs to what is correlated
        with them. ``hyper(other, prior).outer`` is then the prior of that.

        >>> bit = Channel.identity(4).about(lambda x: x % 2, ["1/2", "1/4", "1/8", "1/8"])
        >>> bit[0, 0], bit[1, 3]
        (Fraction(4, 5), Fraction(1, 3))
        """
        seen = other if isinstance(other, Channel) else Channel.deterministic(other, self.inputs)
        return seen.reverse(prior).then(self)

    def restrict(self, inputs: Iterable[Hashable]) -> "Channel":
        """Only some inputs, in the order given: for instance those of one individual."""
        at = positions(inputs, self.inputs, "input")
        if not at:
            raise InvalidChannel("at least one input must be named, got none")
        wanted = [self.inputs[i] for i in at]
        return self._rows_at(at, read_labels(wanted, len(wanted), "input", InvalidChannel))

    @property
    def function(self) -> "Deterministic | None":
        """Itself, if it is kept as the one output of each input and not as a matrix."""
        return None

    def channel_on(self, inputs: Labels) -> "Channel":
        """Return what is seen of each of some inputs: itself, unless they are fewer."""
        return self.restrict(inputs) if set(inputs) < set(self.inputs) else self

    def _rows_at(self, at: list[int], labels: Labels) -> "Channel":
        return Channel.trusted(labels, self.outputs, self.matrix[at])

    def permute(self, outputs: Iterable[Hashable]) -> "Channel":
        """The same channel with its outputs in another order."""
        labels = tuple(self.outputs[z] for z in positions(outputs, self.outputs, "output"))
        order = alignment(labels, self.outputs, "a permutation and the channel's outputs")
        return self if order is None else self._arranged(order, labels)

    def _arranged(self, order: list[int], labels: Labels) -> "Channel":
        return Channel.trusted(self.inputs, labels, self.matrix[:, order])

    def merge(self, function: Callable[[Any], Hashable] | Mapping[Any, Hashable]) -> "Channel":
        """Give outputs new names; those that get the same name become one output.

        A mapping need only name the outputs that change.

        >>> Channel([["1/2", "1/4", "1/4"]], outputs="a b c".split()).merge({"c": "b"})
        exact channel, 1 input × 2 outputs
             a    b
        0  1/2  1/2
        """
        if isinstance(function, Mapping):
            positions(function, self.outputs, "output")
        names = renamed(function, self.outputs, "output", InvalidChannel, complete=False)
        return self._merged(names, tuple(dict.fromkeys(names)))

    def _merged(self, names: list[Hashable], labels: Labels) -> "Channel":
        return Channel.trusted(self.inputs, labels, sum_columns(self.matrix, names, labels))

    def reduced(self) -> "Channel":
        """Drop the outputs that never occur and merge those with equal posteriors.

        Columns that are proportional tell an observer the same. They keep the first one's label.
        Floating-point columns count as proportional if they are up to rounding.

        >>> Channel([["1/2", "1/4", "1/4", 0], ["1/4", "3/8", "3/8", 0]]).reduced()
        exact channel, 2 inputs × 2 outputs
             0    1
        0  1/2  1/2
        1  1/4  3/4
        """
        sums = self.matrix.sum(axis=0)
        seen = np.flatnonzero(sums > 0)
        profiles = kept(self.matrix[:, seen] / sums[seen], self.matrix[:, seen])
        groups = equal_rows(profiles.T)
        labels = tuple(self.outputs[seen[g]] for g in dict.fromkeys(groups))
        matrix = sum_columns(self.matrix[:, seen], groups, tuple(dict.fromkeys(groups)))
        return Channel.trusted(self.inputs, labels, matrix)

    # --- how it looks ---

    # --- what it shows of one record ---

    def views(self, policy: "Policy", query: "Query | None" = None) -> "Views":
        """Return what is seen of one record by somebody who knows all others.

        The inputs are the answers of ``query``; without one the databases, or the values of each
        record, which is then seen by itself.
        """
        from leaktight.channels.views import Rows, own_fibres
        from leaktight.policies.fibres import fibres

        own = self._is_of_each_record(policy, query)
        return Rows.of([self], own_fibres(policy) if own else fibres(policy, query))

    def average_views(
        self, policy: "Policy", query: "Query | None", belief: Belief
    ) -> "Iterator[AverageView]":
        """Yield what is seen of each kind of record by somebody who knows nobody."""
        from leaktight.channels.composition import Parallel
        from leaktight.channels.views import seen_on_average

        if self._is_of_each_record(policy, query):
            yield from Parallel(((self, policy.records),)).average_views(policy, query, belief)
        else:
            yield from seen_on_average(self, policy, query, belief)

    def _is_of_each_record(self, policy: "Policy", query: "Query | None") -> bool:
        """Say whether the inputs are the values of one record of several."""
        several = query is None and policy.records > 1
        return several and set(self.inputs) == set(policy.secrets.vertices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Channel):
            return NotImplemented
        return (self.inputs, self.outputs) == (other.inputs, other.outputs) and bool(
            np.array_equal(self.matrix, other.matrix)
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs, tuple(self.row(self.inputs[0]).array)))

    def __repr__(self) -> str:
        return f"{self._title()}\n{text_table(self._corner(), self.inputs, self.outputs)}"

    def _repr_html_(self) -> str:
        return html_table(self._corner(), self.inputs, self.outputs, self._title())

    def _corner(self) -> Array:
        """The matrix, or at least as much of it as is shown."""
        return self.matrix

    def _title(self) -> str:
        kind = "exact" if self.is_exact else "float"
        x, z = self.shape
        return f"{kind} channel, {x} input{'s' * (x > 1)} × {z} output{'s' * (z > 1)}"


def _check(matrix: Array, inputs: Labels, outputs: Labels) -> None:
    exact, near = is_exact(matrix), float_array(matrix)
    # Floats are compared more quickly, and have the sign of exact numbers unless they are 0.
    negative = any(v < 0 for v in matrix[near <= 0] if v) if exact else not near.min() >= 0
    if negative:  # or NaN
        i, j = np.argwhere(~(matrix >= 0))[0]
        raise InvalidChannel(
            f"row {inputs[i]!r} of the channel must hold numbers of at least 0, "
            f"got {shown(matrix[i, j])} for output {outputs[j]!r}"
        )
    if not exact and matrix.flags.writeable:
        np.abs(matrix, out=matrix)  # -0.0 becomes 0.0
    sums = matrix.sum(axis=1)
    wrong = sums != 1 if exact else ~(np.abs(sums - 1) <= TOLERANCES.total)
    if wrong.any():
        i = int(np.argmax(wrong))
        way = "to divide rows by their sums, use Channel.normalised"
        if sums[i] == 100:
            way = "25 per cent is written 0.25 or 1/4"
        raise InvalidChannel(
            f"row {inputs[i]!r} of the channel must sum to 1{'' if exact else ' up to rounding'}, "
            f"got {shown(sums[i]) if exact else sums[i]}; {way}"
        )


def expect_channel(value: Any) -> Channel:
    """Return ``value`` if it is a channel, and say what to do if not."""
    if isinstance(value, Channel):
        return value
    if hasattr(value, "expand"):
        raise InvalidChannel(f"this needs one channel, got {value!r}: use .expand()")
    if hasattr(value, "channel"):
        raise InvalidChannel(f"this needs a channel, got {value!r:.60}: use its .channel")
    raise InvalidChannel(f"expected a Channel, got {value!r:.60}; Channel(rows) makes one")


def same_numbers(*channels: Channel) -> tuple[Channel, ...]:
    """Return the channels as they are if all are exact, otherwise all as floats."""
    if all(channel.is_exact for channel in channels):
        return channels
    return tuple(channel.float() for channel in channels)


def on_same_inputs(a: Channel, b: Channel) -> tuple[Channel, Channel]:
    """Return two channels whose inputs are in the order of the first; the labels must be alike."""
    x, y = expect_channel(a).inputs, expect_channel(b).inputs
    order = alignment(x, y, "the inputs of the two channels")
    return a, b if order is None else b.restrict(x)
