"""How fast observations tell rows apart: Chernoff information, and the least over all pairs.

dit minimises in floats, to about nine digits. Ours is proved to the last digit.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case


@cache
def rows(count: int, outputs: int) -> Any:
    """Random distributions."""
    return np.random.default_rng(1).dirichlet(np.ones(outputs), count)


def ends(found: Any) -> tuple[float, float]:
    """Return both ends of what is proved."""
    return found.lower, found.upper


def by_dit(pair: Any) -> float:
    """Minimise with dit, given arrays."""
    from dit.divergences.pmf import chernoff_information

    return float(chernoff_information(*pair))


def close(answers: Mapping[str, Any]) -> str:
    """Demand that ours is tight, and say how far dit is from it."""
    low, high = answers["leaktight"]
    assert low <= high <= low * (1 + 2.0**-50), answers
    if "dit" not in answers:
        return "ours proved to the last digit"
    error = max(low - answers["dit"], answers["dit"] - high, 0)
    assert error <= 1e-7 * high, answers
    return f"ours proved to the last digit; dit off by {error:.0e}"


CASES = (
    Case(
        task="Chernoff information of two distributions on {n} outputs",
        sizes=(2, 10, 100, 1_000),
        prepare=lambda n: rows(2, n),
        ways={"leaktight": lambda pair: ends(lt.chernoff_information(*pair)), "dit": by_dit},
        agree=close,
        scale_name="outputs",
        note="ours is a proof in ball arithmetic, term by term; dit's is a minimum in floats",
    ),
    Case(
        task="error rate of a channel with {n} inputs and 10 outputs",
        sizes=(5, 20, 80, 160),
        prepare=lambda n: lt.Channel(rows(n, 10)),
        ways={
            "leaktight": lambda channel: ends(lt.error_rate(channel)),
            "dit": lambda channel: min(map(by_dit, combinations(channel.to_numpy(), 2))),
        },
        agree=close,
        scale=lambda n: n * (n - 1) / 2,
        scale_name="pairs",
        rounds=3,
        note="we compare all pairs in floats, with a bound on their error, and prove the few that "
        "may be the least",
    ),
)
