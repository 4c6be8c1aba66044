"""Worst case: how much could any mechanism leak that is private? By every route that we have.

The plain linear program has a variable for each entry of the mechanism. scipy's default solves it,
and the limit is HiGHS alone on the loaded program with its quickest method, interior points without
crossover. Both give an estimate in floating point; ours is exact, with a mechanism that attains it
and a proof. For the largest graphs ours is an interval, and the limit the program of the cover.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case, NotTried
from benchmarks.inputs import (
    PlainProgram,
    geometric_edges,
    loaded,
    scipy_lp,
    solver,
    tree,
)
from leaktight.exact.linear_program import LinearProgram, solve_exact

MOST_ENTRIES = 20_000
"""The most entries of a mechanism for which the plain program is written down."""


MOST_EXACT = 400
"""The most entries for which the plain program is solved exactly; 1,600 take ten seconds."""


class Given(NamedTuple):
    """Who must not be told apart, at which ratio, and the plain program if it is not too large."""

    neighbours: lt.Policy | lt.Graph
    ratio: int
    program: PlainProgram | None
    highs: Any


class Answer(NamedTuple):
    """Between which numbers the worst case is, whether they are exact, and how they were found."""

    lower: float
    upper: float
    is_exact: bool
    route: str


def given(neighbours: lt.Policy | lt.Graph, order: int, ratio: int) -> Given:
    """Write the plain program down, if the mechanism has few enough entries."""
    if order**2 > MOST_ENTRIES:
        return Given(neighbours, ratio, None, None)
    graph = neighbours if isinstance(neighbours, lt.Graph) else neighbours.adjacency().explicit()
    program = PlainProgram.of(graph.edges, -np.eye(order), float(ratio))
    return Given(neighbours, ratio, program, program.loaded())


def of_graphs(graph_of: Callable[[int], lt.Graph], ratio: int) -> Callable[[int], Given]:
    """Make the input of a case from its graphs."""

    def prepare(n: int) -> Given:
        graph = graph_of(n)
        return given(lt.Graph.from_indices(graph.order, graph.edges), graph.order, ratio)

    return prepare


def of_records(n: int) -> Given:
    """Independent records on a line of four values."""
    return given(lt.Policy(lt.SecretGraph.line(4), n), 4 ** min(n, 10), 2)


def ours(given: Given) -> Answer:
    """Find the worst case, in bits."""
    worst = lt.worst_case_leakage(given.neighbours, ratio=given.ratio)
    return Answer(*worst.bits_interval, worst.is_exact, worst.route)


def by_scipy(given: Given) -> float:
    """Return scipy's estimate of the sum of column maxima."""
    if given.program is None:
        raise NotTried("the plain program is too large to be written down")
    return -scipy_lp(given.program)


def by_solver(given: Given) -> float:
    """Return the estimate of HiGHS."""
    if given.highs is None:
        raise NotTried("the plain program is too large to be written down")
    return -solver(given.highs)


def plain_but_exact(given: Given) -> float:
    """Solve the plain program by our exact simplex method, with no regard to its form."""
    if given.program is None or len(given.program.cost) > MOST_EXACT:
        raise NotTried(f"not tried beyond {MOST_EXACT} entries")
    below, sums = given.program.rows.tocoo(), given.program.sums.tocoo()
    count, n = given.program.rows.shape[0], given.program.sums.shape[0]
    entries = (
        np.concatenate([below.row, count + sums.row]),
        np.concatenate([below.col, sums.col]),
        [*map(int, below.data), *map(int, sums.data)],
    )
    program = LinearProgram(
        [int(c) for c in given.program.cost],
        entries,
        row_lower=[*[None] * count, *[1] * n],
        row_upper=[*[0] * count, *[1] * n],
    )
    answer: Any = solve_exact(program)
    return -float(answer.value)


def compared(route: str) -> Callable[[Mapping[str, Any]], str]:
    """Demand that ours came by a route, is exact, and agrees with the estimates."""

    def agree(answers: Mapping[str, Any]) -> str:
        found: Answer = answers["leaktight"]
        assert (found.route, found.is_exact) == (route, True), found
        others = [value for way, value in answers.items() if way != "leaktight"]
        for bits in np.log2(others):
            assert found.lower - 1e-6 <= bits <= found.upper + 1e-6, answers
        ours = f"ours exactly {found.upper:.6g} bits"
        return f"{ours}, the others within 1e-6" if others else ours

    return agree


def a_product(answers: Mapping[str, Any]) -> str:
    """Demand the same of records, of which one is a product of nothing."""
    one = answers["leaktight"].route == "weighting"
    return compared("weighting" if one else "product of records, weighting")(answers)


def star(k: int) -> lt.Graph:
    """A star whose k rays have two edges."""
    rays = [(0, i) for i in range(1, k + 1)] + [(i, i + k) for i in range(1, k + 1)]
    return lt.Graph(2 * k + 1, rays)


def for_cover(n: int) -> Given:
    """Load the program of the best cover of a large graph: Σ_i b_i·λ^−d(i,j) ≥ 1 for each j."""
    from scipy.sparse import csr_array

    edges, ones = geometric_edges(n, 1, 10.0), np.ones(n)
    powers = csr_array(2.0 ** -lt.Graph.from_indices(n, edges).distances)
    highs = loaded(ones, powers, ones, np.full(n, np.inf))
    return Given(lt.Graph.from_indices(n, edges), 2, None, highs)


def covered(answers: Mapping[str, Any]) -> str:
    """Demand that our upper end is no better than the cover's program allows, and near it."""
    found: Answer = answers["leaktight"]
    assert found.route == "cover", found
    bound = float(np.log2(answers["solver"]))
    assert abs(found.upper - bound) <= 1e-6, answers
    return f"ours between {found.lower:.6g} and {found.upper:.6g} bits, proved"


def family(
    task: str,
    sizes: tuple[int, ...],
    graph_of: Callable[[int], lt.Graph],
    ratio: int,
    route: str,
) -> Case:
    """Compare on graphs of growing size."""
    return Case(
        task=f"worst case, {task}",
        sizes=sizes,
        prepare=of_graphs(graph_of, ratio),
        ways={"leaktight": ours, "scipy LP": by_scipy, "solver": by_solver},
        agree=compared(route),
        limit="solver",
        quick=1,
        rounds=3,
        patience=6,
        scale_name="vertices",
    )


def geometric(n: int) -> lt.Graph:
    """A random geometric graph."""
    return lt.Graph.from_indices(n, geometric_edges(n, 1, 6.0))


CASES = (
    family("line of {n}", (10, 20, 40, 80), lt.SecretGraph.line, 2, "weighting"),
    family("complete graph of {n}", (10, 20, 40), lt.SecretGraph.complete, 2, "weighting"),
    family("random tree of {n}, ratio 16", (10, 20, 40, 80), tree, 16, "weighting"),
    family("random tree of {n}, ratio 2", (160, 1000, 10_000), tree, 2, "tree"),
    Case(
        task="worst case, {n} records on a line of 4",
        sizes=(1, 2, 3, 1000, 10**6),
        prepare=of_records,
        ways={"leaktight": ours, "scipy LP": by_scipy, "solver": by_solver},
        agree=a_product,
        limit="solver",
        rounds=3,
        patience=6,
        scale_name="records",
        note="independent of the number of records",
    ),
    family("star of {n} rays of two", (6, 20, 40), star, 2, "tree"),
    Case(
        task="worst case, random geometric graph of {n}, ratio 2",
        sizes=(10, 20, 40, 60, 100, 200, 300),
        prepare=of_graphs(geometric, 2),
        ways={
            "leaktight": ours,
            "scipy LP": by_scipy,
            "plain LP, exact simplex": plain_but_exact,
            "solver": by_solver,
        },
        agree=compared("columns"),
        limit="solver",
        quick=1,
        rounds=3,
        patience=40,
        scale_name="vertices",
        note="the solver's estimate has no proof",
    ),
    Case(
        task="worst case enclosed by a cover, random geometric graph of {n}",
        sizes=(400, 600),
        prepare=for_cover,
        ways={"leaktight": ours, "solver": lambda given: solver(given.highs)},
        agree=covered,
        limit="solver",
        quick=1,
        rounds=3,
        scale_name="vertices",
        note="the limit is the solver on the program of the cover, at given distances",
    ),
)
