"""Evidence of a leak."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Array, Number
from leaktight.exact.shown import counted, in_bits, percent_as_given
from leaktight.samples.design import generator
from leaktight.samples.information import estimate_mutual_information
from leaktight.samples.leakage import LeakageEstimate, rounded_up
from leaktight.samples.observations import Counts, Observations

SLACK = 2.0**-40
"""How far, relatively, two statistics may differ by rounding and count as the same number."""


@dataclass(frozen=True, slots=True)
class IndependenceTest:
    """The verdict on a leak: how unlikely the samples are without one, and how large it can be.

    If outputs do not depend on secrets, ``p_value`` is at most p with a probability of at most p,
    for every p and at every sample size.
    """

    p_value: Fraction
    permutations: int
    leak: LeakageEstimate
    """The mutual information, with bounds."""

    @property
    def evidence(self) -> bool:
        """Whether the samples are too unlikely without a leak, at the confidence of the bounds."""
        return self.p_value <= 1 - self.leak.confidence

    def __str__(self) -> str:
        most = (
            f"with {percent_as_given(self.leak.confidence)} confidence the leak is "
            f"at most {in_bits(self.leak.upper, rounded_up)}"
            + (f", if {self.leak.assumed}" if self.leak.assumed else "")
        )
        if self.evidence:
            return f"there is evidence of a leak (p ≤ {rounded_up(self.p_value)}); {most}"
        return (
            f"no evidence of a leak in {counted(self.leak.samples, 'sample', 'samples')} "
            f"(p = {float(self.p_value):.4g}); {most}"
        )


def independence_test(
    observations: Observations,
    prior: PriorLike = None,
    confidence: Number = 0.95,
    permutations: int = 999,
    seed: int | None = None,
) -> IndependenceTest:
    """Return whether outputs depend on secrets, by permuting which output belongs to which secret.

    The statistic is the mutual information of the frequencies; p counts the samples themselves
    among the permutations, so that it is never 0 ([Phipson2010]_). Prior, confidence and seed are
    as for ``estimate_mutual_information``, which bounds the leak. Outputs that are hardly ever
    seen twice, such as times in nanoseconds, show nothing: round them first.

    >>> seen = Observations.from_counts({"no": {"-": 400, "+": 100}, "yes": {"-": 100, "+": 400}})
    >>> print(independence_test(seen, ["1/2", "1/2"]))
    there is evidence of a leak (p ≤ 0.001); with 95% confidence the leak is at most 0.3871 bits
    """
    if not isinstance(permutations, int) or permutations < 1:
        raise InvalidNumber(f"the number of permutations must be at least 1, got {permutations!r}")
    leak = estimate_mutual_information(observations, prior, confidence, seed)
    extreme = _as_extreme(observations.table, permutations, generator(seed))
    return IndependenceTest(Fraction(1 + extreme, 1 + permutations), permutations, leak)


def _as_extreme(table: Counts, permutations: int, rng: np.random.Generator) -> int:
    """Return how many random tables with the same margins tell at least as much."""
    from scipy.stats import random_table

    if 1 in table.shape:  # there is no other table; SciPy's generator needs two rows and columns
        return permutations
    same_margins = random_table(table.sum(axis=1), table.sum(axis=0))
    observed = _statistic(table[None])[0] * (1 - SLACK)
    block = max(1, 2**22 // table.size)
    extreme = 0
    for start in range(0, permutations, block):
        tables = same_margins.rvs(min(block, permutations - start), random_state=rng)
        extreme += int((_statistic(tables) >= observed).sum())
    return extreme


def _statistic(tables: Array) -> Array:
    """Return Σ n·ln n of each table, which grows with the mutual information at given margins."""
    from scipy.special import xlogy

    return xlogy(tables, tables).sum(axis=(1, 2))
