"""What does [Alvim2011b] say between its numbered items, and is it so?"""

import math
from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import product

from leaktight.channels import Channel
from leaktight.leakage import min_capacity, posterior_vulnerability, vulnerability
from leaktight.policies import Policy, SecretGraph
from leaktight.privacy import privacy_level
from leaktight_papers.claim import claim, demand, expect
from leaktight_papers.evidence import TWO, optimum


@claim(
    "A-converse",
    "Differential privacy implies a bound on leakage, but a bound on leakage implies no privacy.",
    source="the abstract of [Alvim2011b]",
)
def converse() -> Iterator[str]:
    """Channels that leak as little as is asked for, and tell one person's value with certainty."""
    bits = SecretGraph.complete(2)
    for chance in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**9)):
        tells = Channel([[1, 0], [1 - chance, chance]])
        leaked, level = min_capacity(tells).factor, privacy_level(tells, bits).ratio
        expect((leaked, level), (1 + chance, math.inf), "the factor and the ratio")
    yield f"a bit told with chance {chance}: leaks a factor of {leaked}, and no ε is finite"


@claim(
    "A-participation",
    "Hiding who takes part does not hide their values: the values of the databases must be those "
    "that could be, and absence one of them, if it is to be hidden, too.",
    source="Section 3 of [Alvim2011b]",
)
def participation() -> Iterator[str]:
    """The average salary of those of three people who take part, the same for all or not."""
    found = {}
    for name, values in {
        "taking part": ("absent", 1),
        "the value": (1, 2),
        "both": ("absent", 1, 2),
    }.items():
        possible = [row for row in product(values, repeat=3) if set(row) != {"absent"}]
        policy = Policy(SecretGraph.complete(values), 3, databases=possible)
        found[name] = privacy_level(Channel.deterministic(_average, possible), policy).ratio
    expect(list(found.values()), [1, math.inf, math.inf], "the ratios")
    told = ", ".join(f"{name} {ratio}" for name, ratio in found.items())
    yield f"the true average of salaries, ratio by what is to be hidden: {told}"


def _average(row: tuple[Hashable, ...]) -> Fraction:
    taking_part = [value for value in row if isinstance(value, int)]
    return Fraction(sum(taking_part), len(taking_part))


@claim(
    "A-priors",
    "The uniform prior is worst for every channel, but it need not be the only one.",
    source="Section 4 of [Alvim2011b]",
)
def priors() -> Iterator[str]:
    """The worst channel of a star: whoever starts at the centre is never the best guess."""
    star = SecretGraph(4, [(0, leaf) for leaf in (1, 2, 3)])
    rest = [[Fraction(4 if leaf == z else 1, 6) for z in range(3)] for leaf in range(3)]
    channel = Channel([[Fraction(1, 3)] * 3, *rest])
    expect(privacy_level(channel, star).ratio, 2, "the ratio")
    expect(min_capacity(channel).factor, optimum(star, TWO), "what it leaks")
    factors = []
    for centre in (Fraction(1, 4), Fraction(1, 10), Fraction(0)):
        prior = [centre, *[(1 - centre) / 3] * 3]
        before, after = vulnerability(prior), posterior_vulnerability(channel, prior)
        factors.append(Fraction(after) / Fraction(before))
    demand(set(factors) == {TWO}, f"all must be 2, got {factors}")
    yield f"star of 3 leaves, λ = 2: factor {factors[0]} with the centre at 1/4, 1/10 and {centre}"
