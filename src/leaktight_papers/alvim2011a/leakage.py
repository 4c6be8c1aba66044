"""What does a channel tell of its input? Section 3 of [Alvim2011a]."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

from leaktight.channels import Channel
from leaktight.errors import InvalidChannel
from leaktight.exact import log2
from leaktight.leakage import (
    conditional_entropy,
    hyper,
    joint_entropy,
    min_capacity,
    min_entropy_leakage,
    mutual_information,
    shannon_capacity,
    shannon_entropy,
)
from leaktight_papers.alvim2011a.entropy import CLOSE, FLIP, SKEWED, in_bits
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import RESPONSE, any_cases, sum_of_maxima

WIDTH = 2.0**-20
"""How wide the enclosure of a capacity may be."""
NO_PRIOR = Erratum(
    34,
    "typo",
    "The largest capacity is given as H(X), and the largest min-capacity as H∞(X).",
    "Both are log2 of the number of inputs, the entropy of the uniform prior: a capacity has no "
    "fixed one.",
)


@claim(
    "Q-D5",
    "A channel is an input, an output and a matrix of p(y|x): no entry is negative and every row "
    "sums to 1.",
)
def channel_matrix() -> Iterator[str]:
    """What is accepted and what is not, and that joint probabilities sum to 1."""
    refused = []
    for rows in ([["1/2", "1/3"]], [["3/2", "-1/2"]]):
        try:
            Channel(rows)
        except InvalidChannel:
            refused.append(rows[0])
    expect(len(refused), 2, "the number of matrices refused")
    count = 20
    for channel, prior in any_cases(count, 3, 4):
        joint = [
            Fraction(prior[x]) * Fraction(channel[x, y])
            for x, y in product(channel.inputs, channel.outputs)
        ]
        expect((sum(joint), min(joint) >= 0), (1, True), "the sum of all p(x, y)")
    yield f"{count} random channels: p(x)·p(y|x) sums to {sum(joint)}"
    yield f"refused: {' and '.join('(' + ', '.join(row) + ')' for row in refused)}"


@claim(
    "Q-D6",
    "Mutual information I(X;Y) = H(X) − H(X|Y) is symmetric, and between 0 and H(X). By the chain "
    "rule H(X, Y) = H(Y) + H(X|Y) it is H(X) + H(Y) − H(X, Y).",
)
def information() -> Iterator[str]:
    """The channel turned round by Bayes' rule, and the entropy of both together."""
    count = 100
    for channel, prior in any_cases(count, 3, 4):
        after, found = hyper(channel, prior), mutual_information(channel, prior)
        back = Channel(after.inner.T, after.outer.values, channel.inputs)
        expect(mutual_information(back, after.outer), found, "I(Y;X), correctly rounded as I(X;Y)")
        lost = shannon_entropy(prior) - conditional_entropy(channel, prior)
        demand(abs(found - lost) < CLOSE, f"I(X;Y) must be H(X) − H(X|Y) = {lost}, got {found}")
        demand(0 <= found <= shannon_entropy(prior), f"I(X;Y) must be in range, got {found}")
        both, cells = joint_entropy(channel, prior), product(channel.inputs, channel.outputs)
        by_cells = in_bits([Fraction(prior[x]) * Fraction(channel[x, y]) for x, y in cells])
        chain = shannon_entropy(after.outer) + conditional_entropy(channel, prior)
        near = max(abs(both - by_cells), abs(both - chain)) < CLOSE
        demand(near, f"H(X, Y) must be {by_cells} and {chain}, got {both}")
    yield f"{count} random channels and priors: I(X;Y) = I(Y;X) to the last bit, 0 ≤ I ≤ H(X)"
    yield "H(X, Y) = H(Y) + H(X|Y) there, and −Σ p(x, y)·log2 p(x, y)"
    bits = mutual_information(RESPONSE)
    expect(round(bits, 6), 0.081704, "I(X;Y) of randomised response 2/3")
    yield f"randomised response 2/3, uniform prior: I(X;Y) = {bits:.6f}"


def grid(inputs: int, outputs: int, steps: int) -> Iterator[Channel]:
    """Yield all channels whose entries are multiples of 1/steps, up to the order of the rows.

    >>> len(list(grid(2, 2, 2)))
    6
    """
    rows = [row for row in product(range(steps + 1), repeat=outputs) if sum(row) == steps]
    return map(Channel.normalised, combinations_with_replacement(rows, inputs))


def _rows_are_equal(channel: Channel) -> bool:
    """Say whether the output is independent of the input."""
    return bool((channel.matrix == channel.matrix[0]).all())


def _columns_are_single(channel: Channel) -> bool:
    """Say whether each column has at most one positive entry."""
    return bool(((channel.matrix > 0).sum(axis=0) <= 1).all())


@claim(
    "Q-P2",
    "Shannon's capacity is 0 exactly if all rows are equal, and log2 of the number of inputs "
    "exactly if each column has at most one positive entry. With fewer outputs than inputs less "
    "is possible, and then columns may be shared.",
    Verdict.CORRECTED,
    NO_PRIOR,
)
def capacity_is_zero_or_full() -> Iterator[str]:
    """Enclosures of the capacity for all channels with small entries."""
    counts = [0, 0, 0]
    for n in (2, 3):
        for channel in grid(n, 3, 2):
            found, full = shannon_capacity(channel), log2(n)
            same, single = _rows_are_equal(channel), _columns_are_single(channel)
            counts[0 if same else 1 if single else 2] += 1
            if same or single:
                end = 0.0 if same else full
                near = found.lower - CLOSE <= end <= found.upper + CLOSE
                demand(near, f"the capacity must be {end}, got {found}")
                demand(found.upper - found.lower < WIDTH, f"it must be known well, got {found}")
            else:
                inside = found.lower > 0 and found.upper < full
                demand(inside, f"the capacity must be between 0 and {full}, got {found}")
    yield f"{sum(counts)} channels with halves: {counts[0]} have capacity 0, {counts[1]} log2 |X|"
    told = mutual_information(Channel.identity(2), SKEWED)
    most = shannon_capacity(Channel.identity(2)).bits
    expect((round(told, 6), round(most, 6)), (0.468996, 1), "H(X), and the capacity of identity")
    yield f"identity on 2 inputs: capacity {most:.6f}; H(X) of (9/10, 1/10) is {told:.6f}"
    shared = shannon_capacity(Channel([[1, 0], [0, 1], [0, 1]])).bits
    demand(abs(shared - 1) < WIDTH, f"three inputs and two outputs must have 1 bit, got {shared}")
    yield f"3 inputs, 2 outputs, one column shared: {shared:.6f}, all that 2 outputs can tell"


@claim(
    "Q-P3",
    "Min-capacity, log2 Σ_y max_x p(y|x), is 0 exactly if all rows are equal, and log2 of the "
    "number of inputs exactly if each column has at most one positive entry.",
    Verdict.CORRECTED,
    Erratum(
        33,
        "false",
        "For min-capacity only the “if” part is said to hold.",
        "Both converses hold; it is the leakage under a fixed prior that can vanish.",
    ),
    NO_PRIOR,
    Erratum(
        12,
        "typo",
        "Min-capacity is printed as the sum of the column maxima.",
        "It is the binary logarithm of that sum.",
    ),
)
def min_capacity_is_zero_or_full() -> Iterator[str]:
    """All channels with quarters as entries."""
    counts = [0, 0, 0]
    for n in (2, 3):
        for channel in grid(n, 3, 4):
            sums = sum_of_maxima(channel)
            same, single = _rows_are_equal(channel), _columns_are_single(channel)
            expect(min_capacity(channel).factor, sums, "the factor of min-capacity")
            expect((sums == 1, sums == n), (same, single), f"whether Σ max is 1, and {n},")
            counts[0 if same else 1 if single else 2] += 1
    yield f"{sum(counts)} channels with quarters: Σ max is 1 for {counts[0]}, |X| for {counts[1]}"
    leak, capacity = min_entropy_leakage(FLIP, SKEWED), min_capacity(FLIP)
    expect((leak.factor, capacity.factor), (1, Fraction(8, 5)), "leakage and capacity, flipped 1/5")
    yield f"flipped with 1/5: factor {leak.factor} under (9/10, 1/10), Σ max {capacity.factor}"
    whole = min_capacity(Channel.identity(2))
    expect((whole.factor, whole.bits), (2, 1), "Σ max and bits of the identity")
    yield f"identity on 2 inputs: Σ max {whole.factor}, capacity {whole.bits:g} bit"
