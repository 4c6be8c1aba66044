"""What do n looks tell? All sequences of outputs, one by one, in fractions."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.repetition import (
    best_attack,
    breach_probability,
    expected_gain,
    expected_loss,
    largest_n,
    largest_ratio_below,
    observations_needed,
    repeated_leakage,
    success_bounds,
    success_curve,
    success_probability,
)
from leaktight.repetition.own_output import OwnOutput
from leaktight.repetition.rounds import observe


def looked_at(draw: Draw) -> Any:
    """A channel and a prior on its inputs."""
    table = drawn.channel(draw, drawn.WEIGHTS, 1, 3)
    return [table, drawn.prior(draw, len(table))]


def extremely(draw: Draw) -> Any:
    """The same, with numbers that floats lose."""
    table = drawn.channel(draw, drawn.WEIGHTS + drawn.EXTREME, 1, 3)
    return [table, drawn.prior(draw, len(table))]


def read(case: Any) -> Any:
    """The rows, the chances, the channel and the prior."""
    table, prior = case
    rows = direct.normalised(table)
    chances = [Fraction(p) / sum(map(Fraction, prior)) for p in prior]
    return rows, chances, direct.channel_of(rows), [str(p) for p in chances]


def best_after(rows: Any, chances: Any, n: int, gains: Any = None) -> Fraction:
    """The expected gain of the best guess after each sequence of n outputs."""
    size = len(rows)
    gains = [[int(i == w) for i in range(size)] for w in range(size)] if gains is None else gains
    total = Fraction(0)
    for seen in product(range(len(rows[0])), repeat=n):
        joint = [
            p * math.prod((row[z] for z in seen), start=Fraction(1))
            for p, row in zip(chances, rows, strict=True)
        ]
        total += max(sum(g * p for g, p in zip(guess, joint, strict=True)) for guess in gains)
    return total


def encloses(found: Any, true: Fraction) -> None:
    """Both ends are on their sides, and say whether they are exact."""
    assert Fraction(found.lower) <= true <= Fraction(found.upper)
    assert not found.is_exact or found.lower == true


@searched(case=extremely, n=lambda d: d.integer(0, 4), floats=Draw.maybe)
def success(case: Any, n: int, floats: bool) -> int:
    """An attacker is right more often than is said, or less often."""
    rows, chances, channel, prior = read(case)
    if floats:
        channel = channel.float()
        rows = [[p / sum(row) for p in row] for row in direct.rows_of(channel)]
    true = best_after(rows, chances, n)
    found = success_probability(channel, prior, n)
    encloses(found, true)
    encloses(found.error, 1 - true)
    assert Fraction(found.upper) - Fraction(found.lower) < Fraction(1, 10**6)
    if n == 0:
        return 2
    bounds = success_bounds(channel, prior, n)
    encloses(bounds, true)
    leaked = repeated_leakage(channel, prior, n)
    before = max(chances)
    assert leaked.lower <= true / before <= leaked.upper
    return 4


@searched(case=looked_at, most=lambda d: d.integer(1, 5), target=lambda d: d.integer(1, 100))
def curves(case: Any, most: int, target: int) -> int:
    """So many observations are said to be needed, and fewer are enough, or more are."""
    rows, chances, channel, prior = read(case)
    curve = success_curve(channel, prior, range(1, most + 1))
    true = [best_after(rows, chances, n) for n in range(most + 1)]
    for n, found in curve.items():
        encloses(found, true[n])
    wanted = Fraction(target, 100)
    needed = observations_needed(channel, prior, success=f"{target}/100")
    enough = [n for n in range(most + 1) if true[n] >= wanted]
    if enough:
        assert needed.lower <= enough[0] <= needed.upper
    else:
        assert needed.upper > most
    return most + 1


@searched(
    case=looked_at,
    n=lambda d: d.integer(0, 3),
    table=lambda d: [[d.integer(-4, 4) for _ in range(3)] for _ in range(d.integer(1, 3))],
)
def gains_and_losses(case: Any, n: int, table: Any) -> int:
    """The best guess earns more, or loses less, than is said."""
    rows, chances, channel, prior = read(case)
    gains = [row[: len(rows)] for row in table]
    encloses(expected_gain(channel, lt.Gain(gains), prior, n), best_after(rows, chances, n, gains))
    lost = [[-g for g in row] for row in gains]
    encloses(expected_loss(channel, lt.Loss(gains), prior, n), -best_after(rows, chances, n, lost))
    return 2


@searched(
    case=looked_at, n=lambda d: d.integer(1, 3), ratio=drawn.ratio, some=lambda d: d.subset(3)
)
def breaches_after_n(case: Any, n: int, ratio: str, some: Any) -> int:
    """The belief that the secret is in a set moves by more, and more often, than is said."""
    rows, chances, channel, prior = read(case)
    inside = [i for i in some if i < len(rows)]
    found = breach_probability(channel, inside, ratio=ratio, prior=prior, n=n)
    before, limit = sum(chances[i] for i in inside), Fraction(ratio)
    raised = lowered = Fraction(0)
    for seen in product(range(len(rows[0])), repeat=n):
        joint = [
            p * math.prod((row[z] for z in seen), start=Fraction(1))
            for p, row in zip(chances, rows, strict=True)
        ]
        within, whole = sum(joint[i] for i in inside), sum(joint)
        raised += within if within > limit * before * whole else 0
        lowered += whole - within if limit * within < before * whole else 0
    encloses(found.raised, raised / before)
    encloses(found.lowered, lowered / (1 - before))
    return 2


@searched(
    graph=lambda d: drawn.graph(d, 1, 4),
    ratio=lambda d: d.pick(["2", "3/2", "11/10", "5"]),
    prior=lambda d: drawn.prior(d, 4),
    n=lambda d: d.integer(1, 3),
    table=lambda d: drawn.table(d, 4, 3),
)
def explained_guarantees(graph: Any, ratio: str, prior: Any, n: int, table: Any) -> int:
    """A private mechanism lets somebody guess better than the sentence says that any does."""
    on = direct.graph_of(graph)
    weights = [Fraction(p) for p in prior[: graph[0]]]
    weights[0] += 1
    chances = [p / sum(weights) for p in weights]
    said = lt.explain(on, [str(p) for p in chances], ratio=ratio, observations=n)
    best = lt.optimal_mechanism(on, [str(p) for p in chances], ratio=ratio)
    other = lt.repair(
        [[str(p) for p in row] for row in direct.normalised(table[: graph[0]])], on, ratio=ratio
    )
    assert said.before.value == max(chances)
    for mechanism in (best.channel, other.channel):
        rows = direct.rows_of(mechanism)
        for told, most in zip(said.after, said.belief, strict=True):
            true = best_after(rows, chances, told.observations)
            assert true <= told.value
            assert told.value <= most.value
            for seen in product(range(len(rows[0])), repeat=told.observations):
                joint = [
                    p * math.prod((row[z] for z in seen), start=Fraction(1))
                    for p, row in zip(chances, rows, strict=True)
                ]
                assert not sum(joint) or max(joint) / sum(joint) <= most.value
    return 4


@searched(case=looked_at, n=lambda d: d.integer(1, 3), floats=Draw.maybe)
def explained_channels(case: Any, n: int, floats: bool) -> int:
    """A sentence says less than the channel tells, or not the most telling output."""
    rows, chances, channel, prior = read(case)
    if floats:
        channel = channel.float()
        rows = [[p / sum(row) for p in row] for row in direct.rows_of(channel)]
    said = lt.explain(channel, prior, observations=n)
    for told in said.after:
        true = best_after(rows, chances, told.observations)
        assert told.value >= true
        assert not told.is_exact or told.value == true
    posteriors = [
        (p * row[z] / sum(q * r[z] for q, r in zip(chances, rows, strict=True)), p)
        for z in range(len(rows[0]))
        for p, row in zip(chances, rows, strict=True)
        if p * row[z]
    ]
    risen = [after for after, before in posteriors if after > before]
    if said.telling is None:
        assert not risen
    else:
        assert said.telling.after == max(risen)
    return 1 + len(said.after)


@searched(
    graph=lambda d: drawn.graph(d, 2, 5),
    below=lambda d: d.integer(1, 99),
    n=lambda d: d.integer(1, 3),
)
def chosen_ratios(graph: Any, below: int, n: int) -> int:
    """At the ε that is chosen, a private mechanism lets a guess exceed the chance."""
    on, limit = direct.graph_of(graph), Fraction(below, 100)
    found = largest_ratio_below(on, f"{below}/100", observations=n)
    together = found.ratio**n
    worst = lt.worst_case_leakage(on, ratio=together)
    assert worst.lower / graph[0] <= limit
    assert direct.worst_case(graph[0], graph[1], together) / graph[0] <= float(limit) + 1e-6
    assert found.chance <= limit
    said = direct.exp_bounds(Fraction(found.epsilon))[0]
    assert said <= found.ratio
    if not found.is_exact:
        # Not far below the largest: a little more would be too much.
        more = 1 + (together - 1) * Fraction(1001, 1000)
        assert lt.worst_case_leakage(on, ratio=more).upper / graph[0] > limit
    return 4


@searched(
    graph=lambda d: drawn.graph(d, 2, 4),
    below=lambda d: d.integer(50, 99),
    ratio=lambda d: d.pick(["11/10", "3/2", "2", "1001/1000", "5"]),
)
def safe_numbers_of_releases(graph: Any, below: int, ratio: str) -> None:
    """So many releases are called safe, and a mechanism exceeds the chance."""
    on = direct.graph_of(graph)
    n = largest_n(on, f"{below}/100", ratio=ratio)
    if n in (0, math.inf) or n > 200:
        return
    power = Fraction(ratio) ** int(n)
    assert lt.worst_case_leakage(on, ratio=power).lower / graph[0] < Fraction(below, 100)


@searched(
    values=lambda d: d.integer(2, 3),
    ratio=lambda d: d.pick(("2", "3/2", "11/10", "5", "100")),
    n=lambda d: d.integer(1, 9),
    prior=lambda d: drawn.prior(d, 4),
)
def own_outputs(values: int, ratio: str, n: int, prior: Any) -> int:
    """Where each secret has an output of its own, floats enclose another number than the chance."""
    weights = [Fraction(p) for p in prior[:values]]
    weights[0] += not any(weights)
    chances = [p / sum(weights) for p in weights]
    channel = lt.RandomizedResponse(values, ratio=ratio).channel
    [rows] = {tuple(map(tuple, direct.rows_of(channel)))}
    true = Fraction(0)
    for counts in product(range(n + 1), repeat=values):
        if sum(counts) == n:
            ways = math.factorial(n) // math.prod(map(math.factorial, counts))
            true += ways * max(
                p * math.prod((k**c for k, c in zip(row, counts, strict=True)), start=Fraction(1))
                for p, row in zip(chances, rows, strict=True)
            )
    seen = observe(channel, [str(p) for p in chances]).rounds(n)
    encloses(success_probability(channel, [str(p) for p in chances], n), true)
    outputs = OwnOutput.of(seen)
    if outputs is None:
        return 1
    low, high = (Fraction(int(end.p), int(end.q)) for end in outputs.success())
    assert low <= true <= high
    assert high - low < Fraction(1, 10**6)
    return 2


@searched(
    share=lambda d: d.integer(1, 99),
    ratio=lambda d: d.pick(("2", "3/2", "1001/1000", "10")),
    distance=lambda d: d.integer(1, 3),
    n=lambda d: d.integer(1, 4),
)
def believers(share: int, ratio: str, distance: int, n: int) -> int:
    """What is believed of one value grows by more than a guarantee allows."""
    p, odds = Fraction(share, 100), Fraction(ratio) ** (distance * n)
    said = lt.explain(f"{share}/100", ratio=ratio, distance=distance, observations=n)
    assert said.after[-1].value >= odds * p / (1 + (odds - 1) * p)
    # Two values at this distance, and the mechanism that tells them apart as well as it may.
    line = lt.worst_case_leakage(lt.SecretGraph.line(distance + 1), ratio=ratio).mechanism
    assert isinstance(line, lt.Channel)
    first, *_, last = direct.rows_of(line)
    for seen in product(range(len(first)), repeat=n):
        a, b = (math.prod((row[z] for z in seen), start=Fraction(1)) for row in (first, last))
        assert p * a / (p * a + (1 - p) * b) <= said.after[-1].value
    return 2


def asked(draw: Draw) -> Any:
    """What each secret answers to each question, a prior, and how many may be asked."""
    size = draw.integer(1, 5)
    table = draw.some(lambda d: [d.below(3) for _ in range(size)], 1, 4)
    return [table, drawn.prior(draw, size), draw.below(3)]


@searched(case=asked)
def best_questions(case: Any) -> int:
    """Some questions, chosen one after the other, tell more than the best that are found."""
    table, weights, n = case
    chances = [Fraction(p) for p in weights]

    def best(left: list[int], n: int) -> Fraction:
        if n == 0 or not left:
            return max((chances[x] for x in left), default=Fraction(0))
        each = ([[x for x in left if row[x] == z] for z in range(3)] for row in table)
        return max(sum((best(part, n - 1) for part in parts), Fraction(0)) for parts in each)

    secrets = range(len(chances))
    channels = {
        q: lt.Channel.deterministic(dict(enumerate(row)), secrets) for q, row in enumerate(table)
    }
    found = best_attack(channels, n, lt.Distribution.from_counts(weights))
    assert found.lower == found.upper == best(list(secrets), n) / sum(chances)
    return 2
