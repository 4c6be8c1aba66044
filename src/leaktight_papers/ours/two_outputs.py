"""How much can a private mechanism with two outputs leak? A formula of our own."""

from fractions import Fraction

from leaktight.channels import Channel
from leaktight.policies import Graph


def with_two_outputs(diameter: int, ratio: Fraction) -> Fraction:
    """Return the largest Σ_z max_x K(z|x) over private channels with two outputs.

    It is 2 − λ^(−D/2) on a connected graph of even diameter D, 2 − 2·λ^(−(D−1)/2)/(1+λ) for odd D.

    Proof. Let the columns be c and 1 − c; their largest entries sum to 1 + max c − min c. Along an
    edge c grows from t to f(t) = min(λt, 1 − (1−t)/λ) at most, so max c − min c ≤ f^D(a) − a with
    a = min c, as t ≤ f(t) for t in [0, 1] and f is increasing. f is concave, so f^D is. The slope
    of f is λ below 1/(1+λ) and 1/λ above, so that of f^D at a is λ^(2k−D) if k of the D steps
    start below. So f^D(a) − a is largest where k passes D/2: for even D at a = λ^(−D/2)/2, which D
    steps take to ½ and on to 1 − a; for odd D at a = λ^(−(D−1)/2)/(1+λ), which they take to
    1/(1+λ), to λ/(1+λ) and on to 1 − a. Then c(x) = f^d(a), d the distance of x from an end of a
    diameter, attains it: c and 1 − c are private, as d changes by at most 1 along an edge. ∎

    >>> with_two_outputs(2, Fraction(2)), with_two_outputs(3, Fraction(2))
    (Fraction(3, 2), Fraction(5, 3))
    """
    least = ratio ** -(diameter // 2)
    return 2 - (2 * least / (1 + ratio) if diameter % 2 else least)


def two_outputs(graph: Graph, ratio: Fraction) -> Channel:
    """Return the channel that attains ``with_two_outputs`` on a connected graph.

    >>> two_outputs(Graph(3, [(0, 1), (1, 2)]), Fraction(2))
    exact channel, 3 inputs × 2 outputs
         0    1
    0  1/4  3/4
    1  1/2  1/2
    2  3/4  1/4
    """
    diameter = int(graph.diameter)
    far = int(graph.distances.max(axis=1).argmax())
    chances = [1 - with_two_outputs(diameter, ratio) / 2]
    for _ in range(diameter):
        chances.append(min(ratio * chances[-1], 1 - (1 - chances[-1]) / ratio))
    rows = [[chances[d], 1 - chances[d]] for d in graph.distances[far].tolist()]
    return Channel(rows, graph.vertices)
