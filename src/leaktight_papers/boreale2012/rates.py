"""What does [Boreale2012]_ say about breaches by many observations, and does it hold?

A rate ρ says that a chance falls like 2^(−ρn), up to factors that are no exponentials. The chances
of Chernoff's theorem have a factor near 1/√n; so a rate is confirmed here if, for growing n,
−log2(chance) stays within a few bits of ρn + ½·log2 n.
"""

import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from leaktight.channels import Channel, Gain, repeated
from leaktight.exact import fraction, log2
from leaktight.privacy import breach_level
from leaktight.repetition import (
    ChernoffInformation,
    Rate,
    average_breach_rate,
    breach_probability,
    breach_probability_rate,
    breach_rate,
    chernoff_information,
    error_rate,
    expected_gain,
    membership_rate,
    success_probability,
)
from leaktight_papers.boreale2012.beliefs import after_each, column_ratio, proper_sets, worst_move
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import SEED, drawn_channel, drawn_prior

TWO = Channel([["4/5", "1/5"], ["3/10", "7/10"]])
THREE = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
NINE = Channel([["3/5", "3/10", "1/10"], ["1/5", "1/2", "3/10"], ["3/10", "3/10", "2/5"]])
"""With three outputs there are many more types."""
NOISY = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
"""A bit that is flipped with probability 1/4."""

Enclosure: TypeAlias = Rate | ChernoffInformation
"""A number of bits with a lower and an upper end."""

BITS = 4
"""By how many bits the logarithm of a chance may differ from what its rate says, for any n."""

CERTAIN_SET = Erratum(
    43,
    "false",
    "Definitions 6 and 7 allow p(Q) = 1, where the posterior is 1 at once: nothing is ever secure.",
    "The set must be neither certain nor impossible: 0 < p(Q) < 1.",
)
NOTATION = Erratum(
    48,
    "typo",
    "ρ_R means two things, and Section 3 refers to Section 6 for differential privacy.",
    "The rates of Definition 6 and of (11) differ; Section 4 is meant.",
)


def confirmed(chances: Mapping[int, Fraction | float], rate: Enclosure) -> float:
    """Demand that exact chances fall at a rate; return (−log2(chance) − ½·log2 n)/n for the last n.

    >>> coin = chernoff_information([1, 0], ["1/2", "1/2"])
    >>> confirmed({n: Fraction(1, 2**n * math.isqrt(n)) for n in (16, 64)}, coin)
    1.0
    """
    for n, chance in chances.items():
        demand(isinstance(chance, Fraction), f"the chance must be exact, got {chance}")
        found = -log2(chance) - log2(n) / 2
        demand(abs(found - n * rate.bits) <= BITS, f"{found} bits at n = {n}, rate {rate.bits}")
    return found / n


def slope(chances: Mapping[int, Fraction | float]) -> float:
    """Return by how many bits chances fall from the last n but one to the last, for each n.

    >>> slope({n: Fraction(1, 8**n * math.isqrt(n)) for n in (16, 64)})
    3.0
    """
    few, many = list(chances)[-2:]
    fall = log2(chances[few]) - log2(chances[many]) - log2(Fraction(many, few)) / 2
    return fall / (many - few)


def _errors(
    channel: Channel, ns: tuple[int, ...], prior: list[str] | None = None
) -> dict[int, Fraction | float]:
    """Return the chance that the best guess is wrong after each number of observations.

    >>> _errors(NOISY, (1, 3))
    {1: Fraction(1, 4), 3: Fraction(5, 32)}
    """
    return {n: success_probability(channel, prior, n).error.lower for n in ns}


@claim(
    "W-rate",
    "If all rows differ, the best guess of the input after n observations is wrong with a chance "
    "that falls like 2^(−nC), C the least Chernoff information of two rows, whatever the prior.",
    source="Equations 5 to 8 of [Boreale2012]",
)
def chernoff() -> Iterator[str]:
    """Chernoff information by a grid; errors by types, and by the repeated channel."""
    found, grid = chernoff_information(TWO.row(0), TWO.row(1)), np.linspace(0, 1, 10_001)[:, None]
    p, q = TWO.to_numpy()
    least = float((p**grid * q ** (1 - grid)).sum(axis=1).min())
    demand(abs(found.bits + math.log2(least)) < 2.0**-20, f"{found.bits}, on a grid {least}")
    demand(round(found.bits, 5) == 0.2109, f"C must be .21090, got {found.bits}")
    for n, wrong in _errors(TWO, (1, 2, 40)).items():
        by_hand = 1 - fraction(repeated(TWO, n).matrix.max(axis=0).sum()) / 2
        demand(wrong == by_hand, f"the error after {n} is {wrong}, by hand {by_hand}")
    ns = (250, 1000, 4000)
    near = confirmed(_errors(TWO, ns), found)
    demand(round(near, 5) == 0.21104, f"n = 4000 must give .21104, got {near}")
    skew = confirmed(_errors(TWO, ns, ["9/10", "1/10"]), found)
    yield f"(.8, .2), (.3, .7): C = {found.bits:.5f}; n = {ns[-1]} gives {near:.5f}"
    yield f"the same if the first is 9 times likelier: {skew:.5f}"
    slowest = error_rate(THREE)
    pairs = [chernoff_information(THREE.row(i), THREE.row(j)) for i, j in ((0, 1), (0, 2), (1, 2))]
    demand(slowest.lower == min(pair.lower for pair in pairs), f"{slowest} among {pairs}")
    near = confirmed(_errors(THREE, ns), slowest)
    yield f"and a third row (.5, .5): least C = {slowest.bits:.6f}; n = {ns[-1]} gives {near:.6f}"
    one, none = (chernoff_information([1, 0], q) for q in (["1/2", "1/2"], [0, 1]))
    demand((one.lower, one.upper, none.lower) == (1, 1, math.inf), f"{one} and {none}")
    halved = _errors(Channel([[1, 0], ["1/2", "1/2"]]), (9,))[9]
    demand(halved == Fraction(1, 2**10), f"the error after 9 is {halved}")
    yield f"(1, 0), (½, ½): C = {one.bits:g}, error {halved} at n = 9; disjoint rows: {none.lower}"
    left, middle, right = ["9/10", "1/10"], ["1/2", "1/2"], ["1/10", "9/10"]
    whole, first = chernoff_information(left, right), chernoff_information(left, middle)
    parts = first.upper + chernoff_information(middle, right).upper
    demand(whole.lower > parts, f"{whole.lower} must exceed {parts}")
    demand((round(whole.bits, 5), round(parts, 5)) == (0.73697, 0.32425), f"{whole}, {parts}")
    yield f"no triangle inequality: {whole.bits:.5f} > {parts:.5f} by way of (.5, .5)"


# --- at worst ------------------------------------------------------------------------------


@claim(
    "W-D5",
    "Q is an n-breach of level ε if under some prior with p(Q) > 0 some n observations make Q "
    "likelier or less likely by a factor above 2^ε.",
)
def repeated_breach() -> Iterator[str]:
    """All sequences of observations against the channel of their counts."""
    draw, compared = random.Random(1), 0
    for n in (1, 2, 3):
        channel, prior = drawn_channel(range(3), 2, draw), drawn_prior(range(3), draw)
        seen = list(product(channel.outputs, repeat=n))
        rows = [[math.prod(Fraction(channel[x, y]) for y in ys) for ys in seen] for x in range(3)]
        for subset in proper_sets(channel.inputs):
            one = worst_move(Channel(rows), prior, subset)
            other = worst_move(repeated(channel, n), prior, subset)
            demand(one == other, f"{one} by sequences, {other} by counts")
            compared += 1
    yield f"{compared} sets after 1 to 3 observations: all sequences say what their counts say"
    levels = [breach_level(repeated(NOISY, n)).ratio for n in (1, 2, 3, 4)]
    demand(levels == [3, 9, 27, 81], f"levels {levels}")
    yield f"a bit flipped with 1/4: the ratios of n = 1, …, 4 are {', '.join(map(str, levels))}"


@claim(
    "W-P1",
    "If all rows differ, every set Q of inputs but the empty one and that of all becomes an "
    "n-breach of any level for large n, under some prior.",
    Verdict.CORRECTED,
    Erratum(
        42,
        "false",
        "Every nonempty Q is said to be breached, so that of all inputs too.",
        "Q must not be the set of all inputs, whose probability is 1 before and after.",
    ),
)
def any_level() -> Iterator[str]:
    """A rare input of Q against one outside, and one output again and again."""
    rare, draw, needed = Fraction(1, 2**11), random.Random(2), []
    for channel in (NINE, drawn_channel(range(4), 3, draw)):
        for subset in proper_sets(channel.inputs):
            x, other = subset[0], next(x for x in channel.inputs if x not in subset)
            ratio = column_ratio(channel.restrict([x, other]))
            y = max(channel.outputs, key=lambda y: channel[x, y] / channel[other, y])
            grows = Fraction(channel[x, y]) / Fraction(channel[other, y])
            demand(1 < grows <= ratio, f"{y!r} must be likelier for {x!r}, got {grows}")
            n = next(n for n in range(10**4) if grows**n / (1 + rare * (grows**n - 1)) > 2**10)
            needed.append(n)
    yield f"{len(needed)} sets: p(Q) = 2^−11 is raised 2^10-fold by at most {max(needed)} outputs"
    before, n = Fraction(1, 32), 20
    raised = Fraction(3**n) / (1 + before * (3**n - 1))
    after = after_each(repeated(NOISY, n), {0: before, 1: 1 - before}, [0])
    demand(max(after) / before == raised, f"{max(after)} must be {raised} times the prior")
    demand(round(float(raised), 1) == 32, f"the ratio must be near 32, got {raised}")
    yield f"a bit flipped with 1/4, p(Q) = {before}, n = {n}: raised {float(raised):.8f}-fold"
    whole = worst_move(repeated(NINE, 4), drawn_prior(range(3), draw), range(3))
    demand(whole == 1, f"the set of all inputs must not move, got {whole}")
    yield f"all inputs together: ratio {whole} after any observations"


def _doubt(n: int, before: Fraction) -> Fraction:
    """Return 1 − p(Q|y) for Q = {0}, if n outputs 0 of the bit flipped with 1/4 are seen."""
    odds = before / (1 - before) * (Fraction(NOISY[0, 0]) / Fraction(NOISY[1, 0])) ** n
    return 1 / (1 + odds)


@claim(
    "W-D6",
    "The rate of a breach says how fast p(Q|y^n) approaches 1 along some sequence of observations, "
    "for a set with 0 < p(Q) < 1; the rate level is the largest that is possible.",
    Verdict.CORRECTED,
    CERTAIN_SET,
    NOTATION,
)
def rate_of_a_breach() -> Iterator[str]:
    """The same output again and again; then a set that is certain."""
    tenth = Fraction(1, 10)
    most = max(after_each(repeated(NOISY, 20), {0: tenth, 1: 1 - tenth}, [0]))
    demand(_doubt(20, tenth) == 1 - most, f"{_doubt(20, tenth)} and {1 - most} at n = 20")
    fall = (log2(_doubt(50, tenth)) - log2(_doubt(100, tenth))) / 50
    demand(round(fall, 7) == 1.5849625, f"the rate must be 1.5849625, got {fall}")
    yield f"a bit flipped with 1/4: 1 − p(Q|y^n) falls by {fall:.7f} bits an observation"
    sure = {0: Fraction(1)}
    certain = {1 - p for n in (1, 2, 8) for p in after_each(repeated(NOISY, n), sure, [0])}
    demand(certain == {0}, f"a certain set stays certain, got {certain}")
    yield f"if p(Q) = 1, then 1 − p(Q|y^n) is {max(certain)} for all n, which is the rate ∞"


@claim(
    "W-T6",
    "With 0 < p(Q) < 1 asked for, the rate level is log2 of the largest ratio of two entries of a "
    "column: along no sequence of observations does p(Q|y^n) approach 1 faster.",
    Verdict.CORRECTED,
    CERTAIN_SET,
)
def rate_level() -> Iterator[str]:
    """All observations of random channels stay above the bound; one output attains it."""
    draw, tried = random.Random(3), 0
    for n in (1, 2, 4, 6):
        channel, prior = drawn_channel(range(3), 3, draw), drawn_prior(range(3), draw)
        most = Fraction(column_ratio(channel)) ** n
        for subset in proper_sets(channel.inputs):
            before = sum(prior[x] for x in subset)
            for after in after_each(repeated(channel, n), prior, subset):
                fall = (1 - after) / after / ((1 - before) / before)
                demand(fall * most >= 1, f"the odds fall by {fall} after {n}, below 1/{most}")
                tried += 1
        found, level = breach_rate(channel), log2(column_ratio(channel))
        demand(found.lower <= level <= found.upper, f"the level is {level}, got {found}")
    yield f"{tried} posteriors: the odds against Q fall by (π_M/π_m)^n at most"
    rate, start = breach_rate(NOISY), Fraction(1, 10)
    odds = (1 - start) / start
    shares = [_doubt(n, start) * 3**n / odds for n in (20, 40)]
    demand(all(1 - Fraction(1, 2**20) < s < 1 for s in shares), f"not (π_m/π_M)^n: {shares}")
    demand(rate.lower <= math.log2(3) <= rate.upper, f"the level must be log2 3, got {rate}")
    demand(round(rate.bits, 7) == 1.5849625, f"the level must be 1.5849625, got {rate.bits}")
    yield f"a bit flipped with 1/4: level {rate.bits:.7f}; 1 − p(Q|y^n) is near {odds}·3^(−n)"


@claim(
    "W-T7",
    "If all rows differ, no entry is 0, 0 < p(Q) < 1 and p(Q)·2^ε < 1, then given Q the chance "
    "that p(Q|y^n) > 2^ε·p(Q) tends to 1 at the rate C, the least Chernoff information of a row "
    "inside and one outside. So does, given its complement, that of p(Q|y^n) < 2^−ε·p(Q).",
    Verdict.CORRECTED,
    Erratum(
        44,
        "false",
        "The chance of a breach is said to tend to 1 for every ε and p(Q).",
        "It needs p(Q)·2^ε < 1: otherwise Q cannot become so likely, and the chance is 0.",
    ),
)
def probability_of_a_breach() -> Iterator[str]:
    """Both halves exactly by types, and by all sequences; the missing assumption."""
    draw = random.Random(SEED)
    for _ in range(30):
        _demand_breaches_by_hand(draw)
    cases = [
        (TWO, [0], ["2/5", "3/5"], (250, 1000, 4000), 0.2109),
        (THREE, [0], ["1/5", "3/10", "1/2"], (250, 1000, 4000), 0.07611),
        (THREE, [0, 1], ["1/5", "1/5", "3/5"], (250, 1000, 4000), 0.03076),
        (NINE, [0], ["1/5", "3/10", "1/2"], (50, 100, 200), 0.114),
    ]
    for channel, subset, prior, ns, known in cases:
        rate = breach_probability_rate(channel, subset, prior, ratio="3/2")
        demand(round(rate.bits, 5) == known, f"C must be {known}, got {rate.bits}")
        _demand_narrow(rate)
        both = {n: breach_probability(channel, subset, "3/2", prior=prior, n=n) for n in ns}
        raised = confirmed({n: one.raised.complement.lower for n, one in both.items()}, rate)
        lowered = confirmed({n: one.lowered.complement.lower for n, one in both.items()}, rate)
        rows, columns = channel.shape
        yield (
            f"{rows} × {columns}, |Q| = {len(subset)}: C = {rate.bits:.5f}; n = {ns[-1]} gives "
            f"{raised:.5f} given Q, {lowered:.5f} given the rest"
        )
    prior = ["3/5", "2/5"]
    likely = [breach_probability(TWO, [0], 2, prior=prior, n=n).raised for n in (1, 9, 999)]
    never = {end for chance in likely for end in (chance.lower, chance.upper)}
    limit = breach_probability_rate(TWO, [0], prior, ratio=2).limit
    demand(never == {limit} == {0}, f"chances {never}, limit {limit}")
    yield f"p(Q) = 3/5, ε = 1: a breach has probability {limit} at n = 1, 9, 999"


def _demand_narrow(rate: Rate) -> None:
    """Demand that a rate is enclosed, and the ends no farther apart than rounding makes them."""
    close = rate.lower <= rate.bits <= rate.upper and rate.upper - rate.lower < 2.0**-30
    demand(close, f"the rate must be enclosed closely, got {rate.lower} to {rate.upper}")


def _demand_breaches_by_hand(draw: random.Random) -> None:
    """Demand the chances of a breach, and of its failing, over all sequences of observations."""
    channel, prior = drawn_channel(range(3), 2, draw), drawn_prior(range(3), draw)
    subset, ratio, n = draw.sample(range(3), draw.randint(1, 2)), Fraction(5, 4), draw.randint(1, 4)
    before = sum((prior[x] for x in subset), Fraction(0))
    raised, lowered = Fraction(0), Fraction(0)
    for seen in product(channel.outputs, repeat=n):
        chances = {
            x: math.prod((Fraction(channel[x, y]) for y in seen), start=prior[x]) for x in range(3)
        }
        inside = sum((chances[x] for x in subset), Fraction(0))
        after = inside / sum(chances.values())
        raised += inside if after > ratio * before else 0
        lowered += sum(chances.values()) - inside if after < before / ratio else 0
    found = breach_probability(channel, subset, ratio, prior=prior, n=n)
    for one, chance in ((found.raised, raised / before), (found.lowered, lowered / (1 - before))):
        ends = one.lower, one.upper, one.complement.lower
        demand(ends == (chance, chance, 1 - chance), f"{one}, by all sequences {chance}")


# --- on average ----------------------------------------------------------------------------


def _membership(channel: Channel, subset: list[int], prior: list[str], n: int) -> Fraction | float:
    """Return the chance to guess rightly whether the input is in a set."""
    inside = Gain.membership(channel.inputs, subset)
    return expected_gain(channel, inside, prior, n).lower


@claim(
    "W-D7",
    "A set, 0 < p(Q) < 1, is an average-case breach of rate ρ if the best guess whether the input "
    "is in it becomes right faster than 1 − 2^(−ρn). What decides are single rows inside and "
    "outside, not their means.",
    Verdict.CORRECTED,
    CERTAIN_SET,
    Erratum(
        45,
        "false",
        "Before Definition 7: nothing is learnt if the mean rows of Q and Q^c are equal, and "
        "all if they differ.",
        "The observations of one input are dependent: rows (1, 0), (0, 1) against (½, ½) are "
        "told apart, and with equal rows inside and outside the limit may be 3/4.",
    ),
)
def average_rate() -> Iterator[str]:
    """Equal mean rows, and different ones, by all sequences and by types."""
    mixed, prior = Channel([[1, 0], [0, 1], ["1/2", "1/2"]]), ["1/4", "1/4", "1/2"]
    inside, outside = mixed.matrix[:2].sum(axis=0) / 2, mixed.matrix[2]
    demand(list(inside) == list(outside), f"the mean rows must be equal: {inside}, {outside}")
    right = [_membership(mixed, [0, 1], prior, n) for n in range(1, 6)]
    for n, chance in enumerate(right, 1):
        sequences = product(mixed.matrix.T, repeat=n)
        rows = [np.prod(seen, axis=0) for seen in sequences]
        by_hand = fraction(sum(max(a + b, 2 * c) / 4 for a, b, c in rows))
        demand(chance == by_hand, f"{chance} after {n}, by all sequences {by_hand}")
    demand(right == [1 - Fraction(1, 2**n) for n in range(1, 6)], f"right guesses: {right}")
    rate = membership_rate(mixed, [0, 1], prior)
    demand((rate.lower, rate.upper, rate.limit) == (1, 1, 0), f"the rate must be 1, got {rate}")
    yield f"rows (1, 0), (0, 1) and (½, ½), equal means: right {', '.join(map(str, right))}, …"
    alike = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]])
    limit = membership_rate(alike, [0, 1], prior).limit
    late = _membership(alike, [0, 1], prior, many := 300)
    demand(limit == Fraction(1, 4), f"the limit of an error must be 1/4, got {limit}")
    demand(0 < Fraction(3, 4) - Fraction(late) < Fraction(1, 2**20), f"right at 300: {late}")
    yield f"different means, rows 1 in and 2 out alike: right {float(late):.6f} at n = {many}"
    sure = {_membership(TWO, [0, 1], ["1/2", "1/2"], n) for n in (1, 5)}
    demand(sure == {1}, f"a certain set must be guessed rightly, got {sure}")
    yield f"if p(Q) = 1, the guess is right with probability {max(sure)} at once, the rate ∞"


@claim(
    "W-T8",
    "With 0 < p(Q) < 1 asked for, no set is learnt faster on average than at the rate of the "
    "largest Chernoff information of two rows, which a prior on their inputs attains.",
    Verdict.CORRECTED,
    CERTAIN_SET,
)
def average_rate_level() -> Iterator[str]:
    """The two easiest rows by types; every set under random priors."""
    level = average_breach_rate(NINE)
    demand(round(level.bits, 6) == 0.141025, f"the largest C must be .141025, got {level.bits}")
    demand(level.pair == (0, 1), f"the two easiest rows are {level.pair}")
    for channel in (THREE, TWO):
        pairs = combinations(range(channel.shape[0]), 2)
        most = max(chernoff_information(channel.row(i), channel.row(j)).bits for i, j in pairs)
        fast = average_breach_rate(channel)
        expect(fast.bits, most, "the largest C of two rows")
        _demand_narrow(fast)
    chances = {n: 1 - _membership(NINE, [0], ["1/2", "1/2", "0"], n) for n in (50, 100, 200)}
    easiest = membership_rate(NINE, [0], ["1/2", "1/2", "0"])
    expect(easiest.bits, level.bits, "the rate of a prior on the two easiest rows")
    two = _errors(NINE.restrict([0, 1]), tuple(chances))
    demand(chances == two, f"two routes must agree: {chances}, {two}")
    near, last = confirmed(chances, level), max(chances)
    yield f"a 3 × 3 channel: largest C = {level.bits:.6f}; two inputs at n = {last}: {near:.5f}"
    draw, found = random.Random(4), []
    for subset in proper_sets(NINE.inputs):
        rate = membership_rate(NINE, subset, drawn_prior(NINE.inputs, draw))
        across = product(subset, [x for x in NINE.inputs if x not in subset])
        least = min(chernoff_information(NINE.row(x), NINE.row(y)).bits for x, y in across)
        demand(rate.bits == least, f"{subset}: rate {rate.bits}, least C {least}")
        demand(rate.upper <= level.upper, f"{subset} is learnt at {rate}")
        found.append(rate.bits)
    yield f"its {len(found)} sets under random priors: rates {min(found):.5f} to {max(found):.5f}"
