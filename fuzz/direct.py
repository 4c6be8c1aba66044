"""The independent routes: definitions in fractions, enumerations, and one linear program in floats.

Nothing here uses how leaktight computes; its objects are only made, and read.
"""

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

import leaktight as lt

Rows = list[list[Fraction]]
Edges = Sequence[Sequence[int]]

CLOSE = Fraction(1, 10**6)
"""How far a solver in floats may be off: far more than it is on such small programs."""

LONG = Context(prec=400)


def normalised(table: Sequence[Sequence[str]]) -> Rows:
    """Return weights as distributions."""
    rows = [[Fraction(weight) for weight in row] for row in table]
    return [[weight / sum(row) for weight in row] for row in rows]


def channel_of(rows: Sequence[Sequence[Any]], **labels: Any) -> lt.Channel:
    """Return an exact channel with these rows."""
    return lt.Channel([[str(p) for p in row] for row in rows], **labels)


def rows_of(channel: lt.Channel) -> Rows:
    """Return the entries of a channel as fractions; a float is the number that it is."""
    if not channel.is_exact:
        return [[Fraction(float(p)) for p in row] for row in channel.matrix]
    return [[Fraction(int(p.p), int(p.q)) for p in row] for row in channel.matrix]


def graph_of(drawn: Any) -> lt.SecretGraph:
    """Return a drawn graph."""
    n, edges = drawn
    return lt.SecretGraph.from_edges(n, [tuple(edge) for edge in edges])


def policy_of(drawn: Any) -> lt.Policy:
    """Return a drawn policy."""
    graph, records, public = drawn
    secrets = graph_of(graph)
    match public:
        case ["counts", counts]:
            given = [lt.count(v, at_least=low, at_most=high) for v, low, high in counts]
            return lt.Policy(secrets, records, constraints=given)
        case ["values", values]:
            return lt.Policy(secrets, records, values=values)
        case ["databases", listed]:
            named = [row[0] for row in listed] if records == 1 else [tuple(row) for row in listed]
            return lt.Policy(secrets, records, databases=named)
    return lt.Policy(secrets, records)


def databases_of(drawn: Any) -> list[tuple[int, ...]]:
    """Return the databases of a drawn policy as tuples of values."""
    (n, _), records, public = drawn
    every = list(product(range(n), repeat=records))
    match public:
        case ["counts", counts]:
            return [
                d
                for d in every
                if all(low <= sum(v in some for v in d) <= high for some, low, high in counts)
            ]
        case ["values", values]:
            return [d for d in every if all(v in own for v, own in zip(d, values, strict=True))]
        case ["databases", listed]:
            return [tuple(row) for row in listed]
    return every


def ratio_of(p: Fraction, q: Fraction) -> Fraction | float:
    """Return how many times as large a number is as another; 0 against 0 is 1."""
    if p == q:
        return Fraction(1)
    return p / q if q else math.inf


def level(rows: Rows, edges: Edges) -> Fraction | float:
    """Return the largest ratio over the edges, either way."""
    found: list[Fraction | float] = [Fraction(1)]
    for i, j in edges:
        found += (ratio_of(p, q) for p, q in zip(rows[i], rows[j], strict=True))
        found += (ratio_of(q, p) for p, q in zip(rows[i], rows[j], strict=True))
    return max(found)


def all_pairs(size: int) -> list[tuple[int, int]]:
    """Return the edges of the complete graph."""
    return [(i, j) for i in range(size) for j in range(i)]


def sum_of_maxima(rows: Rows) -> Fraction:
    """Return Σ_z max_x K(z|x)."""
    return sum((max(column) for column in zip(*rows, strict=True)), Fraction(0))


def exp_bounds(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return numbers below and above e^ε, some 300 digits apart."""
    value = LONG.exp(LONG.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator)))
    near, slack = Fraction(value), Fraction(1, 10**300)
    return near * (1 - slack), near * (1 + slack)


def logarithm(value: Fraction) -> Fraction:
    """Return ln with some 390 digits."""
    return Fraction(LONG.ln(LONG.divide(*map(Decimal, value.as_integer_ratio()))))


def epsilon_bounds(written: str) -> tuple[Fraction, Fraction]:
    """Return numbers below and above e^ε for an ε as it is written."""
    if written.startswith("ln"):
        exact = Fraction(written.removeprefix("ln").strip(" ()"))
        return exact, exact
    return exp_bounds(Fraction(written))


def best_gain(
    size: int,
    edges: Edges,
    ratio: Fraction | Sequence[Fraction],
    gains: Sequence[Sequence[Fraction]],
) -> float:
    """Return the most that a private channel earns, by scipy: max Σ g_wi·K_iw, nearly.

    ``gains`` has a row for each guess; the largest Σ_z max_x K(z|x) is that of the unit matrix.
    Edges may have ratios of their own.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    m = len(gains)
    cost = -np.array([[float(gains[w][i]) for w in range(m)] for i in range(size)]).ravel()
    each = [ratio] * len(edges) if isinstance(ratio, Fraction) else list(ratio)
    places, numbers, count = [], [], 0
    for (i, j), most in zip([*edges, *([j, i] for i, j in edges)], each * 2, strict=True):
        for w in range(m):
            places += [(count, i * m + w), (count, j * m + w)]
            numbers += [float(1 / most), -1.0]
            count += 1
    arcs: Any = None
    if count:
        at = np.array(places).T
        arcs = coo_matrix((numbers, (at[0], at[1])), shape=(count, size * m)).tocsr()
    rows = np.kron(np.eye(size), np.ones((1, m)))
    found = linprog(
        cost, A_ub=arcs, b_ub=np.zeros(count) if count else None, A_eq=rows, b_eq=np.ones(size)
    )
    assert found.status == 0, found.message
    return -float(found.fun or 0)


def worst_case(size: int, edges: Edges, ratio: Fraction) -> float:
    """Return the largest Σ_z max_x K(z|x) of a private channel, nearly."""
    unit = [[Fraction(int(i == w)) for i in range(size)] for w in range(size)]
    return best_gain(size, edges, ratio, unit)


def best_cover(size: int, edges: Edges, ratio: Fraction) -> float:
    """Return the least Σ b with Σ_i b_i·λ^(−d(i,j)) ≥ 1 for every j, nearly."""
    from scipy.optimize import linprog

    away = np.where(np.eye(size, dtype=bool), 0.0, np.inf)
    for i, j in edges:
        away[i, j] = away[j, i] = 1.0
    for k in range(size):
        away = np.minimum(away, away[:, [k]] + away[[k]])
    kept = np.where(np.isinf(away), 0.0, float(1 / ratio) ** away)
    found = linprog(np.ones(size), A_ub=-kept, b_ub=-np.ones(size))
    return float(found.fun or 0)


def product_edges(parts: Sequence[Any]) -> tuple[list[tuple[int, ...]], list[tuple[int, int]]]:
    """Return the tuples of vertices of several graphs, and the edges between them."""
    tuples = list(product(*(range(n) for n, _ in parts)))
    joined = [{frozenset(edge) for edge in edges} for _, edges in parts]
    edges = []
    for (i, a), (j, b) in product(enumerate(tuples), repeat=2):
        apart = [k for k in range(len(parts)) if a[k] != b[k]]
        if i < j and len(apart) == 1 and frozenset((a[apart[0]], b[apart[0]])) in joined[apart[0]]:
            edges.append((i, j))
    return tuples, edges


def near(one: Fraction | float, other: Fraction | float) -> bool:
    """Say whether two numbers agree as well as a solver in floats can tell."""
    size = max(Fraction(1), abs(Fraction(one)), abs(Fraction(other)))
    return abs(Fraction(one) - Fraction(other)) <= CLOSE * size
