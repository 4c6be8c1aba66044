"""Queries: each kind asks for what it means, and its intervals hold as often as they say."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidInput
from leaktight.exact.ratio import Ratio
from leaktight.tables import (
    Answer,
    TableQuery,
    count_of,
    cumulative,
    hierarchy,
    histogram,
    mean_of,
    median_of,
    quantiles_of,
    sum_of,
)
from leaktight.tables.calibration import Noise, allowance, calibrated
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import drawn
from leaktight.tables.queries import KINDS
from leaktight.tables.rows import Counted

DAYS = [(sex, days) for sex in ("f", "m") for days in range(5)]
COLUMNS = ("sex", "days")


def protection(people: str, values: list[Any] = DAYS, records: int = 60) -> PrivacyUnit:
    graph = SecretGraph.add_remove if people == "change" else SecretGraph.complete
    return PrivacyUnit(Policy(graph(values), records), people=people)


def noise_of(protected: PrivacyUnit, asked: list[TableQuery], epsilon: float) -> Noise:
    return calibrated(protected, asked, Ratio.of(None, epsilon), COLUMNS)


def counts_of(protected: PrivacyUnit, there: dict[Any, int]) -> Counted:
    return Counted(np.array([there.get(v, 0) for v in protected.values], dtype=np.int64), ())


def answered(noise: Noise, counts: Counted, seed: int) -> dict[str, Answer]:
    answers = noise.answers(drawn(noise, counts, np.random.default_rng(seed)))
    return {answer.name: answer for answer in answers}


def quantile(counts: list[int], share: Fraction) -> int:
    total = sum(counts)
    return next(i for i, up_to in enumerate(accumulate(counts)) if up_to >= share * total)


def test_what_ledgers_have_of_the_first_kinds_is_as_it_always_was() -> None:
    """Written by hand from a ledger of before: a question that differs is another question."""
    nothing: dict[str, Any] = {"by": [], "groups": [], "values": [], "weights": []}
    nothing |= {"fanout": 2, "share": 1, "name": "a"}
    for query, own in (
        (histogram("a", by=["x"], share=3), {"kind": "histogram", "by": ["x"], "share": 3}),
        (
            histogram("a", groups={"low": [1, "b"]}, ordered=True),
            {"kind": "ordered histogram", "groups": [["'low'", ["1", "'b'"]]]},
        ),
        (histogram("a", ordered=False), {"kind": "plain histogram"}),
        (cumulative("a", by=["x"]), {"kind": "cumulative", "by": ["x"]}),
        (count_of("a", [1, "b"]), {"kind": "count", "values": ["1", "'b'"]}),
        (sum_of("a", {"b": 2}), {"kind": "sum", "weights": [["'b'", 2]]}),
        (sum_of("a"), {"kind": "sum"}),
        (hierarchy("a", fanout=4), {"kind": "hierarchy", "fanout": 4}),
    ):
        assert query.to_dict() == nothing | own


@pytest.mark.parametrize("people", ["change", "fixed"])
def test_with_hardly_any_noise_everything_is_as_it_is(people: str) -> None:
    there = {("f", 0): 5, ("f", 2): 7, ("m", 1): 3, ("m", 4): 9, ("m", 3): 1}
    protected = protection(people, records=25)
    asked = [
        sum_of("sum", column="days", by=["sex"]),
        sum_of("clamped", column="days", clamp=[1, 3]),
        sum_of("weighed", {2: 10}, column="days", by=["sex"]),
        mean_of("mean", "days"),
        mean_of("means", "days", by=["sex"], clamp=[0, 3]),
        median_of("median", "days", by=["sex"]),
        quantiles_of("quantiles", ["0.1", "1/2", "0.9"], "days"),
    ]
    found = answered(noise_of(protected, asked, 10**5), counts_of(protected, there), 1)
    assert found["sum"].cells == ("f", "m")
    assert found["sum"].numbers == (14, 3 + 36 + 3)
    assert found["clamped"].numbers == (5 + 14 + 3 + 27 + 3,)
    assert found["weighed"].numbers == (70, 0)
    assert found["mean"].numbers == (Fraction(56, 25),)
    assert found["means"].numbers == (Fraction(14, 12), Fraction(3 + 27 + 3, 13))
    assert found["median"].numbers == (2, 4)
    assert found["quantiles"].cells == ("10%", "50%", "90%")
    assert found["quantiles"].numbers == (0, 2, 4)
    for answer in found.values():
        for number, (low, high) in zip(answer.numbers, answer.intervals(), strict=True):
            assert low <= number <= high
            assert high - low < Fraction(1, 1000)


def test_a_mean_over_a_number_that_is_known_has_one_noise() -> None:
    [known] = noise_of(protection("fixed"), [mean_of("m", "days")], 1).expected
    [changing] = noise_of(protection("change"), [mean_of("m", "days")], 1).expected
    assert (known.way, changing.way) == ("a sum and a count", "two sums")
    found = answered(
        noise_of(protection("fixed"), [mean_of("m", "days")], 1),
        counts_of(protection("fixed"), {("f", 1): 60}),
        1,
    )
    assert found["m"].noises == (1,)


def test_numbers_need_not_be_whole() -> None:
    protected = protection("fixed", [(s, x) for s in "fm" for x in (0.5, 1.25, 2)], 6)
    noise = noise_of(protected, [sum_of("s", column="days"), mean_of("m", "days")], 10**5)
    found = answered(noise, counts_of(protected, {("f", 0.5): 2, ("m", 1.25): 4}), 1)
    assert found["s"].numbers == (6,)
    assert found["m"].numbers == (1,)


def test_quantiles_are_counted_up_where_neighbours_are_near() -> None:
    near = PrivacyUnit(Policy(SecretGraph.line(101), 1000))
    [median] = calibrated(near, [median_of("age")], Ratio.of(2)).expected
    assert median.way == "numbers up to each value"
    [changing] = noise_of(protection("change"), [median_of("m", "days")], 1).expected
    assert changing.way == "a histogram"


def test_queries_of_no_number_are_refused() -> None:
    no_number: Any = {2: "x"}
    for wrong, said in (
        (mean_of("m", "sex"), "needs a number for each value, got 'f'"),
        (mean_of("m"), "needs column: which of"),
        (mean_of("m", "days", clamp=[7, 9]), "is of one number alone, 7"),
        (mean_of("m", "dyas"), r"asks for the column 'dyas', and the columns of the release are"),
        (sum_of("s", no_number, column="days"), "must be whole numbers, got .x."),
    ):
        with pytest.raises(InvalidInput, match=said):
            noise_of(protection("fixed"), [wrong], 1)
    wrong_ones: list[tuple[Callable[[], object], str]] = [
        (lambda: mean_of("m", "days", clamp=[3]), r"is \[least, largest\], got 1"),
        (lambda: mean_of("m", "days", clamp=[3, 3]), "must rise"),
        (lambda: quantiles_of("q", []), "between 0 and 1"),
        (lambda: quantiles_of("q", [0, 1]), "between 0 and 1"),
        (lambda: sum_of("s", error=-1), "must be a number above 0"),
        (lambda: sum_of("s", share=2, error=1), "a share or an error, got both"),
    ]
    for make, said in wrong_ones:
        with pytest.raises(InvalidInput, match=said):
            make()


def test_every_kind_says_its_keys() -> None:
    assert set(KINDS) == {
        *("histogram", "plain histogram", "ordered histogram", "cumulative", "count", "sum"),
        *("mean", "median", "quantiles", "hierarchy"),
    }


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_quantile_is_that_of_the_counts(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(any))
    share = Fraction(data.draw(st.integers(1, 19)), 20)
    protected = PrivacyUnit(Policy(SecretGraph.line(len(counts)), sum(counts)))
    noise = calibrated(protected, [quantiles_of("q", [share])], Ratio.of(2**200))
    there = counts_of(protected, dict(enumerate(counts)))
    assert answered(noise, there, 1)["q"].numbers == (quantile(counts, share),)


@pytest.mark.parametrize("kind", ["geometric", "gaussian"])
@pytest.mark.parametrize("people", ["change", "fixed"])
def test_an_error_that_is_asked_for_is_kept_and_hardly_undercut(kind: str, people: str) -> None:
    asked = [
        histogram("h", by=["sex"], error=20),
        mean_of("m", "days", by=["sex"], error=100),
        median_of("q", "days", error="5.5"),
        sum_of("s", column="days", error=30),
    ]
    noise = calibrated(protection(people), asked, allowance(kind, queries=asked), COLUMNS)
    for query, error in zip(asked, noise.expected, strict=True):
        assert query.error is not None
        assert error.cell <= query.error**2
        assert error.cell >= query.error**2 * Fraction(96, 100)
    alone = calibrated(protection(people), asked[:1], allowance(kind, queries=asked[:1]), COLUMNS)
    assert float(alone.expected[0].cell) == pytest.approx(400, rel=1e-9)
    assert noise.cost > alone.cost


def test_errors_that_cost_more_than_is_allowed_are_refused() -> None:
    asked = [histogram("h", by=["sex"], error=2)]
    with pytest.raises(InvalidInput, match=r"errors of 'h' cost more than ε = 0.1, which"):
        calibrated(protection("fixed"), asked, allowance(epsilon="0.1"), COLUMNS)
    both = calibrated(protection("fixed"), [*asked, histogram("x")], allowance(epsilon=9), COLUMNS)
    wanted, rest = both.expected
    assert wanted.cell <= 4
    assert 0 < rest.cell < 4


def test_a_sum_beside_histograms_does_not_widen_their_noise_beyond_its_share() -> None:
    """Two queries that all pay for: each has half of ε, so that the noise is twice as wide."""
    protected = protection("fixed", [(s, d) for s in "fm" for d in range(9)])
    alone = noise_of(protected, [histogram("h", ordered=False)], 1).expected[0]
    total = sum_of("s", column="days")
    both = noise_of(protected, [histogram("h", ordered=False), total], 1).expected[0]
    assert (float(both.cell) / float(alone.cell)) ** 0.5 == pytest.approx(2, rel=0.05)
