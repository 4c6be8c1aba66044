import math
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.errors import InvalidChannel, InvalidInput, InvalidNumber, Mismatch
from leaktight.exact.numbers import fraction
from leaktight.exact.ratio import Ratio
from leaktight.mechanisms.release import gaussian as gaussian_module
from leaktight.mechanisms.release import noise as noise_module
from leaktight.mechanisms.release import sample
from leaktight.mechanisms.release.draw import AliasTable
from leaktight.mechanisms.release.gaussian import gaussian_noise
from leaktight.mechanisms.release.noise import geometric_noise
from leaktight.mechanisms.release.random_bits import (
    Chance,
    Cuts,
    RandomBytes,
    is_below,
    random_bytes,
    rational_chance,
    sections,
)
from tests.strategies.channels import channels

ANSWERS = ["no", "yes"]
COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ANSWERS, ANSWERS)


class OutOfBytes(Exception):
    pass


def all_outcomes(
    draw: Callable[[RandomBytes], Hashable], most: int
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Run ``draw`` on all sequences of at most ``most`` bytes: masses, and what is undecided."""
    masses: dict[Hashable, Fraction] = {}
    undecided, waiting = Fraction(0), [b""]
    while waiting:
        known = waiting.pop()
        left = iter(known)

        def source(count: int, left: Iterator[int] = left) -> bytes:
            given = bytes(byte for _, byte in zip(range(count), left, strict=False))
            if len(given) < count:
                raise OutOfBytes
            return given

        mass = Fraction(1, 256 ** len(known))
        try:
            outcome = draw(source)
        except OutOfBytes:
            if len(known) == most:
                undecided += mass
            else:
                waiting.extend(known + bytes([byte]) for byte in range(256))
        else:
            masses[outcome] = masses.get(outcome, Fraction(0)) + mass
    return masses, undecided


def misfit(counts: npt.NDArray[Any], expected: npt.NDArray[Any]) -> float:
    """χ² over its critical value at the level 2^−30: above 1, the counts do not fit."""
    assert expected.min() > 5
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(statistic / chi2.isf(2.0**-30, counts.size - len(counts)))


# --- comparing with a probability ----------------------------------------------------------


@given(st.integers(0, 300), st.integers(1, 300))
def test_all_bytes_give_a_comparison_exactly_its_probability(part: int, whole: int) -> None:
    part = min(part, whole)
    chance = rational_chance(part, whole)
    masses, undecided = all_outcomes(lambda source: is_below(chance, 0, 0, source), 2)
    below = masses.get(True, Fraction(0))
    assert below <= Fraction(part, whole) <= below + undecided
    assert undecided <= Fraction(1, 256**2)
    assert undecided + sum(masses.values()) == 1


def cuts_at(*numbers: Fraction) -> Cuts:
    """The tightest integers around rising rational numbers."""
    return lambda bits: (
        [math.floor(p * 2**bits) for p in numbers],
        [math.ceil(p * 2**bits) for p in numbers],
    )


CUTS = st.lists(st.fractions(0, 1, max_denominator=300), max_size=6).map(sorted)


@settings(max_examples=20)
@given(CUTS)
def test_all_bytes_give_each_section_exactly_its_length(numbers: list[Fraction]) -> None:
    cuts = cuts_at(*numbers)
    masses, undecided = all_outcomes(lambda source: int(sections(cuts, 1, source)[0]), 2)
    assert undecided <= Fraction(len(set(numbers)), 256**2)
    assert undecided + sum(masses.values()) == 1
    for k, (start, end) in enumerate(pairwise([Fraction(0), *numbers, Fraction(1)])):
        least = masses.pop(k, Fraction(0))
        assert least <= end - start <= least + undecided
    assert not masses


@given(CUTS, st.integers(0, 40), st.integers(0, 2**32))
def test_each_of_many_numbers_takes_bytes_until_it_is_decided(
    numbers: list[Fraction], count: int, seed: int
) -> None:
    given_out = list[bytes]()

    def source(size: int) -> bytes:
        given_out.append(np.random.default_rng([seed, len(given_out)]).bytes(size))
        return given_out[-1]

    found = sections(cuts_at(*numbers), count, source)
    least, bits = [0] * count, [0] * count
    waiting = list(range(count))
    for given_bytes in given_out:
        assert len(given_bytes) == len(waiting)
        for i, byte in zip(waiting, given_bytes, strict=True):
            least[i], bits[i] = least[i] * 256 + byte, bits[i] + 8
        waiting = [
            i for i in waiting if any(least[i] < p * 2 ** bits[i] < least[i] + 1 for p in numbers)
        ]
    assert waiting == []
    for section, u, b in zip(found.tolist(), least, bits, strict=True):
        assert section == sum(p * 2**b <= u for p in numbers)


@pytest.mark.parametrize("same", [1, 7, 8, 30])
def test_a_number_may_be_like_a_cut_for_many_bytes(same: int) -> None:
    thirds = cuts_at(Fraction(1, 3), Fraction(2, 3))  # 0.0101… and 0.1010… in binary digits
    for digits, lower in ((0b01010101, 0), (0b10101010, 1)):
        for last, section in ((0, lower), (255, lower + 1)):
            stream = iter([*[digits] * same, last])
            assert sections(thirds, 1, lambda count: bytes([next(stream)])) == section  # noqa: B023


def test_sections_of_wide_enclosures_still_have_exactly_their_length() -> None:
    quarter: Cuts = lambda bits: ([(1 << bits) // 4 - 1], [(1 << bits) // 4 + 1])  # noqa: E731
    masses, undecided = all_outcomes(lambda source: int(sections(quarter, 1, source)[0]), 2)
    assert undecided == Fraction(2, 256**2)
    assert masses[0] == Fraction(1, 4) - undecided / 2


def test_an_enclosure_that_is_never_tight_still_decides_exactly() -> None:
    quarter: Chance = lambda bits: ((1 << bits) // 4 - 1, (1 << bits) // 4 + 1)  # noqa: E731
    masses, undecided = all_outcomes(lambda source: is_below(quarter, 0, 0, source), 2)
    assert undecided == Fraction(2, 256**2)
    assert masses[True] == Fraction(1, 4) - undecided / 2


# --- rows ----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(channels(inputs=1, most=6))
def test_all_bytes_give_each_output_exactly_its_probability(channel: Channel) -> None:
    table = AliasTable.of(channel.matrix, "<u1")
    row = np.zeros(1, dtype=np.intp)
    masses, undecided = all_outcomes(lambda source: int(table.draw(row, source)[0]), 2)
    cells = max(2, 1 << (channel.shape[1] - 1).bit_length())
    assert undecided <= Fraction(cells, 256**2)
    for z in channel.outputs:
        least = masses.get(z, Fraction(0))
        assert least <= channel[0, z] <= least + undecided


def test_probabilities_with_few_binary_digits_need_no_more_bits() -> None:
    table = AliasTable.of(Channel([["3/16", "1/2", "5/16"]]).matrix, "<u1")
    row = np.zeros(1, dtype=np.intp)
    masses, undecided = all_outcomes(lambda source: int(table.draw(row, source)[0]), 2)
    assert undecided == 0
    assert masses == {0: Fraction(3, 16), 1: Fraction(1, 2), 2: Fraction(5, 16)}


def put_together(table: AliasTable, row: int, outputs: int) -> list[Fraction]:
    """The probabilities that the cells of a row of a table hold."""
    cells = len(table.others) // len(table.wholes)
    found = [Fraction(0)] * cells
    for cell in range(cells):
        at = row * cells + cell
        share = Fraction(table.shares[at], table.wholes[row])
        assert 0 <= share <= 1
        found[cell] += share / cells
        found[table.others[at]] += (1 - share) / cells
    assert not any(found[outputs:])
    return found[:outputs]


@given(channels(most=9), st.sampled_from(["<u4", "<u8"]))
def test_a_table_put_together_is_the_channel(channel: Channel, word: str) -> None:
    table = AliasTable.of(channel.matrix, word)
    for i, row in enumerate(channel.matrix):
        assert put_together(table, i, len(row)) == [fraction(p) for p in row]


def test_long_denominators_and_tiny_probabilities_are_kept_exactly() -> None:
    rng = np.random.default_rng(3)
    long = [int.from_bytes(rng.bytes(375)) for _ in range(40)]
    tiny = Fraction(1, 10**30)
    unlike = [Fraction(1, (k + 2) ** 3) for k in range(39)]
    rows = [
        [Fraction(weight, sum(long)) for weight in long],
        [tiny, 1 - 40 * tiny, *[tiny] * 37, 2 * tiny],
        [*unlike, 1 - sum(unlike, Fraction(0))],
    ]
    assert max(p.denominator.bit_length() for p in rows[0]) >= 2990
    table = AliasTable.of(Channel(rows).matrix)
    for i, row in enumerate(rows):
        assert put_together(table, i, 40) == row


def test_an_output_of_probability_ten_to_the_minus_thirty_can_be_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiny = Fraction(1, 10**30)
    channel = Channel([[tiny, 1 - tiny]], outputs=["rare", "usual"])
    monkeypatch.setattr(os, "urandom", lambda count: bytes(count))
    assert sample(channel, 0) == "rare"  # 0.000… is below 10^−30
    words = iter([bytes(4)])
    monkeypatch.setattr(os, "urandom", lambda count: next(words, b"\1" * count))
    assert sample(channel, 0) == "usual"


def test_many_outputs_take_longer_words() -> None:
    n = 2**16 + 1
    channel = Channel.no_interference(1, None)
    assert AliasTable.of(channel.matrix).word == "<u4"
    uniform = Channel([[Fraction(1, n)] * n])
    assert AliasTable.of(uniform.matrix).word == "<u8"
    drawn = sample(uniform, np.zeros(1000, dtype=int), np.random.default_rng(5))
    assert drawn.min() >= 0
    assert drawn.max() < n
    assert len(np.unique(drawn)) > 950


def test_ten_million_draws_fit_the_channel_and_not_a_slightly_different_one() -> None:
    rng = np.random.default_rng(11)
    channel = Channel.normalised([[int(w) for w in row] for row in rng.integers(1, 2**57, (8, 20))])
    inputs = rng.integers(0, 8, 10**7)
    drawn = sample(channel, inputs, rng)
    counts = np.bincount(inputs * 20 + drawn, minlength=160).reshape(8, 20)
    expected = counts.sum(axis=1)[:, None] * channel.to_numpy()
    assert misfit(counts, expected) < 1
    wrong = expected * np.where(np.arange(20) % 2, 1.01, 0.99)
    wrong *= (expected.sum(axis=1) / wrong.sum(axis=1))[:, None]
    assert misfit(counts, wrong) > 1


def test_rows_are_drawn_independently_of_one_another() -> None:
    drawn = sample(COIN, ["no", "yes"] * 10**6, np.random.default_rng(2))
    pairs = Counter(zip(drawn[::2], drawn[1::2], strict=True))
    chances = {(a, b): float(COIN["no", a] * COIN["yes", b]) for a in ANSWERS for b in ANSWERS}
    counts = np.array([[pairs[pair] for pair in chances]])
    assert misfit(counts, 10**6 * np.array([list(chances.values())])) < 1


def test_what_has_probability_0_is_never_drawn_and_1_always() -> None:
    assert sample(Channel.identity(["a", "b", "c"]), list("cabac")) == list("cabac")
    assert sample(Channel.no_interference(3), [2, 0, 1]) == [0, 0, 0]
    holes = Channel([[0, "1/2", 0, "1/2", 0]])
    assert set(sample(holes, [0] * 10_000)) == {1, 3}


# --- what is given and what comes back ------------------------------------------------------


def test_each_kind_of_column_gives_its_own_kind() -> None:
    exact = Channel.identity(ANSWERS)
    assert sample(exact, "yes") == "yes"
    assert sample(exact, np.str_("yes")) == "yes"
    assert sample(exact, ("yes", "no")) == ["yes", "no"]
    assert sample(exact, iter(["yes", "no"])) == ["yes", "no"]
    assert sample(exact, []) == []
    square = np.array([["yes", "no"], ["no", "no"]])
    assert np.array_equal(sample(exact, square), square)
    assert sample(exact, square).dtype.kind == "U"
    series = pd.Series(["no", "yes"], index=[7, 3], name="answer")
    pd.testing.assert_series_equal(sample(exact, series), series)
    pd.testing.assert_series_equal(sample(exact, series.astype("category")), series)
    assert sample(exact, pd.Series([], dtype=object, name="none")).empty
    assert sample(exact, np.array([], dtype=str)).shape == (0,)


def test_labels_come_back_as_they_are() -> None:
    pairs = [("a", 1), ("a", "b")]
    assert sample(Channel.identity(pairs), ("a", 1)) == ("a", 1)
    array = sample(Channel([[0, 1]], outputs=pairs), np.array([0, 0]))
    assert array.dtype == object
    assert array.tolist() == [("a", "b")] * 2
    assert sample(Channel.identity(3), np.array([2, 1])).dtype == np.int64
    large = Channel([[0, 1]], outputs=[-1, 2**63])
    assert sample(large, np.array([0])).tolist() == [2**63]
    mixed = Channel([[0, 1]], outputs=["1", 1])
    assert sample(mixed, np.array([0])).tolist() == [1]


@given(
    st.lists(st.integers(-(2**21), 2**21), min_size=1, max_size=6, unique=True),
    st.sampled_from(["int8", "uint8", "int64", "uint64", "float64", "object"]),
    st.data(),
)
def test_numbers_are_looked_up_alike_in_a_list_and_in_an_array(
    labels: list[int], dtype: str, data: st.DataObject
) -> None:
    channel = Channel.identity(labels)
    wanted = data.draw(st.lists(st.sampled_from([*labels, 0, 1, 127, 128]), max_size=5))
    array = np.array(wanted, dtype=object).astype(np.int64).astype(dtype)
    if array.tolist() != wanted:  # this type cannot hold them
        return
    if set(wanted) <= set(labels):
        assert sample(channel, array).tolist() == sample(channel, wanted) == wanted
    else:
        with pytest.raises(Mismatch) as by_array:
            sample(channel, array)
        with pytest.raises(Mismatch) as by_list:
            sample(channel, array.tolist())
        assert str(by_array.value) == str(by_list.value)


def test_the_same_seed_gives_the_same_draws() -> None:
    inputs = ["no", "yes"] * 500
    first, again, other = (sample(COIN, inputs, np.random.default_rng(s)) for s in (7, 7, 8))
    assert first == again
    assert first != other
    assert sample(COIN, np.array(inputs), np.random.default_rng(7)).tolist() == first


def test_channels_in_parallel_answer_a_database_record_by_record() -> None:
    both = parallel(Channel.identity(["no", "yes"]), Channel.identity([1, 2]), COIN)
    drawn = {sample(both, ("yes", 2, "no")) for _ in range(100)}
    assert drawn == {("yes", 2, "no"), ("yes", 2, "yes")}


def test_random_bits_come_from_the_operating_system_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, real = list[int](), os.urandom

    def counted(count: int) -> bytes:
        asked.append(count)
        return real(count)

    monkeypatch.setattr(os, "urandom", counted)
    sample(COIN, ["no"] * 100)
    geometric_noise(100, ratio=2)
    assert sum(asked) >= 500
    asked.clear()
    sample(COIN, ["no"] * 100, np.random.default_rng(1))
    geometric_noise(100, ratio=2, rng=np.random.default_rng(1))
    assert asked == []


@pytest.mark.parametrize(
    ("channel", "inputs", "error", "message"),
    [
        (Channel([[0.5, 0.5]]), 0, InvalidChannel, "channel.exact() makes it exact"),
        (COIN, "yess", Mismatch, "what is given is no input of the channel; there are 'no', 'yes'"),
        (COIN, ["no", "yess"], Mismatch, "inputs[1] is no input of the channel; there are 'no'"),
        (COIN, ["no", ["yes"]], Mismatch, "inputs[1] is no input of the channel"),
        (COIN, pd.Series(["no", None]), Mismatch, "inputs[1] is no input of the channel"),
        (COIN, 3, Mismatch, "what is given is no input of the channel; there are 'no', 'yes'"),
        (parallel(COIN, COIN), ["no"], Mismatch, "the database must have 2 records, got 1"),
        (parallel(COIN, COIN), ["no", "oui"], Mismatch, "inputs[1] is no input of the channel"),
        ([[1]], 0, InvalidChannel, "expected a Channel"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    channel: Any, inputs: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        sample(channel, inputs)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_seed_is_no_generator() -> None:
    with pytest.raises(InvalidInput, match=r"numpy.random.default_rng\(7\), got 12"):
        sample(COIN, "no", 12)  # type: ignore[arg-type]


# --- noise ---------------------------------------------------------------------------------


def two_sided(c: Fraction, k: int) -> Fraction:
    return (1 - c) / (1 + c) * c ** abs(k)


@pytest.mark.parametrize(
    ("ratio", "digit"),
    [
        (Fraction(2), 4),
        (Fraction(3), 4),
        (Fraction(1000), 4),
        (Fraction(5, 4), 4),  # one digit below the rest
        (Fraction(11, 10), 2),  # three
    ],
)
def test_all_sections_together_give_the_noise_its_probabilities(
    ratio: Fraction, digit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each number falls into every section; the mass of a path is enclosed by the cuts."""
    monkeypatch.setattr(noise_module, "DIGIT", digit)
    monkeypatch.setattr(noise_module, "LAST", 2**digit - 1)
    bits, deepest = 200, 4
    found: dict[int, Fraction] = {}
    missing, waiting = Fraction(0), [(tuple[int, ...](), Fraction(1))]
    parts = list[Fraction]()
    while waiting:
        path, mass = waiting.pop()
        ahead = iter(path)

        def scripted(cuts: Cuts, count: int, source: RandomBytes) -> npt.NDArray[np.uint8]:
            section = next(ahead, None)  # noqa: B023
            if section is None:
                low, high = cuts(bits)
                assert all(0 <= b - a <= 2 for a, b in zip(low, high, strict=True))
                parts[:] = [Fraction(b - a, 2**bits) for a, b in pairwise([0, *low, 2**bits])]
                raise OutOfBytes
            assert count == 1
            return np.array([section], dtype=np.uint8)

        monkeypatch.setattr(noise_module, "sections", scripted)
        try:
            k = int(geometric_noise(1, ratio=ratio)[0])
        except OutOfBytes:
            if len(path) == deepest:
                missing += mass
            else:
                waiting += [((*path, i), mass * part) for i, part in enumerate(parts)]
        else:
            found[k] = found.get(k, Fraction(0)) + mass
    assert missing < Fraction(1, 2**20)
    assert missing + sum(found.values()) == 1
    slack = missing + Fraction(1, 2 ** (bits - 10))
    for k, mass in found.items():
        assert abs(mass - two_sided(1 / ratio, k)) < slack


@pytest.mark.parametrize("epsilon", [1, "0.1", "ln 3", 8])
def test_a_million_draws_fit_the_geometric_distribution(epsilon: str | int) -> None:
    c = 1 / Ratio.of(epsilon=epsilon).lower
    size = 2 * 10**6
    drawn = geometric_noise(size, epsilon=epsilon, rng=np.random.default_rng(17))
    edge = next(k for k in range(1, 10**4) if size * two_sided(c, k + 1) < 20)
    inner = np.arange(-edge + 1, edge)
    tail = float(c**edge / (1 + c))
    chances = np.array([tail, *(float(two_sided(c, int(k))) for k in inner), tail])
    counts = np.bincount(np.clip(drawn, -edge, edge) + edge, minlength=2 * edge + 1)
    assert abs(chances.sum() - 1) < 1e-12
    assert misfit(counts[None], size * chances[None]) < 1
    shifted = np.roll(counts, 1)
    assert misfit(shifted[None], size * chances[None]) > 1


def test_small_epsilon_spreads_as_it_should() -> None:
    """Quartiles of |k| at ε = 10^−6: P(|k| ≥ m) = 2·c^m/(1+c)."""
    drawn = np.abs(geometric_noise(10**5, epsilon="1e-6", rng=np.random.default_rng(4)))
    for share in (0.25, 0.5, 0.9):
        m = round(-np.log(share) * 10**6)
        assert abs((drawn >= m).mean() - share) < 0.01
    assert len(np.unique(drawn % 1024)) == 1024


def test_tiny_and_huge_epsilon_are_drawn() -> None:
    rng = np.random.default_rng(1)
    wide = geometric_noise(200, ratio=1 + Fraction(1, 2**300), rng=rng)
    assert wide.dtype == object
    sizes = sorted(abs(k).bit_length() for k in wide)
    assert 298 <= sizes[100] <= 302
    assert {k % 2 for k in wide} == {0, 1}
    assert not geometric_noise(1000, epsilon=10**5, rng=rng).any()
    assert geometric_noise(0, ratio=2).shape == (0,)


def test_noise_that_is_too_long_for_64_bits_is_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8 bits in place of 62: the same numbers, in Python's integers as soon as one is long."""
    for epsilon, long in (("0.01", True), ("1", False)):
        monkeypatch.undo()
        wide = geometric_noise(1000, epsilon=epsilon, rng=np.random.default_rng(2))
        monkeypatch.setattr(noise_module, "WIDTH", 8)
        kept = geometric_noise(1000, epsilon=epsilon, rng=np.random.default_rng(2))
        assert kept.tolist() == wide.tolist()
        assert (kept.dtype == object) == long == (abs(wide).max() >= 2**8)
        assert wide.dtype == np.int64


def test_noise_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="an ε above 0"):
        geometric_noise(1, epsilon=0)
    with pytest.raises(InvalidNumber, match="exactly one of ratio= and epsilon="):
        geometric_noise(1)
    for size in (-1, 1.5, "3"):
        with pytest.raises(InvalidNumber, match="how many integers"):
            geometric_noise(size, ratio=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variance", "digit", "steps", "rare"),
    [
        ("1/3", 4, 3, 12),  # m = 1: h and a sign alone
        ("17", 4, 3, 12),  # m = 2, all of n by its digits
        ("17", 1, 4, 1),  # digits of a bit each, and lower bits that are decided together
        ("200/3", 2, 3, 2),  # m = 4
    ],
)
def test_all_sections_together_give_gaussian_noise_its_probabilities(
    variance: str, digit: int, steps: int, rare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is drawn falls into every section; a path's mass is w(k)/(2·m·Σ_h w(h·m))."""
    for name, value in (("DIGIT", digit), ("LAST", 2**digit - 1), ("STEPS", steps), ("RARE", rare)):
        monkeypatch.setattr(gaussian_module, name, value)
    bits, most = 200, 2 * steps
    spread = 2 * fmpq(*Fraction(variance).as_integer_ratio())
    shape = gaussian_module._Shape.of(spread / 2)
    found: dict[int | None, Fraction] = {}
    waiting, parts = [(tuple[int, ...](), Fraction(1))], list[Fraction]()
    far = Fraction(0)
    while waiting:
        path, mass = waiting.pop()
        ahead = iter(path)

        def chosen(masses: list[Fraction]) -> int:
            section = next(ahead, None)  # noqa: B023
            if section is None:
                parts[:] = masses
                raise OutOfBytes
            return section

        def scripted(cuts: Cuts, count: int, source: RandomBytes) -> npt.NDArray[np.uint8]:
            low, high = cuts(bits)
            assert count == 1
            assert all(0 <= b - a <= 2 for a, b in zip(low, high, strict=True))
            masses = [Fraction(b - a, 2**bits) for a, b in pairwise([0, *low, 2**bits])]
            return np.array([chosen(masses)], dtype=np.uint8)

        def fair(count: int, size: int, source: RandomBytes) -> npt.NDArray[np.int64]:
            return np.array([chosen([Fraction(1, 2**size)] * 2**size)])

        def compared(chance: Chance, word: int, start: int, source: RandomBytes) -> bool:
            assert word == start == 0
            below = Fraction(min(chance(bits)[0], 2**bits), 2**bits)
            return chosen([1 - below, below]) == 1

        monkeypatch.setattr(gaussian_module, "sections", scripted)
        monkeypatch.setattr(gaussian_module, "_random", fair)
        monkeypatch.setattr(gaussian_module, "is_below", compared)
        try:
            [*kept] = shape.proposed(1, os.urandom).tolist()
        except OutOfBytes:
            if path == (steps, steps):  # h is at least twice as many
                far += mass
            else:
                waiting += [((*path, i), mass * part) for i, part in enumerate(parts) if part]
        else:
            k = kept[0] if kept else None
            found[k] = found.get(k, Fraction(0)) + mass
    assert far + sum(found.values()) == 1
    m = 2**shape.bits
    near = set(range(-most * m + 1, most * m))
    assert set(found) - {None} == near
    before, ctx.prec = ctx.prec, bits + 64
    try:
        whole = sum(((-arb(fmpq(h * h * m * m) / spread)).exp() for h in range(400)), arb(0))
        for k in near:
            expected = (-arb(fmpq(k * k) / spread)).exp() / (2 * m * whole)
            off = abs(expected - arb(fmpq(*found[k].as_integer_ratio())))
            assert off < arb(2) ** (20 - bits)
    finally:
        ctx.prec = before


@pytest.mark.parametrize("variance", ["1/3", "2", "17", "2500"])
def test_a_million_draws_fit_the_discrete_gaussian(variance: str) -> None:
    sigma2, size = Fraction(variance), 10**6
    drawn = np.array(gaussian_noise(size, sigma2, np.random.default_rng(17)))
    weights = np.exp(-(np.arange(-2000, 2001) ** 2) / (2 * float(sigma2)))
    chances = weights / weights.sum()
    edge = int((chances * size > 20).sum()) // 2
    inner = chances[2000 - edge + 1 : 2000 + edge]
    tail = chances[2000 + edge :].sum()
    counts = np.bincount(np.clip(drawn, -edge, edge) + edge, minlength=2 * edge + 1)
    expected = size * np.array([[tail, *inner, tail]])
    assert misfit(counts[None], expected) < 1
    assert misfit(np.roll(counts, 1)[None], expected) > 1


def test_gaussian_noise_that_is_too_long_for_64_bits_is_kept_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = gaussian_noise(500, Fraction(10**6), np.random.default_rng(2))
    monkeypatch.setattr(gaussian_module, "WIDTH", 8)
    assert gaussian_noise(500, Fraction(10**6), np.random.default_rng(2)) == wide
    for size in (-1, 1.5, "3"):
        with pytest.raises(InvalidNumber, match="how many integers"):
            gaussian_noise(size, Fraction(1))  # type: ignore[arg-type]


def test_bytes_of_a_generator_are_used_as_they_are() -> None:
    assert random_bytes(np.random.default_rng(3))(8) == np.random.default_rng(3).bytes(8)
