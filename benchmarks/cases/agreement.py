"""Does every measure agree with libqif on random channels? Exact arithmetic says who is right.

Channels of 2 to 60 inputs and outputs, with zeros and repeated rows; every measure that the two
libraries share. The time is that of all measures of all channels together.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import fmpq

import leaktight as lt
from benchmarks.case import Case
from benchmarks.libraries import qif

TOLERANCE = 1e-12
LOOKED_AT = 10
"""How many differences are settled by exact arithmetic, for each measure."""


class Instance(NamedTuple):
    """A channel, a prior, a gain or loss, and a ground distance of the outputs."""

    channel: Any
    prior: Any
    gain: Any
    ground: Any


def instances() -> Iterator[Instance]:
    """Yield one after the other, for ever the same."""
    rng = np.random.default_rng(2026)
    while True:
        n, m, guesses = rng.integers(2, 61, 3)
        matrix = rng.standard_exponential((n, m))
        matrix[rng.random((n, m)) < rng.choice([0, 0.3, 0.8])] = 0
        matrix[:, rng.integers(m)] += 0.01  # no row may vanish
        if rng.random() < 0.5:
            matrix[rng.integers(n)] = matrix[0]
        prior = rng.dirichlet(np.ones(n))
        if rng.random() < 0.3:
            prior[rng.integers(n)] = 0
            prior /= prior.sum()
        ground = np.sqrt(np.abs(np.subtract.outer(np.arange(m), np.arange(m))))
        channel = matrix / matrix.sum(axis=1, keepdims=True)
        yield Instance(channel, prior, rng.random((guesses, n)), ground)


@cache
def some(count: int) -> list[Instance]:
    """Return the first ones."""
    return [instance for _, instance in zip(range(count), instances(), strict=False)]


Measure: TypeAlias = Callable[[lt.Channel, lt.Distribution, Any, Any], Any]

OURS: dict[str, Measure] = {
    "Bayes vulnerability before": lambda c, p, g, d: lt.vulnerability(p),
    "Bayes vulnerability after": lambda c, p, g, d: lt.posterior_vulnerability(c, p),
    "min-entropy leakage": lambda c, p, g, d: lt.min_entropy_leakage(c, p).factor,
    "additive leakage": lambda c, p, g, d: lt.min_entropy_leakage(c, p).additive,
    "min-capacity": lambda c, p, g, d: lt.min_capacity(c).factor,
    "Bayes risk after": lambda c, p, g, d: lt.leakage.posterior_risk(c, p),
    "Bayes risk leakage": lambda c, p, g, d: lt.leakage.risk_leakage(c, p).factor,
    "Bayes risk capacity": lambda c, p, g, d: lt.leakage.risk_capacity(c).factor,
    "g-vulnerability before": lambda c, p, g, d: lt.vulnerability(p, lt.Gain(g)),
    "g-vulnerability after": lambda c, p, g, d: lt.posterior_vulnerability(c, p, lt.Gain(g)),
    "g-leakage": lambda c, p, g, d: lt.g_leakage(c, p, lt.Gain(g)).factor,
    "l-risk after": lambda c, p, g, d: lt.leakage.posterior_risk(c, p, lt.Loss(g)),
    "additive capacity": lambda c, p, g, d: lt.leakage.additive_capacity(c, p),
    "spanning capacity": lambda c, p, g, d: lt.leakage.spanning_capacity(c, p),
    "membership after": lambda c, p, g, d: lt.posterior_vulnerability(
        c, p, lt.Gain.membership(c.inputs, c.inputs[::2])
    ),
    "membership capacity": lambda c, p, g, d: (
        lt.leakage.membership_capacity(c, c.inputs[::2]).factor
    ),
    "Shannon entropy": lambda c, p, g, d: lt.leakage.shannon_entropy(p),
    "conditional entropy": lambda c, p, g, d: lt.leakage.conditional_entropy(c, p),
    "mutual information": lambda c, p, g, d: lt.mutual_information(c, p),
    "guesses before": lambda c, p, g, d: lt.leakage.guessing_entropy(p),
    "guesses after": lambda c, p, g, d: lt.leakage.conditional_guessing_entropy(c, p),
    "guessing leakage": lambda c, p, g, d: lt.leakage.guessing_leakage(c, p).factor,
    "total variation": lambda c, p, g, d: lt.channels.total_variation(c.row(0), c.row(1)),
    "Kantorovich's distance": lambda c, p, g, d: lt.channels.kantorovich(c.row(0), c.row(1), d),
}


def theirs() -> dict[str, Callable[[Any, Any, Any, Any], float]]:
    """Return libqif's measures by the same names."""
    bayes, risk, gain = qif.measure.bayes_vuln, qif.measure.bayes_risk, qif.measure.g_vuln
    member, loss = qif.measure.pred_vuln, qif.measure.l_risk
    shannon, guessing, metric = qif.measure.shannon, qif.measure.guessing, qif.metric
    return {
        "Bayes vulnerability before": lambda c, p, g, d: bayes.prior(p),
        "Bayes vulnerability after": lambda c, p, g, d: bayes.posterior(p, c),
        "min-entropy leakage": lambda c, p, g, d: bayes.mult_leakage(p, c),
        "additive leakage": lambda c, p, g, d: bayes.add_leakage(p, c),
        "min-capacity": lambda c, p, g, d: bayes.mult_capacity(c),
        "Bayes risk after": lambda c, p, g, d: risk.posterior(p, c),
        "Bayes risk leakage": lambda c, p, g, d: risk.mult_leakage(p, c),
        "Bayes risk capacity": lambda c, p, g, d: risk.mult_capacity(c)[0],
        "g-vulnerability before": lambda c, p, g, d: gain.prior(g, p),
        "g-vulnerability after": lambda c, p, g, d: gain.posterior(g, p, c),
        "g-leakage": lambda c, p, g, d: gain.mult_leakage(g, p, c),
        "l-risk after": lambda c, p, g, d: loss.posterior(g, p, c),
        "additive capacity": lambda c, p, g, d: gain.add_capacity(p, c, False),
        "spanning capacity": lambda c, p, g, d: gain.add_capacity(p, c, True),
        "membership after": lambda c, p, g, d: member.posterior(_half(p), p, c),
        "membership capacity": lambda c, p, g, d: member.mult_capacity(_half(p), c)[0],
        "Shannon entropy": lambda c, p, g, d: shannon.prior(p),
        "conditional entropy": lambda c, p, g, d: shannon.posterior(p, c),
        "mutual information": lambda c, p, g, d: shannon.add_leakage(p, c),
        "guesses before": lambda c, p, g, d: guessing.prior(p),
        "guesses after": lambda c, p, g, d: guessing.posterior(p, c),
        "guessing leakage": lambda c, p, g, d: guessing.mult_leakage(p, c),
        "total variation": lambda c, p, g, d: metric.total_variation()(c[0], c[1]),
        "Kantorovich's distance": lambda c, p, g, d: metric.kantorovich(
            metric.from_distance_matrix(d)
        )(c[0], c[1]),
    }


def _half(prior: Any) -> Any:
    """Return every second input as libqif wants a set."""
    return np.array([1 - i % 2 for i in range(len(prior))], dtype=np.uint64)


Values: TypeAlias = dict[str, list[float]]


def by_us(given: list[Any]) -> Values:
    """Return all our measures of all channels."""
    return {name: [float(measure(*ours)) for ours, _ in given] for name, measure in OURS.items()}


def by_qif(given: list[Any]) -> Values:
    """Return all of libqif's measures of all channels."""
    return {
        name: [float(measure(*arrays)) for _, arrays in given] for name, measure in theirs().items()
    }


def prepare(count: int) -> list[Any]:
    """Return the channels as both libraries want them, ours made afresh."""
    return [
        ((lt.Channel(c), lt.Distribution(p), g, d), (np.asfortranarray(c), p, g, d))
        for c, p, g, d in some(count)
    ]


def judged(answers: Mapping[str, Values]) -> str:
    """Count the answers that agree; where they do not, find out who is right."""
    ours, others = answers["leaktight"], answers["qif"]
    equal, whole, told = 0, 0, []
    for name, mine in ours.items():
        apart = [i for i, pair in enumerate(zip(mine, others[name], strict=True)) if _far(*pair)]
        whole += len(mine)
        equal += len(mine) - len(apart)
        errors = [_errors(name, i, mine[i], others[name][i]) for i in apart[:LOOKED_AT]]
        if errors:
            us, them = (max(error) for error in zip(*errors, strict=True))
            assert us <= TOLERANCE, (name, us)
            told.append(f"{name} differs {len(apart)} times: qif is off by {them:.0e}, ours right")
    return "; ".join([f"{equal:,} of {whole:,} agree to 1e-12", *told])


def _far(one: float, other: float) -> bool:
    return not math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _errors(name: str, number: int, mine: float, theirs: float) -> tuple[float, float]:
    """Return how far both are from the exact value."""
    channel, prior, *tables = some(number + 1)[number]
    exact = (
        [[fmpq(*float(entry).as_integer_ratio()) for entry in row] for row in table]
        for table in tables
    )
    true = float(OURS[name](lt.Channel(channel).exact(), lt.Distribution(prior).exact(), *exact))
    return abs(mine - true) / abs(true), abs(theirs - true) / abs(true)


CASES = (
    Case(
        task="24 measures of {n} random channels",
        sizes=(40, 200),
        prepare=prepare,
        ways={"leaktight": by_us, "qif": by_qif},
        agree=judged,
        quick=1,
        rounds=2,
        note="Small channels: what is measured is what a call costs, in Python and in C++.",
    ),
)
