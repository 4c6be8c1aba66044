"""Is one channel as safe as another, and how far apart are two? By definition, in fractions."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import (
    max_case_refinement,
    multiplicative_kantorovich,
    refinement_distance,
)
from leaktight.mechanisms import rate_distortion
from leaktight.privacy import privacy_refinement
from leaktight.samples import estimate_prior

ENTRIES = drawn.WEIGHTS + drawn.EXTREME


def two(draw: Draw) -> Any:
    """Two channels on the same inputs, now and then one of them made of the other."""
    first = drawn.channel(draw, ENTRIES, least=2)
    return [first, drawn.table(draw, len(first), draw.integer(1, 3), ENTRIES)]


@searched(case=two)
def orders(case: Any) -> int:
    """A channel is called as private as another between inputs where it is not, or as telling."""
    one, other = (direct.normalised(table) for table in case)
    a, b = direct.channel_of(one), direct.channel_of(other)
    pairs = direct.all_pairs(len(one))
    levels = [(direct.level(one, [pair]), direct.level(other, [pair])) for pair in pairs]
    verdict = privacy_refinement(a, b)
    assert verdict.holds == all(after <= before for before, after in levels)
    assert (verdict.ratio_a, verdict.ratio_b) in levels
    told = max_case_refinement(a, b)
    if told:
        assert verdict.holds
        assert told.weights.then(a.reverse()) == b.reverse()
    else:
        worth = [
            max(sum(p * Fraction(told.gain["yes", x]) for x, p in r.items()) for r in rows)
            for rows in ([c.reverse().row(z) for z in c.reverse().inputs] for c in (b, a))
        ]
        assert worth[0] - worth[1] == told.advantage > 0
    return 3


@searched(case=two)
def distances(case: Any) -> int:
    """Some remap makes more of a channel than its distance says, or some gain is worth more."""
    a, b = (direct.channel_of(direct.normalised(table)) for table in case)
    far = refinement_distance(a, b)
    assert far.lower == far.upper
    after_b, after_a = (lt.posterior_vulnerability(c, None, far.gain) for c in (b, a))
    assert after_b - after_a == far.lower
    made = a.then(far.remap)
    for x, z in product(range(len(a.inputs)), range(len(b.outputs))):
        assert made[x, z] <= b[x, b.outputs[z]]
    assert (far.upper == 0) == bool(lt.refinement(a, b))
    return 4


def believed(draw: Draw) -> Any:
    """A channel and two priors on its inputs."""
    table = drawn.channel(draw, ENTRIES, least=2)
    return [table, [drawn.prior(draw, len(table)) for _ in range(2)]]


@searched(case=believed)
def told_beliefs(case: Any) -> int:
    """A mechanism tells two beliefs apart better than the ratios between its inputs allow."""
    rows, (p, q) = map(direct.normalised, case)
    far = multiplicative_kantorovich(p, q, lambda i, j: direct.level(rows, [(i, j)]))
    after = [
        [
            sum(w * k for w, k in zip(each, column, strict=True))
            for column in zip(*rows, strict=True)
        ]
        for each in (p, q)
    ]
    assert direct.level(after, [(0, 1)]) <= far <= direct.level([p, q], [(0, 1)])
    return 2


@searched(case=believed)
def likeliest(case: Any) -> int:
    """A prior explains what was seen better than is said of any, or a channel tells less."""
    rows, (truth, _) = map(direct.normalised, case)
    channel = direct.channel_of(rows)
    mean = [sum(p * k for p, k in zip(truth, c, strict=True)) for c in zip(*rows, strict=True)]
    counts = [math.ceil(1000 * share) for share in mean]
    found = estimate_prior(channel, counts)
    reached = [
        sum(p * float(k) for p, k in zip(found.prior.array, c, strict=True))
        for c in zip(*rows, strict=True)
    ]
    seen = [(n, float(m), r) for n, m, r in zip(counts, mean, reached, strict=True) if n]
    ahead = math.fsum(n * math.log(m / r) for n, m, r in seen) / sum(counts)
    assert ahead <= found.gap + 1e-12
    loss = lt.Loss.zero_one(range(len(rows)))
    least = rate_distortion(truth, loss, "1/5")
    assert least.loss <= Fraction(1, 5)
    assert least.lower <= lt.mutual_information(least.channel, truth) <= least.upper
    return 3
