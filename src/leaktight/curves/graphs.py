"""The best guess, or the most that is gained, where a graph says which secrets must be alike.

On trees, and for two secrets, a few numbers say all. For one pair (λ, δ) a flow cover bounds every
graph and is exact on those that are vertex-transitive. On any other graph a linear program over all
mechanisms is solved nearly; what it proposes is repaired, or rounded, and proved with fractions.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat

from leaktight.channels.aim import aim_of
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Gain, Loss
from leaktight.curves.certificate import (
    claim,
    claim_of_absent,
    claim_of_divergences,
    claim_of_edges,
)
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import Proved, best_guess, nothing
from leaktight.curves.keeping import made_to_keep
from leaktight.curves.polygon import ONE, ZERO, Line, Polygon
from leaktight.curves.shapes import Enclosed
from leaktight.curves.trees import star_lines, star_rows, tree_rows
from leaktight.errors import InvalidGain, InvalidInput, TooLarge, expect
from leaktight.exact.bound import Bound
from leaktight.exact.linear_program import LinearProgram, solve
from leaktight.exact.numbers import Array, fraction, rational, to_float
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.columns import weighting

LINES = 24
"""With how many lines a smooth curve is drawn for a program."""

MOST_ENTRIES = 2**17
"""The most variables of a program over all mechanisms."""

MOST_APART = 24
"""The most secrets with distances for which a program over all mechanisms is solved."""

LARGEST = 256
"""The most vertices whose distances are put into equations."""


@dataclass(frozen=True, repr=False)
class BestGain(Proved, Bound[Fraction]):
    """What a guess gains on average at most.

    No mechanism that keeps the promise on the edges of the graph lets anyone gain more than
    ``upper``; ``mechanism``, whose outputs are guesses, keeps it and gains ``lower``.
    """

    graph: Graph
    _mechanism: Callable[[], Channel | None] = field(default=nothing, compare=False, repr=False)
    _certificate: Callable[[], dict[str, Any] | None] = field(
        default=nothing, compare=False, repr=False
    )

    def __str__(self) -> str:
        size = counted(self.graph.order, "vertex", "vertices")
        return f"at most {self.end} on a graph of {size}"


def best_gain(
    curve: PrivacyCurve,
    graph: Graph | Metric,
    prior: PriorLike = None,
    gain: Gain | Loss | str | None = None,
    *,
    absent: Hashable | None = None,
) -> BestGain:
    """Return what any guess gains at most on average, if the curve holds for a graph's edges.

    :param curve: the promise about the two ends of each edge.
    :param graph: which secrets are neighbours; or a metric, for (ε, δ): then **any** two secrets at
        a distance d are (ε·d, δ)-private, with the same δ.
    :param prior: how likely each secret is beforehand; all alike if it is not given.
    :param gain: what a guess earns for a secret; 1 for the right one if not given. A loss counts
        as a negative gain; on a star with ``absent`` gains are at least 0. It may be named as in a
        study: "guess", "distance", "difference" or "squared".
    :param absent: the vertex of who is absent, on a star of which it is the centre; the curve may
        then bound who is present against who is absent only, as that of samples does.

    >>> best_gain(PrivacyCurve.epsilon_delta(ratio=2, delta="1/10"), Graph(3, [(0, 1), (1, 2)]))
    BestGain(at most 3/5 on a graph of 3 vertices)
    >>> path = Graph(2, [(0, 1)])  # a guess is off by a third of a step, or more
    >>> round(float(best_gain(PrivacyCurve.epsilon(ratio=2), path, gain="distance").upper), 6)
    -0.333333
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    if isinstance(gain, str):
        gain = _named(gain, graph)
    if isinstance(graph, Metric):
        if absent is not None:
            raise InvalidInput("absent= needs a star of neighbours, and no distances")
        return _by_distances(curve, graph, prior, gain)
    expect(graph, Graph, "Graph(3, [(0, 1), (1, 2)]) is one")
    known = prior_on(prior, graph.vertices).exact()
    earned = None if gain is None else _aligned(gain, graph)
    if absent is not None:
        return _on_star(curve, graph, known, earned or Gain.binary(graph.vertices), absent)
    if not curve.is_symmetric:
        raise InvalidInput("an edge has no direction: give curve.symmetric(), or absent= on a star")
    if earned is not None:
        return _by_program(curve, graph, known, earned)
    chances = list(known.array)
    if graph.is_complete:
        guess = best_guess(curve, graph.vertices, known)
        made, proof = lambda: guess.mechanism, lambda: guess.certificate
        return BestGain(guess.lower, guess.upper, graph, made, proof)
    support = [x for x, p in enumerate(chances) if p]
    if len(support) == 2 and (steps := int(graph.distances[support[0], support[1]])) > 0:
        return _two(curve.group(steps), graph, chances[support[0]])
    if graph.size == graph.order - len(graph.components):
        return _on_forest(dict.fromkeys(_arcs(graph), curve), graph, known)
    if (exact := _by_weighting(curve, graph, chances)) is not None:
        return exact
    found = _by_program(curve, graph, known, Gain.binary(graph.vertices))
    return _capped(found, cover_bound(curve, graph, known))


def tree_guess(
    curves: Mapping[Any, PrivacyCurve],
    prior: PriorLike = None,
    vertices: Iterable[Hashable] | None = None,
) -> BestGain:
    """Return how often a secret is guessed at most on a tree whose edges have a curve each.

    :param curves: the promise about the two ends of each edge of a tree, or of several.
    :param prior: how likely each secret is beforehand; all alike if it is not given.
    :param vertices: the secrets in the order of the prior; that of the edges if it is not given.

    >>> near, far = PrivacyCurve.epsilon("ln 2"), PrivacyCurve.epsilon("ln 4")
    >>> tree_guess({("home", "shop"): near, ("shop", "work"): far})
    BestGain(at most 29/45 on a graph of 3 vertices)
    """
    listed = dict(expect(curves, Mapping, "write {(a, b): curve}").items())
    names = dict.fromkeys(v for edge in listed for v in edge) if vertices is None else vertices
    graph = Graph(list(names), list(listed))
    if graph.size != graph.order - len(graph.components) or graph.size != len(listed):
        raise InvalidInput("the edges must make a tree, each once and none closing a cycle")
    known = prior_on(prior, graph.vertices).exact()
    placed = dict[tuple[int, int], PrivacyCurve]()
    for (one, other), curve in listed.items():
        if not expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one").is_symmetric:
            raise InvalidInput("an edge has no direction: give curve.symmetric()")
        i, j = graph.index(one), graph.index(other)
        placed[i, j] = placed[j, i] = curve
    return _on_forest(placed, graph, known)


def _arcs(graph: Graph) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in graph.arcs.tolist()]


def _capped(found: BestGain, upper: Fraction) -> BestGain:
    """Return an answer whose upper end a cover lowers, which no certificate shows then."""
    return replace(found, upper=upper, _certificate=nothing) if upper < found.upper else found


def _two(curve: PrivacyCurve, graph: Graph, first: fmpq) -> BestGain:
    """Theorem 8: (1 − q)·G(a) + q·(1 − a), G the curve of a chain of neighbours."""
    rest = 1 - first
    low, high = (first + rest * end for end in curve.profile(first / rest))
    return BestGain(fraction(low), fraction(high), graph)


# --- trees -----------------------------------------------------------------------------------


def _on_forest(
    curves: Mapping[tuple[int, int], PrivacyCurve], graph: Graph, prior: Distribution
) -> BestGain:
    """Theorem 7: for each edge the chances a_ij of the other side, on each tree.

    Neighbours' rows have two ratios, so that what coins keep, they keep: divergences as well.
    """
    chances, names = list(prior.array), graph.vertices
    drawn = {arc: curve.polygons(LINES) for arc, curve in curves.items()}
    low, rows, weights = tree_rows({arc: side.lower for arc, side in drawn.items()}, chances)
    high = low
    if not all(side.is_exact for side in drawn.values()):
        high, _, weights = tree_rows({arc: side.upper for arc, side in drawn.items()}, chances)

    def proved() -> dict[str, Any] | None:
        gain, proof = Gain.binary(names), {"forest": [str(w) for w in weights]}
        shapes = {curve.shape for curve in curves.values()}
        orders = next((shape.divergences for shape in shapes if shape.divergences), None)
        if orders is None:
            pairs = [{arc: side.pairs for arc, side in one.items()} for one in _sides(drawn)]
            return claim_of_edges(
                graph, prior, gain, mechanism=rows, pairs=pairs, ends=(low, high), proof=proof
            )
        lines = orders.lines(LINES).items()
        if len(shapes) > 1 or not lines:
            return None  # divergences of one edge, and something else of another
        return claim_of_divergences(
            orders, graph, prior, gain, mechanism=rows, lines=lines, ends=(low, high), proof=proof
        )

    mechanism = Channel(rows, names, names)
    return BestGain(fraction(low), fraction(high), graph, lambda: mechanism, proved)


def _sides(drawn: Mapping[tuple[int, int], Enclosed]) -> tuple[dict[Any, Polygon], ...]:
    """Return the lower and the upper polygon of each arc."""
    lower = {arc: side.lower for arc, side in drawn.items()}
    return lower, {arc: side.upper for arc, side in drawn.items()}


def _on_star(
    curve: PrivacyCurve, graph: Graph, prior: Distribution, gain: Gain | Loss, absent: Hashable
) -> BestGain:
    """Theorem 6: what is shown of who is absent says all, for any gain."""
    centre = graph.index(absent)
    arcs = _arcs(graph)
    if len(arcs) != 2 * (graph.order - 1) or any(centre not in arc for arc in arcs):
        raise InvalidInput("absent= must be joined to all other vertices, and these to it alone")
    drawn = curve.polygons(LINES)
    worth = _worth(prior, gain).tolist()
    if min(map(min, worth)) < 0:
        raise InvalidGain("a gain must be at least 0 here; add the same number to all of them")
    lower = star_rows(drawn.lower, worth, centre)
    upper = lower if drawn.is_exact else star_rows(drawn.upper, worth, centre)
    mechanism, low = Channel(lower.rows, graph.vertices, gain.guesses), lower.value
    if curve.divergences is not None:  # they are more than the curve that follows
        mechanism = made_to_keep(mechanism, graph, curve)[0]
        low = sum((np.array(worth) * mechanism.matrix).ravel(), ZERO)
    ends, rows = (low, upper.value), mechanism.matrix.tolist()

    def proved() -> dict[str, Any] | None:
        lines = star_lines(drawn.upper)
        if (orders := curve.divergences) is not None:
            known = orders.lines(LINES)
            return claim_of_divergences(
                orders, graph, prior, gain, mechanism=rows, lines=known.items(), ends=ends,
                proof=_both_ways(upper.multipliers, lines, known, centre),
            ) if known else None  # fmt: skip
        return claim_of_absent(
            graph, prior, gain, absent=centre, mechanism=rows,
            lines=(drawn.lower.lines, lines), ends=ends,
            proof=_written({(x, centre, at): c for (x, at), c in upper.multipliers.items()}),
        )  # fmt: skip

    return BestGain(fraction(low), fraction(upper.value), graph, lambda: mechanism, proved)


def _both_ways(
    multipliers: Mapping[tuple[int, int], list[fmpq]],
    lines: Sequence[Line],
    known: Mapping[Line, Any],
    centre: int,
) -> dict[str, Any]:
    """Return multipliers of lines as those of pairs (λ, δ), for both orders of neighbours.

    A line of slope 1/λ < 1 is the pair (λ, δ) of the complement, with who is absent first; a line
    of slope 0 says nothing.
    """
    place, found = {line: k for k, line in enumerate(known)}, dict[tuple[int, int, int], Any]()
    for (x, at), numbers in multipliers.items():
        slope, height = lines[at]
        if (k := place.get((slope, height))) is not None:
            found[x, centre, k] = numbers
        elif slope:
            k = place[1 / slope, 1 - (1 - height) / slope]
            most = max(numbers)
            found[centre, x, k] = [slope * (most - c) for c in numbers]
    return _written(found)


def _written(multipliers: Mapping[tuple[int, int, int], list[fmpq]]) -> dict[str, Any]:
    """Return multipliers of arcs and pairs as a certificate has them."""
    listed = ((key, numbers) for key, numbers in multipliers.items() if any(numbers))
    return {"multipliers": [[*key, [str(c) for c in numbers]] for key, numbers in listed]}


def _worth(prior: Distribution, gain: Gain | Loss) -> Array:
    """Return prior times gain, a row for each vertex."""
    rows = zip(prior.array, gain.matrix.T, strict=True)
    return np.array([[gain.sign * p * g for g in row] for p, row in rows])


# --- one pair: covers by flows -----------------------------------------------------------------


def _by_weighting(curve: PrivacyCurve, graph: Graph, chances: Sequence[fmpq]) -> BestGain | None:
    """Corollary 9: exactly, if Σ_j λ^(−d(i,j))·u_j = π_i and = 1 have solutions of at least 0."""
    shape = curve.pair
    if shape is None or not graph.is_connected:
        return None
    if graph.order > LARGEST and len(set(chances)) > 1:
        return None
    low, high = (_weighted(side.pairs[0], graph, chances) for side in (shape.lower, shape.upper))
    if low is None or high is None:
        return None
    return BestGain(fraction(low), fraction(high), graph)


def _weighted(pair: Line, graph: Graph, chances: Sequence[fmpq]) -> fmpq | None:
    ratio, delta = pair
    if ratio == 1 or delta == 1:
        return None if delta < 1 else ONE
    n = graph.order
    if len(set(chances)) == 1:  # then u is w/n, and w is put together from blocks and factors
        found = weighting(graph, fraction(ratio))
        return None if found is None else delta + (1 - delta) * sum(found, ZERO) / n
    matrix = _powers(ratio, graph)
    try:
        solved = matrix.solve(fmpq_mat(n, 2, [e for p in chances for e in (p, ONE)]))
    except ZeroDivisionError:
        return None
    columns = [[solved[i, c] for i in range(n)] for c in (0, 1)]
    if min(columns[0] + columns[1]) < 0:
        return None
    return delta + (1 - delta) * sum(columns[0], ZERO)


def _powers(ratio: fmpq, graph: Graph) -> fmpq_mat:
    """Return λ^(−d(i, j)), 0 where there is no path."""
    distances = graph.distances.tolist()
    known = [ratio ** (-d) for d in range(max(map(max, distances)) + 1)]
    entries = [known[d] if d >= 0 else ZERO for row in distances for d in row]
    return fmpq_mat(graph.order, graph.order, entries)


def cover_bound(curve: PrivacyCurve, graph: Graph, prior: PriorLike = None) -> Fraction:
    """Return the best bound by a flow cover at one of the curve's pairs (Theorem 9).

    (1 − δ)·Σ u + δ·Σ cov, where cov_y = Σ_x u_x·λ^(−d(x,y)) ≥ π_y for all y.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> curve = PrivacyCurve.epsilon_delta(ratio=2, delta="1/10")
    >>> round(float(cover_bound(curve, SecretGraph.cycle(5))), 9)
    0.46
    """
    chances = list(prior_on(prior, graph.vertices).exact().array)
    if graph.order > allowed(LARGEST):
        raise TooLarge(f"a cover needs at most {allowed(LARGEST)} vertices, got {graph.order:,}")
    pairs = curve.polygons(LINES).upper.pairs
    return min(fraction(_covered(_powers(ratio, graph), delta, chances)) for ratio, delta in pairs)


def _covered(matrix: fmpq_mat, delta: fmpq, chances: Sequence[fmpq]) -> fmpq:
    """Return the bound of a cover that is nearly the best, scaled until it covers all.

    The matrix has λ^(−d(x, y)) for each two vertices.
    """
    n = len(chances)
    near = np.array([[to_float(matrix[i, j]) for j in range(n)] for i in range(n)])
    cost = 1 - to_float(delta) + to_float(delta) * near.sum(axis=0)
    at = np.nonzero(near)
    best = solve(
        LinearProgram(
            cost.tolist(), (at[0], at[1], near[at]), row_lower=[to_float(p) for p in chances]
        )
    ).settled("the LP solver found no cover for these numbers")
    u = [rational(max(float(x), 0.0)) for x in best.x]
    covered = matrix * fmpq_mat(n, 1, u)
    cover = [covered[i, 0] for i in range(n)]
    for i in range(n):  # what is missing is added at the vertex itself
        if cover[i] < chances[i]:
            more = chances[i] - cover[i]
            u[i] += more
            cover = [c + more * matrix[j, i] for j, c in enumerate(cover)]
    return min(ONE, (1 - delta) * sum(u, ZERO) + delta * sum(cover, ZERO))


# --- any graph, any gain ---------------------------------------------------------------------


def _named(gain: str, graph: Graph | Metric) -> Gain | Loss | None:
    """Return a gain or loss by its name; the plain guess has formulas of its own."""
    if isinstance(graph, Metric):
        if gain == "distance" and not np.array_equal(graph.lower, graph.upper):
            raise InvalidInput(
                'gain="distance" needs distances that are rational, as those of Metric.manhattan '
                "are; Loss.by_distance(metric.values, metric.distance) rounds them up"
            )
    else:
        expect(graph, Graph, "Graph(3, [(0, 1), (1, 2)]) is one")
    return None if gain == "guess" else aim_of(gain, graph)


def _aligned(gain: Gain | Loss, graph: Graph) -> Gain | Loss:
    """Return an exact gain or loss in the order of the vertices."""
    if not isinstance(gain, Loss):
        expect(gain, Gain, "Gain.binary(graph.vertices) is one")
    if set(gain.inputs) != set(graph.vertices):
        raise InvalidGain("the gain must have a number for each vertex of the graph")
    order = [gain.inputs.index(x) for x in graph.vertices]
    table = [[rational(row[x]) for x in order] for row in gain.matrix]
    return type(gain)(table, gain.guesses, graph.vertices)


def _by_program(
    curve: PrivacyCurve, graph: Graph, prior: Distribution, gain: Gain | Loss
) -> BestGain:
    """Solve the program over all mechanisms, and prove both ends (section 7)."""
    drawn = curve.polygons(LINES)
    sides = _Sides(
        *(dict.fromkeys(_arcs(graph), side.pairs) for side in (drawn.lower, drawn.upper))
    )
    found = sides.solved(graph, prior, gain)
    mechanism, (low, high) = found.mechanism, found.ends
    if curve.divergences is not None:  # they are more than the curve that follows
        mechanism = made_to_keep(mechanism, graph, curve)[0]
        low = _earned(_worth(prior, gain), mechanism)
    asked: Any = {"mechanism": mechanism.matrix.tolist(), "ends": (low, high), "proof": found.proof}

    def proved() -> dict[str, Any] | None:
        if (orders := curve.divergences) is not None:
            if not (known := orders.lines(LINES)):
                return None
            lines = [(pair, known[pair]) for pair in drawn.upper.pairs]
            return claim_of_divergences(orders, graph, prior, gain, lines=lines, **asked)
        pairs = drawn.lower.pairs, drawn.upper.pairs
        return claim(graph, prior, gain, pairs=pairs, **asked)

    return BestGain(fraction(low), fraction(high), graph, lambda: mechanism, proved)


def _earned(worth: Array, mechanism: Channel) -> fmpq:
    return sum((w * k for w, k in zip(worth.ravel(), mechanism.matrix.ravel(), strict=True)), ZERO)


def _by_distances(
    curve: PrivacyCurve, metric: Metric, prior: PriorLike, gain: Gain | Loss | None
) -> BestGain:
    """Any two secrets at a distance d keep (λ^d, δ): a program, or the cover of Theorem 9.

    All pairs are arcs, so that the cover sends everything straight, at any distances.
    """
    shape = curve.pair
    if shape is None:
        raise InvalidInput(
            "with distances (ε·d, δ) alone is proved: give PrivacyCurve.epsilon_delta(…), or a "
            "graph of values that are neighbours"
        )
    graph = SecretGraph.complete(metric.values)
    known = prior_on(prior, graph.vertices).exact()
    earned = Gain.binary(graph.vertices) if gain is None else _aligned(gain, graph)
    lower, upper = dict[tuple[int, int], Sequence[Line]](), dict[tuple[int, int], Sequence[Line]]()
    (least, delta), (most, above) = shape.lower.pairs[0], shape.upper.pairs[0]
    ratio = Ratio(fraction(least), fraction(most))
    joined = metric.graph.distances >= 0
    for i, h in combinations(range(graph.order), 2):
        if not joined[i, h]:  # at an infinite distance nothing is promised
            lower[i, h] = lower[h, i] = upper[i, h] = upper[h, i] = [(ONE, ONE)]
            continue
        far = ratio.over(*metric.distance(metric.values[i], metric.values[h]))
        lower[i, h] = lower[h, i] = [(rational(far.lower), delta)]
        upper[i, h] = upper[h, i] = [(rational(far.upper), above)]
    if gain is None and graph.order > MOST_APART:
        matrix = fmpq_mat(graph.order, graph.order, [
            ONE if i == h else 1 / upper[i, h][0][0] if joined[i, h] else ZERO
            for i in range(graph.order) for h in range(graph.order)
        ])  # fmt: skip
        chances = list(known.array)
        low = delta + (1 - delta) * max(chances)
        return BestGain(fraction(low), fraction(_covered(matrix, above, chances)), graph)
    found = _Sides(lower, upper).solved(graph, known, earned)
    rows = found.mechanism.matrix.tolist()

    def proved() -> dict[str, Any]:
        return claim_of_edges(
            graph, known, earned, mechanism=rows, pairs=(lower, upper), ends=found.ends,
            proof=found.proof,
        )  # fmt: skip

    low, high = found.ends
    return BestGain(fraction(low), fraction(high), graph, lambda: found.mechanism, proved)


class _Solved(NamedTuple):
    mechanism: Channel
    ends: tuple[fmpq, fmpq]
    proof: dict[str, Any]


@dataclass(frozen=True)
class _Sides:
    """The pairs (λ, δ) of each arc that a mechanism keeps, and those by which more is excluded."""

    lower: Mapping[tuple[int, int], Sequence[Line]]
    upper: Mapping[tuple[int, int], Sequence[Line]]

    def solved(self, graph: Graph, prior: Distribution, gain: Gain | Loss) -> _Solved:
        """Propose a mechanism and multipliers, and prove what they say."""
        worth = _worth(prior, gain)
        size = worth.size + sum(map(len, self.upper.values())) * worth.shape[1]
        if size > allowed(MOST_ENTRIES):
            raise TooLarge(
                f"a program over all mechanisms has at most {allowed(MOST_ENTRIES):,} numbers, got "
                f"{size:,}; cover_bound(curve, graph, prior) bounds what is guessed"
            )
        arcs, below, above = list(self.lower), list(self.lower.values()), list(self.upper.values())
        lower = _solved(below, arcs, worth)
        upper = lower if below == above else _solved(above, arcs, worth)
        rows = _repaired(lower[0], arcs, below)
        mechanism = Channel(rows, graph.vertices, gain.guesses)
        ends = _earned(worth, mechanism), _multiplied(upper[1], arcs, above, worth)
        proof = _written({(*arcs[e], k): numbers for (e, k), numbers in upper[1].items()})
        return _Solved(mechanism, ends, proof)


Multipliers = dict[tuple[int, int], list[fmpq]]


def _solved(
    pairs: Sequence[Sequence[Line]], arcs: Sequence[tuple[int, ...]], worth: Array
) -> tuple[list[list[fmpq]], Multipliers]:
    """Propose a mechanism, and multipliers for each arc and pair."""
    v, m = worth.shape
    kinds = [(e, k) for e in range(len(arcs)) for k in range(len(pairs[e]))]
    rows, columns, values = list[int](), list[int](), list[float]()
    limits = list[float]()
    for at, (e, k) in enumerate(kinds):
        (x, other), ratio = arcs[e], to_float(pairs[e][k][0])
        for y in range(m):
            rows += [len(limits)] * 3
            columns += [x * m + y, other * m + y, v * m + at * m + y]
            values += [1.0, -ratio, -1.0]
            limits.append(0.0)
        rows += [len(limits)] * m
        columns += range(v * m + at * m, v * m + at * m + m)
        values += [1.0] * m
        limits.append(to_float(pairs[e][k][1]))
    first = len(limits)
    for x in range(v):
        rows += [first + x] * m
        columns += range(x * m, x * m + m)
        values += [1.0] * m
    cost = [-to_float(w) for w in worth.ravel()] + [0.0] * (len(kinds) * m)
    best = solve(
        LinearProgram(
            cost,
            (rows, columns, values),
            row_lower=[None] * first + [1.0] * v,
            row_upper=limits + [1.0] * v,
        )
    ).settled("the LP solver found no best mechanism for these numbers")
    matrix = [[_dyadic(max(k, 0.0)) for k in best.x[x * m : x * m + m]] for x in range(v)]
    prices = {
        kind: [_dyadic(max(-c, 0.0)) for c in best.y[at * (m + 1) : at * (m + 1) + m]]
        for at, kind in enumerate(kinds)
    }
    return matrix, prices


def _dyadic(value: float) -> fmpq:
    """Return a number with at most 44 bits after the point."""
    return fmpq(round(value * 2**44), 2**44)


def _multiplied(
    prices: Multipliers,
    arcs: Sequence[tuple[int, ...]],
    pairs: Sequence[Sequence[Line]],
    worth: Array,
) -> fmpq:
    """Return Σ δ·max c + Σ_x max_y (W − c out + λ·c in), a bound for any c ≥ 0."""
    left, bound = [list(row) for row in worth], ZERO
    for (e, k), numbers in prices.items():
        (x, other), (ratio, delta) = arcs[e], pairs[e][k]
        bound += delta * max(numbers)
        for y, c in enumerate(numbers):
            if c:
                left[x][y] -= c
                left[other][y] += ratio * c
    return bound + sum(map(max, left), ZERO)


def _repaired(
    rows: list[list[fmpq]], arcs: Sequence[tuple[int, ...]], pairs: Sequence[Sequence[Line]]
) -> list[list[fmpq]]:
    """Return rows that sum to 1, mixed with a common row as much as keeps all pairs.

    Mixed with the share s of one row for all, what an arc exceeds shrinks by 1 − s, and a ratio
    above 1 leaves room besides.
    """
    m = len(rows[0])
    whole = [[k / total for k in row] for row in rows if (total := sum(row, ZERO)) > 0]
    if len(whole) < len(rows):
        return [[fmpq(1, m)] * m for _ in rows]
    for power in (None, *range(46, -1, -2)):
        share = ZERO if power is None else fmpq(1, 2**power)
        mixed = [[(1 - share) * k + share / m for k in row] for row in whole]
        if all(
            sum((max(a - ratio * b, ZERO) for a, b in zip(mixed[x], mixed[h], strict=True)), ZERO)
            <= delta
            for (x, h), kept in zip(arcs, pairs, strict=True)
            for ratio, delta in kept
        ):
            return mixed
    raise AssertionError("a common row keeps every pair")
