"""Several channels as one: one after the other, side by side, repeatedly."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from math import comb, factorial, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpz

from leaktight.channels.channel import Channel, expect_channel, same_numbers
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import (
    LARGEST,
    Distribution,
    PriorLike,
    ProductDistribution,
    runs,
)
from leaktight.channels.representation import Belief, Representation
from leaktight.errors import InvalidChannel, InvalidNumber, Mismatch, TooLarge
from leaktight.exact.numbers import Array, exact_array, is_exact, kept, product_of_powers
from leaktight.exact.shown import counted
from leaktight.labels import Labels, positions
from leaktight.limits import allowed

if TYPE_CHECKING:
    from leaktight.channels.views import AverageView, Views
    from leaktight.policies.policy import Policy
    from leaktight.policies.symmetric_query import Query

Runs: TypeAlias = tuple[tuple[Any, int], ...]
"""Things in a row, each with how often it follows itself."""


def sequential(
    first: Channel,
    second: Channel | Mapping[Hashable, Channel] | Callable[[Hashable], Channel],
) -> Channel:
    """Observe ``first``, then a second channel that may depend on what was seen.

    Definition 4 of [Barthe2011]_: C1 + C2 has the outputs (y1, y2) and the probabilities
    P(y1|x)·P(y2|y1, x). The second channel is a mapping or function from y1 to a channel on the
    same inputs, one channel on the same inputs if it does not depend on y1, or one channel whose
    inputs are the pairs (y1, x). Of two deterministic channels, the outputs are the pairs that
    occur.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> twice = sequential(coin, coin)
    >>> twice[0, (0, 1)]
    Fraction(2, 9)
    >>> stop = Channel.no_interference(2)
    >>> sequential(coin, {0: coin, 1: stop}).outputs
    ((0, 0), (0, 1), (1, 0))
    """
    first = expect_channel(first)
    if isinstance(second, Channel) and set(second.inputs) == set(first.inputs):
        following = _on_inputs(second, first.inputs, "any output")
        if first.function is not None and following.function is not None:
            return _both(first.function, following.function)
        one, other = same_numbers(first, following)
        pairs = _times(one.matrix[:, :, None], other.matrix[:, None, :])
        outputs = tuple(product(one.outputs, other.outputs))
        return Channel.trusted(one.inputs, outputs, pairs.reshape(len(pairs), -1))
    follow = [_on_inputs(_next(first, second, y), first.inputs, y) for y in first.outputs]
    start, *rest = same_numbers(first, *follow)
    blocks = [_times(start.matrix[:, [j]], channel.matrix) for j, channel in enumerate(rest)]
    outputs = tuple(
        (y, y2) for y, channel in zip(first.outputs, rest, strict=True) for y2 in channel.outputs
    )
    return Channel.trusted(first.inputs, outputs, np.concatenate(blocks, axis=1))


def _both(first: Deterministic, second: Deterministic) -> Deterministic:
    """Return both functions of the same inputs, with the pairs of outputs that occur."""
    pairs, seen = np.unique(first.seen * len(second.outputs) + second.seen, return_inverse=True)
    ends = zip(*np.divmod(pairs, len(second.outputs)), strict=True)
    outputs = tuple((first.outputs[y], second.outputs[z]) for y, z in ends)
    return Deterministic(first.inputs, outputs, seen)


def _next(first: Channel, second: Any, y: Hashable) -> Channel:
    """Return the channel that follows output ``y`` of ``first``."""
    if isinstance(second, Channel):
        at = positions([(y, x) for x in first.inputs], second.inputs, "input of the second channel")
        return Channel.trusted(first.inputs, second.outputs, second.matrix[at])
    if isinstance(second, Mapping):
        if y not in second:
            raise Mismatch(f"there must be a second channel for every output, got none for {y!r}")
        channel = second[y]
    elif callable(second):
        channel = second(y)
    else:
        raise InvalidChannel(
            f"what follows must be a Channel, or one for each output, got {second!r:.60}"
        )
    if not isinstance(channel, Channel):
        raise InvalidChannel(f"the second channel after {y!r} must be a Channel, got {channel!r}")
    return channel


def _on_inputs(channel: Channel, inputs: Labels, y: Hashable) -> Channel:
    if channel.inputs == inputs:
        return channel
    if set(channel.inputs) != set(inputs):
        raise Mismatch(
            f"the second channel after {y!r} must have the first one's inputs, "
            f"got {channel.inputs[:5]}"
        )
    return channel.restrict(inputs)


@dataclass(frozen=True, slots=True)
class Parallel(Representation):
    """Channels side by side, each on its own secret; ``factors`` says how often each stands.

    Definition 5 of [Barthe2011]_: inputs (x1, x2, …), outputs (y1, y2, …), probabilities
    P(y1|x1)·P(y2|x2)·…. It is never multiplied out unless :meth:`expand` is called: the measures
    that need no product compute with the factors.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> crowd = parallel(*[coin] * 1_000_000)
    >>> crowd
    1,000,000 channels in parallel
    >>> parallel(coin, coin).expand()[(0, 1), (0, 0)]
    Fraction(2, 9)
    """

    factors: tuple[tuple[Channel, int], ...]

    def __len__(self) -> int:
        return sum(times for _, times in self.factors)

    def expand(self) -> Channel:
        """Multiply out; inputs and outputs are tuples."""
        sizes = [(channel.shape, times) for channel, times in self.factors]
        rows, columns = (prod(shape[side] ** times for shape, times in sizes) for side in (0, 1))
        functions = [one.function for one, _ in self.factors if one.function is not None]
        if (rows + columns if len(functions) == len(sizes) else rows * columns) > allowed(LARGEST):
            raise TooLarge(
                f"the product has {counted(rows, 'input', 'inputs')} and "
                f"{counted(columns, 'output', 'outputs')}, more than {allowed(LARGEST):,} entries"
            )
        each = same_numbers(*(channel for channel, times in self.factors for _ in range(times)))
        inputs = tuple(product(*(channel.inputs for channel in each)))
        outputs = tuple(product(*(channel.outputs for channel in each)))
        if len(functions) == len(sizes):
            seen = np.zeros(1, np.intp)
            for one, (_, times) in zip(functions, sizes, strict=True):
                for _ in range(times):
                    seen = np.add.outer(seen * len(one.outputs), one.seen).ravel()
            return Deterministic(inputs, outputs, seen)
        matrix = each[0].matrix
        for channel in each[1:]:
            rows, columns = matrix.shape[0] * channel.shape[0], matrix.shape[1] * channel.shape[1]
            outer = _times(matrix[:, None, :, None], channel.matrix[None, :, None, :])
            matrix = outer.reshape(rows, columns)
        return Channel.trusted(inputs, outputs, matrix)

    def expand_on(self, inputs: Labels) -> Channel:
        """Multiply out the rows of some inputs alone, each a tuple with a value for each channel.

        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
        >>> parallel(*[coin] * 3).expand_on(((0, 1, 1),)).matrix[0, 0]
        2/27
        """
        each = same_numbers(*(channel for channel, times in self.factors for _ in range(times)))
        columns = prod(len(channel.outputs) for channel in each)
        words = _words(each)
        if len(inputs) * columns * words > allowed(LARGEST):
            raise TooLarge(
                f"{counted(len(inputs), 'row', 'rows')} of the product, with "
                f"{counted(columns, 'output', 'outputs')} each, have more than "
                f"{allowed(LARGEST) // words:,} entries as long as theirs"
            )
        matrix = np.ones((len(inputs), 1), dtype=each[0].matrix.dtype)
        for channel, values in zip(each, zip(*inputs, strict=True), strict=True):
            place = {x: i for i, x in enumerate(channel.inputs)}
            rows = channel.matrix[[place[x] for x in values]]
            matrix = _times(matrix[:, :, None], rows[:, None, :]).reshape(len(inputs), -1)
        outputs = tuple(product(*(channel.outputs for channel in each)))
        return Channel.trusted(tuple(inputs), outputs, matrix)

    def sum_of_maxima(self) -> Any:
        """Return the product over all channels."""
        return product_of_powers((one.sum_of_maxima(), times) for one, times in self.factors)

    def uniform(self) -> ProductDistribution:
        """The uniform prior of all secrets."""
        each = ((Distribution.uniform(one.inputs), times) for one, times in self.factors)
        return ProductDistribution(tuple(each))

    def views(self, policy: "Policy", query: "Query | None" = None) -> "Views":
        """Return what is seen of one record: whoever the others are, it has its own channel."""
        from leaktight.channels.views import Rows, own_fibres

        return Rows.of([one for one, _ in self.factors], own_fibres(policy))

    def average_views(
        self, policy: "Policy", query: "Query | None", belief: Belief
    ) -> "Iterator[AverageView]":
        """Yield what is seen of each kind of record; where records are independent, the others
        tell nothing of it.
        """
        from leaktight.channels.views import AverageView, seen_side_by_side

        if policy.is_constrained:
            yield from seen_side_by_side(self.factors, policy, belief)
            return
        domains = (
            runs(policy.values) if policy.values else ((policy.secrets.vertices, policy.records),)
        )
        done, record = set[tuple[int, Labels]](), 1
        for one, values, times in pair_runs(self.factors, domains):
            if (id(one), values) not in done:
                done.add((id(one), values))
                yield AverageView.alone(one, values, belief, record)
            record += times

    def __repr__(self) -> str:
        return f"{counted(len(self), 'channel', 'channels')} in parallel"


def parallel(*channels: Channel) -> Parallel:
    """Return the parallel composition of channels on independent secrets."""
    if not channels:
        raise InvalidChannel("a parallel composition needs at least one channel, got none")
    for channel in channels:
        if not isinstance(channel, Channel):
            raise InvalidChannel(
                f"channels in parallel are given one by one, got {channel!r:.60}; "
                "parallel(*channels) takes them from a list"
            )
    return Parallel(runs(channels))


def pair_factors(channel: Parallel, prior: PriorLike) -> list[tuple[Channel, Any, int]]:
    """Return each channel with its factor of the prior and how often the two stand together."""
    if prior is None:
        return [(factor, None, times) for factor, times in channel.factors]
    if not isinstance(prior, ProductDistribution) or len(prior) != len(channel):
        raise Mismatch(
            f"{len(channel)} channels in parallel need a product prior of as many factors: "
            "use product_distribution, or .expand() the channel"
        )
    return pair_runs(channel.factors, prior.factors)


def pair_runs(left: Runs, right: Runs) -> list[tuple[Any, Any, int]]:
    """Pair two equally long sequences that are given by runs.

    >>> pair_runs((("a", 3),), (("x", 1), ("y", 2)))
    [('a', 'x', 1), ('a', 'y', 2)]
    """
    paired: list[tuple[Any, Any, int]] = []
    waiting = list(reversed(right))
    for one, times in left:
        needed = times
        while needed:
            other, available = waiting.pop()
            both = min(needed, available)
            paired.append((one, other, both))
            needed -= both
            if available > both:
                waiting.append((other, available - both))
    return paired


def repeated(channel: Channel, n: int) -> Channel:
    """Observe ``n`` independent outputs of one secret, kept as counts.

    The order of the outputs tells nothing about the secret: sequences with the same counts have
    equal columns, so the outputs are the *types*, tuples of how often each output was seen.
    There are C(n+m-1, m-1) of them instead of m^n.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> repeated(coin, 3).outputs
    ((0, 3), (1, 2), (2, 1), (3, 0))
    >>> repeated(coin, 3)[0, (2, 1)]
    Fraction(4, 9)
    """
    channel = expect_channel(channel)
    if not isinstance(n, int | np.integer) or n < 1:
        raise InvalidNumber(f"a channel is observed a whole number of times, got n = {n!r}")
    inputs, m = channel.shape
    types = comb(n + m - 1, m - 1)
    if types * inputs > allowed(LARGEST):
        raise TooLarge(
            f"{n} observations of {m} outputs have {counted(types, 'type', 'types')} for each of "
            f"{inputs} inputs, more than {allowed(LARGEST):,} entries; try channel.reduced()"
        )
    counts = compositions(n, m, types)
    matrix = _exact_types(channel, counts, n) if channel.is_exact else _types(channel, counts, n)
    return Channel.trusted(channel.inputs, tuple(map(tuple, counts.tolist())), matrix)


def compositions(n: int, m: int, count: int) -> npt.NDArray[np.int64]:
    """List all ways to write n as an ordered sum of m non-negative numbers, a row each."""
    bars = combinations(range(n + m - 1), m - 1)
    flat = np.fromiter(chain.from_iterable(bars), dtype=np.int64, count=count * (m - 1))
    edges = np.empty((count, m + 1), dtype=np.int64)
    edges[:, 0], edges[:, 1:-1], edges[:, -1] = -1, flat.reshape(count, m - 1), n + m - 1
    return np.diff(edges, axis=1) - 1


def _exact_types(channel: Channel, counts: npt.NDArray[np.int64], n: int) -> Array:
    factorials = np.array([fmpz(factorial(k)) for k in range(n + 1)], dtype=object)
    ways = factorials[n] / exact_array(factorials[counts].prod(axis=1))
    matrix = np.tile(ways, (channel.shape[0], 1))
    for z in range(channel.shape[1]):
        powers = np.array([[p**k for k in range(n + 1)] for p in channel.matrix[:, z]])
        matrix *= powers[:, counts[:, z]]
    return matrix


def _types(channel: Channel, counts: npt.NDArray[np.int64], n: int) -> Array:
    from scipy.special import gammaln, xlogy

    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    logs = np.tile(ways, (channel.shape[0], 1))
    for z in range(channel.shape[1]):
        logs += xlogy(counts[:, z], channel.matrix[:, [z]])
    types = kept(np.exp(logs), np.isfinite(logs))
    return types / types.sum(axis=1, keepdims=True)


def _words(each: Sequence[Channel]) -> int:
    """Return how much room an entry of a product of channels takes, in that of a float, about."""
    if not is_exact(each[0].matrix):
        return 1
    return 8 + sum(max(p.height_bits() for p in one.matrix.flat) for one in each) // 32


def _times(one: Array, other: Array) -> Array:
    """Return the product of two arrays of probabilities, of which none may vanish."""
    return kept(one * other, one, other)
