"""What does [Boreale2012]_ say about utility after many observations, and does it hold?

Utility is an expected loss there: the lower the better. Its Section 6.
"""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from operator import mul

from leaktight.channels import Channel, Distribution, Loss, multiplicative_distance
from leaktight.exact import fraction, log2_interval
from leaktight.mechanisms import GeometricNoise, TruncatedGeometric
from leaktight.policies import Graph, SecretGraph
from leaktight.privacy import distinguishability, privacy_level
from leaktight.repetition import (
    chernoff_information,
    error_rate,
    expected_loss,
    geometric_chernoff,
    neighbour_rate_bound,
    rate_bound,
    success_probability,
    utility_rate,
)
from leaktight_papers.boreale2012.rates import NOTATION, THREE, Enclosure, confirmed, slope
from leaktight_papers.claim import Erratum, Verdict, claim, demand
from leaktight_papers.evidence import RESPONSE, SEED, drawn_channel, drawn_prior

SQUARED = Loss.by_distance(range(3), lambda a, b: (a - b) ** 2 + 1)
"""The squared error, and 1 for guessing at all."""

BASES = tuple(map(Fraction, ("1/4", "1/2", "9/10")))
"""The c of geometric mechanisms that are tried."""


def _loss_of_likeliest(channel: Channel, loss: Loss, n: int) -> Fraction:
    """Return U_n, what guessing the likeliest input loses, for a channel with two outputs.

    All inputs are equally likely beforehand; of equally likely ones the first is guessed.

    >>> _loss_of_likeliest(RESPONSE, Loss.zero_one([0, 1]), 3)
    Fraction(7, 27)
    """
    rows, whole = _in_whole_numbers(channel)
    costs, unit = _in_whole_numbers(loss)
    lost, ways = 0, 1
    for k in range(n + 1):
        chances = [one**k * other ** (n - k) for one, other in rows]
        lost += ways * sum(map(mul, costs[chances.index(max(chances))], chances))
        ways = ways * (n - k) // (k + 1)
    return Fraction(lost, len(rows) * unit * whole**n)


def _in_whole_numbers(table: Channel | Loss) -> tuple[list[list[int]], int]:
    """Return exact numbers times the least common denominator, and that."""
    rows = [[fraction(number) for number in row] for row in table.matrix]
    unit = math.lcm(*(number.denominator for row in rows for number in row))
    return [[int(unit * number) for number in row] for row in rows], unit


def _overlapping(one: Enclosure, other: Enclosure) -> bool:
    """Say whether two enclosures may hold the same number."""
    return one.lower <= other.upper and other.lower <= one.upper


def _geometric_overlap(c: Fraction, distance: int, window: int) -> Fraction:
    """Return g(½)² for two geometric distributions, p_i(j) = (1−c)/(1+c)·c^|i−j| on the integers.

    The terms √(p_0·p_d) are (1−c)/(1+c)·c^(d/2) times whole powers of c. Those within ``window``
    are summed one by one, the rest as two geometric series.

    >>> _geometric_overlap(Fraction(1, 4), 2, 5) == _geometric_overlap(Fraction(1, 4), 2, 50)
    True
    """
    places = range(-window, distance + window + 1)
    inside = sum(c ** ((abs(j) + abs(j - distance) - distance) // 2) for j in places)
    return c**distance * ((1 - c) / (1 + c) * (inside + 2 * c ** (window + 1) / (1 - c))) ** 2


def _root(square: Fraction) -> Fraction:
    """Return the square root of the square of a rational."""
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    demand(root**2 == square, f"{square} must be a square")
    return root


@claim(
    "W-Ex3",
    "The absolute, the squared and the 0/1 error are losses that are least at the truth; with the "
    "last, the utility U_n is the chance of an error.",
)
def losses() -> Iterator[str]:
    """All three losses; randomised response three times by four routes."""
    named = {
        "absolute": Loss.by_distance(range(4), lambda a, b: abs(a - b)),
        "squared": Loss.by_distance(range(4), lambda a, b: (a - b) ** 2),
        "0/1": Loss.zero_one(range(4)),
    }
    for name, loss in named.items():
        proper = all(loss[x, x] < loss[w, x] for w, x in product(range(4), repeat=2) if w != x)
        demand(proper, f"the {name} error must be least at the truth")
    yield f"{', '.join(named)} error: each least at the truth, on {len(loss.inputs)} inputs"
    zero_one, by_hand = Loss.zero_one([0, 1]), Fraction(0)
    for seen in product((0, 1), repeat=3):
        chances = [math.prod([Fraction(RESPONSE[x, y]) for y in seen]) for x in (0, 1)]
        by_hand += Fraction(min(chances)) / 2
    routes = [
        _loss_of_likeliest(RESPONSE, zero_one, 3),
        expected_loss(RESPONSE, zero_one, n=3).lower,
        success_probability(RESPONSE, n=3).error.lower,
    ]
    demand(set(routes) == {by_hand} == {Fraction(7, 27)}, f"{routes}, by sequences {by_hand}")
    yield f"randomised response, n = 3, 0/1 error: U_3 = {by_hand}, the chance of an error"
    draw, tried = random.Random(SEED), 20
    for _ in range(tried):
        channel, prior, n = drawn_channel(range(4), 2, draw), drawn_prior(range(4), draw), 3
        right, squared = Fraction(0), Fraction(0)
        for outputs in product(channel.outputs, repeat=n):
            joint = {
                x: math.prod((Fraction(channel[x, y]) for y in outputs), start=p)
                for x, p in prior.items()
            }
            right += max(joint.values())
            squared += min(sum(p * (w - x) ** 2 for x, p in joint.items()) for w in range(4))
        found = (
            success_probability(channel, prior, n),
            expected_loss(channel, named["0/1"], prior, n),
        )
        demand(found[0].lower == right == 1 - found[1].lower, f"{found}, by sequences {right}")
        lost = expected_loss(channel, named["squared"], prior, n).lower
        demand(lost == squared, f"the squared error {lost}, by sequences {squared}")
        exact = all(one.lower == one.upper for one in found)
        demand(exact, f"both ends must agree where types are counted, got {found}")
    yield f"{tried} random channels and priors, n = {n}: losses and errors by all sequences"


@claim(
    "W-R3",
    "Chernoff information is defined and has its meaning for distributions on denumerably many "
    "outputs, too.",
)
def denumerable() -> Iterator[str]:
    """The sum for geometric noise; the errors of two inputs with windows of the integers."""
    half = Fraction(1, 2)
    found = geometric_chernoff(half)
    for window in (0, 3, 40):
        low, high = (end / 2 for end in log2_interval(1 / _geometric_overlap(half, 1, window)))
        demand(low <= found.upper and found.lower <= high, f"{low} to {high}, not {found}")
    demand(round(found.bits, 7) == 0.0849625, f"the sum must give .0849625, got {found.bits}")
    yield f"geometric noise, c = {half}, inputs 0 and 1: C = {found.bits:.7f} by the infinite sum"
    noise, errors = GeometricNoise(ratio=2), set[Fraction]()
    for width in (0, 1, 4):
        middle = range(-width + 1, width + 1)
        rows = [
            [noise.tail(width + x), *(noise.pmf(y - x) for y in middle),
             noise.tail(width + 1 - x)] for x in (0, 1)
        ]  # fmt: skip
        errors.add(Fraction(success_probability(Channel(rows), n=3).error.lower))
    demand(errors == {Fraction(7, 27)}, f"the errors with wider windows must agree, got {errors}")
    yield f"its error after 3 observations is {max(errors)}, however many integers are kept apart"


@claim(
    "W-T9",
    "If all rows differ and the loss is least at the truth, guessing the likeliest input loses "
    "U_n = Σ_x p(x)·loss(x, x) + 2^(−nρ), ρ the least Chernoff information of two rows. With equal "
    "rows the rate may differ, too.",
    Verdict.CORRECTED,
    NOTATION,
    Erratum(
        49,
        "false",
        "Footnote 4: with equal rows only the limit of U_n becomes another one.",
        "The rate may change as well: U_n can be the same for all odd n although ρ is finite.",
    ),
)
def rate_of_utility() -> Iterator[str]:
    """The likeliest and the best guess by types; three inputs, two of them with equal rows."""
    rate, ns = utility_rate(THREE, SQUARED), (1000, 2000, 4000)
    demand(round(rate.bits, 6) == 0.030764, f"ρ must be .030764, got {rate.bits}")
    demand(rate.limit == 1 and _overlapping(rate, error_rate(THREE)), f"{rate}")
    likeliest = {n: _loss_of_likeliest(THREE, SQUARED, n) - 1 for n in ns}
    best = {n: expected_loss(THREE, SQUARED, n=n).lower - 1 for n in ns}
    demand(all(best[n] <= likeliest[n] for n in ns), "the best guess must lose no more")
    confirmed(likeliest, rate)
    confirmed(best, rate)
    found, least = slope(likeliest), slope(best)
    demand(round(found, 6) == 0.030765, f"n from 2000 to 4000 must give .030765, got {found}")
    yield f"rows (.8, .2), (.5, .5), (.3, .7): limit {rate.limit}, ρ = {rate.bits:.6f}"
    yield f"n = {ns[-1]}: ρ ≈ {found:.6f} by the likeliest guess, {least:.6f} by the best one"
    alike = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]])
    loss = Loss([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
    lost = {n: _loss_of_likeliest(alike, loss, n) for n in (1, 3, 9, 101)}
    demand(set(lost.values()) == {1}, f"guessing the likeliest must lose 1, got {lost}")
    likely = {n: expected_loss(alike, loss, n=n, guess="likeliest").lower for n in lost}
    demand(set(likely.values()) == {1}, f"the likeliest guess loses {likely}")
    fewest = {n: expected_loss(alike, loss, n=n, guess="best").lower for n in lost}
    demand(set(fewest.values()) == {Fraction(2, 3)}, f"the best guess loses {fewest}")
    slow, best_rate = error_rate(alike), utility_rate(alike, loss)
    demand(round(slow.bits, 3) == 0.085, f"ρ must be .085, got {slow.bits}")
    always = {expected_loss(alike, loss, n=n).lower for n in (1, 2, 50)}
    demand(best_rate.lower == math.inf and always == {best_rate.limit}, f"{best_rate}, {always}")
    shown = ", ".join(map(str, lost))
    yield f"two equal rows of three: U_n = {lost[1]} for n = {shown}, though ρ = {slow.bits:.3f}"


@claim(
    "W-T10",
    "An ε-secure mechanism has ρ ≤ ε, and so has an ε-private one if some neighbours have "
    "different rows. Both even have ρ ≤ ε/2 + log2((1 + 2^−ε)/2), which is attained.",
    Verdict.CORRECTED,
    Erratum(
        46,
        "false",
        "ε-differential privacy is said to bound ρ for every adjacency relation, and Definition 4 "
        "allows any.",
        "Some neighbours must have different rows: without edges ρ may be anything.",
    ),
)
def privacy_bounds_rates() -> Iterator[str]:
    """Pairs of rows as far apart as the ratio allows, at random and at the extreme."""
    draw = random.Random(5)
    for epsilon, known in ((0.5, 0.021553), (1, 0.084963), (2, 0.321928)):
        ratio, most = Fraction(2**epsilon), 0.0
        bound = rate_bound(ratio=ratio)
        formula = epsilon / 2 + math.log2((1 + 2**-epsilon) / 2)
        demand(abs(bound.bits - formula) < 2.0**-40, f"{bound.bits}, by the formula {formula}")
        demand(round(formula, 6) == known and bound.upper <= epsilon, f"the bound is {formula}")
        for _ in range(20):
            p, q = _close_rows(ratio, draw)
            demand(multiplicative_distance(p, q) <= ratio, f"{p} and {q} are not within {ratio}")
            found = chernoff_information(p, q)
            demand(found.lower <= bound.upper, f"{found} exceeds {bound}")
            most = max(most, found.bits)
        extreme = Channel.normalised([[ratio, 1], [1, ratio]])
        attained = _overlapping(error_rate(extreme), bound)
        attained &= _overlapping(geometric_chernoff(1 / ratio), bound)
        demand(attained, f"randomised response and geometric noise must attain {bound}")
        yield f"ε = {epsilon:g}: attained is {formula:.6f}; random rows have up to {most:.6f}"
    tried = 0
    for inputs in (2, 3, 4) * 5:
        channel = drawn_channel(range(inputs), 3, draw)
        secure = rate_bound(ratio=distinguishability(channel).ratio)
        private = neighbour_rate_bound(channel, SecretGraph.line(inputs))
        demand(error_rate(channel).lower <= private.upper <= secure.upper, f"{private}, {secure}")
        level = privacy_level(channel, SecretGraph.line(inputs)).ratio
        by_level = rate_bound(ratio=level)
        same = [getattr(private, end) == getattr(by_level, end) for end in ("lower", "upper")]
        demand(all(same) and private.bits == by_level.bits, f"{private}, by the level {by_level}")
        tried += 1
    yield f"{tried} random channels: ρ within the bound by neighbours on a line, and by all rows"
    apart = Channel([["99/100", "1/100"], ["1/100", "99/100"]])
    level, rate = privacy_level(apart, Graph(2)).ratio, error_rate(apart)
    demand(level == 1 and round(rate.bits, 3) == 2.329, f"ratio {level}, {rate}")
    demand(neighbour_rate_bound(apart, Graph(2)).lower == math.inf, "no edge must give no bound")
    yield f"(.99, .01), (.01, .99), no neighbours: private at ratio {level}, ρ = {rate.bits:.3f}"


def _close_rows(ratio: Fraction, draw: random.Random) -> tuple[list[Fraction], list[Fraction]]:
    """Draw two distributions that are within the ratio of each other, often at both its ends."""
    weights = [Fraction(draw.randint(1, 30)) for _ in range(draw.randint(2, 4))]
    q = [w / sum(weights) for w in weights]
    steps = [1 / ratio, Fraction(1), ratio]
    p = [x * draw.choice(steps) for x in q]
    # Mixed with the most or the least that the ratio allows, it sums to 1.
    whole = sum(p, Fraction(0))
    end = ratio if whole < 1 else 1 / ratio
    share = (1 - whole) / (end - whole) if whole != 1 else Fraction(0)
    return [(1 - share) * x + share * end * y for x, y in zip(p, q, strict=True)], q


@claim(
    "W-T11",
    "Inputs 0, …, N ≥ 1 with geometric noise c^|i−j| on the integers have "
    "ρ = log2(1 + c) − ½·log2 c − 1, whatever N is: two neighbours are the hardest to tell apart.",
)
def geometric_rate() -> Iterator[str]:
    """The infinite sums for all distances, the closed form and the formula of the theorem."""
    for c in BASES:
        sums = []
        for distance in range(1, 6):
            low, high = log2_interval(1 / _geometric_overlap(c, distance, 3))
            found = geometric_chernoff(c, distance)
            demand(low / 2 <= found.upper and found.lower <= high / 2, f"{low}, {found}")
            sums.append(found)
        demand(all(a.upper < b.lower for a, b in pairwise(sums)), f"{sums}")
        formula = math.log2(1 + c) - math.log2(c) / 2 - 1
        demand(math.isclose(sums[0].bits, formula), f"{sums[0].bits}, by the theorem {formula}")
        for top in (1, 2, 3, 5):
            noise = TruncatedGeometric(range(top + 1), ratio=1 / c).channel
            demand(_overlapping(error_rate(noise), sums[0]), f"N = {top}: {error_rate(noise)}")
        yield f"c = {c}: ρ = {formula:.7f} for N = 1, 2, 3, 5; at distance 2 {sums[1].bits:.7f}"
    around = chernoff_information(*_window(Fraction(1, 2), 12))
    demand(around.minimiser[0] <= 0.5 <= around.minimiser[1], f"the least is at {around}")
    yield f"the sum of p^s·q^(1−s) is least at s = {sum(around.minimiser) / 2:.4f}, as it must be"


def _window(c: Fraction, width: int) -> Iterator[Distribution]:
    """Yield the noisy answers of 0 and of 1 on the integers around them, normalised."""
    for i in (0, 1):
        yield Distribution.from_counts([c ** abs(j - i) for j in range(-width, width + 2)])


@claim(
    "W-R4",
    "With c = 2^−ε geometric noise is ε-private on a line, and ρ = ε/2 + log2((1 + 2^−ε)/2), which "
    "is .085 for ε = 1. Here ε counts bits: for ε = 1 in base e it is .173.",
)
def geometric_privacy() -> Iterator[str]:
    """The private ratio, the two formulas and the distances at c = ½."""
    for c in BASES:
        private = privacy_level(TruncatedGeometric(5, ratio=1 / c).channel, SecretGraph.line(5))
        demand(private.ratio == 1 / c, f"noise of c = {c} has the ratio {private.ratio}")
        demand(_overlapping(geometric_chernoff(c), rate_bound(ratio=1 / c)), f"ρ at c = {c}")
    rates = [geometric_chernoff("1/2", d).bits for d in (1, 2, 3, 4)]
    demand([round(r, 3) for r in rates] == [0.085, 0.263, 0.5, 0.778], f"rates {rates}")
    demand(round(rates[0], 7) == 0.0849625, f"ρ must be .0849625, got {rates[0]}")
    yield f"ε = 1: ρ = {rates[0]:.7f}; 1, …, 4 apart: {', '.join(f'{r:.3f}' for r in rates)}"
    base_e = geometric_chernoff(math.exp(-1)).bits
    demand(round(base_e, 5) == 0.17329, f"in base e it must be .17329, got {base_e}")
    yield f"ε = 1 in base e, c = 1/e: ρ = {base_e:.5f}"


@claim(
    "W-C1",
    "Collecting at 0 and N what falls beyond never raises the rate. It leaves that of the "
    "geometric mechanism as it is, so the untruncated one is not superior.",
    Verdict.CORRECTED,
    Erratum(
        47,
        "false",
        "The truncated mechanism is said to have a strictly smaller rate, as the text that we "
        "have prints it, and the geometric one to be superior.",
        "It is equal for geometric noise: beyond an end all likelihood ratios are the same.",
    ),
)
def truncation() -> Iterator[str]:
    """Every pair of rows, truncated and not; other channels, merged at random."""
    compared = 0
    for c, top in product(BASES, (1, 2, 3, 5)):
        noise = GeometricNoise(ratio=1 / c)
        channel = noise.truncated(0, top).channel
        for i in range(top + 1):
            inside = [noise.pmf(y - i) for y in range(1, top)]
            row = [noise.tail(i), *inside, noise.tail(top - i)]
            demand(row == [channel[i, y] for y in range(top + 1)], f"the row of {i} is not {row}")
        demand(channel.shape == (top + 1, top + 1), f"{channel.shape} for N = {top}")
        for i, k in combinations(range(top + 1), 2):
            ratios = {noise.pmf(y - i) / noise.pmf(y - k) for y in range(-9, 1)}
            demand(len(ratios) == 1, f"y ≤ 0 must tell {i} and {k} apart alike, got {ratios}")
            cut = chernoff_information(channel.row(i), channel.row(k))
            whole = geometric_chernoff(c, k - i)
            demand(_overlapping(cut, whole), f"{cut} truncated, {whole} not")
            products = [Fraction(channel[i, y] * channel[k, y]) for y in channel.outputs]
            kept = c ** (k - i) * sum(map(_root, [p / c ** (k - i) for p in products])) ** 2
            demand(kept == _geometric_overlap(c, k - i, 3), f"g(½)² of {i}, {k} becomes {kept}")
            compared += 1
    yield f"{compared} pairs of rows, c = 1/4, 1/2, 9/10, N ≤ 5: truncated g(½)² is the same"
    half = error_rate(GeometricNoise(ratio=2).truncated(0, 4).channel)
    yield f"c = 1/2: ρ = {half.bits:.7f} truncated, {geometric_chernoff('1/2').bits:.7f} not"
    more = error_rate(TruncatedGeometric(3, ratio=2).channel.merge({0: 1}))
    demand(round(more.bits, 4) == 0.0276, f"merging y ≤ 1 must leave .0276, got {more.bits}")
    demand(more.upper < half.lower, f"{more} must be below {half}")
    draw = random.Random(6)
    channels = [drawn_channel(range(3), 5, draw) for _ in range(20)]
    merged = [error_rate(channel.merge({0: 1, 4: 3})) for channel in channels]
    rates = zip(merged, map(error_rate, channels), strict=True)
    lower = sum(cut.upper < whole.lower for cut, whole in rates)
    demand(lower == len(channels), f"{lower} of {len(channels)} random channels lose")
    yield f"y ≤ 1 merged: {more.bits:.4f}; {lower} of {len(channels)} random channels do lose"
