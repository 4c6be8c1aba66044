"""Known programs and protocols, as channels: a password checker, Crowds, private counts."""

import itertools
import math
from collections.abc import Callable, Hashable
from fractions import Fraction

import pytest

import leaktight as lt
from leaktight.channels.program import Chance, channel_of
from leaktight.channels.program.program import UNFINISHED, truncated_channel_of

Bits = tuple[int, ...]


# --- the password checker ------------------------------------------------------------------


PASSWORD = "110"
STRINGS = ["".join(bits) for bits in itertools.product("01", repeat=3)]


def checker(typed: str) -> str:
    """Say whether the password is right."""
    return "OK" if typed == PASSWORD else "Fail"


def timed_checker(typed: str, chance: Chance) -> str:
    """Stop at the first digit that differs, seen by an adversary who counts the iterations."""
    for x, k in zip(typed, PASSWORD, strict=True):
        chance.observe("iteration")
        if x != k:
            return "Fail"
    return "OK"


def mended_checker(typed: str, chance: Chance) -> str:
    """All digits are compared, so that the iterations tell nothing."""
    wrong = 0
    for x, k in zip(typed, PASSWORD, strict=True):
        chance.observe("iteration")
        wrong += x != k
    return "Fail" if wrong else "OK"


def test_comparing_all_digits_mends_the_checker() -> None:
    """The repair leaks exactly what the answer does: each channel refines the other."""
    plain, mended = channel_of(checker, STRINGS), channel_of(mended_checker, STRINGS)
    assert lt.refinement(plain, mended).holds
    assert lt.refinement(mended, plain).holds
    assert not lt.refinement(plain, channel_of(timed_checker, STRINGS)).holds


# --- Crowds --------------------------------------------------------------------------------


def crowds(members: int, corrupted: int, p: str) -> Callable[[int, Chance], Hashable]:
    """The first corrupted member sees who handed the request over; the last are corrupted."""

    def protocol(initiator: int, chance: Chance) -> Hashable:
        def hop(state: tuple[int, str]) -> tuple[int, str]:
            reached = chance.uniform(members)
            if reached >= members - corrupted:
                return state[0], "seen"
            return reached, "on" if chance.flip(p) else "sent"

        holder, end = chance.loop(hop, (initiator, "on"), until=lambda state: state[1] != "on")
        return holder if end == "seen" else None

    return protocol


@pytest.mark.parametrize("p", ["11/20", "3/4", "1"])
def test_crowds_give_probable_innocence_exactly_if_they_are_large_enough(p: str) -> None:
    """Reiter and Rubin: P(initiator | seen) ≤ 1/2 iff n ≥ (c + 1)·p/(p − 1/2), p > 1/2; n ≤ 12."""
    share, half = Fraction(p), Fraction(1, 2)
    for n in range(2, 13):
        for c in range(1, n):
            channel = channel_of(crowds(n, c, p), [0])
            seen = sum(Fraction(channel[0, z]) for z in channel.outputs if z is not None)
            suspicion = Fraction(channel[0, 0]) / seen
            assert suspicion == (n - share * (n - c - 1)) / n
            assert (suspicion <= half) == (n * (share - half) >= share * (c + 1))


def test_crowds_have_the_channel_that_symmetry_gives() -> None:
    """Once an honest member has it, it is seen with f = p(c + hf)/n; K(j|i) = (c[i = j] + f)/n."""
    n, c, p = 7, 2, Fraction(3, 4)
    h = n - c
    f = p * c / (n - p * h)
    channel = channel_of(crowds(n, c, "3/4"), h)
    for i, j in itertools.product(range(h), repeat=2):
        assert channel[i, j] == (c * (i == j) + f) / n
    assert lt.min_capacity(channel).factor == 1 + (h - 1) * Fraction(c, n)


def test_crowds_lie_between_what_their_likely_paths_show() -> None:
    """A plain loop of the same protocol, cut off: a second way to the same numbers."""
    n, c, p = 4, 1, "3/5"

    def plain(initiator: int, chance: Chance) -> Hashable:
        holder = initiator
        while True:
            reached = chance.uniform(n)
            if reached >= n - c:
                return holder
            holder = reached
            if not chance.flip(p):
                return None

    cut = truncated_channel_of(plain, n - c, most_paths=1500)
    whole = channel_of(crowds(n, c, p), n - c)
    low, high = cut.min_capacity()
    assert low < lt.min_capacity(whole).factor < high
    assert UNFINISHED in cut.channel.outputs
    for x, z in itertools.product(whole.inputs, whole.outputs):
        part, left = cut.channel[x, z], cut.unaccounted[x]
        assert left < Fraction(1, 20)
        assert part < whole[x, z] < part + left


# --- differential privacy ------------------------------------------------------------------


def test_randomised_response_as_a_program() -> None:
    """Ratio 2 for each record, and the product of the records' channels (Lemma 4 of B)."""

    def respond(answers: tuple[int, ...], chance: Chance) -> tuple[int, ...]:
        return tuple(answer if chance.flip("2/3") else 1 - answer for answer in answers)

    policy = lt.Policy(lt.SecretGraph.complete(2), records=3)
    channel = channel_of(respond, policy)
    coin = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert channel == lt.parallel(coin, coin, coin).expand()
    assert lt.privacy_level(channel, policy).ratio == 2


NAMES, VOTERS = ["a", "b", "c"], 3


def noisy(count: int) -> dict[int, Fraction]:
    """The truncated geometric mechanism at ratio 2 on 0, …, VOTERS."""
    ends = (0, VOTERS)
    return {z: Fraction(2 if z in ends else 1, 3 * 2 ** abs(z - count)) for z in range(VOTERS + 1)}


def noisy_counts(votes: tuple[str, ...], chance: Chance) -> Bits:
    return tuple(chance.choose(noisy(votes.count(name))) for name in NAMES)


def leading(counts: Bits) -> list[str]:
    return [name for name, count in zip(NAMES, counts, strict=True) if count == max(counts)]


def test_noisy_max_is_more_private_than_its_counts_if_ties_are_fair() -> None:
    """One vote moves two counts at ratio 2 each: 4 for all of them, less for a fair winner."""
    policy = lt.Policy(lt.SecretGraph.complete(NAMES), records=VOTERS)
    counts = channel_of(noisy_counts, policy)
    first = channel_of(lambda votes, chance: leading(noisy_counts(votes, chance))[0], policy)
    fair = channel_of(
        lambda votes, chance: chance.uniform(leading(noisy_counts(votes, chance))), policy
    )
    for votes in itertools.product(NAMES, repeat=VOTERS):  # by hand: sum over all noisy counts
        wins = dict.fromkeys(NAMES, Fraction(0))
        for seen in itertools.product(range(VOTERS + 1), repeat=3):
            share = Fraction(1)
            for name, z in zip(NAMES, seen, strict=True):
                share *= noisy(votes.count(name))[z]
            assert counts[votes, seen] == share
            for name in leading(seen):
                wins[name] += share / len(leading(seen))
        assert dict(fair.row(votes).items()) == wins
    assert lt.privacy_level(counts, policy).ratio == 4
    assert lt.privacy_level(first, policy).ratio == 4
    assert 2 < lt.privacy_level(fair, policy).ratio < 4


def geometric(ratio: int, width: int) -> dict[int, Fraction]:
    """Two-sided geometric noise, with what is beyond ±width moved to the ends."""
    inner = {z: Fraction(ratio - 1, (ratio + 1) * ratio ** abs(z)) for z in range(1 - width, width)}
    outer = (1 - sum(inner.values(), Fraction(0))) / 2
    return {-width: outer, **inner, width: outer}


def sparse_vector(
    questions: int, noise: int, *, stops: bool, width: int = 4
) -> Callable[[tuple[str, ...], Chance], None]:
    """Is each of the counts of a, b, a, … above a noisy 1? Noise of that ratio, none if 1."""

    def program(database: tuple[str, ...], chance: Chance) -> None:
        threshold = 1 + chance.choose(geometric(4, width))
        for i in range(questions):
            count = database.count("ab"[i % 2])
            extra = {0: 1} if noise == 1 else geometric(noise, width)
            above = chance.merge(lambda: count + chance.choose(extra) >= threshold)  # noqa: B023
            chance.observe(above)
            if above and stops:
                return

    return program


def test_broken_sparse_vectors_are_found_out() -> None:
    """Lyu, Su, Li (2017): Alg. 1 has 4·2² = 16, Alg. 5 (no noise on counts) ∞; Alg. 6 grows."""
    policy = lt.Policy(lt.SecretGraph.complete(["a", "b"]), records=2)

    def level(questions: int, noise: int, *, stops: bool) -> lt.privacy.PrivacyLevel:
        program = sparse_vector(questions, noise, stops=stops)
        return lt.privacy_level(channel_of(program, policy), policy)

    right = [level(n, 2, stops=True) for n in range(1, 7)]
    assert all(one.holds(ratio=16) for one in right)

    noiseless = level(2, 1, stops=False)
    assert noiseless.ratio == math.inf
    assert noiseless.witness is not None
    assert noiseless.witness.output in {((True, False), None), ((False, True), None)}
    assert level(1, 1, stops=False).ratio == 4  # one count alone is protected by the threshold

    endless = [level(n, 2, stops=False).ratio for n in range(1, 7)]
    assert sorted(set(endless)) == endless  # it grows with every question
    assert endless[-1] > 16


def test_cutting_off_the_noise_breaks_the_right_sparse_vector() -> None:
    """Ours: with noise up to ±3, the highest threshold is passed too often; 30 questions: > 16."""
    policy = lt.Policy(lt.SecretGraph.complete(["a", "b"]), records=2)
    program = sparse_vector(30, 2, stops=True, width=3)
    channel = channel_of(program, policy)
    level = lt.privacy_level(channel, policy)
    assert level.ratio > 16
    for database in itertools.product("ab", repeat=2):  # by hand: all 30 are below
        below = Fraction(0)
        for shift, share in geometric(4, 3).items():
            a, b = (
                sum(p for z, p in geometric(2, 3).items() if database.count(name) + z < 1 + shift)
                for name in "ab"
            )
            below += share * (a * b) ** 15
        assert channel[database, ((False,) * 30, None)] == below


def test_a_sparse_vector_is_what_its_formula_says() -> None:
    """P(above/below …) = Σ_t P(t) Π_i P(count_i + noise ≥ t, or not), summed by hand."""
    channel = channel_of(
        sparse_vector(3, 2, stops=False), lt.Policy(lt.SecretGraph.complete(["a", "b"]), records=2)
    )
    for database, seen in itertools.product(channel.inputs, channel.outputs):
        assert isinstance(database, tuple)
        assert isinstance(seen, tuple)
        total = Fraction(0)
        for shift, share in geometric(4, 4).items():
            for i, above in enumerate(seen[0]):
                least = 1 + shift - database.count("ab"[i % 2])
                tail = sum(p for z, p in geometric(2, 4).items() if z >= least)
                share *= tail if above else 1 - tail
            total += share
        assert channel[database, seen] == total
