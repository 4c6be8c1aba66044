"""Noise of other kinds than geometric: nothing that holds for geometric noise is said of it."""

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest

from leaktight.channels import AdditiveNoise, Channel, GeometricTails, SymmetricNoise
from leaktight.errors import InvalidInput, InvalidNumber, LeaktightError
from leaktight.leakage import individual_leakage, uninformed_guess
from leaktight.leakage.under_counts import posterior_bound
from leaktight.mechanisms import GeometricNoise, Mechanism, RoundedLaplace, TruncatedGeometric
from leaktight.mechanisms.mechanism import Guarantee
from leaktight.policies import (
    HistogramQuery,
    Policy,
    SecretGraph,
    SumQuery,
    answer_graph,
    count,
    counting_query,
)
from leaktight.privacy import noise_level, privacy_level
from leaktight.studies import Study, audit

ILL = counting_query(["yes"])
NO_YES = SecretGraph.complete(["no", "yes"])


@dataclass(frozen=True)
class Table(Mechanism):
    """Noise on a count of so many records that merely happens to have a ``tail``."""

    chances: tuple[Fraction, ...]
    records: int

    @property
    def width(self) -> int:
        return len(self.chances) // 2

    @property
    def name(self) -> str:
        return "noise from a table"

    @property
    def guarantee(self) -> Guarantee:
        raise NotImplementedError

    @property
    def channel(self) -> Channel:
        rows = [
            [0] * x + list(self.chances) + [0] * (self.records - x) for x in range(self.records + 1)
        ]
        outputs = range(-self.width, self.records + self.width + 1)
        return Channel(rows, range(self.records + 1), outputs)

    def tail(self, k: int) -> Fraction:
        return sum(self.chances[max(0, k + self.width) :], Fraction(0))


UNIFORM = (Fraction(1, 5),) * 5
STAIRCASE = tuple(Fraction(w, 30) for w in (1, 4, 4, 12, 4, 4, 1))  # not a private one: it ends


@dataclass(frozen=True)
class Staircase(AdditiveNoise):
    """P(k) ∝ 4^(−⌊(|k| + 1)/2⌋): two steps of each height, so that one shift can cost a factor."""

    def pmf(self, k: int) -> Fraction:
        # Σ = 1 + 2·Σ_{j≥1} 2·4^(−j) − …: |k| = 1, 2 share 1/4, 3, 4 share 1/16, and so on.
        return Fraction(3, 7) / 4 ** ((abs(k) + 1) // 2)

    def tail(self, k: int) -> Fraction:
        raise NotImplementedError

    def shift_ratio(self, shift: int) -> Fraction:
        return Fraction(4) ** ((abs(shift) + 1) // 2)


@pytest.mark.parametrize("records", [1, 3, 8])
def test_uniform_noise_of_ones_own_is_not_private_at_all(records: int) -> None:
    noise = Table(UNIFORM, records)
    policy = Policy(NO_YES, records)
    found = audit(Study(policy, noise, query=ILL, ratio=2))
    assert found.holds is False
    assert found.privacy.level.ratio is None  # type: ignore[union-attr]


def test_the_level_of_ones_own_noise_is_that_of_its_channel() -> None:
    tall = (Fraction(1, 14), *(Fraction(4, 14),) * 3, Fraction(1, 14))
    rows = {
        x: [*(tall[z - x] if 0 <= z - x < 5 else Fraction(1, 14**9) for z in range(6))]
        for x in (0, 1)
    }
    exact = [[p / sum(row) for p in row] for row in rows.values()]

    class Stairs(Table):
        @property
        def channel(self) -> Channel:
            return Channel(exact, (0, 1), range(-2, 4))

    found = audit(Study(Policy(NO_YES), Stairs(tall, 1), query=ILL, ratio=2))
    worst = max(a / b for p, q in (exact, exact[::-1]) for a, b in zip(p, q, strict=True))
    assert found.privacy.level.ratio == worst  # type: ignore[union-attr]
    assert found.holds is False


@pytest.mark.parametrize("chances", [UNIFORM, STAIRCASE])
def test_what_merely_has_a_tail_leaks_what_its_channel_leaks(
    chances: tuple[Fraction, ...],
) -> None:
    noise, policy = Table(chances, 3), Policy(NO_YES, 3)
    listed = noise.channel
    ends = [Fraction(0), *chances], [*chances, Fraction(0)]  # a count and one more, whoever else
    best = sum(map(max, *ends))
    assert individual_leakage(noise, policy, ILL).factor == best
    by_channel = uninformed_guess(listed, policy, ILL)
    assert uninformed_guess(noise, policy, ILL).upper == by_channel.upper
    with pytest.raises(InvalidInput, match="expected AdditiveNoise"):
        noise_level(noise, policy, ILL)  # type: ignore[arg-type]
    told = Policy(NO_YES, 3, constraints=[count(["no"], published=True)])
    with pytest.raises(LeaktightError):
        posterior_bound(noise, told, ILL)


def test_noise_says_itself_how_well_it_tells_answers_apart() -> None:
    noise = Staircase()
    # The largest of 200 ratios on either side, by the probabilities themselves.
    for shift in range(6):
        ratios = [noise.pmf(k) / noise.pmf(k - shift) for k in range(-100, 101)]
        assert noise.shift_ratio(shift) == max(ratios)
    policy = Policy(NO_YES, 10**6)
    assert noise_level(noise, policy, ILL).ratio == 4
    # A record that moves shifts two cells by 1 each: 4·4, and not 4^(2/2).
    assert noise_level(noise, policy, HistogramQuery(("no", "yes"))).ratio == 16
    line = Policy(SecretGraph.line([0, 2, 3]), 10**6)
    level = noise_level(noise, line, SumQuery())
    assert level.ratio == 4  # a shift by 2 and one by 1 are told apart alike
    three = Policy(SecretGraph.line([0, 3]), 10**6)
    assert noise_level(noise, three, SumQuery()).ratio == 16


def test_the_shifts_under_public_counts_are_those_of_neighbours() -> None:
    # Of two records one is 0 and the other 3 or 5: neighbours swap, or change 3 for 5.
    secrets = SecretGraph.complete([0, 3, 5])
    policy = Policy(secrets, 2, constraints=count([0], equals=1))
    assert noise_level(Staircase(), policy, SumQuery()).ratio == 4
    listed = Policy(secrets, 2, databases=[(0, 0), (3, 5)])
    assert noise_level(Staircase(), listed, SumQuery()).ratio == 4**4
    single = Policy(secrets, 1, databases=[0, 5])
    assert noise_level(Staircase(), single, SumQuery()).ratio == 4**3


def test_noise_that_is_not_symmetric_is_compared_both_ways() -> None:
    class Up(Staircase):
        def shift_ratio(self, shift: int) -> Fraction:
            return Fraction(7 if shift > 0 else 2) if shift else Fraction(1)

    assert noise_level(Up(), Policy(NO_YES, 9), ILL).ratio == 7
    assert noise_level(Up(), Policy(NO_YES, 9), HistogramQuery(("no", "yes"))).ratio == 14

    class Wrong(Staircase):
        def shift_ratio(self, shift: int) -> Fraction:
            return Fraction(1, 2)

    with pytest.raises(InvalidNumber, match="must be 1 or more"):
        noise_level(Wrong(), Policy(NO_YES, 9), ILL)


@dataclass(frozen=True)
class Tails(GeometricTails):
    """Geometric tails with any centre."""

    fall: Fraction
    middle: Fraction

    @property
    def step(self) -> Fraction:
        return self.fall

    @property
    def centre(self) -> Fraction:
        return self.middle


@pytest.mark.parametrize(
    "noise",
    [
        GeometricNoise(ratio=2),
        GeometricNoise(ratio=3, sensitivity=4),
        TruncatedGeometric(range(9), ratio="5/2"),
        RoundedLaplace(range(9), ratio=4),
        Tails(Fraction(2), Fraction(9, 10)),
        Tails(Fraction(3), Fraction(1, 10)),
        Tails(Fraction(3), Fraction(1, 100)),
        Tails(Fraction(3), Fraction(1, 5)),
    ],
)
def test_all_that_is_said_of_geometric_tails_follows_from_the_probabilities(
    noise: GeometricTails,
) -> None:
    far = 60
    chances = {k: noise.pmf(k) for k in range(-far, far + 1)}
    assert all(chances[k] == chances[-k] > 0 for k in chances)
    for k in range(-5, 6):
        rest = sum(chances[j] for j in range(k, far + 1)) + noise.tail(far + 1)
        assert noise.tail(k) == rest
    for shift in range(-5, 6):
        near = range(-far // 2, far // 2)
        assert noise.shift_ratio(shift) == max(chances[k] / chances[k - shift] for k in near)
    ratios = {chances[k] / chances[k + 1] for k in range(far)}
    assert noise.is_geometric == (len(ratios) == 1)
    assert noise.is_unimodal == (max(chances.values()) == chances[0])
    mean = 2 * sum(k * chances[k] for k in range(1, far + 1))
    assert noise.has_constant_ratio == all(
        noise.shift_ratio(g) == noise.step**g for g in range(1, 9)
    )
    assert mean < noise.mean_size < mean + 4 * far * noise.tail(far) / (1 - 1 / noise.step)


def test_noise_with_a_high_centre_is_told_apart_at_the_centre() -> None:
    noise = Tails(Fraction(2), Fraction(9, 10))  # P(0)/P(1) = 36
    policy = Policy(NO_YES, 2)
    assert noise_level(noise, policy, ILL).ratio == 36
    assert noise_level(noise, policy, HistogramQuery(("no", "yes"))).ratio == 36**2
    low = Tails(Fraction(3), Fraction(1, 100))  # P(1)/P(0) = 33
    assert noise_level(low, policy, ILL).ratio == 33
    never = Tails(Fraction(3), Fraction(0))
    assert noise_level(never, policy, ILL).ratio == math.inf
    assert Tails(Fraction(3), Fraction(1)).shift_ratio(2) == math.inf  # no noise at all
    assert TruncatedGeometric(range(3), ratio=1).shift_ratio(2) == 1


def test_noise_that_is_likelier_beside_0_is_not_taken_for_one_that_falls_off() -> None:
    class Dip(Tails, Mechanism):
        @property
        def name(self) -> str:
            return "a dip"

        @property
        def guarantee(self) -> Guarantee:
            raise NotImplementedError

        @property
        def channel(self) -> Channel:
            rows = [[1 - self.tail(-9 - x), *(self.pmf(z - x) for z in range(-9, 11)),
                     self.tail(11 - x)] for x in (0, 1)]  # fmt: skip
            return Channel(rows, (0, 1), range(-10, 12))

    noise = Dip(Fraction(3), Fraction(1, 10))
    best = sum((max(noise.pmf(z), noise.pmf(z - 1)) for z in range(-60, 61)), Fraction(0))
    best += 2 * noise.tail(61)
    found = Fraction(individual_leakage(noise, Policy(NO_YES), ILL).factor)
    assert abs(found - best) < Fraction(1, 2**80)


def test_laplaces_noise_on_a_sum_has_the_level_of_its_channel() -> None:
    policy = Policy(SecretGraph.line([0, 1, 3]), 3)
    noise = RoundedLaplace(range(-3, 13), ratio=4)
    answers = answer_graph(policy, SumQuery())
    exact = privacy_level(noise.channel.restrict(answers.vertices), answers).ratio
    assert noise_level(noise, policy, SumQuery()).ratio == exact == 16
    assert noise.shift_ratio(3) == noise.half_step**6
    assert math.isfinite(noise.shift_ratio(40))


@dataclass(frozen=True)
class Derived(Mechanism, SymmetricNoise):
    """Noise of one's own from 0 to 2 or so; beyond, each is half as likely as the one before."""

    heights: tuple[int, ...]
    lean: int = 0
    """By so much −1 is likelier than 1, and −2 less likely than 2."""
    says: int | None = 1

    name = "noise of one's own"

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(Fraction(10**6), "answers that differ by 1")

    @property
    def period(self) -> int | None:
        return self.says

    @property
    def start(self) -> int:
        return len(self.heights) - 1

    @property
    def mean_size(self) -> Fraction:
        return Fraction(1)

    def _height(self, k: int) -> Fraction:
        if k in (-1, -2):
            return Fraction(self.heights[-k] + (self.lean if k == -1 else -self.lean))
        k, last = abs(k), len(self.heights) - 1
        return self.heights[min(k, last)] / Fraction(2) ** max(0, k - last)

    @property
    def _sum(self) -> Fraction:
        first, *rest = self.heights
        return Fraction(first + 2 * (sum(rest) + rest[-1]))

    def pmf(self, k: int) -> Fraction:
        return self._height(k) / self._sum

    def tail(self, k: int) -> Fraction:
        far = max(abs(k), len(self.heights))
        beyond = 2 * self.pmf(far)  # far, far + 1, …
        return beyond + sum((self.pmf(j) for j in range(k, far)), Fraction(0))

    def shift_ratio(self, shift: int) -> Fraction:
        near = range(-9 - abs(shift), 10 + abs(shift))
        return max(self.pmf(k) / self.pmf(k - shift) for k in near)

    @property
    def channel(self) -> Channel:
        ends = -6, 12  # beyond, all answers are told apart no more
        rows = [
            [
                1 - self.tail(z + 1 - x) if z == ends[0] else
                self.tail(z - x) if z == ends[1] else self.pmf(z - x)
                for z in range(ends[0], ends[1] + 1)
            ]
            for x in range(7)
        ]  # fmt: skip
        return Channel(rows, range(7), range(ends[0], ends[1] + 1))


@pytest.mark.parametrize(
    ("noise", "falls"),
    [
        (Derived((9, 5, 2)), True),
        (Derived((4, 4, 4)), True),
        (Derived((1, 5, 2)), False),  # two peaks
        (Derived((4, 1, 4, 1)), False),
        (Derived((9, 4, 2), lean=1), False),
        (Derived((9, 5, 2), says=None), False),  # nobody can tell
    ],
)
def test_noise_that_only_derives_from_symmetric_noise_is_looked_at(
    noise: Derived, falls: bool
) -> None:
    """Formulas for noise that falls from 0 on were used for noise with two peaks."""
    assert noise.is_unimodal is falls
    policy, query = Policy(SecretGraph.complete([0, 1, 3]), 2), SumQuery()
    if noise.says is not None and not noise.lean:
        assert noise.adds_to(policy, query) is falls
        far = range(-60, 70)
        told = sum(max(noise.pmf(z - w) for w in (0, 1, 3)) for z in far)
        found = individual_leakage(noise, policy, query)
        assert told <= found.after * 3 <= told + Fraction(1, 10**12)
    assert noise_level(noise, policy, query).ratio == max(
        noise.pmf(k) / noise.pmf(k - s) for s in (1, 2, 3, -1, -2, -3) for k in range(-20, 20)
    )


def test_tails_that_are_not_those_of_its_type_are_refused() -> None:
    with pytest.raises(InvalidInput, match="follow from step and centre; derive from Sym"):

        class Peaks(Tails):
            def pmf(self, k: int) -> Fraction:
                return Fraction(abs(k) == 2, 2)

    with pytest.raises(InvalidNumber, match="a centre from 0 to 1 and a step from 1 on"):
        Tails(Fraction(2), Fraction(3, 2)).adds_to(Policy(NO_YES, 9), ILL)
