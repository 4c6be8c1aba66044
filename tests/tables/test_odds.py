"""Odds about one person: never below what the exact output channel gives."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph
from leaktight.channels.distribution import PriorLike
from leaktight.exact.ratio import Ratio
from leaktight.tables import TableQuery, cumulative, histogram
from leaktight.tables.budget import Paid
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.odds import Odds, odds
from leaktight.tables.protection import Protection
from tests.strategies.graphs import secret_graphs
from tests.tables.databases import entries, output_channel
from tests.tables.test_calibration import questions


def told(protection: Protection, releases: list[tuple[Paid, int]], prior: PriorLike = None) -> Odds:
    found = odds(protection, releases, prior)
    assert found is not None
    return found


def surest(noise: Noise, prior: list[Fraction]) -> Fraction:
    """Return the largest chance of a value after any output of one record."""
    channel = output_channel(noise)
    best = Fraction(0)
    for column in channel.matrix.T:
        joint = [p * Fraction(int(k.p), int(k.q)) for p, k in zip(prior, column, strict=True)]
        if sum(joint):
            best = max(best, max(joint) / sum(joint))
    return best


@settings(max_examples=50)
@given(st.data(), secret_graphs(least=2, most=4), st.sampled_from([2, 5]))
def test_no_output_makes_anyone_surer_than_the_odds_say(
    data: st.DataObject, secrets: SecretGraph, ratio: int
) -> None:
    protection = Protection(Policy(secrets, 1))
    noise = calibrated(protection, data.draw(questions(secrets.vertices)), Ratio.of(ratio))
    parts = data.draw(st.lists(st.integers(1, 9), min_size=secrets.order, max_size=secrets.order))
    prior = [Fraction(part, sum(parts)) for part in parts]
    if entries(noise) <= 3000:
        found = told(protection, [(noise.paid, 1)], prior)
        assert surest(noise, prior) <= found.after <= 1
        assert found.before == max(prior)


@pytest.mark.parametrize("query", [histogram("h", ordered=False), cumulative("c")])
def test_the_odds_are_attained_by_a_histogram_and_at_the_ends_of_a_line(query: TableQuery) -> None:
    protection = Protection(Policy(SecretGraph.line(3), 1))
    noise = calibrated(protection, [query], Ratio.of(4))
    found = told(protection, [(noise.paid, 1)])
    truth = surest(noise, [Fraction(1, 3)] * 3)
    assert truth <= found.after <= truth * (1 + Fraction(1, 2**40))


def test_after_n_releases_the_odds_are_those_of_the_product() -> None:
    protection = Protection(Policy(SecretGraph.complete(["no", "yes"]), 9))
    noise = calibrated(protection, [histogram("h", ordered=False)], Ratio.of(2))
    level = float(noise.level.value)
    for times in (1, 2, 10):
        found = told(protection, [(noise.paid, times)])
        assert found.after == pytest.approx(level**times / (level**times + 1), rel=1e-12)
    assert str(odds(protection, [])) == (
        "a guess about one person is right with 50% before, and at most 50.1% after, all others "
        "known"
    )


def test_what_is_told_without_noise_is_known_for_certain() -> None:
    towns = SecretGraph.partition([["Bern", "Thun"], ["Basel"]])
    protection = Protection(Policy(towns, 9))
    own = histogram("cantons", groups={"BE": ["Bern", "Thun"], "BS": ["Basel"]})
    noise = calibrated(protection, [own], Ratio.of(2))
    assert told(protection, [(noise.paid, 1)]).after == 1
    assert told(protection, [(noise.paid, 1)], {"Bern": "1/2", "Thun": "1/2"}).after < 0.501


def test_of_very_many_values_no_odds_are_told() -> None:
    assert odds(Protection(Policy(SecretGraph.line(2001), 9)), []) is None
