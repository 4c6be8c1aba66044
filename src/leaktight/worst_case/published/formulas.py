"""The number that each published bound gives.

Each function here maps a ``assumptions.Setting`` to the bound, or with
``no_`` to the reason why it does not apply, empty if it does.
"""

import itertools
import math
from collections.abc import Callable

from flint import fmpq

from leaktight.exact.powers import Powers
from leaktight.exact.rounding import log2
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.worst_case.published.assumptions import Setting
from leaktight.worst_case.published.codes import CoveringCode, repetition_code


def always(_: Setting) -> str:
    """Nothing is assumed."""
    return ""


def largest_of_records(setting: Setting, number: Callable[[Setting], Powers]) -> Powers:
    """Return the largest of a number over the records, each taken as the whole database."""
    alone = (Setting(AdjacencyGraph.of(graph), setting.ratio) for graph, _ in setting.graph.factors)
    return max(map(number, alone))


def vertex_count(setting: Setting) -> Powers:
    """|X|."""
    return setting.over_factors(lambda graph: Powers.of((graph.order, 1)))


def diameters(setting: Setting) -> Powers:
    """Σ_t λ^d_t over the components; those of a product are tuples, their diameters sums."""
    return setting.over_factors(
        lambda graph: Powers.of_sum(setting.ratio, [(1, d) for d in graph.component_diameters])
    )


def radii(setting: Setting) -> Powers:
    """Σ_t λ^r_t over the components, their radii for their diameters."""
    return setting.over_factors(
        lambda graph: Powers.of_sum(setting.ratio, [(1, r) for r in graph.component_radii])
    )


def cliques(setting: Setting) -> Powers:
    """(vλ / (v − 1 + λ))^u."""
    ratio = setting.ratio
    return setting.over_factors(
        lambda graph: Powers.of((graph.order * ratio / (graph.order - 1 + ratio), 1))
    )


def borders(setting: Setting) -> Powers:
    """|X|·α(c, n) with α(c, n) = 1 / (1 + c Σ_{d=1}^n λ^−d), without its 0/0 at ε = 0."""
    sizes, ratio = setting.spheres[1:], setting.ratio
    farthest = len(sizes)
    series = farthest if ratio == 1 else (1 - ratio**-farthest) / (ratio - 1)
    return vertex_count(setting) / Powers.of((1 + min(sizes, default=0) * series, 1))


def balls(setting: Setting) -> Powers:
    """The least of |X|·λ^d / |Ball_d|; any d gives a bound, so floats may choose it."""
    sizes = list(itertools.accumulate(setting.spheres))
    step = log2(setting.ratio)
    best = min(range(len(sizes)), key=lambda d: d * step - math.log2(sizes[d]))
    return vertex_count(setting) * Powers.of((setting.ratio, best), (sizes[best], -1))


def repetition(setting: Setting) -> CoveringCode:
    """Return the words with the same value in all records."""
    return repetition_code(setting.records, setting.values)


def no_hamming(setting: Setting) -> str:
    """Why there is no Hamming code."""
    few = "" if setting.records >= 3 else "a Hamming code needs at least 3 records"
    return setting.no_cube or few


def few_outputs(setting: Setting) -> Powers:
    """r·λ^D / (λ^D + r − 1), from r rows that are all within the diameter D of each other."""
    outputs, far = setting.outputs or 1, setting.ratio ** -int(setting.graph.diameter)
    return Powers.of((outputs / (1 + (outputs - 1) * far), 1))


def no_few_outputs(setting: Setting) -> str:
    """Why the bound for r outputs on a connected graph does not apply."""
    if setting.no_outputs or not setting.graph.is_connected:
        return setting.no_outputs or "the graph is not connected"
    return setting.too_long(int(setting.graph.diameter))


def fixed_places(setting: Setting) -> int:
    """ℓ = ⌊log_v r⌋."""
    places, reach = 0, setting.values
    while reach <= (setting.outputs or 1):
        places, reach = places + 1, reach * setting.values
    return places


def proposition_2(setting: Setting) -> Powers:
    """r λ^u / ((v − 1 + λ)^ℓ − λ^ℓ + λ^u)."""
    ratio, places = setting.ratio, fixed_places(setting)
    near = (setting.values - 1 + ratio) ** places - ratio**places
    return Powers.of((fmpq(setting.outputs or 1) / (1 + near * ratio**-setting.records), 1))


def agreeing(setting: Setting) -> Powers:
    """1/E[1/min(v^S, r)], S of u records drawn with chance 1 − 1/λ (docs/proofs/few-outputs.md)."""
    q, u, r = 1 / setting.ratio, setting.records, setting.outputs or 1
    chances = (math.comb(u, k) * q ** (u - k) * (1 - q) ** k for k in range(u + 1))
    mean = sum((p / min(setting.values**k, r) for k, p in enumerate(chances)), fmpq(0))
    return Powers.of((1 / mean, 1))


def no_agreeing(setting: Setting) -> str:
    """Why the bound by records that agree does not apply."""
    reason = setting.no_outputs or setting.no_power_of_clique
    return reason or setting.too_long(setting.records)


def no_proposition_2(setting: Setting) -> str:
    """Why Proposition 2 of [Alvim2011b]_ does not apply; as printed it has no limit on r."""
    if reason := setting.no_outputs or setting.no_power_of_clique:
        return reason
    if setting.values < 2:
        return "a record must have at least 2 values"
    databases = setting.graph.order_factors
    if databases < (setting.outputs or 1):
        return f"false for more outputs than the {int(databases.value)} databases; merge some"
    return setting.too_long(setting.records)
