"""Joint distributions of a secret and what is seen of it: dense, grouped by output, of many parts.

Every measure is a sum over a joint distribution. How one is kept decides how the sum is found, so
that the joint computes it, and no measure asks which kind of channel it has. A new kind of channel
registers its joint with :func:`joint`.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel, pair_factors
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import (
    Distribution,
    PriorLike,
    prior_on,
    read_prior,
)
from leaktight.exact.matrix import column_maxima, matrix_product, sum_columns
from leaktight.exact.numbers import (
    Array,
    float_array,
    is_exact,
    kept,
    product_of_powers,
    rational,
    total,
)
from leaktight.exact.rounding import log2_interval, nearest_float, outward
from leaktight.labels import Labels
from leaktight.leakage.float_entropy import float_entropy, float_information, float_remainder
from leaktight.leakage.groups import Groups, Indices, huffman

Order = fmpq | float
"""The order of an entropy: exact, or ∞."""


class Joint:
    """How likely each secret is together with what is seen; by default computed from its groups.

    ``is_uniform`` says that no prior was given.
    """

    def __init__(self, channel: Any, prior: Distribution | None) -> None:
        self.channel, self.is_uniform = channel, prior is None
        if prior is not None:
            self.prior = prior

    @cached_property
    def prior(self) -> Distribution:
        """How likely each secret is; alike, unless a prior was given."""
        return prior_on(None, self.inputs)

    @property
    def inputs(self) -> Labels:
        """The names of the secrets."""
        labels: Labels = self.channel.inputs
        return labels

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact."""
        return self.channel.is_exact and (self.is_uniform or self.prior.is_exact)

    @cached_property
    def before(self) -> "Joint":
        """The secret when nothing was seen."""
        return Unseen(self.prior, self.is_uniform)

    @cached_property
    def parts(self) -> "list[tuple[Joint, int]]":
        """The independent secrets of which it is, and how often each stands."""
        return [(self, 1)]

    @cached_property
    def groups(self) -> Groups:
        """What is not 0, by output."""
        raise NotImplementedError

    def expect_kept(self) -> None:
        """Refuse floats too small to be multiplied: some output would be lost, however telling."""

    # --- guesses ---

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that the guesses from the first to the end, best first, are right."""
        return self.groups.tried(first, end)

    def guesses(self) -> Any:
        """Return how many guesses hit the secret on average, the likeliest first."""
        return self.groups.guesses()

    def questions(self) -> Any:
        """Return how many yes-or-no questions find the secret on average."""
        return self.groups.questions()

    def share(self, k: int) -> Any:
        """Return the chance that one of k guesses is right after the output that suits best."""
        return self.groups.share(k)

    def agreement(self) -> Any:
        """Return the chance that a value drawn by the belief is the secret: Σ p(x,z)²/p(z)."""
        left = (weights for _, _, weights in self.groups.split())
        return sum((weights**2).sum() / weights.sum() for weights in left)

    def likeliest(self, k: int) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield each output that can occur, and the k likeliest of the inputs that it leaves."""
        return ((z, at[:k]) for z, at, _ in self.groups.split())

    def expected(self, table: Array) -> Array:
        """Return what each guess (row of the table) brings on average at each output (column)."""
        raise NotImplementedError

    def occurring(self, expected: Array) -> tuple[Indices, Array, Array]:
        """Return which outputs can occur, how likely each is, and what is expected at these."""
        raise NotImplementedError

    # --- what is believed after each output ---

    def posteriors(self) -> Iterator[tuple[Any, Distribution]]:
        """Yield how likely each output that can occur is, and what it leaves.

        Where outputs that leave the same chances are taken together, what each chance is of is
        left out.
        """
        for times, chances, often in self.groups.kinds():
            whole = (chances * often).sum()
            left = np.repeat(kept(chances / whole, chances), often)
            yield times * whole, Distribution.trusted(tuple(range(len(left))), left)

    def mean(self, of: Callable[[Distribution], Any]) -> Any:
        """Return the mean, over the outputs, of a number that each posterior has."""
        return total(np.array([p * of(after) for p, after in self.posteriors()]))

    def growth(self) -> Iterator[tuple[int, int, Any]]:
        """Yield each output, the input that it speaks for most, and by how much."""
        raise NotImplementedError

    # --- Arimoto's entropies in bits ---

    @property
    def pairs(self) -> Distribution:
        """The distribution of secret and output together."""
        raise NotImplementedError

    def enclosing(self) -> "Joint":
        """Return the same in exact numbers, where these cost no more."""
        return self

    def likelihood(self, alpha: Order) -> Any:
        """Return 2^−H for the orders at which that is a plain number: 0 and ∞."""
        if alpha == 0:
            return fmpq(1, int(self.groups.sizes().max()))
        return self.groups.tried(0, 1)

    def ball(self, alpha: Order) -> arb:
        """Enclose H_α(X|Z), of exact numbers."""
        if alpha in (0, math.inf):
            return -arb(self.likelihood(alpha)).log_base(2)
        return self.groups.shannon() if alpha == 1 else self.groups.renyi(rational(alpha))

    def entropy(self, alpha: Order) -> float:
        """Return H_α(X|Z), correctly rounded of exact numbers."""
        if (self.groups.sizes() == 1).all():
            return 0.0
        if not self.is_exact:
            return self.groups.left()
        return nearest_float(lambda: self.ball(alpha))

    def tells_nothing(self) -> bool:
        """Say whether all outputs leave the same belief, of exact numbers."""
        raise NotImplementedError

    def told(self) -> arb:
        """Enclose I(X;Z), of exact numbers."""
        return self.before.groups.shannon() - self.groups.shannon()

    def information(self) -> float:
        """Return I(X;Z) in bits, correctly rounded of exact numbers."""
        return 0.0 if self.tells_nothing() else nearest_float(self.told)

    def lost(self, alpha: Order) -> tuple[float, float]:
        """Enclose by how much H_α falls, of exact numbers."""
        if alpha in (0, math.inf):
            return log2_interval(self.likelihood(alpha) / self.before.likelihood(alpha))
        if self.tells_nothing():
            return 0.0, 0.0
        return outward(
            self.told if alpha == 1 else lambda: self.before.ball(alpha) - self.ball(alpha)
        )


class Grouped(Joint):
    """That of a function of the secret, whose inputs are grouped by what they show."""

    channel: Deterministic

    @cached_property
    def groups(self) -> Groups:
        """The inputs of positive probability, by output."""
        return Groups.cut(self.prior.array, self.channel.seen)

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that some guesses are right; of alike inputs one of each group is."""
        if self.is_uniform and (first, end) == (0, 1):
            return fmpq(len(self.channel.occurring), len(self.inputs))
        return super().tried(first, end)

    def questions(self) -> Any:
        """Return how many questions there are, once for all groups that are alike."""
        return self.mean(lambda belief: huffman(belief)[1])

    def expected(self, table: Array) -> Array:
        """Return the sums over the inputs that show the same, for each output that is shown."""
        prior = self.prior.array
        if not (is_exact(table) and is_exact(prior)):
            table, prior = float_array(table), float_array(prior)
        places = np.searchsorted(self.channel.occurring, self.channel.seen)
        return sum_columns(table * prior, places.tolist(), tuple(range(int(places.max()) + 1)))

    def occurring(self, expected: Array) -> tuple[Indices, Array, Array]:
        """Return the groups' outputs, and what is expected at these."""
        chances = [weights.sum() for _, _, weights in self.groups.split()]
        at = self.groups.outputs
        places = np.searchsorted(self.channel.occurring, at)
        return at, np.array(chances), expected[..., places]

    def growth(self) -> Iterator[tuple[int, int, Any]]:
        """Yield 1/P(z): every input of a group grows alike."""
        return ((z, at.min(), 1 / weights.sum()) for z, at, weights in self.groups.split())

    @property
    def pairs(self) -> Distribution:
        """The prior, as the secret says what is seen."""
        return self.prior

    def enclosing(self) -> Joint:
        """Return it with the exact binary values of the prior."""
        return self if self.is_exact else Grouped(self.channel, self.prior.exact())

    def tells_nothing(self) -> bool:
        """Say whether only one output can occur."""
        return len(self.groups.outputs) == 1

    def told(self) -> arb:
        """Enclose H(Z), as Z follows from X."""
        return self.groups.shown()

    def information(self) -> float:
        """Return H(Z)."""
        return super().information() if self.is_exact else self.groups.told()


class Unseen(Joint):
    """That of a secret of which nothing is seen."""

    def __init__(self, prior: Distribution, is_uniform: bool = False) -> None:
        self.prior, self.is_uniform = prior, is_uniform

    @property
    def inputs(self) -> Labels:
        """The names of the secrets."""
        return self.prior.values

    @property
    def is_exact(self) -> bool:
        """Whether all probabilities are exact."""
        return self.prior.is_exact

    @cached_property
    def groups(self) -> Groups:
        """All inputs of positive probability together."""
        return Groups.cut(self.prior.array)

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that some guesses are right."""
        if (first, end) != (0, 1):
            return self.groups.tried(first, end)
        return self.prior.array[0] if self.is_uniform else self.prior.array.max()

    def expected(self, table: Array) -> Array:
        """Return what each guess brings."""
        prior = self.prior.array
        if not (is_exact(table) and is_exact(prior)):
            table, prior = float_array(table), float_array(prior)
        return matrix_product(table, prior[:, None])

    def entropy(self, alpha: Order) -> float:
        """Return H_α(X), correctly rounded of exact numbers."""
        if self.is_exact:
            return super().entropy(alpha)
        if alpha in (0, math.inf):
            return -math.log2(self.likelihood(alpha)) + 0.0
        return float_entropy(np.ones(1), self.prior.array[:, None], float(alpha))


class Dense(Joint):
    """That of a matrix, of exact numbers; how secrets are compared there is done by groups."""

    @property
    def prior_array(self) -> Array:
        """The prior, in the numbers of the matrix."""
        return self.prior.array

    @property
    def matrix(self) -> Array:
        """The channel's matrix, in the numbers of the prior."""
        matrix: Array = self.channel.matrix
        return matrix

    @cached_property
    def array(self) -> Array:
        """π(x)·K(z|x), the probability of each input (row) and output (column)."""
        return self.prior_array[:, None] * self.matrix

    def kept(self) -> Array:
        """Return the same, none of which may vanish."""
        return kept(self.array, self.prior_array[:, None], self.matrix)

    @cached_property
    def groups(self) -> Groups:
        """The columns, without their zeros."""
        return Groups.of_joint(self.array)

    def after(self) -> tuple[Indices, Array, Array]:
        """Return the outputs that can occur, how likely each is, and the posteriors as columns."""
        at, chances, joined = self.occurring(self.kept())
        return at, chances, kept(joined / chances, joined)

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that some guesses are right; one guess is the column's maximum."""
        if first == 0 and end == 1:
            weights = None if self.is_uniform else self.prior_array
            hit = total(column_maxima(self.channel.matrix, weights))
            return hit / len(self.channel.inputs) if self.is_uniform else hit
        if (first, end) == (1, None):  # all but the largest, without cancellation
            rest = self.array.copy()
            rest[rest.argmax(axis=0), np.arange(rest.shape[1])] *= 0
            return total(rest.sum(axis=0))
        return self.several(first, end)

    def several(self, first: int, end: int | None) -> Any:
        """Return the chance that some guesses are right."""
        return self.groups.tried(first, end)

    def share(self, k: int) -> Any:
        """Return the largest sum of k posterior chances."""
        if k > 1:
            return self.groups.share(k)
        _, chances, most = self.occurring(self.array.max(axis=0))
        return (most / chances).max()

    def questions(self) -> Any:
        """Return how many questions there are, for all outputs at a time."""
        return Groups.of_joint(self.kept()).questions()

    def agreement(self) -> Any:
        """Return Σ p(x,z)²/p(z)."""
        seen = self.array.sum(axis=0)
        possible = np.flatnonzero(seen > 0)
        return ((self.array[:, possible] ** 2).sum(axis=0) / seen[possible]).sum()

    def likeliest(self, k: int) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield each output that can occur, and the k likeliest inputs; of equal ones the first."""
        at = np.flatnonzero(self.array.max(axis=0) > 0)
        joined = self.array[:, at]
        if k == 1:
            return zip(at.tolist(), joined.argmax(axis=0)[:, None].tolist(), strict=True)
        best = np.argsort(-joined, axis=0, kind="stable")[:k]
        return (
            (z, order[joined[order, place] > 0])
            for place, (z, order) in enumerate(zip(at.tolist(), best.T, strict=True))
        )

    def expected(self, table: Array) -> Array:
        """Return the products; the table, which has few rows, is multiplied by the prior."""
        prior, matrix = self.prior_array, self.matrix
        if is_exact(table) != is_exact(matrix):
            table, prior, matrix = map(float_array, (table, prior, matrix))
        return matrix_product(table * prior, matrix)

    def occurring(self, expected: Array) -> tuple[Indices, Array, Array]:
        """Return the outputs of positive probability, and what is expected at these."""
        chances = self.array.sum(axis=0)
        at = np.flatnonzero(chances > 0)
        return at, chances[at], expected[..., at]

    def posteriors(self) -> Iterator[tuple[Any, Distribution]]:
        """Yield how likely each output that can occur is, and what it leaves."""
        _, chances, columns = self.after()
        for p, column in zip(chances, columns.T, strict=True):
            yield p, Distribution.trusted(self.inputs, column)

    def growth(self) -> Iterator[tuple[int, int, Any]]:
        """Yield max_x K(z|x)/P(z) over the inputs of positive probability."""
        outputs, _, columns = self.after()
        known = np.flatnonzero(self.prior_array > 0)
        growth = columns[known] / self.prior_array[known, None]
        best = growth.argmax(axis=0)
        for place, (z, i) in enumerate(zip(outputs, best, strict=True)):
            yield z, known[i], growth[i, place]

    @property
    def pairs(self) -> Distribution:
        """The distribution of secret and output together."""
        return Distribution(self.array.ravel())

    def tells_nothing(self) -> bool:
        """Say whether secret and output are independent."""
        rows, columns = self.array.sum(axis=1), self.array.sum(axis=0)
        return bool((np.multiply.outer(rows, columns) == self.array).all())


class Floats(Dense):
    """That of a matrix, of floats."""

    @property
    def is_exact(self) -> bool:
        """They are not."""
        return False

    @property
    def prior_array(self) -> Array:
        """The prior as floats."""
        if self.is_uniform:
            return np.full(len(self.channel.inputs), 1 / len(self.channel.inputs))
        return float_array(self.prior.array)

    def expect_kept(self) -> None:
        """Refuse those whose product vanishes or loses digits."""
        self.kept()

    def several(self, first: int, end: int | None) -> Any:
        """Return the chance that some guesses are right, added column by column."""
        assert first == 0
        return total(self._tops(end).sum(axis=0))

    def _tops(self, k: int | None) -> Array:
        most = min(k or len(self.array), len(self.array))
        return np.partition(self.array, -most, axis=0)[-most:]

    def share(self, k: int) -> Any:
        """Return the largest sum of k posterior chances."""
        _, chances, tops = self.occurring(self._tops(k).sum(axis=0))
        return (tops / chances).max()

    def guesses(self) -> Any:
        """Return how many guesses hit the secret on average, the likeliest first."""
        ranked = np.sort(self.array, axis=0)[::-1]
        return total((np.arange(1, len(ranked) + 1)[:, None] * ranked).sum(axis=0))

    def likelihood(self, alpha: Order) -> Any:
        """Return 2^−H for the orders 0 and ∞."""
        if alpha == 0:
            return fmpq(1, int((self.kept() > 0).sum(axis=0).max()))
        return self.tried(0, 1)

    def entropy(self, alpha: Order) -> float:
        """Return H_α(X|Z), without cancellation."""
        if alpha == 1:
            return float_remainder(self.prior_array, self.matrix) / math.log(2)
        if alpha in (0, math.inf):
            return -math.log2(self.likelihood(alpha)) + 0.0
        _, chances, columns = self.after()
        return float_entropy(chances, columns, float(alpha))

    def information(self) -> float:
        """Return I(X;Z) in bits, an estimate."""
        return float_information(self.prior_array, self.matrix) / math.log(2)


class Parts(Joint):
    """That of independent secrets, multiplied out only for what is no product."""

    def __init__(
        self, parts: Callable[[], Iterable[tuple[Joint, int]]], whole: Callable[[], Joint]
    ) -> None:
        self._parts, self._whole = parts, whole

    @cached_property
    def parts(self) -> list[tuple[Joint, int]]:
        """The secrets, each with what is seen of it, and how often it stands."""
        return list(self._parts())

    @cached_property
    def before(self) -> Joint:
        """The secrets when nothing was seen, in the same order."""
        return Parts(
            lambda: ((one.before, times) for one, times in self.parts), lambda: self.whole.before
        )

    @cached_property
    def whole(self) -> Joint:
        """It, multiplied out."""
        return self._whole()

    @property
    def inputs(self) -> Labels:
        """The names of the secrets, tuples."""
        return self.whole.inputs

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the product for one guess of all."""
        if (first, end) == (0, 1):
            return product_of_powers((one.tried(0, 1), times) for one, times in self.parts)
        return self.whole.tried(first, end)

    def expected(self, table: Array) -> Array:
        """Return what each guess of all brings."""
        return self.whole.expected(table)


@singledispatch
def joint(channel: Any, prior: PriorLike = None) -> Joint:
    """Return the joint distribution of a channel's input and output; uniform unless given."""
    return joint(expect_channel(channel), prior)


@joint.register
def dense(channel: Channel, prior: PriorLike = None) -> Dense:
    """Return it of the channel's matrix, whatever the channel is."""
    belief = None if prior is None else prior_on(prior, channel.inputs)
    if is_exact(channel.matrix):
        if belief is None or belief.is_exact:
            return Dense(channel, belief)
        near = float_array(channel.matrix)
        channel = Channel.trusted(channel.inputs, channel.outputs, near)
    return Floats(channel, belief)


@joint.register
def _(channel: Deterministic, prior: PriorLike = None) -> Joint:
    return Grouped(channel, None if prior is None else prior_on(prior, channel.inputs))


@joint.register
def _(channel: Parallel, prior: PriorLike = None) -> Joint:
    return Parts(
        lambda: ((joint(one, p), times) for one, p, times in pair_factors(channel, prior)),
        lambda: joint(channel.expand(), prior),
    )


def joint_of_one(channel: Channel, prior: PriorLike = None) -> Joint:
    """Return the same, of one channel: of several in parallel, they are to be multiplied out."""
    return joint(expect_channel(channel), prior)


def unseen(prior: PriorLike) -> Joint:
    """Return the joint distribution of a secret and nothing."""
    belief = read_prior(prior)
    if sum(times for _, times in belief.factors) == 1:
        return Unseen(belief.expand())
    return Parts(
        lambda: ((Unseen(one), times) for one, times in belief.factors),
        lambda: Unseen(belief.expand()),
    )
