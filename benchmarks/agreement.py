"""Does every measure agree with libqif on random channels? Exact arithmetic says who is right.

200 channels of 2 to 60 inputs and outputs, with zeros and repeated rows.

    python -m benchmarks.agreement
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import qif

import leaktight as lt

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-10


def cases(count: int) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield a channel, a prior and a gain matrix."""
    rng = np.random.default_rng(2026)
    for _ in range(count):
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
        yield matrix / matrix.sum(axis=1, keepdims=True), prior, rng.random((guesses, n))


Measure = Callable[[lt.Channel, lt.Distribution, Floats], float]
Peer = Callable[[Floats, Floats, Floats], float]
M = qif.measure


def half(inputs: int) -> list[int]:
    """The set whose membership is guessed: every second input."""
    return list(range(0, inputs, 2))


def root(a: int, b: int) -> float:
    """A ground distance that is a metric, but not that of a line."""
    return math.sqrt(abs(a - b))


def indicator(inputs: int) -> npt.NDArray[np.uint64]:
    """The same set as libqif wants it."""
    return np.array([1 - i % 2 for i in range(inputs)], dtype=np.uint64)


PAIRS: dict[str, tuple[Measure, Peer]] = {
    "Bayes vulnerability before": (
        lambda c, p, g: float(lt.vulnerability(p)),
        lambda c, p, g: M.bayes_vuln.prior(p),
    ),
    "Bayes vulnerability after": (
        lambda c, p, g: float(lt.posterior_vulnerability(c, p)),
        lambda c, p, g: M.bayes_vuln.posterior(p, c),
    ),
    "min-entropy leakage": (
        lambda c, p, g: float(lt.min_entropy_leakage(c, p).factor),
        lambda c, p, g: M.bayes_vuln.mult_leakage(p, c),
    ),
    "additive leakage": (
        lambda c, p, g: float(lt.min_entropy_leakage(c, p).additive),
        lambda c, p, g: M.bayes_vuln.add_leakage(p, c),
    ),
    "min-capacity": (
        lambda c, p, g: float(lt.min_capacity(c).factor),
        lambda c, p, g: M.bayes_vuln.mult_capacity(c),
    ),
    "Bayes risk after": (
        lambda c, p, g: float(lt.posterior_risk(c, p)),
        lambda c, p, g: M.bayes_risk.posterior(p, c),
    ),
    "Bayes risk leakage": (
        lambda c, p, g: float(lt.risk_leakage(c, p).factor),
        lambda c, p, g: M.bayes_risk.mult_leakage(p, c),
    ),
    "Bayes risk capacity": (
        lambda c, p, g: float(lt.risk_capacity(c).factor),
        lambda c, p, g: M.bayes_risk.mult_capacity(c)[0],
    ),
    "g-vulnerability before": (
        lambda c, p, g: float(lt.vulnerability(p, lt.Gain(g))),
        lambda c, p, g: M.g_vuln.prior(g, p),
    ),
    "g-vulnerability after": (
        lambda c, p, g: float(lt.posterior_vulnerability(c, p, lt.Gain(g))),
        lambda c, p, g: M.g_vuln.posterior(g, p, c),
    ),
    "g-leakage": (
        lambda c, p, g: float(lt.g_leakage(c, p, lt.Gain(g)).factor),
        lambda c, p, g: M.g_vuln.mult_leakage(g, p, c),
    ),
    "l-risk after": (
        lambda c, p, g: float(lt.posterior_risk(c, p, lt.Loss(g))),
        lambda c, p, g: M.l_risk.posterior(g, p, c),
    ),
    "additive capacity": (
        lambda c, p, g: float(lt.additive_capacity(c, p)),
        lambda c, p, g: M.g_vuln.add_capacity(p, c, False),
    ),
    "spanning capacity": (
        lambda c, p, g: float(lt.spanning_capacity(c, p)),
        lambda c, p, g: M.g_vuln.add_capacity(p, c, True),
    ),
    "membership after": (
        lambda c, p, g: float(
            lt.posterior_vulnerability(c, p, lt.Gain.membership(c.inputs, half(len(p))))
        ),
        lambda c, p, g: M.pred_vuln.posterior(indicator(len(p)), p, c),
    ),
    "membership capacity": (
        lambda c, p, g: float(lt.membership_capacity(c, half(len(p))).factor),
        lambda c, p, g: M.pred_vuln.mult_capacity(indicator(len(p)), c)[0],
    ),
    "Shannon entropy": (
        lambda c, p, g: lt.shannon_entropy(p),
        lambda c, p, g: M.shannon.prior(p),
    ),
    "conditional entropy": (
        lambda c, p, g: lt.conditional_entropy(c, p),
        lambda c, p, g: M.shannon.posterior(p, c),
    ),
    "mutual information": (
        lambda c, p, g: lt.mutual_information(c, p),
        lambda c, p, g: M.shannon.add_leakage(p, c),
    ),
    "guesses before": (
        lambda c, p, g: float(lt.guessing_entropy(p)),
        lambda c, p, g: M.guessing.prior(p),
    ),
    "guesses after": (
        lambda c, p, g: float(lt.conditional_guessing_entropy(c, p)),
        lambda c, p, g: M.guessing.posterior(p, c),
    ),
    "total variation": (
        lambda c, p, g: float(lt.total_variation(c.row(0), c.row(1))),
        lambda c, p, g: qif.metric.total_variation()(c[0], c[1]),
    ),
    "Kantorovich": (
        lambda c, p, g: float(lt.kantorovich(c.row(0), c.row(1), root)),
        lambda c, p, g: qif.metric.kantorovich(root)(c[0], c[1]),
    ),
    "guessing leakage": (
        lambda c, p, g: float(lt.guessing_leakage(c, p).factor),
        lambda c, p, g: M.guessing.mult_leakage(p, c),
    ),
}


def main(count: int = 200) -> None:
    """Print for each measure how far the two are apart, and who is right where they differ."""
    worst = dict.fromkeys(PAIRS, 0.0)
    differing: dict[str, list[str]] = {name: [] for name in PAIRS}
    for number, (matrix, weights, gain) in enumerate(cases(count)):
        channel, prior = lt.Channel(matrix), lt.Distribution(weights)
        for name, (ours, theirs) in PAIRS.items():
            a, b = ours(channel, prior, gain), theirs(matrix, weights, gain)
            gap = abs(a - b) / max(abs(a), abs(b), 1e-300)
            worst[name] = max(worst[name], gap)
            if gap > TOLERANCE:
                true = ours(channel.exact(), prior.exact(), gain)
                differing[name].append(
                    f"channel {number}: exactly {true:.17g}, leaktight {a:.17g}, libqif {b:.17g}"
                )
    for name, gap in worst.items():
        print(f"{name:<30} largest relative difference {gap:.1e}")
        for line in differing[name][:5]:
            print(f"    {line}")


if __name__ == "__main__":
    main()
