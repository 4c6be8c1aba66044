from fractions import Fraction

import pytest

from leaktight import GeometricNoise, Policy, SecretGraph, Study
from leaktight.exact.rounding import log2_interval
from leaktight.leakage.noise_on_sums import shift_distance
from leaktight.policies.symmetric_query import HistogramQuery
from leaktight.studies.leakage import leakage_of


@pytest.mark.parametrize("cells", [2, 37, 400])
def test_bits_of_many_cells_are_not_below_their_sum(cells: int) -> None:
    """Each cell of a histogram has 1 + n·t, t the distance of noise from itself shifted by 1."""
    policy = Policy(SecretGraph.complete(cells), records=1000)
    noise = GeometricNoise(ratio=Fraction(3, 2), sensitivity=2)
    found = leakage_of(Study(policy, noise, query=HistogramQuery(tuple(range(cells))), ratio="3/2"))
    factor = 1 + 1000 * shift_distance(noise, 1)
    low, high = log2_interval(factor**cells)
    assert low <= found.bits <= high * (1 + 2.0**-40)
