"""What does [Barthe2011] say of deterministic programs, and is it so?"""

import math
import random
from collections.abc import Iterator

from leaktight.channels import Channel
from leaktight.leakage import min_capacity
from leaktight.privacy import privacy_level
from leaktight_papers.claim import claim, demand
from leaktight_papers.evidence import small_graphs, sum_of_maxima


@claim(
    "B-deterministic",
    "A deterministic program is private for no finite ε unless it is constant; it may differ "
    "between components of the adjacency graph, and is then private at ε = 0.",
    source="Footnote 1 and Section II-B of [Barthe2011]",
)
def deterministic() -> Iterator[str]:
    """Random functions on all graphs of up to five vertices."""
    draw, seen = random.Random(1), {True: 0, False: 0}
    for graph in small_graphs(5):
        for _ in range(10):
            answers = {x: draw.randrange(2) for x in graph.vertices}
            level = privacy_level(Channel.deterministic(answers, graph.vertices), graph).ratio
            constant = all(len({answers[x] for x in part}) == 1 for part in graph.components)
            demand(level == (1 if constant else math.inf), f"{answers} on {graph}: {level}")
            seen[constant] += 1
    demand(min(seen.values()) > 20, f"both kinds must be seen, got {seen}")
    yield f"{seen[True]} functions constant on each component: ratio 1; {seen[False]} others: none"


@claim(
    "B-range",
    "The maximal leakage of a deterministic program is log2 of the number of its outputs.",
    source="Section II-A of [Barthe2011]",
)
def outputs() -> Iterator[str]:
    """Random functions, of which not every output need occur."""
    draw, tried = random.Random(2), 200
    for _ in range(tried):
        answers = [draw.randrange(6) for _ in range(draw.randint(1, 12))]
        channel = Channel.deterministic(dict(enumerate(answers)), len(answers))
        factor, reached = min_capacity(channel).factor, len(set(answers))
        demand(factor == reached == sum_of_maxima(channel), f"{answers}: {factor}, not {reached}")
    yield f"{tried} random functions: the factor is the number of outputs that occur"
