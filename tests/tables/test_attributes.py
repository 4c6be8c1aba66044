"""Odds about one attribute: never below what any output tells, and tight where they can be."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight import Policy, SecretGraph, count
from leaktight.exact.ratio import Ratio
from leaktight.tables import TableQuery, count_of, cumulative, histogram, sum_of
from leaktight.tables.attributes import attribute_odds
from leaktight.tables.calibration import allowance, calibrated
from leaktight.tables.odds import collected, exact_falls
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.tables.databases import entries, output_channel

COLUMNS = ("sex", "health")


def people(all_at_once: bool) -> SecretGraph:
    graphs = SecretGraph.complete(["f", "m"]), SecretGraph.line(["well", "cold", "flu"])
    return (SecretGraph.strong_product if all_at_once else SecretGraph.product)(*graphs)


def values_of(whom: PrivacyUnit) -> list[Any]:
    return list(whom.values)


QUERIES: list[list[TableQuery]] = [
    [histogram("h", ordered=False)],
    [histogram("sex", by=["sex"], ordered=False)],
    [cumulative("health", by=["health"])],
    [histogram("health", by=["health"], ordered=False), count_of("one", [("f", "flu")])],
    [sum_of("s", {("f", "flu"): 2, ("m", "cold"): 1, ("m", "flu"): -1})],
]


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(QUERIES),
    st.booleans(),
    st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any),
    st.sampled_from([2, 7]),
)
def test_no_output_tells_more_of_an_attribute_than_is_said(
    queries: list[TableQuery], all_at_once: bool, parts: list[int], ratio: int
) -> None:
    whom = PrivacyUnit(Policy(people(all_at_once), 1))
    noise = calibrated(whom, queries, Ratio.of(ratio), COLUMNS)
    prior = [Fraction(part, sum(parts)) for part in parts]
    found = attribute_odds(whom, [noise.paid], prior, COLUMNS)
    assert [each.attribute for each in found] == list(COLUMNS)
    if entries(noise) > 3000:
        return
    matrix = [[Fraction(int(p.p), int(p.q)) for p in row] for row in output_channel(noise).matrix]
    for k, each in enumerate(found):
        for odds in each.values:
            inside = [v[k] == odds.value for v in values_of(whom)]
            assert odds.before == sum(p for p, is_in in zip(prior, inside, strict=True) if is_in)
            for column in zip(*matrix, strict=True):
                joint = [p * c for p, c in zip(prior, column, strict=True)]
                if sum(joint):
                    own = sum(j for j, is_in in zip(joint, inside, strict=True) if is_in)
                    assert own / sum(joint) <= odds.after <= 1


@pytest.mark.parametrize("queries", QUERIES[:3])
def test_of_one_histogram_or_cumulative_count_some_output_tells_as_much(
    queries: list[TableQuery],
) -> None:
    whom = PrivacyUnit(Policy(people(False), 1))
    noise = calibrated(whom, queries, Ratio.of(4), COLUMNS)
    matrix = output_channel(noise).matrix
    for k, each in enumerate(attribute_odds(whom, [noise.paid], None, COLUMNS)):
        for odds in each.values:
            inside = np.array([v[k] == odds.value for v in values_of(whom)])
            attained = max(sum(c[inside]) / sum(c) for c in matrix.T if sum(c))
            if queries is QUERIES[0]:  # the first bound, of all values that are not asked for
                assert Fraction(int(attained.p), int(attained.q)) <= odds.after
            else:
                assert Fraction(int(attained.p), int(attained.q)) == odds.after


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(QUERIES),
    st.lists(st.integers(1, 9), min_size=6, max_size=6),
    st.sampled_from([2, 5]),
)
def test_the_linear_program_over_all_that_the_ratios_allow_is_no_larger(
    queries: list[TableQuery], parts: list[int], ratio: int
) -> None:
    """Another route: the largest chance over all k ≥ 0 with k_v ≤ R(u, v)·k_u, by HiGHS."""
    whom = PrivacyUnit(Policy(people(True), 9))
    paid = [calibrated(whom, queries, Ratio.of(ratio), COLUMNS).paid]
    prior = [Fraction(part, sum(parts)) for part in parts]
    told = collected(whom, paid)
    assert told is not None
    falls = exact_falls(whom, told)
    assert falls is not None
    size, weights = len(prior), np.array(list(map(float, prior)))
    rows = []
    for u in range(size):
        for v in range(size):
            row = np.zeros(size)
            row[v], row[u] = float(falls[u, v].p) / float(falls[u, v].q), -1
            if u != v:
                rows.append(row)
    for k, each in enumerate(attribute_odds(whom, paid, prior, COLUMNS)):
        for odds in each.values:
            inside = np.array([v[k] == odds.value for v in values_of(whom)])
            best = linprog(
                -weights * inside, np.array(rows), np.zeros(len(rows)), weights[None, :], [1.0]
            )
            assert best.fun is not None
            assert -best.fun <= float(odds.after) * (1 + 1e-9)


def test_floats_are_never_below_exact_numbers_and_near_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whom = PrivacyUnit(Policy(people(True), 9))
    paid = [calibrated(whom, queries, Ratio.of(3), COLUMNS).paid for queries in QUERIES]
    prior = ["1/2", "1/4", "1/16", "1/8", "1/32", "1/32"]
    exact = attribute_odds(whom, paid, prior, COLUMNS)
    monkeypatch.setattr("leaktight.tables.odds.EXACT_VALUES", 1)
    floats = attribute_odds(whom, paid, prior, COLUMNS)
    for one, other in zip(exact, floats, strict=True):
        near = {each.value: each.after for each in other.values}
        for each in one.values:
            assert each.after <= near[each.value] <= each.after * (1 + Fraction(1, 2**30))


def test_what_was_not_asked_about_stays_as_likely_as_it_was() -> None:
    whom = PrivacyUnit(Policy(people(False), 9))
    paid = [calibrated(whom, [histogram("s", by=["sex"])], Ratio.of(9), COLUMNS).paid]
    sex, health = attribute_odds(whom, paid, None, COLUMNS)
    assert all(each.after == each.before == Fraction(1, 3) for each in health.values)
    assert sex.after == Fraction(9, 10)
    assert str(sex) == "sex: 50% → ≤ 90%"


def test_several_rows_of_a_person_and_who_is_absent() -> None:
    secrets = SecretGraph.add_remove([("f", "ill"), ("f", "well"), ("m", "ill"), ("m", "well")])
    whom = PrivacyUnit(Policy(secrets, 9), people="change")
    paid = [calibrated(whom, [histogram("h", by=["health"])], Ratio.of(3), COLUMNS).paid]
    sex, health = attribute_odds(whom, paid, None, COLUMNS)
    assert sex.after == Fraction(1, 2)
    assert health.after == Fraction(9, 10)  # two values are two steps of 3 apart
    assert attribute_odds(whom, [*paid, *paid], None, COLUMNS) == ()  # others each time
    often = PrivacyUnit(Policy(people(False), 9), rows_per_person=2)
    paid = [calibrated(often, [histogram("s", by=["sex"])], Ratio.of(4), COLUMNS).paid]
    sex, health = attribute_odds(often, paid, None, COLUMNS)
    assert sex.after == Fraction(4, 5)  # 2 for each row
    assert health.after == Fraction(1, 2)  # the other row may hang together with it


def test_under_public_counts_nothing_is_told() -> None:
    secrets = SecretGraph.complete(["a", "b"])
    whom = PrivacyUnit(Policy(secrets, 9, constraints=[count(["a"], equals=4)]))
    paid = [calibrated(whom, [histogram("h")], Ratio.of(3)).paid]
    assert attribute_odds(whom, paid) == ()


@pytest.mark.parametrize("rho", ["1/50", "1/4", "1"])
def test_after_gaussian_noise_a_guess_is_bounded_on_average(rho: str) -> None:
    """The true chance by adding up the noise of both cells, far out in both directions."""
    whom = PrivacyUnit(Policy(people(False), 9))
    allowed = allowance(noise="gaussian", rho=rho)
    noise = calibrated(whom, [histogram("s", by=["sex"], ordered=False)], allowed, COLUMNS)
    sex, health = attribute_odds(whom, [noise.paid], None, COLUMNS)
    assert health.average == (Fraction(1, 3), Fraction(1, 3))
    assert sex.average is not None
    assert sex.values == ()
    [own] = noise.noises
    assert own is not None
    far = int(12 * float(own.variance) ** 0.5) + 3
    mass = np.exp(-(np.arange(-far, far + 1) ** 2) / (2 * float(own.variance)))
    mass /= mass.sum()
    still, moved = np.append(mass, 0), np.append(0, mass)
    both = np.maximum(np.outer(moved, still), np.outer(still, moved)).sum() / 2
    assert float(sex.before) == 0.5
    assert both <= float(sex.after) + 1e-12
    assert float(sex.after) <= 1.25 * both  # no far cry from it
    skewed = ["1/2", "1/10", "1/10", "1/10", "1/10", "1/10"]  # health hangs together with sex
    assert attribute_odds(whom, [noise.paid], skewed, COLUMNS) == ()
