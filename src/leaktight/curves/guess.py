"""The best guess: how often anyone is right at most, whatever mechanism keeps a curve.

The worst case is over all mechanisms that keep the promise, with the guess that is best for each.
Two relations of neighbours are common: another value in place of one's own ("replace"), or being
absent ("add/remove"); a graph says which values must not be told apart. Each answer has a mechanism
that attains its lower end, and numbers that prove its upper one. See ``docs/proofs/curves.md``.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Gain
from leaktight.curves.certificate import (
    claim,
    claim_of_divergences,
    claim_of_presence,
    claim_of_tries,
    of_lines,
    of_pairs,
    of_tangents,
)
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import NOTHING, ONE, ZERO, Corner, Line, Polygon
from leaktight.curves.renyi import Orders, Tangent
from leaktight.curves.shapes import Enclosed, Ends, Shape
from leaktight.errors import InvalidDistribution, InvalidInput, InvalidNumber, expect, expect_whole
from leaktight.exact.bound import Chance
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.numbers import Number, as_printed, exact_array, fraction, rational, to_float
from leaktight.exact.shown import counted, percent
from leaktight.labels import Labels, listed_labels
from leaktight.policies.secrets import SecretGraph

FEW = 64
"""The most rows of a program for a polygon that is solved exactly as it is."""

DRAWN, FEWER = 64, 24
"""With how many lines the curve of Rényi divergences is drawn, and points, which take a while."""

MOST_KINDS = 2
"""For how many different priors that curve is looked at as it is, and not drawn."""

BARELY = 1 + fmpq(1, 2**60)
"""The least slope of which weights are made, as 1 has none."""

REPLACE, ADD_REMOVE = "replace", "add/remove"


def nothing() -> None:
    """Nothing was made, or is proved by a file of its own, besides the ends."""


class Proved:
    """What has a mechanism and a proof, each made when it is asked for."""

    _mechanism: Callable[[], Channel | None]
    _certificate: Callable[[], dict[str, Any] | None]

    @cached_property
    def mechanism(self) -> Channel | None:
        """A mechanism that keeps the promise and attains ``lower``, if one was made."""
        return self._mechanism()

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """What ``check.py`` proves of both ends, if there is anything."""
        return self._certificate()


@dataclass(frozen=True, repr=False)
class BestGuess(Proved, Chance[Fraction]):
    """How likely a guess about a secret is right at most.

    No mechanism that keeps the promise lets anyone guess right more often than ``upper``, on
    average under the prior; ``mechanism`` keeps it and attains ``lower``.
    """

    before: Fraction
    """How likely the best guess is right without any release."""
    neighbours: str
    """Which neighbours the promise is about: "replace", "add/remove", or those of a graph."""
    values: Labels
    tries: int = 1
    _mechanism: Callable[[], Channel | None] = field(default=nothing, compare=False, repr=False)
    _certificate: Callable[[], dict[str, Any] | None] = field(
        default=nothing, compare=False, repr=False
    )

    def __str__(self) -> str:
        tried = f"in {self.tries} tries " * (self.tries > 1)
        how = f"{percent(self.before)} before; neighbours: {self.neighbours}"
        size = counted(len(self.values), "value", "values")
        return f"right {tried}at most {self.percent} ({size}, {how})"


class Kind(NamedTuple):
    """Values that are equally likely."""

    prior: fmpq
    times: int


class Found(NamedTuple):
    """What is proved: ends, the points (a, p) of each kind, and what proves the upper end."""

    ends: Ends
    points: list[Corner]
    weights: list[fmpq]
    pairs: list[Line]


def best_guess(
    curve: PrivacyCurve,
    values: Iterable[Hashable] | int,
    prior: PriorLike = None,
    *,
    neighbours: str = REPLACE,
    tries: int = 1,
    absent: Number = 0,
) -> BestGuess:
    """Return how often anyone guesses one value right at most, in some tries.

    :param curve: the promise about two neighbours.
    :param values: the values that a person may have, or how many there are.
    :param prior: how likely each is beforehand; all alike if it is not given.
    :param neighbours: "replace" if a person with one value is a neighbour of the same with any
        other; "add/remove" if only of one who is absent.
    :param tries: how many different values may be guessed.
    :param absent: for "add/remove" and one try, how likely it is that the person is absent, which
        may be guessed as well; the prior is then that of those who are present.

    >>> best_guess(PrivacyCurve.epsilon(1), 6)
    BestGuess(right at most 35.2% (6 values, 16.7% before; neighbours: replace))
    >>> best_guess(PrivacyCurve.epsilon("ln 2"), 6).upper
    Fraction(2, 7)
    >>> best_guess(PrivacyCurve.gaussian(1), 6, neighbours="add/remove")
    BestGuess(right at most 51.3% (6 values, 16.7% before; neighbours: add/remove))
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    labels = listed_labels(values, "value", InvalidDistribution)
    known = prior_on(prior, labels).exact()
    if neighbours not in (REPLACE, ADD_REMOVE):
        raise InvalidInput(f"neighbours must be 'replace' or 'add/remove', got {neighbours!r:.60}")
    tries = expect_whole(tries, "tries", 1, len(labels))
    away = as_printed(absent)
    if not 0 <= away <= 1:
        raise InvalidNumber(f"absent must be from 0 to 1, got {absent}")
    chances = [(1 - away) * p for p in known.array]
    if away and (neighbours == REPLACE or tries > 1):
        raise InvalidInput("who may be absent is guessed once, and with neighbours='add/remove'")
    top = sorted(chances, reverse=True)
    before = fraction(max(away, sum(top[:tries], ZERO)))
    answer = BestGuess(Fraction(0), Fraction(1), before, neighbours, labels, tries)
    if neighbours == ADD_REMOVE:
        return _add_remove(curve, answer, chances, away)
    if not curve.is_symmetric:
        raise InvalidInput(
            "a sampled curve bounds who is present against who is absent: give "
            "neighbours='add/remove', or curve.symmetric() if it bounds these neighbours too"
        )
    return _replace(curve, answer, chances)


# --- another value in its place ------------------------------------------------------------


def _replace(curve: PrivacyCurve, answer: BestGuess, chances: list[fmpq]) -> BestGuess:
    """Theorem 3 of the proofs for any prior, Theorem 4 for several tries."""
    kinds, shape = _kinds(chances), curve.shape
    if answer.tries > 1:
        return _several(curve, answer, chances, kinds)
    if sum(kind.times for kind in kinds) == 1:
        return _ended(answer, ONE, ONE)
    if shape.divergences is not None:
        return _of_orders(shape.divergences, answer, chances, kinds)
    found = guess_program(shape, kinds)
    return _ended(
        answer,
        *found.ends,
        lambda: Channel(_rows(chances, kinds, found.points), answer.values, answer.values),
        lambda: _claimed(answer, chances, kinds, found),
    )


def _of_orders(
    shape: Orders, answer: BestGuess, chances: list[fmpq], kinds: Sequence[Kind]
) -> BestGuess:
    """Theorem 2 if all values are equally likely, else a bound by pairs that follow."""
    names, lines = answer.values, list[tuple[Line, Tangent]]()
    if len(kinds) == 1:
        low, high, order = shape.response(n := kinds[0].times)
        points, ends = [((1 - low) / (n - 1), low)], (low, high)
        proof: dict[str, Any] = {"order": str(order)}
    else:
        known, found = _followed(shape, kinds)
        found = _answered(shape, kinds, found)
        points, ends, lines = found.points, found.ends, list(known.items())
        weight = {kind.prior: w for kind, w in zip(kinds, found.weights, strict=True)}
        proof = {"weights": [str(weight.get(p, ZERO)) for p in chances]}
    rows = _rows(chances, kinds, points)

    def proved() -> dict[str, Any] | None:
        if len(kinds) == 1 and kinds[0].times < len(chances):
            return None  # by a rule for equally likely values, of which some are impossible
        return claim_of_divergences(
            shape,
            SecretGraph.complete(names),
            Distribution.trusted(names, exact_array(chances)),
            Gain.binary(names),
            mechanism=rows,
            lines=lines,
            ends=ends,
            proof=proof,
        )

    return _ended(answer, *ends, lambda: Channel(rows, names, names), proved)


def _followed(shape: Orders, kinds: Sequence[Kind]) -> tuple[dict[Line, Tangent], Found]:
    """Return pairs that follow from divergences, and what they allow.

    Lines all along the curve propose weights; lines where these look at it make the bound.
    """
    known = dict(shape.lines(COARSE))
    found = _of_polygon(Polygon.of_pairs(known or NOTHING), kinds)
    for _ in range(ROUNDS):
        near = shape.lines_near({to_float(ratio) for ratio, _ in found.pairs})
        known |= near
        found = _of_polygon(Polygon.of_pairs(known or NOTHING), kinds)
    return known, found


COARSE, ROUNDS = 32, 2
"""How many lines along a curve of divergences propose weights, and how often they are mended."""


def _looked_at(curve: PrivacyCurve, kinds: Sequence[Kind]) -> Shape:
    """Return the shape of a curve; that of divergences is drawn if there are many priors."""
    orders = curve.divergences
    if orders is not None and len(kinds) > MOST_KINDS:
        upper = Polygon.of_pairs(orders.lines(DRAWN) or NOTHING)
        return Enclosed(Polygon.around(orders.within(FEWER)), upper)
    return curve.shape


def _answered(shape: Orders, kinds: Sequence[Kind], found: Found) -> Found:
    """Return what randomised response on the likeliest values attains, and the same upper end.

    Rényi divergences are more than the curve that follows from them: what keeps that may break
    them, and randomised response was decided to keep them.
    """
    full = sum(w > 0 for w in found.weights)
    upper = found.ends[1]
    best = found._replace(ends=(kinds[0].prior, upper), points=_always(kinds))
    for c in {max(full, 1), len(kinds)}:
        n = sum(kind.times for kind in kinds[:c])
        share = sum((kind.prior * kind.times for kind in kinds[:c]), ZERO)
        low = shape.response(n)[0] if n > 1 else ONE
        if share * low > best.ends[0]:
            point = ((1 - low) / (n - 1), low)
            points = [point if k < c else (ZERO, ZERO) for k in range(len(kinds))]
            best = found._replace(ends=(share * low, upper), points=points)
    return best


def _always(kinds: Sequence[Kind]) -> list[Corner]:
    """Return the points of who guesses one of the likeliest, whatever is seen."""
    share = fmpq(1, kinds[0].times)
    return [(share, share), *[(ZERO, ZERO)] * (len(kinds) - 1)]


def _ended(
    answer: BestGuess,
    low: fmpq,
    high: fmpq,
    mechanism: Callable[[], Channel | None] = nothing,
    certificate: Callable[[], dict[str, Any] | None] = nothing,
) -> BestGuess:
    return replace(
        answer,
        lower=max(fraction(low), answer.before),
        upper=min(max(fraction(high), answer.before), Fraction(1)),
        _mechanism=mechanism,
        _certificate=certificate,
    )


def _kinds(chances: Iterable[fmpq]) -> list[Kind]:
    """Return the priors that occur but 0, the largest first."""
    counts = Counter(p for p in chances if p)
    return [Kind(p, counts[p]) for p in sorted(counts, reverse=True)]


def guess_program(shape: Shape, kinds: Sequence[Kind]) -> Found:
    """Return the largest Σ π·p with p ≤ g(a) and p_x + Σ_{z≠x} a_z ≤ 1, with what proves it.

    Small polygons are exact. Otherwise floats propose the slope at the values for which a row is
    full, which says all else, and what it proposes is proved.
    """
    both = shape.polygons
    if both is None:
        return _proved(shape, kinds, *_proposed(shape, kinds))
    lower = _of_polygon(both.lower, kinds)
    upper = lower if both.is_exact else _of_polygon(both.upper, kinds)
    return Found((lower.ends[0], upper.ends[1]), lower.points, upper.weights, upper.pairs)


def _of_polygon(polygon: Polygon, kinds: Sequence[Kind]) -> Found:
    shape = Enclosed(polygon, polygon)
    if len(polygon.pairs) == 1:
        return _proved(shape, kinds, *_of_one_pair(polygon.pairs[0], kinds))
    if len(polygon.corners) * len(kinds) <= FEW:
        return _solved(polygon, kinds)
    return _proved(shape, kinds, *_proposed(shape, kinds))


def _full(ratio: fmpq, kinds: Sequence[Kind]) -> tuple[fmpq, int, int]:
    """Return the largest λ·Π_k/(λ + k − 1), k, and how many kinds these are."""
    best, total, count = (ZERO, 0, 0), ZERO, 0
    for c, kind in enumerate(kinds, 1):
        total, count = total + kind.prior * kind.times, count + kind.times
        best = max(best, (ratio * total / (ratio + count - 1), count, c))
    return best


def _weights(ratio: fmpq, kinds: Sequence[Kind]) -> list[fmpq]:
    """Return the weights w ≤ π with (W − w)/(π − w) = λ where w > 0."""
    if ratio == 1:
        return [kinds[0].prior / kinds[0].times, *[ZERO] * (len(kinds) - 1)]
    whole = _full(ratio, kinds)[0]
    return [max(ZERO, (ratio * kind.prior - whole) / (ratio - 1)) for kind in kinds]


def _of_one_pair(pair: Line, kinds: Sequence[Kind]) -> tuple[list[fmpq], list[fmpq]]:
    """Return places and weights for (λ, δ): the likeliest values by randomised response."""
    ratio, delta = pair
    _, count, first = _full(ratio, kinds)
    share = (1 - delta) / (ratio + count - 1)
    return [share if c < first else ZERO for c in range(len(kinds))], _weights(ratio, kinds)


def _proposed(shape: Shape, kinds: Sequence[Kind]) -> tuple[list[float], list[fmpq]]:
    """Propose places and weights.

    Values x for which row x is full have the same place, of slope s, and the others that of slope
    W/π, where W depends on s alone; the steeper, the less is asked of a full row.
    """
    priors = [(to_float(kind.prior), kind.times) for kind in kinds]

    def places(slope: float) -> tuple[list[float], float]:
        whole = total = 0.0
        count = 0
        for prior, times in priors:
            total, count = total + prior * times, count + times
            whole = max(whole, slope * total / (slope + count - 1))
        first = shape.touched(slope)
        found = [first if slope * p > whole else shape.touched(whole / p) for p, _ in priors]
        asked = shape.near(min(max(first, 0.0), 1.0)) - first
        return found, asked + sum(a * n for a, (_, n) in zip(found, priors, strict=True)) - 1

    low, high = 0.0, 1.0
    near, over = places(1.0)
    if over <= 0:
        return near, _weights(BARELY, kinds)
    while high < 600 and places(math.exp(high))[1] > 0:
        low, high = high, 2 * high
    for _ in range(56):
        middle = (low + high) / 2
        low, high = (middle, high) if places(math.exp(middle))[1] > 0 else (low, middle)
    (one, over), (other, under) = (places(math.exp(end)) for end in (low, high))
    share = 0.0 if over <= under else min(max(-under / (over - under), 0.0), 1.0)
    mixed = [share * a + (1 - share) * b for a, b in zip(one, other, strict=True)]
    return mixed, _weights(max(rational(math.exp(high)), BARELY), kinds)


def _solved(polygon: Polygon, kinds: Sequence[Kind]) -> Found:
    """Solve the program of a polygon exactly."""
    lines = list(polygon.lines)
    best = solve_exact(_program(lines, kinds)).settled()
    n = len(kinds)
    rows = len(lines) * n
    weights = [-best.y[rows + c] / kind.times for c, kind in enumerate(kinds)]
    places = [max(a, ZERO) for a in best.x[n:]]
    found = _proved(Enclosed(polygon, polygon), kinds, places, weights)
    return found._replace(pairs=list(polygon.pairs))


def _program(lines: Sequence[Line], kinds: Sequence[Kind]) -> LinearProgram:
    """The variables are p, free, and a ≥ 0 for each kind; the rows lines and then row sums."""
    n = len(kinds)
    entries, limits = list[tuple[int, int, fmpq]](), list[fmpq]()
    for slope, height in lines:
        for c in range(n):
            entries += [(len(limits), c, ONE), (len(limits), n + c, -slope)]
            limits.append(height)
    for c in range(n):
        entries.append((len(limits), c, ONE))
        others = ((n + d, kind.times - (c == d)) for d, kind in enumerate(kinds))
        entries += [(len(limits), at, fmpq(count)) for at, count in others if count]
        limits.append(ONE)
    cost = [-kind.prior * kind.times for kind in kinds] + [ZERO] * n
    rows, columns, values = zip(*entries, strict=True)
    return LinearProgram(
        cost, (rows, columns, values), row_upper=limits, lower=[None] * n + [0] * n
    )


def _proved(
    shape: Shape, kinds: Sequence[Kind], places: Sequence[Any], weights: Sequence[fmpq]
) -> Found:
    """Return what proposed places and weights prove."""
    a = [min(max(rational(each), ZERO), ONE) for each in places]
    total = sum((kind.times * each for kind, each in zip(kinds, a, strict=True)), ZERO)
    if total > 1:
        a, total = [each / total for each in a], ONE
    points = list[Corner]()
    for each in a:
        p = min(shape.detection(each)[0], 1 - total + each)
        points.append((min(each, p), p))
    lower = sum((k.prior * k.times * p for k, (_, p) in zip(kinds, points, strict=True)), ZERO)
    star = max(range(len(kinds)), key=lambda c: points[c][0])
    spare = 1 - sum((k.times * low for k, (low, _) in zip(kinds, points, strict=True)), ZERO)
    lower += kinds[star].prior * (points[star][0] + spare - points[star][1])
    if lower < kinds[0].prior:
        points, lower = _always(kinds), kinds[0].prior
    w = [min(max(each, ZERO), kind.prior) for each, kind in zip(weights, kinds, strict=True)]
    whole = sum((kind.times * each for kind, each in zip(kinds, w, strict=True)), ZERO)
    upper, pairs, known = whole, list[Line](), dict[fmpq, fmpq]()
    for kind, each in zip(kinds, w, strict=True):
        rest = kind.prior - each
        if rest == 0:
            continue
        ratio = (whole - each) / rest
        if ratio not in known:
            known[ratio] = ONE if ratio == 0 else shape.profile(ratio)[1]
        delta = known[ratio]
        upper += kind.times * rest * delta
        if ratio > 0:
            pairs.append((ratio, delta) if ratio >= 1 else (1 / ratio, 1 - (1 - delta) / ratio))
    prior = sum((kind.prior * kind.times for kind in kinds), ZERO)
    return Found((lower, min(upper, prior)), points, w, pairs)


def _rows(chances: list[fmpq], kinds: Sequence[Kind], points: list[Corner]) -> list[list[fmpq]]:
    """Return K(·|x) = a + e_x·1_x + s_x·1_{x*}, x* a value with the largest a."""
    at = {kind.prior: point for kind, point in zip(kinds, points, strict=True)}
    a = [at[p][0] if p else ZERO for p in chances]
    power = [at[p][1] if p else ZERO for p in chances]
    spare = 1 - sum(a, ZERO)
    star = max(range(len(a)), key=lambda x: (a[x], chances[x]))
    rows = list[list[fmpq]]()
    for x in range(len(a)):
        row = list(a)
        row[x] += power[x] - a[x]
        row[star] += spare - (power[x] - a[x])
        rows.append(row)
    return rows


def _claimed(
    answer: BestGuess,
    chances: list[fmpq],
    kinds: Sequence[Kind],
    found: Found,
) -> dict[str, Any]:
    """Return the certificate of a best guess where all values are neighbours."""
    weight = {kind.prior: w for kind, w in zip(kinds, found.weights, strict=True)}
    return claim(
        SecretGraph.complete(answer.values),
        Distribution.trusted(answer.values, exact_array(chances)),
        Gain.binary(answer.values),
        mechanism=_rows(chances, kinds, found.points),
        pairs=(Polygon.around(found.points).pairs, found.pairs or [(ONE, ONE)]),
        ends=found.ends,
        proof={"weights": [str(weight.get(p, ZERO)) for p in chances]},
    )


# --- several tries -------------------------------------------------------------------------


def _several(
    curve: PrivacyCurve, answer: BestGuess, chances: list[fmpq], kinds: Sequence[Kind]
) -> BestGuess:
    if len(kinds) > 1 or kinds[0].times < len(chances):
        # A mechanism for all pairs is one for add/remove, with any row for who is absent.
        high = _spread(_looked_at(curve, kinds), kinds, answer.tries, ZERO)[1]
        bound = _ended(answer, rational(answer.before), high)
        return bound if bound.is_exact else _of_sets(curve, bound, chances)
    v, k = len(chances), answer.tries
    if k == v:
        return _ended(answer, ONE, ONE)
    if (orders := curve.divergences) is not None:
        *both, order = orders.response(v, k)
        proof = orders.to_dict() | {"order": str(order)}
        ends = (both[0], both[1])
        return _ended(answer, *ends, nothing, lambda: claim_of_tries(v, k, ends=ends, proof=proof))
    if (polygons := curve.shape.polygons) is not None:
        low, high = (
            min([ONE, *((r * k + (v - 1) * d) / (r * k + v - k) for r, d in polygon.pairs)])
            for polygon in (polygons.lower, polygons.upper)
        )
        pairs = of_pairs(polygons.lower.pairs, polygons.upper.pairs)
        return _ended(
            answer,
            low,
            high,
            nothing,
            lambda: claim_of_tries(v, k, ends=(low, high), proof=pairs),
        )

    def above(p: fmpq, side: int) -> bool:
        return p * (v - k) / (v - 1) > curve.shape.detection((1 - p) * k / (v - 1))[side]

    near = _root(lambda p: above(rational(p), 1), k / v)
    low, high = _around(near, above)

    def proved() -> dict[str, Any]:
        point = (1 - low) * k / (v - 1), low * (v - k) / (v - 1)
        slope = _slope_at(curve.shape, to_float(point[0]))
        pair = slope, curve.shape.profile(slope)[1]
        most = min(ONE, (pair[0] * k + (v - 1) * pair[1]) / (pair[0] * k + v - k))
        pairs = of_pairs(Polygon.around([point]).pairs, [pair])
        return claim_of_tries(v, k, ends=(low, most), proof=pairs)

    return _ended(answer, low, high, nothing, proved)


def _of_sets(curve: PrivacyCurve, bound: BestGuess, chances: list[fmpq]) -> BestGuess:
    """Solve the program over all mechanisms that show sets of values, if these are not too many."""
    from leaktight.curves.graphs import best_gain

    v, k, names = len(chances), bound.tries, bound.values
    if math.comb(v, k) * v * (v - 1) * len(curve.polygons(FEWER).upper.pairs) > MOST_SETS:
        return bound
    sets = list(combinations(names, k))
    gain = Gain([[x in chosen for x in names] for chosen in sets], sets, names)
    prior = Distribution.trusted(names, exact_array(chances))
    found = best_gain(curve, SecretGraph.complete(names), prior, gain)
    if found.upper > bound.upper:  # by what a solver's digits leave
        return replace(bound, lower=max(bound.lower, found.lower))
    return _ended(
        bound,
        rational(found.lower),
        rational(found.upper),
        lambda: found.mechanism,
        lambda: found.certificate,
    )


MOST_SETS = 2**13
"""For how many sets times pairs of values, for each line, all mechanisms are looked at."""


def _slope_at(shape: Shape, place: float) -> fmpq:
    """Propose the slope λ ≥ 1 that a shape has at a place."""
    low, high = 0.0, 600.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if shape.touched(math.exp(middle)) > place else (low, middle)
    return max(rational(math.exp(high)), ONE)


def _root(above: Any, start: float) -> float:
    low, high = start, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return low


def _around(near: float, above: Any) -> tuple[fmpq, fmpq]:
    """Return ends beside a root: the lower is surely not above it, the upper surely is."""
    low, high = ZERO, ONE
    for step in (2.0**k for k in range(-50, 0)):
        p = rational(near) + rational(step)
        if p >= 1 or above(p, 1):
            high = min(p, ONE)
            break
    for step in (2.0**k for k in range(-50, 0)):
        p = rational(near) - rational(step)
        if p <= 0 or not above(p, 0):
            low = max(p, ZERO)
            break
    return low, high


# --- add/remove ----------------------------------------------------------------------------


def _add_remove(
    curve: PrivacyCurve, answer: BestGuess, chances: list[fmpq], away: fmpq
) -> BestGuess:
    """Theorems 5 and 6 of the proofs: the chances a for who is absent sum to the tries."""
    kinds = _kinds(chances)
    if not kinds:
        return _ended(answer, ONE, ONE)
    shape = _looked_at(curve, kinds)
    low, high, places, rest = _spread(shape, kinds, answer.tries, away)
    at = {kind.prior: a for kind, a in zip(kinds, places, strict=True)}
    shown = [at[p] if p else ZERO for p in chances]

    def proved() -> dict[str, Any] | None:
        return _present(curve.shape, shape, kinds, chances, shown, answer.tries, away)

    if answer.tries > 1:
        return _ended(answer, low, high, nothing, proved)
    absent = [rest, *shown]
    return _ended(answer, low, high, lambda: _from_absent(shape, absent, answer), proved)


def _present(
    promised: Shape,
    shape: Shape,
    kinds: Sequence[Kind],
    chances: list[fmpq],
    places: list[fmpq],
    tries: int,
    away: fmpq,
) -> dict[str, Any] | None:
    """Return a certificate of who is present: places below, and above a price with its lines.

    ``shape`` is what was looked at: that of the promise, or one that is drawn around it.
    """
    certain = not away and tries >= sum(kind.times for kind in kinds)
    price = ZERO if certain else _asked_price(shape, kinds, tries, away)
    powers = {a: shape.detection(a)[0] for a in places}
    orders = promised.divergences
    if orders is not None and shape.polygons is not None:
        above = shape.polygons.upper
        lines = orders.lines(DRAWN)
    elif orders is not None:
        lines = dict(orders.lines(COARSE))
        if certain:
            pass
        elif len(kinds) == 1 and not away:  # the price is the slope at the place of all
            (a, p) = next((a, p) for a, p in powers.items() if a)
            touching = orders.lines_at([to_float(min(a, 1 - p))])[0] if p < 1 else None
            if touching is not None:
                slope = touching[0][0]
                price = kinds[0].prior * (slope if a + p <= 1 else 1 / slope)
                lines |= [touching]
        else:
            found = (orders.line_of_slope(to_float(price / kind.prior)) for kind in kinds)
            lines |= filter(None, found)
        above = Polygon.of_pairs(lines or NOTHING)
    else:
        slopes = [(p, shape.profile(p)[1]) for p in (price / kind.prior for kind in kinds) if p]
        above = Polygon.of_lines([*slopes, (ONE, ONE)])
        promise = of_lines(Polygon.hull(powers.items()).lines, above.lines)
    if orders is not None:
        promise = orders.to_dict() | {"powers": [str(powers[a]) for a in places]}
        promise |= of_tangents(lines.items())
    low = sum((p * powers[a] for p, a in zip(chances, places, strict=True)), ZERO)
    low += away * (tries - sum(places, ZERO))
    ratios = [price / kind.prior for kind in kinds]
    whole = sum(
        (k.times * (k.prior * above.delta(r)) for k, r in zip(kinds, ratios, strict=True)), ZERO
    )
    return claim_of_presence(
        chances,
        tries,
        promise=promise,
        places=places,
        price=price,
        ends=(low, tries * price + whole),
    )


def _asked_price(shape: Shape, kinds: Sequence[Kind], tries: int, away: fmpq) -> fmpq:
    """Propose the ν at which the places of slope ν/π sum to the tries."""
    if (both := shape.polygons) is not None:
        return _price(both.upper, kinds, tries, away)
    return max(_balanced(shape, kinds, tries, away)[0], away)


def _from_absent(shape: Shape, absent: list[fmpq], answer: BestGuess) -> Channel:
    """Return the mechanism whose row for who is absent is given, and g(a_x) for each value x."""
    a = absent[1:]
    rows = [absent]
    for x in range(len(a)):
        p, q = shape.detection(a[x])[0], a[x]
        rows.append([each * (1 - p) / (1 - q) if q < 1 else ZERO for each in absent])
        rows[-1][x + 1] = p if q < 1 else ONE
    for row in rows:  # who has no chance at all: what is left goes to the first output
        row[0] += 1 - sum(row, ZERO)
    names = ("absent", *answer.values)
    if len(set(names)) < len(names):
        names = (None, *answer.values)
    return Channel(rows, names, names)


def _spread(
    shape: Shape, kinds: Sequence[Kind], tries: int, away: fmpq
) -> tuple[fmpq, fmpq, list[fmpq], fmpq]:
    """Return ends of the largest π₀·a₀ + Σ π·g(a), Σ a = tries, a ≤ 1, and the a that attain them.

    Upwards by ν ≥ π₀: tries·ν + Σ π·δ(ν/π).
    """
    if len(kinds) == 1 and not away:  # all have the same place
        a = min(fmpq(tries, kinds[0].times), ONE)
        share = kinds[0].prior * kinds[0].times
        low, high = shape.detection(a)
        return low * share, high * share, [a], tries - a * kinds[0].times
    both = shape.polygons
    if both is not None and len(both.upper.corners) * len(kinds) <= 16 * FEW:
        nu = _price(both.upper, kinds, tries, away)
        places = _filled(both.lower, kinds, tries, away)
    else:
        near, places = _balanced(shape, kinds, tries, away)
        nu = max(near, away)
    high = min(sum((k.prior * k.times for k in kinds), away), _dual(shape, kinds, tries, nu))
    total = sum((k.times * a for k, a in zip(kinds, places, strict=True)), ZERO)
    if total > tries:
        places, total = [a * tries / total for a in places], fmpq(tries)
    rest = tries - total
    values = zip(kinds, places, strict=True)
    low = sum((k.prior * k.times * shape.detection(a)[0] for k, a in values), away * min(rest, ONE))
    return low, high, places, rest


def _balanced(
    shape: Shape, kinds: Sequence[Kind], tries: int, away: fmpq
) -> tuple[fmpq, list[fmpq]]:
    """Propose the ν at which the places of slope ν/π sum to the tries, and places that do."""
    priors = [(to_float(kind.prior), kind.times) for kind in kinds]

    def places(loss: float) -> tuple[list[float], float]:
        ratio = math.exp(loss)
        found = [min(max(shape.touched(ratio / p), 0.0), 1.0) for p, _ in priors]
        return found, sum(a * n for a, (_, n) in zip(found, priors, strict=True)) - tries

    if away:
        near, over = places(math.log(to_float(away)))
        if over <= 0:
            return away, [rational(a) for a in near]
    low, high = -600.0, 600.0
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if places(middle)[1] > 0 else (low, middle)
    (one, over), (other, under) = places(low), places(high)
    share = 0.0 if over <= under else min(max(-under / (over - under), 0.0), 1.0)
    mixed = [rational(share * a + (1 - share) * b) for a, b in zip(one, other, strict=True)]
    left = tries - sum((kind.times * a for kind, a in zip(kinds, mixed, strict=True)), ZERO)
    for c, kind in enumerate(kinds):  # what rounding leaves
        if not away and left > 0:
            more = min(ONE - mixed[c], left / kind.times)
            mixed[c], left = mixed[c] + more, left - more * kind.times
    return rational(math.exp(high)), mixed


def _dual(shape: Shape, kinds: Sequence[Kind], tries: int, nu: fmpq) -> fmpq:
    return sum((k.times * k.prior * shape.profile(nu / k.prior)[1] for k in kinds), tries * nu)


def _price(polygon: Polygon, kinds: Sequence[Kind], tries: int, away: fmpq) -> fmpq:
    """Return the ν ≥ π₀ at which the places sum to the tries."""
    steps = [
        (kind.prior * slope, kind.times * (right[0] - left[0]))
        for kind in kinds
        for (slope, _), left, right in zip(
            polygon.lines, polygon.corners, polygon.corners[1:], strict=False
        )
    ]
    left = fmpq(tries)
    for gain, length in sorted(steps, reverse=True):
        left -= length
        if left <= 0 or gain <= away:
            return max(gain, away)
    return away or min(gain for gain, _ in steps)


def _filled(polygon: Polygon, kinds: Sequence[Kind], tries: int, away: fmpq) -> list[fmpq]:
    """Fill the steepest edges first until the tries are used up, or being absent pays more."""
    edges = [
        (-kind.prior * slope, c, right[0] - left[0])
        for c, kind in enumerate(kinds)
        for (slope, _), left, right in zip(
            polygon.lines, polygon.corners, polygon.corners[1:], strict=False
        )
    ]
    places, left = [ZERO] * len(kinds), fmpq(tries)
    for cost, c, length in sorted(edges):
        if left <= 0 or -cost < away:
            break
        taken = min(length, left / kinds[c].times)
        places[c], left = places[c] + taken, left - taken * kinds[c].times
    return places
