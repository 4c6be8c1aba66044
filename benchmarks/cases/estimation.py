"""Leakage from samples, and audits of other packages' mechanisms.

Ours come with bounds that hold with 95% confidence. The limit is the estimate without any: count
the pairs and put frequencies for probabilities. In an audit nearly all the time goes into the
draws of the mechanism, which are its limit.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case

SECRETS, OUTPUTS, AUDITS = 10, 20, 40


@cache
def channel() -> lt.Channel:
    """Return the channel that is sampled, under the uniform prior."""
    return lt.Channel.normalised(np.random.default_rng(1).integers(1, 100, (SECRETS, OUTPUTS)))


@cache
def samples(n: int) -> tuple[Any, Any]:
    """Draw pairs of secrets and outputs."""
    rng = np.random.default_rng(n)
    secrets = rng.integers(0, SECRETS, n)
    return secrets, lt.sample(channel(), secrets, rng)


def table(pairs: tuple[Any, Any]) -> Any:
    """Return the frequency of each pair."""
    secrets, outputs = pairs
    counts = np.bincount(secrets * OUTPUTS + outputs, minlength=SECRETS * OUTPUTS)
    return counts.reshape(SECRETS, OUTPUTS) / len(secrets)


def ours(estimate: Callable[..., lt.samples.LeakageEstimate]) -> Callable[[Any], Any]:
    """Return the way that counts and estimates with bounds."""

    def way(pairs: tuple[Any, Any]) -> tuple[float, float, float]:
        found = estimate(lt.Observations(*pairs), seed=1)
        return found.estimate, found.lower, found.upper

    return way


def scikit_learn(pairs: tuple[Any, Any]) -> float:
    """Return the mutual information of the frequencies in bits."""
    from sklearn.metrics import mutual_info_score

    return float(mutual_info_score(*pairs)) / math.log(2)


def frequencies(pairs: tuple[Any, Any]) -> float:
    """Return the same with numpy."""
    joint = table(pairs)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / apart[there])).sum())


def covers(truth: Callable[[], Any]) -> Callable[[Mapping[str, Any]], str]:
    """Return the check that the bounds hold, which says how far the estimates are off."""

    def agree(answers: Mapping[str, Any]) -> str:
        true = float(truth())
        middle, low, high = answers["leaktight"]
        assert low <= true <= high, (true, answers)
        others = (f", {way} {answers[way] - true:+.1g}" for way in answers if way != "leaktight")
        told = f"true {true:.4f}, ours {low:.4f} to {high:.4f}; off by {middle - true:+.1g}"
        return told + "".join(others)

    return agree


# --- audits --------------------------------------------------------------------------------


def by_numpy(epsilon: float) -> Any:
    """Return the geometric mechanism for counts in floats."""

    def sampler(value: int, count: int, rng: np.random.Generator) -> Any:
        p = -math.expm1(-epsilon)
        return value + rng.geometric(p, count) - rng.geometric(p, count)

    return sampler


def by_opendp(epsilon: float) -> Any:
    """Return OpenDP's discrete Laplace mechanism, asked for many counts at a time."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = dp.m.make_laplace(*space, scale=1 / epsilon)
    assert mechanism.map(1) == epsilon, "its map must claim what is audited"
    return lambda value, count, rng: mechanism([value] * count)


def by_diffprivlib(epsilon: float) -> Any:
    """Return diffprivlib's geometric mechanism, which returns one number at a time."""
    from diffprivlib.mechanisms import Geometric

    return lt.samples.OneAtATime(Geometric(epsilon=epsilon, sensitivity=1).randomise)


def audit(make: Callable[[float], Any]) -> Callable[[int], tuple[float, float]]:
    """Return the way that audits noise for ε = 1, and then for ε = 2, so surely that none errs."""

    def way(n: int) -> tuple[float, float]:
        right, wrong = (
            lt.epsilon_by_calls(make(epsilon), [(0, 1)], n, confidence="0.999999", seed=1).epsilon
            for epsilon in (1.0, 2.0)
        )
        return right, wrong

    return way


def draws(make: Callable[[float], Any]) -> Callable[[int], None]:
    """Return the way that only draws as many outputs."""

    def way(n: int) -> None:
        rng = np.random.default_rng(1)
        for epsilon in (1.0, 2.0):
            for value in (0, 1):
                make(epsilon)(value, n // 2, rng)

    return way


def audited(answers: Mapping[str, Any]) -> str:
    """Demand that what keeps its promise is not refuted, and say what else was found."""
    right, wrong = answers["leaktight"]
    assert right <= 1, answers
    assert wrong <= 2, answers
    verdict = "refuted" if wrong > 1 else "not refuted"
    return (
        f"claimed ε = 1: at least {right:.3f}; the same with noise for ε = 2: "
        f"at least {wrong:.3f}, {verdict}"
    )


def many(n: int) -> list[float]:
    """Audit the same mechanism many times at 95% confidence."""
    make = by_numpy(1.0)
    return [lt.epsilon_by_calls(make, [(0, 1)], n, seed=seed).epsilon for seed in range(AUDITS)]


def seldom_wrong(answers: Mapping[str, Any]) -> str:
    """Demand that not many more than one audit in twenty is wrong."""
    found = answers["leaktight"]
    wrong = sum(bound > 1 for bound in found)
    assert wrong <= AUDITS / 5, answers
    return (
        f"{wrong} of {AUDITS} refute ε = 1 wrongly, {AUDITS // 20} allowed; "
        f"median bound {sorted(found)[AUDITS // 2]:.3f}"
    )


CASES = (
    Case(
        task="posterior vulnerability from {n} samples",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=samples,
        ways={
            "leaktight": ours(lt.samples.estimate_posterior_vulnerability),
            "plug-in": lambda pairs: float(table(pairs).max(axis=0).sum()),
        },
        agree=covers(lambda: lt.posterior_vulnerability(channel())),
        limit="plug-in",
        scale_name="samples",
    ),
    Case(
        task="mutual information from {n} samples",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=samples,
        ways={
            "leaktight": ours(lt.samples.estimate_mutual_information),
            "scikit-learn": scikit_learn,
            "plug-in": frequencies,
        },
        agree=covers(lambda: lt.mutual_information(channel())),
        limit="plug-in",
        scale_name="samples",
        note="scikit-learn gives no bounds",
    ),
    *(
        Case(
            task=f"audit of {name} with {{n}} samples, twice",
            sizes=(10_000, 100_000),
            prepare=int,
            ways={"leaktight": audit(make), "draws": draws(make)},
            agree=audited,
            limit="draws",
            quick=1,
            rounds=3,
            scale_name="samples",
        )
        for name, make in (
            ("geometric noise in numpy", by_numpy),
            ("OpenDP's discrete Laplace", by_opendp),
            ("diffprivlib's geometric", by_diffprivlib),
        )
    ),
    Case(
        task=f"{AUDITS} audits of geometric noise in numpy with {{n}} samples",
        sizes=(10_000, 100_000),
        prepare=int,
        ways={"leaktight": many},
        agree=seldom_wrong,
        quick=1,
        rounds=1,
        scale_name="samples",
    ),
)
