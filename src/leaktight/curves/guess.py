"""The best guess: how often anyone is right at most, whatever mechanism keeps a curve.

The worst case is over all mechanisms that keep the promise, with the guess that is best for each.
Two relations of neighbours are common: another value in place of one's own ("replace"), or being
absent ("add/remove"); a graph says which values must not be told apart. Each answer has a mechanism
that attains its lower end, and numbers that prove its upper one. See ``docs/proofs/curves.md``.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Gain
from leaktight.curves.certificate import claim
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Corner, Line, Polygon
from leaktight.curves.renyi import Orders
from leaktight.curves.shapes import Enclosed, Shape
from leaktight.errors import InvalidDistribution, InvalidInput, InvalidNumber, Undecided, expect
from leaktight.exact.linear_program import LinearProgram, Optimum, solve, solve_exact
from leaktight.exact.numbers import Number, as_printed, exact_array, fraction, rational, to_float
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import Told, counted, percent, percent_above
from leaktight.labels import Labels, listed_labels
from leaktight.policies.secrets import SecretGraph

FEW = 64
"""The most rows of a program for a polygon that is solved exactly as it is."""

DRAWN = 64
"""With how many lines the curve of Rényi divergences is drawn, which takes a while."""

ROUNDS = 24
"""How often lines that touch a smooth curve are added to a program."""

REPLACE, ADD_REMOVE = "replace", "add/remove"


@dataclass(frozen=True, repr=False)
class BestGuess(Told):
    """How likely a guess about a secret is right at most, between ``lower`` and ``upper``.

    No mechanism that keeps the promise lets anyone guess right more often than ``upper``, on
    average under the prior; ``mechanism`` keeps it and attains ``lower``.
    """

    lower: Fraction
    upper: Fraction
    before: Fraction
    """How likely the best guess is right without any release."""
    neighbours: str
    """Which neighbours the promise is about: "replace", "add/remove", or those of a graph."""
    values: Labels
    tries: int = 1
    mechanism: Channel | None = None
    certificate: dict[str, Any] | None = field(default=None, compare=False)
    """What ``check.py`` proves, for one try with other values in its place."""

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the same."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return float_above(rational(self.upper))

    def __str__(self) -> str:
        near = percent(self.upper)
        most = near if percent(self.lower) == near else percent_above(self.upper)
        tried = f"in {self.tries} tries " * (self.tries > 1)
        how = f"{percent(self.before)} before; neighbours: {self.neighbours}"
        return (
            f"right {tried}at most {most} ({counted(len(self.values), 'value', 'values')}, {how})"
        )


class Kind(NamedTuple):
    """Values that are equally likely."""

    prior: fmpq
    times: int


class Found(NamedTuple):
    """What is proved: ends, the points (a, p) of each kind, and what proves the upper end."""

    lower: fmpq
    upper: fmpq
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
    if isinstance(tries, bool) or not isinstance(tries, int) or not 1 <= tries <= len(labels):
        raise InvalidNumber(f"tries must be from 1 to the {len(labels)} values, got {tries!r}")
    away = as_printed(absent)
    if not 0 <= away <= 1:
        raise InvalidNumber(f"absent must be from 0 to 1, got {absent}")
    chances = [(1 - away) * p for p in known.array]
    if away and (neighbours == REPLACE or tries > 1):
        raise InvalidInput("who may be absent is guessed once, and with neighbours='add/remove'")
    top = sorted(chances, reverse=True)
    before = fraction(max(away, sum(top[:tries], ZERO)))
    answer = BestGuess(Fraction(0), Fraction(1), before, neighbours, labels, tries)
    if isinstance(curve.shape, Orders) and (neighbours == ADD_REMOVE or len(_kinds(chances)) > 1):
        curve = PrivacyCurve(curve.polygons(DRAWN), curve.says)
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
    kinds = _kinds(chances)
    if answer.tries > 1:
        return _several(curve, answer, chances, kinds)
    if sum(kind.times for kind in kinds) == 1:
        return _ended(answer, ONE, ONE)
    if isinstance(curve.shape, Orders) and len(kinds) == 1:
        low, high = curve.shape.response(kinds[0].times)
        share = kinds[0].prior * kinds[0].times
        return _ended(answer, low * share, high * share)
    found = guess_program(curve.shape, kinds)
    rows = _rows(chances, kinds, found.points)
    found = found._replace(lower=sum((p * rows[x][x] for x, p in enumerate(chances)), ZERO))
    return _ended(
        answer,
        found.lower,
        found.upper,
        Channel(rows, answer.values, answer.values),
        _claimed(answer, chances, kinds, found, rows),
    )


def _ended(
    answer: BestGuess,
    low: fmpq,
    high: fmpq,
    mechanism: Channel | None = None,
    certificate: dict[str, Any] | None = None,
) -> BestGuess:
    return replace(
        answer,
        lower=max(fraction(low), answer.before),
        upper=min(max(fraction(high), answer.before), Fraction(1)),
        mechanism=mechanism,
        certificate=certificate,
    )


def _kinds(chances: Iterable[fmpq]) -> list[Kind]:
    """Return the priors that occur but 0, the largest first."""
    counts = Counter(p for p in chances if p)
    return [Kind(p, counts[p]) for p in sorted(counts, reverse=True)]


def guess_program(shape: Shape, kinds: Sequence[Kind]) -> Found:
    """Return the largest Σ π·p with p ≤ g(a) and p_x + Σ_{z≠x} a_z ≤ 1, with what proves it.

    Small polygons are exact. Otherwise a program with lines that touch the curve proposes points
    and weights, and new lines touch it there, until both ends are near.
    """
    if isinstance(shape, Enclosed) and len(shape.upper.corners) * len(kinds) <= FEW:
        lower = _solved(shape.lower, kinds)
        upper = lower if shape.is_exact else _solved(shape.upper, kinds)
        return Found(lower.lower, upper.upper, lower.points, upper.weights, upper.pairs)
    lines = [(s, shape.profile(rational(s))[1]) for s in (0.5, 1.0, 2.0, 4.0, 16.0, 256.0)]
    steep = [(to_float(rational(s)), to_float(d)) for s, d in lines]
    best: Found | None = None
    for _ in range(ROUNDS):
        places, weights = _proposed(steep, kinds)
        found = _proved(shape, kinds, places, weights)
        if best is not None:
            found = _better(best, found)
        settled = best is not None and 4 * (found.upper - found.lower) >= 3 * (
            best.upper - best.lower
        )
        best = found
        gap = to_float(best.upper - best.lower)
        if gap < 2.0**-44 or (settled and gap < 2.0**-36):
            break
        for a in {*places}:
            slope = _slope(shape, a)
            steep.append((slope, to_float(shape.profile(rational(slope))[1])))
    assert best is not None
    return best


def _better(one: Found, other: Found) -> Found:
    low = one if one.lower >= other.lower else other
    high = one if one.upper <= other.upper else other
    return Found(low.lower, high.upper, low.points, high.weights, high.pairs)


def _slope(shape: Shape, a: float) -> float:
    """Propose the slope of a curve at a place, as that of a short chord."""
    near = min(max(a, 2.0**-60), 1 - 2.0**-20)
    step = 2.0**-18 * min(near, 1 - near)
    ends = [to_float(shape.detection(rational(near + s))[1]) for s in (-step, step)]
    return max((ends[1] - ends[0]) / (2 * step), 2.0**-40)


def _solved(polygon: Polygon, kinds: Sequence[Kind]) -> Found:
    """Solve the program of a polygon exactly."""
    lines = list(polygon.lines)
    program = _program([(str(s), str(d)) for s, d in lines], kinds)
    best = solve_exact(program)
    assert isinstance(best, Optimum)
    n = len(kinds)
    rows = len(lines) * n
    weights = [-best.y[rows + c] / kind.times for c, kind in enumerate(kinds)]
    places = [max(a, ZERO) for a in best.x[n:]]
    found = _proved(Enclosed(polygon, polygon), kinds, places, weights)
    return found._replace(pairs=list(polygon.pairs))


def _proposed(
    lines: list[tuple[float, float]], kinds: Sequence[Kind]
) -> tuple[list[float], list[fmpq]]:
    """Solve the program of some lines nearly; return places a and weights w."""
    best = solve(_program([*lines, (0.0, 1.0)], kinds))
    if not isinstance(best, Optimum):
        raise Undecided("the LP solver found no best guess for these numbers")
    n, rows = len(kinds), (len(lines) + 1) * len(kinds)
    weights = [rational(max(-float(best.y[rows + c]), 0.0)) / k.times for c, k in enumerate(kinds)]
    return [float(a) for a in best.x[n:]], weights


def _program(lines: Sequence[tuple[Any, Any]], kinds: Sequence[Kind]) -> LinearProgram:
    """The variables are p, free, and a ≥ 0 for each kind; the rows lines and then row sums."""
    n = len(kinds)
    exact = bool(lines) and isinstance(lines[0][0], str)
    one: Any = 1 if exact else 1.0
    entries = list[tuple[int, int, Any]]()
    limits = list[Any]()
    for slope, height in lines:
        for c in range(n):
            row = len(limits)
            entries += [(row, c, one), (row, n + c, f"-{slope}" if exact else -slope)]
            limits.append(height)
    for c in range(n):
        row = len(limits)
        entries.append((row, c, one))
        for d, kind in enumerate(kinds):
            others = kind.times - (c == d)
            if others:
                entries.append((row, n + d, others if exact else float(others)))
        limits.append(one)
    cost = [-kind.prior * kind.times for kind in kinds] + [ZERO] * n
    rows, columns, values = zip(*entries, strict=True)
    return LinearProgram(
        [c if exact else to_float(c) for c in cost],
        (rows, columns, values),
        row_upper=limits,
        lower=[None] * n + [0] * n,
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
    if lower < kinds[0].prior:  # then one of the likeliest is guessed, whatever is seen
        share = fmpq(1, kinds[0].times)
        points = [(share, share), *[(ZERO, ZERO)] * (len(kinds) - 1)]
        lower = kinds[0].prior
    w = [min(max(each, ZERO), kind.prior) for each, kind in zip(weights, kinds, strict=True)]
    whole = sum((kind.times * each for kind, each in zip(kinds, w, strict=True)), ZERO)
    upper, pairs = whole, list[Line]()
    for kind, each in zip(kinds, w, strict=True):
        rest = kind.prior - each
        if rest == 0:
            continue
        ratio = (whole - each) / rest
        delta = ONE if ratio == 0 else shape.profile(ratio)[1]
        upper += kind.times * rest * delta
        if ratio > 0:
            pairs.append((ratio, delta) if ratio >= 1 else (1 / ratio, 1 - (1 - delta) / ratio))
    prior = sum((kind.prior * kind.times for kind in kinds), ZERO)
    return Found(lower, min(upper, prior), points, w, pairs)


def _rows(chances: list[fmpq], kinds: Sequence[Kind], points: list[Corner]) -> list[list[fmpq]]:
    """Return K(·|x) = a + e_x·1_x + s_x·1_{x*}, x* a value with the largest a."""
    at = {kind.prior: point for kind, point in zip(kinds, points, strict=True)}
    a = [at[p][0] if p else ZERO for p in chances]
    power = [at[p][1] if p else ZERO for p in chances]
    spare = 1 - sum(a, ZERO)
    star = max(range(len(a)), key=a.__getitem__)
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
    rows: list[list[fmpq]],
) -> dict[str, Any]:
    """Return the certificate of a best guess where all values are neighbours."""
    weight = {kind.prior: w for kind, w in zip(kinds, found.weights, strict=True)}
    return claim(
        SecretGraph.complete(answer.values),
        Distribution.trusted(answer.values, exact_array(chances)),
        Gain.binary(answer.values),
        mechanism=rows,
        pairs=(Polygon.around(found.points).pairs, found.pairs or [(ONE, ONE)]),
        ends=(found.lower, found.upper),
        proof={"weights": [str(weight.get(p, ZERO)) for p in chances]},
    )


# --- several tries -------------------------------------------------------------------------


def _several(
    curve: PrivacyCurve, answer: BestGuess, chances: list[fmpq], kinds: Sequence[Kind]
) -> BestGuess:
    if len(kinds) > 1 or kinds[0].times < len(chances):
        # A mechanism for all pairs is one for add/remove, with any row for who is absent.
        high = _spread(curve.shape, kinds, answer.tries, ZERO)[1]
        return _ended(answer, rational(answer.before), high)
    v, k = len(chances), answer.tries
    if k == v:
        return _ended(answer, ONE, ONE)
    if isinstance(curve.shape, Enclosed):
        low, high = (
            min([ONE, *((r * k + (v - 1) * d) / (r * k + v - k) for r, d in polygon.pairs)])
            for polygon in (curve.shape.lower, curve.shape.upper)
        )
        return _ended(answer, low, high)

    def above(p: fmpq, side: int) -> bool:
        return p * (v - k) / (v - 1) > curve.shape.detection((1 - p) * k / (v - 1))[side]

    near = _root(lambda p: above(rational(p), 1), k / v)
    return _ended(answer, *_around(near, above))


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
    low, high, places, rest = _spread(curve.shape, kinds, answer.tries, away)
    if answer.tries > 1:
        return _ended(answer, low, high)
    at = {kind.prior: a for kind, a in zip(kinds, places, strict=True)}
    a = [at[p] if p else ZERO for p in chances]
    absent = [rest, *a]
    rows = [absent]
    for x in range(len(a)):
        p, q = curve.shape.detection(a[x])[0], a[x]
        rows.append([each * (1 - p) / (1 - q) if q < 1 else ZERO for each in absent])
        rows[-1][x + 1] = p if q < 1 else ONE
    for row in rows:  # who has no chance at all: what is left goes to the first output
        row[0] += 1 - sum(row, ZERO)
    names = ("absent", *answer.values)
    if len(set(names)) < len(names):
        names = (None, *answer.values)
    return _ended(answer, low, high, Channel(rows, names, names))


def _spread(
    shape: Shape, kinds: Sequence[Kind], tries: int, away: fmpq
) -> tuple[fmpq, fmpq, list[fmpq], fmpq]:
    """Return ends of the largest π₀·a₀ + Σ π·g(a), Σ a = tries, a ≤ 1, and the a that attain them.

    Upwards by ν ≥ π₀: tries·ν + Σ π·δ(ν/π).
    """
    nu = _price(shape, kinds, tries, away)
    high = min(sum((k.prior * k.times for k in kinds), away), _dual(shape, kinds, tries, nu))
    places = [min(max(_place(shape, nu / k.prior), ZERO), ONE) for k in kinds]
    polygon = shape.lower if isinstance(shape, Enclosed) else None
    if polygon is not None:
        places = _filled(polygon, kinds, tries, away)
    total = sum((k.times * a for k, a in zip(kinds, places, strict=True)), ZERO)
    if total > tries:
        places, total = [a * tries / total for a in places], fmpq(tries)
    if polygon is None and not away:
        for c, kind in enumerate(kinds):
            more = min(ONE - places[c], (tries - total) / kind.times)
            places[c], total = places[c] + more, total + more * kind.times
    rest = tries - total
    values = zip(kinds, places, strict=True)
    low = sum((k.prior * k.times * shape.detection(a)[0] for k, a in values), away * min(rest, ONE))
    return low, high, places, rest


def _dual(shape: Shape, kinds: Sequence[Kind], tries: int, nu: fmpq) -> fmpq:
    return sum((k.times * k.prior * shape.profile(nu / k.prior)[1] for k in kinds), tries * nu)


def _place(shape: Shape, ratio: fmpq) -> fmpq:
    return rational(shape.touched(to_float(ratio)))


def _price(shape: Shape, kinds: Sequence[Kind], tries: int, away: fmpq) -> fmpq:
    """Propose the ν ≥ π₀ at which the places sum to the tries; exactly, for a polygon."""
    if isinstance(shape, Enclosed):
        steps = [
            (kind.prior * slope, kind.times * (right[0] - left[0]))
            for kind in kinds
            for (slope, _), left, right in zip(
                shape.upper.lines, shape.upper.corners, shape.upper.corners[1:], strict=False
            )
        ]
        left = fmpq(tries)
        for gain, length in sorted(steps, reverse=True):
            left -= length
            if left <= 0 or gain <= away:
                return max(gain, away)
        return away or min(gain for gain, _ in steps)
    low, high = -600.0, 600.0
    for _ in range(64):
        middle = (low + high) / 2
        ratio = math.exp(middle)
        total = sum(k.times * shape.touched(ratio / to_float(k.prior)) for k in kinds)
        low, high = (middle, high) if total > tries else (low, middle)
    return max(rational(math.exp(high)), away)


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
