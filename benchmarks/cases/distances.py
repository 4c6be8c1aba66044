"""Distances between distributions: total variation, and Kantorovich's, a linear program.

Kantorovich's distance is asked for a ground distance that is a metric but not that of a line, in
floats and in rational numbers. For floats the solver's own time is the limit.
"""

import random
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

import leaktight as lt
from benchmarks.case import Case
from benchmarks.cases.capacity import close
from benchmarks.inputs import loaded
from benchmarks.libraries import qif


class Pair(NamedTuple):
    """Two distributions, and how far apart their values are."""

    p: Any
    q: Any
    ground: Any


@cache
def floats(n: int) -> Pair:
    """Return two random distributions, and the root of the distance on a line."""
    p, q = np.random.default_rng(4).dirichlet(np.ones(n), 2)
    return Pair(p, q, np.sqrt(np.abs(np.subtract.outer(np.arange(n), np.arange(n)))))


@cache
def fractions(n: int) -> Pair:
    """Return two random distributions of fractions, and a distance that is at most 3."""
    rng = random.Random(5)
    weights = [[rng.randint(1, 100) for _ in range(n)] for _ in range(2)]
    ground = [[Fraction(min(abs(a - b), 3)) for b in range(n)] for a in range(n)]
    p, q = (np.array([Fraction(w, sum(row)) for w in row]) for row in weights)
    return Pair(p, q, np.array(ground))


def prepare(n: int) -> Pair:
    """Make the distributions afresh."""
    p, q, ground = floats(n)
    return Pair(lt.Distribution(p), lt.Distribution(q), ground)


def prepare_exact(n: int) -> Pair:
    """Make the exact distributions afresh."""
    p, q, ground = fractions(n)
    exact = [[fmpq(int(entry)) for entry in row] for row in ground]
    return Pair(lt.Distribution(p), lt.Distribution(q), exact)


@cache
def many(n: int) -> Pair:
    """Return two random distributions on many values, and room for one of them."""
    p, q = np.random.default_rng(6).dirichlet(np.ones(n), 2)
    return Pair(p, q, np.ones(n))


def prepare_many(n: int) -> Pair:
    """Make the distributions on many values afresh."""
    p, q, room = many(n)
    return Pair(lt.Distribution(p), lt.Distribution(q), room)


# --- total variation ---


def copied(given: Pair) -> None:
    """Move both distributions once."""
    np.copyto(given.ground, given.p.array)
    np.copyto(given.ground, given.q.array)


# --- Kantorovich ---


def work_by_qif(given: Pair, *method: str) -> float:
    """Return libqif's distance, by a method or the one that it chooses."""
    ground = qif.metric.from_distance_matrix(given.ground)
    return float(qif.metric.kantorovich(ground, *method)(given.p.array, given.q.array))


def exact_work_by_qif(given: Pair) -> Any:
    """Return libqif's distance in fractions."""
    p, q, ground = fractions(len(given.p))
    metric = qif.metric.from_distance_matrix(ground)
    return qif.metric.kantorovich(metric, type=Fraction)(p, q)


def work_by_dit(given: Pair) -> float:
    """Return dit's distance."""
    from dit.divergences.earth_movers_distance import earth_movers_distance_pmf

    return float(earth_movers_distance_pmf(given.p.array, given.q.array, given.ground))


@cache
def equations(n: int) -> Any:
    """Return what a plan must satisfy: what leaves each value, and what arrives."""
    from scipy.sparse import csr_array, eye_array, kron, vstack

    ones = csr_array(np.ones((1, n)))
    return vstack([kron(eye_array(n), ones), kron(ones, eye_array(n))], format="csc")


def work_by_scipy(given: Pair) -> float:
    """Return what scipy's linear program says, its matrix made beforehand."""
    from scipy.optimize import linprog

    right = np.concatenate([given.p.array, given.q.array])
    found: Any = linprog(given.ground.ravel(), A_eq=equations(len(given.p)), b_eq=right)
    return float(found.fun)


@cache
def model(n: int) -> Any:
    """Return the linear program as HiGHS keeps it."""
    p, q, ground = floats(n)
    right = np.concatenate([p, q[:-1]])
    made = loaded(ground.ravel(), equations(n)[:-1].tocsr(), right, right)
    made.setOptionValue("solver", "simplex")
    return made


def solver(given: Pair) -> float:
    """Solve the program and do nothing else."""
    made = model(len(given.p))
    made.clearSolver()
    made.run()
    return float(made.getObjectiveValue())


def verified(answers: Mapping[str, Any]) -> str:
    """Compare all with the distance that exact arithmetic finds for the same floats."""
    ours, n = answers["leaktight"]
    p, q, ground = prepare(n)
    exact = [[fmpq(*float(entry).as_integer_ratio()) for entry in row] for row in ground]
    true = float(lt.channels.kantorovich(p.exact(), q.exact(), exact))
    off = {way: abs(value - true) / true for way, value in {**answers, "leaktight": ours}.items()}
    assert off["leaktight"] <= 1e-9, answers
    wrong = [f"{way} is off by {gap:.0e}" for way, gap in off.items() if gap > 1e-9]
    return "; ".join(["ours is right to 1e-9, by exact arithmetic", *wrong])


CASES = (
    Case(
        task="total variation, {n} values",
        sizes=(1000, 100_000, 1_000_000),
        prepare=prepare_many,
        ways={
            "leaktight": lambda given: float(lt.channels.total_variation(given.p, given.q)),
            "qif": lambda given: float(qif.metric.total_variation()(given.p.array, given.q.array)),
            "numpy": lambda given: float(np.abs(given.p.array - given.q.array).sum() / 2),
            "memory": copied,
        },
        agree=close,
        limit="memory",
        scale_name="values",
        note="numpy passes three times over the numbers, C once",
    ),
    Case(
        task="Kantorovich's distance, {n} values, floats",
        sizes=(10, 30, 60, 100),
        prepare=prepare,
        ways={
            "leaktight": lambda given: (lt.channels.kantorovich(*given), len(given.p)),
            "qif": work_by_qif,
            "qif, by LP": lambda given: work_by_qif(given, "lp"),
            "dit": work_by_dit,
            "scipy LP": work_by_scipy,
            "solver": solver,
        },
        agree=verified,
        limit="solver",
        patience=10,
        scale=lambda n: n * n,
        scale_name="pairs of values",
        note="The method that qif chooses is quick, but wrong from the sixth digit on.",
    ),
    Case(
        task="Kantorovich's distance, {n} values, rationals",
        sizes=(5, 10, 20, 40),
        prepare=prepare_exact,
        ways={"leaktight": lambda given: lt.channels.kantorovich(*given), "qif": exact_work_by_qif},
        patience=10,
        scale=lambda n: n * n,
        scale_name="pairs of values",
    ),
)
