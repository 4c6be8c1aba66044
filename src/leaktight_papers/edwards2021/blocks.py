"""Which mechanisms show that Theorem 11 of [Edwards2021] cannot be improved for small ε?"""

from fractions import Fraction

from leaktight.channels import Channel
from leaktight.exact import Ratio
from leaktight.policies import SecretGraph


def block_graph(components: int) -> SecretGraph:
    """Return Figure 3: the complete graphs on 1, …, 4, on 5 and 6, on 7 and 8, …

    >>> block_graph(3).components
    ((1, 2, 3, 4), (5, 6), (7, 8))
    """
    pairs = ((i, i + 1) for i in range(5, 2 * components + 2, 2))
    return SecretGraph.partition([(1, 2, 3, 4), *pairs])


def block_channel(components: int, ratio: Fraction | int | str) -> Channel:
    """Return K^(δ) of Theorem 15 on that graph, with δ = λ − 1.

    Its level is λ = 1 + δ, so ε(δ) is ln(1 + δ); the last line of the proof says 1 + δ.

    >>> block_channel(2, 2)
    exact channel, 6 inputs × 6 outputs
         1    2    3    4    5    6
    1  1/3  1/3  1/6  1/6    0    0
    2  1/6  1/3  1/3  1/6    0    0
    3  1/6  1/6  1/3  1/3    0    0
    4  1/3  1/6  1/6  1/3    0    0
    5    0    0    0    0  2/3  1/3
    6    0    0    0    0  1/3  2/3
    """
    step = Ratio.of(ratio).lower
    size, row = 2 * components + 2, [step, step, Fraction(1), Fraction(1)]
    rows = [row[-i:] + row[:-i] + [Fraction(0)] * (size - 4) for i in range(4)]
    for start in range(4, size, 2):
        for pair in ([step, Fraction(1)], [Fraction(1), step]):
            rows.append([Fraction(0)] * start + pair + [Fraction(0)] * (size - start - 2))
    names = range(1, size + 1)
    return Channel.normalised(rows, names, names)
