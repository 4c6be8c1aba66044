"""Rates at which repeated observations give a secret away.

The same input is observed n times, independently. A rate ρ says that a chance or a loss
approaches its limit like 2^(−ρn), up to factors that grow or fall slower than any exponential
(equation 5 of [Boreale2012]_). Rates are Chernoff informations between rows of the channel; what
is proved beyond the paper is in docs/proofs/rates.md.
"""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Loss, read_loss
from leaktight.errors import InvalidChannel, InvalidDistribution, Undecided
from leaktight.exact.bound import Bits
from leaktight.exact.matrix import equal_rows, matrix_product
from leaktight.exact.numbers import (
    Array,
    Number,
    Value,
    exact_array,
    fraction,
    is_exact,
    natural_log,
    rational,
    to_float,
)
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import log2_interval
from leaktight.exact.shown import in_bits, shown
from leaktight.exact.threads import one_thread
from leaktight.labels import alignment, positions
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.privacy.level import distinguishability, privacy_level
from leaktight.repetition.rates.chernoff import (
    ChernoffInformation,
    Floats,
    certified,
    overlap,
    propose,
)

# --- the two rows of a channel that are hardest, or easiest, to tell apart in the long run
# The pair with the least, or the largest, Chernoff information C. Floating point bounds C for all
# pairs at once and leaves the few pairs that its rounding cannot rule out; these are enclosed by
# ball arithmetic.

Mask = npt.NDArray[np.bool_]
Pairs = npt.NDArray[np.int64]

FEW = 2**6
"""How many pairs can be sorted while one product of matrices is made, about."""

BLOCK = 2**19
"""How many floats are worked on at once."""

UNDERFLOW = 2.0**-400
"""More than products of square roots of probabilities can lose below the range of floats."""


@dataclass(frozen=True, slots=True, repr=False)
class RowPair(Bits):
    """The Chernoff information of the ``rows`` for which it is least, or largest, in bits."""

    rows: tuple[int, int]


def hardest_rows(matrix: Array, wanted: Mask) -> RowPair:
    """Return the pair of rows with the least Chernoff information.

    ``wanted[i, j]`` says whether rows i and j are compared; only i < j is looked at, and there
    must be such a pair.
    """
    found = _enclosed(matrix, _candidates(matrix, wanted, 1))
    rows, _ = min(found, key=lambda pair: pair[1].upper)
    return RowPair(min(c.lower for _, c in found), min(c.upper for _, c in found), rows)


def easiest_rows(matrix: Array, wanted: Mask) -> RowPair:
    """Return the pair of rows with the largest Chernoff information, as ``hardest_rows`` does."""
    found = _enclosed(matrix, _candidates(matrix, wanted, -1))
    rows, _ = max(found, key=lambda pair: pair[1].lower)
    return RowPair(max(c.lower for _, c in found), max(c.upper for _, c in found), rows)


def _enclosed(matrix: Array, pairs: Pairs) -> list[tuple[tuple[int, int], ChernoffInformation]]:
    """Return each of the pairs with its Chernoff information; many of them may be alike."""
    rows = {i: exact_array(matrix[i]) for i in np.unique(pairs).tolist()}
    numbers: dict[tuple[int, int], int] = {}
    codes = np.zeros(matrix.shape, dtype=np.int64)
    for i, row in rows.items():
        codes[i] = [numbers.setdefault((int(p.p), int(p.q)), len(numbers)) for p in row]
    found = []
    for i, j in _unlike(codes, len(numbers), pairs):
        p, q = (rows[k] / rows[k].sum() for k in (i, j))
        found.append(((i, j), certified(overlap(p, q))))
    return found


@one_thread()
def _unlike(codes: Pairs, numbers: int, pairs: Pairs) -> list[tuple[int, int]]:
    """Return the pairs without those that differ from others by the order of the outputs alone.

    Most ties are such. If there are few different numbers, products of matrices count for all
    pairs how often each two of them meet; otherwise what meets is sorted, pair by pair.
    """
    if numbers**2 * FEW > len(pairs):
        unlike: dict[bytes, tuple[int, int]] = {}
        for i, j in pairs.tolist():
            both = np.sort(codes[i] * numbers + codes[j])
            unlike.setdefault(both.tobytes(), (i, j))
        return list(unlike.values())
    kinds = np.zeros(len(pairs), dtype=np.int64)
    for a, b in product(range(numbers), repeat=2):
        meetings = (codes == a).astype(float) @ (codes == b).astype(float).T
        counted = meetings[tuple(pairs.T)].astype(np.int64)
        kinds = np.unique(kinds * (codes.shape[1] + 1) + counted, return_inverse=True)[1]
    first = np.sort(np.unique(kinds, return_index=True)[1])
    return [(i, j) for i, j in pairs[first].tolist()]


# --- the pairs that floats cannot rule out -------------------------------------------------


def _candidates(matrix: Array, wanted: Mask, sign: int) -> Pairs:
    """Return the pairs whose sign·C may be least, given what floats know about each.

    With m outputs and L the size of the logarithms, ``unit`` is more than twice what g is off,
    relatively, and 2(1 + L) of them more than the slope of log g is (docs/proofs/rates.md, 8).
    """
    logs, size = _logarithms(matrix)
    unit = (matrix.shape[1] + 4 * size + 16) * 2.0**-50
    pairs, least, width = _narrowed(_half_way(logs, unit, size, wanted), sign)
    if width > min(8 * (1 + size) * unit, 2.0**-20 * abs(least)):  # else only rounding is left
        pairs, _, _ = _narrowed(_at_the_minimum(logs, unit, size, pairs), sign)
    return pairs[np.lexsort(pairs.T[::-1])]


def _narrowed(
    blocks: Iterator[tuple[Pairs, Floats, Floats]], sign: int
) -> tuple[Pairs, float, float]:
    """Return the pairs whose bounds allow that sign·C is least, what bounds it, and how widely."""
    best, kept = math.inf, []
    for pairs, lower, upper in blocks:
        low, high = (lower, upper) if sign > 0 else (-upper, -lower)
        best = min(best, high.min(initial=math.inf))
        with np.errstate(invalid="ignore"):
            width = np.where(low == high, 0, high - low)
        kept.append((pairs[low <= best], low[low <= best], width[low <= best]))
    pairs, low, width = (np.concatenate(part) for part in zip(*kept, strict=True))
    return pairs[low <= best], best, float(width[low <= best].max())


def _logarithms(matrix: Array) -> tuple[Floats, float]:
    """Return the logarithms of the normalised rows, −∞ for 0, and what bounds their size."""
    if is_exact(matrix):
        listed = [(int(p.p), int(p.q)) for p in matrix.ravel()]
        known = {pair: fmpq(*pair) for pair in set(listed)}
        found = {pair: natural_log(p) if p > 0 else -math.inf for pair, p in known.items()}
        logs = np.array([found[pair] for pair in listed]).reshape(matrix.shape)
        return logs, max(p.height_bits() for p in known.values())
    with np.errstate(divide="ignore"):
        logs = np.log(matrix) - np.log(matrix.sum(axis=1, keepdims=True))
    return logs, -float(logs.min(where=np.isfinite(logs), initial=0.0))


def _half_way(
    logs: Floats, unit: float, size: float, wanted: Mask
) -> Iterator[tuple[Pairs, Floats, Floats]]:
    """Yield the wanted pairs with bounds on C in nats, from g and its slope at s = ½.

    With h = log g: −h(½) ≤ C ≤ −h(½) + |h′(½)|/2, as h is convex, and C ≤ −2·h(½), as moreover
    h ≤ 0 at both ends. Products of matrices give g and g′ for all pairs.
    """
    roots = np.exp(logs / 2)
    scaled = roots * np.where(roots > 0, logs, 0)
    height = max(1, BLOCK // len(logs))
    for start in range(0, len(logs), height):
        rows = slice(start, start + height)
        at = np.nonzero(np.triu(wanted[rows], start + 1))
        pairs = np.stack([at[0] + start, at[1]], axis=1)
        with one_thread():
            g = (roots[rows] @ roots.T)[at]
            slope = (scaled[rows] @ roots.T - roots[rows] @ scaled.T)[at]
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = -np.log(np.minimum(g * (1 + unit) + UNDERFLOW, 1))
            upper = -np.log(np.maximum(g * (1 - unit) - UNDERFLOW, 0))
            tilt = np.abs(slope) / g + 4 * (1 + size) * unit
            yield pairs, lower, np.fmin(2 * upper, upper + tilt / 2)


def _at_the_minimum(
    logs: Floats, unit: float, size: float, pairs: Pairs
) -> Iterator[tuple[Pairs, Floats, Floats]]:
    """Yield the pairs with bounds on C in nats, from g near its minimum."""
    height = max(1, BLOCK // logs.shape[1])
    for start in range(0, len(pairs), height):
        some = pairs[start : start + height]
        p, q = logs[some.T]
        common = np.isfinite(p) & np.isfinite(q)
        apart = ~common.any(axis=1)
        ratios = np.where(common, p, 0) - np.where(common, q, 0)
        weights = np.where(common, q, np.where(apart[:, None], 0, -np.inf))
        _, least, drop = propose(ratios, weights)
        upper = -least + drop + 4 * (1 + size) * unit
        upper[drop > 0.5] = math.inf
        bounds = _by_distance(p, q, np.abs(ratios).max(axis=1) + unit, unit)
        lower, upper = np.maximum(-least - unit, bounds[0]), np.minimum(upper, bounds[1])
        lower[apart] = upper[apart] = math.inf
        yield some, lower, upper


def _by_distance(p: Floats, q: Floats, furthest: Floats, unit: float) -> tuple[Floats, Floats]:
    """Return bounds on C in nats that are relatively good for rows that are nearly equal.

    g(½) = 1 − d²/2 for the Euclidean distance d of the roots. If the supports are equal and
    B = −log g(½), then B ≤ C ≤ B·(1 + R·cosh(R/2)/(6·g(½))) for the largest |log ratio| R, which is
    proved in docs/proofs/rates.md.
    """
    distance = np.sqrt(((np.exp(p / 2) - np.exp(q / 2)) ** 2).sum(axis=1))
    off = unit * (1 + distance)
    close, far = np.maximum(distance - off, 0) ** 2 / 2, (distance + off) ** 2 / 2
    near = (furthest < 1) & (far < 0.5) & (np.isfinite(p) == np.isfinite(q)).all(axis=1)
    far, furthest = np.where(near, far, 0), np.where(near, furthest, 0)
    factor = 1 + furthest * np.cosh(furthest / 2) / (6 * (1 - far))
    upper = np.where(near, -np.log1p(-far) * factor, math.inf)
    lower = np.where(near, -np.log1p(-np.minimum(close, 0.5)), 0)
    return lower * (1 - unit), upper * (1 + unit)


# --- rates -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Rate(Bits):
    """A rate in bits per observation.

    What ``statement`` says approaches ``limit`` like 2^(−rate·n). The rate is infinite where the
    limit is reached at once. ``pair`` holds the inputs that decide the rate, if two do.
    """

    statement: str
    limit: Value | None = None
    pair: tuple[Hashable, Hashable] | None = None

    def __str__(self) -> str:
        inputs = "" if self.pair is None else f" by {self.pair[0]!r} and {self.pair[1]!r}"
        return f"{in_bits(self.bits)}{inputs}: {self.statement}"


# --- what is learnt on average --------------------------------------------------------------


def error_rate(channel: Channel, prior: PriorLike = None) -> Rate:
    """Return how fast the best guess of the input becomes right: min C(p_x, p_x′).

    Equations 7 and 8 of [Boreale2012]_, over the inputs of positive probability with different
    rows. Inputs with equal rows are never told apart; ``limit`` is the chance of an error that they
    leave. Floating-point rows are divided by their sums and are equal if they are up to rounding.

    >>> error_rate(Channel([["4/5", "1/5"], ["3/10", "7/10"]]))
    Rate(0.2109 bits by 0 and 1: the best guess of the input is wrong with probability 0 + 2^(−ρn))
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    classes, weights = _classes(channel, belief), belief.exact().array
    left = sum((weights[same].sum() - weights[same].max() for same in classes), fmpq(0))
    limit = fraction(left) if belief.is_exact else to_float(left)
    statement = f"the best guess of the input is wrong with probability {shown(limit)} + 2^(−ρn)"
    return _slowest(channel, classes, _all(classes), statement, limit)


def utility_rate(channel: Channel, loss: Loss, prior: PriorLike = None) -> Rate:
    """Return how fast the expected loss of the best guess approaches its ``limit``.

    Theorem 9 of [Boreale2012]_, for every loss and every channel. Inputs with equal rows count as
    one. The rate is the least C(p_x, p_x′) over those that have no best guess in common. If all
    rows differ and the loss is least at the truth, as in the theorem, these are all pairs. The
    theorem's footnote on equal rows is wrong: not only the limit changes but also the rate.

    >>> channel = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
    >>> rate = utility_rate(channel, Loss.by_distance([0, 1, 2], lambda a, b: (a - b) ** 2 + 1))
    >>> round(rate.bits, 6), rate.pair, rate.limit
    (0.030764, (1, 2), Fraction(1, 1))
    """
    return _utility_rate(channel, loss, prior, "the best guess of the input loses on average")


def membership_rate(channel: Channel, subset: Iterable[Hashable], prior: PriorLike = None) -> Rate:
    """Return how fast it becomes known whether the input is in ``subset``.

    If all rows differ, it is the least C(p_x, p_x′) over x inside and x′ outside, both of positive
    probability. The text before Definition 7 of [Boreale2012]_ compares the mean rows inside and
    outside instead. These may be equal although everything is learnt.

    >>> mixed = Channel([[1, 0], [0, 1], ["1/2", "1/2"]])
    >>> rate = membership_rate(mixed, [0, 1], ["1/4", "1/4", "1/2"])
    >>> rate.lower, rate.upper, rate.limit
    (1.0, 1.0, Fraction(0, 1))
    """
    inside = set(positions(subset, expect_channel(channel).inputs, "input"))
    wrong = [[int((x in inside) != guess) for x in range(len(channel.inputs))] for guess in (1, 0)]
    loss = Loss(wrong, ("inside", "outside"), channel.inputs)
    what = "the best guess whether the input is in the set is wrong with probability"
    return _utility_rate(channel, loss, prior, what)


def average_breach_rate(channel: Channel) -> Rate:
    """Return the fastest rate at which any set of inputs becomes known: max C(p_x, p_x′).

    It is the rate A-security level of Theorem 8 of [Boreale2012]_, over all sets and all priors
    under which the set is neither certain nor impossible. The uniform prior on the ``pair``
    attains it.

    >>> average_breach_rate(Channel([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])).pair
    (0, 2)
    """
    classes = _classes(channel, prior_on(None, expect_channel(channel).inputs))
    if len(classes) == 1:
        return Rate(0.0, 0.0, "all rows are equal, so nothing is ever learnt")
    first = [same[0] for same in classes]
    found = easiest_rows(channel.matrix[first], _all(classes))
    x, y = (channel.inputs[first[i]] for i in found.rows)
    statement = f"that it is {x!r} and not {y!r} is guessed right with probability 1 − 2^(−ρn)"
    return Rate(found.lower, found.upper, statement, Fraction(1), (x, y))


# --- what may be learnt at worst ------------------------------------------------------------


def breach_rate(channel: Channel) -> Rate:
    """Return the fastest rate at which observations can make any set of inputs certain.

    It is the rate security level of Theorem 6 of [Boreale2012]_, log2 of the largest ratio in a
    column, over all sets and all priors under which the set is neither certain nor impossible.

    >>> breach_rate(Channel([["3/4", "1/4"], ["1/4", "3/4"]]))
    Rate(1.58496 bits by 0 and 1: seeing only 0 makes 0 likely against 1 like 1 − 2^(−ρn))
    """
    level = distinguishability(channel)
    if level.witness is None:
        return Rate(0.0, 0.0, "all rows are equal, so nothing is ever learnt")
    x, y = level.witness.input, level.witness.neighbour
    ends = (math.inf, math.inf) if level.ratio == math.inf else log2_interval(level.ratio)
    statement = f"seeing only {level.witness.output!r} makes {x!r} likely against {y!r}"
    return Rate(*ends, f"{statement} like 1 − 2^(−ρn)", Fraction(1), (x, y))


def breach_probability_rate(
    channel: Channel,
    subset: Iterable[Hashable],
    prior: PriorLike = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> Rate:
    """Return how fast p(Q|observations) > λ·p(Q) becomes certain, given that the input is in Q.

    Theorem 7 of [Boreale2012]_: the chance of it approaches 1 at the rate min C(p_x, p_x′) over x
    in Q and x′ outside, both of positive probability. So does that of p(Q|observations) < p(Q)/λ
    given that the input is not in Q. This needs 0 < p(Q) < 1, positive entries, and no row inside
    that is also outside. The theorem forgets that λ·p(Q) < 1 is needed: otherwise the chance is
    always 0, as ``limit`` and ``statement`` then say. The λ = e^ε is 2^ε in the paper.

    >>> channel = Channel([["4/5", "1/5"], ["3/10", "7/10"]])
    >>> breach_probability_rate(channel, [0], ["2/5", "3/5"], ratio=2).limit
    Fraction(1, 1)
    >>> breach_probability_rate(channel, [0], ["3/5", "2/5"], ratio=2)
    Rate(inf bits: no observation is a breach, as λ·p(Q) = 6/5 is at least 1)
    """
    level = Ratio.of(ratio, epsilon)
    inside = sorted(set(positions(subset, expect_channel(channel).inputs, "input")))
    belief = prior_on(prior, channel.inputs)
    chance = belief.exact().array[inside].sum() if inside else fmpq(0)
    if not 0 < chance < 1:
        raise InvalidDistribution(
            f"the set must have a probability strictly between 0 and 1, got {shown(chance)}"
        )
    if chance * rational(level.lower) >= 1:
        most = shown(chance * rational(level.lower))
        statement = f"no observation is a breach, as λ·p(Q) = {most} is at least 1"
        return Rate(math.inf, math.inf, statement, Fraction(0))
    if chance * rational(level.upper) >= 1:
        raise Undecided("whether λ·p(Q) < 1 is too close to call; give a rational ratio= instead")
    _check_positive(channel, belief)
    classes = _classes(channel, belief)
    within = [[x in inside for x in same] for same in classes]
    for same, places in zip(classes, within, strict=True):
        if len(set(places)) == 2:
            x, y = (
                channel.inputs[same[places.index(True)]],
                channel.inputs[same[places.index(False)]],
            )
            raise InvalidChannel(
                f"{x!r} in the set and {y!r} outside must have different rows, got equal ones, "
                "which no number of observations tells apart"
            )
    member = np.array([places[0] for places in within])
    statement = "given the set, a breach of this level has probability 1 − 2^(−ρn)"
    return _slowest(channel, classes, member[:, None] != member, statement, Fraction(1))


def _check_positive(channel: Channel, belief: Distribution) -> None:
    """Refuse a channel in which an output that occurs is impossible for some input."""
    possible = np.flatnonzero(belief.array > 0)
    seen = channel.matrix[possible] > 0
    holes = np.argwhere(~seen & seen.any(axis=0))
    if len(holes):
        i, z = holes[0]
        raise InvalidChannel(
            "every output must be possible for every input, but the probability of "
            f"{channel.outputs[z]!r} given {channel.inputs[possible[i]]!r} is 0; "
            "membership_rate does without"
        )


# --- what privacy says about rates ----------------------------------------------------------


def rate_bound(ratio: RatioLike = None, epsilon: Number | None = None) -> Rate:
    """Return the largest Chernoff information of two rows within ratio λ of each other.

    log2((1 + λ)/(2√λ)), attained by randomised response and by the geometric mechanism. So it
    bounds every rate of a channel whose rows are all within λ. It is sharper than the ε of
    Theorem 10 of [Boreale2012]_, where λ = 2^ε: there it reads ε/2 + log2((1 + 2^(−ε))/2).

    >>> rate_bound(ratio=2)
    Rate(0.0849625 bits: no two rows within ratio 2 (ε = ln 2) are told apart faster)
    """
    level = Ratio.of(ratio, epsilon)
    lower, upper = (log2_interval((1 + end) ** 2 / (4 * end)) for end in (level.lower, level.upper))
    statement = f"no two rows within ratio {level} are told apart faster"
    return Rate(lower[0] / 2, upper[1] / 2, statement)


def neighbour_rate_bound(channel: Channel, neighbours: Neighbours) -> Rate:
    """Return the bound on the error rate that privacy on a graph gives, with the neighbours.

    If a channel is private at ratio λ and two neighbours have different rows, these are told apart
    at the rate ``rate_bound(λ)`` at most, so ``error_rate(channel, prior)`` is at most that too if
    the prior gives both a chance. As there, rows of floats are divided by their sums. If all
    neighbours have equal rows, privacy bounds no rate and the result is infinite: Theorem 10 of
    [Boreale2012]_ forgets this case, for instance a graph without edges.

    >>> from leaktight.policies.graph import Graph
    >>> rows = [[0.99, 0.01], [0.01, 0.99]]
    >>> neighbour_rate_bound(Channel(rows), Graph(2))
    Rate(inf bits: no two neighbours have different rows, so privacy bounds no rate)
    """
    level = privacy_level(expect_channel(channel).exact(), neighbours)
    graph = adjacency_of(neighbours).explicit()
    order = alignment(graph.vertices, channel.inputs, "the graph's vertices and the inputs")
    matrix = _rows(channel)
    rows = np.array(equal_rows(matrix if order is None else matrix[order]))
    differ = np.flatnonzero(np.diff(rows[graph.edges], axis=1))
    if not len(differ):
        statement = "no two neighbours have different rows, so privacy bounds no rate"
        return Rate(math.inf, math.inf, statement)
    x, y = (graph.vertices[i] for i in graph.edges[differ[0]])
    if level.ratio == math.inf:
        statement = "some neighbours can be told apart at once, so privacy bounds no rate"
        return Rate(math.inf, math.inf, statement)
    bound = rate_bound(ratio=level.ratio)
    return Rate(bound.lower, bound.upper, bound.statement, pair=(x, y))


# --- inputs with equal rows -----------------------------------------------------------------


def _rows(channel: Channel) -> Array:
    """Return the rows, those of floats divided by their sums."""
    matrix = channel.matrix
    return matrix if channel.is_exact else matrix / matrix.sum(axis=1, keepdims=True)


def _classes(channel: Channel, belief: Distribution) -> list[list[int]]:
    """Return the inputs of positive probability, those with equal rows together."""
    possible = np.flatnonzero(belief.array > 0)
    groups: dict[int, list[int]] = {}
    for x, first in zip(possible.tolist(), equal_rows(_rows(channel)[possible]), strict=True):
        groups.setdefault(first, []).append(x)
    return list(groups.values())


def _all(classes: list[list[int]]) -> Mask:
    return np.ones((len(classes), len(classes)), dtype=np.bool_)


def _slowest(
    channel: Channel, classes: list[list[int]], wanted: Mask, statement: str, limit: Value
) -> Rate:
    """Return the rate at which the wanted pairs of classes are all told apart."""
    if not np.triu(wanted, 1).any():
        return Rate(math.inf, math.inf, statement, limit)
    first = [same[0] for same in classes]
    found = hardest_rows(channel.matrix[first], wanted)
    x, y = (channel.inputs[first[i]] for i in found.rows)
    return Rate(found.lower, found.upper, statement, limit, (x, y))


def _utility_rate(channel: Channel, loss: Loss, prior: PriorLike, what: str) -> Rate:
    """Return the rate of a loss; ties are decided exactly, for floats too."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    table = exact_array(read_loss(loss).aligned(channel.inputs).matrix)
    weights, classes = belief.exact().array[:, None], _classes(channel, belief)
    losses = [matrix_product(table[:, same], weights[same])[:, 0] for same in classes]
    best = [frozenset(np.flatnonzero(each == each.min()).tolist()) for each in losses]
    _check_nested(best, loss)
    total = sum((each.min() for each in losses), fmpq(0))
    limit = fraction(total) if belief.is_exact and loss.is_exact else to_float(total)
    wanted = np.array([[one.isdisjoint(other) for other in best] for one in best])
    return _slowest(channel, classes, wanted, f"{what} {shown(limit)} + 2^(−ρn)", limit)


def _check_nested(best: list[frozenset[int]], loss: Loss) -> None:
    """Refuse sets of best guesses that overlap without one containing the other.

    Otherwise all those that have no guess in common include two that have none.
    """
    for one, other in combinations(set(best), 2):
        if one & other and not (one <= other or other <= one):
            guesses = ", ".join(repr(loss.guesses[w]) for w in sorted(one | other)[:4])
            raise Undecided(
                f"the best guesses must be unique for each row, but {guesses} are equally good; "
                "a loss or a prior without such ties settles it"
            )
