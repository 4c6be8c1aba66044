"""Odds about one person: never below what the exact output channel gives."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph, count
from leaktight.channels.distribution import PriorLike
from leaktight.exact.ratio import Ratio
from leaktight.tables import TableQuery, cumulative, histogram, sum_of
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.odds import Odds, odds
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.strategies.graphs import secret_graphs
from tests.tables.databases import entries, output_channel
from tests.tables.test_calibration import questions


def told(protection: PrivacyUnit, releases: list[PrivacyLoss], prior: PriorLike = None) -> Odds:
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
    protection = PrivacyUnit(Policy(secrets, 1))
    noise = calibrated(protection, data.draw(questions(secrets.vertices)), Ratio.of(ratio))
    parts = data.draw(st.lists(st.integers(1, 9), min_size=secrets.order, max_size=secrets.order))
    prior = [Fraction(part, sum(parts)) for part in parts]
    if entries(noise) <= 3000:
        found = told(protection, [noise.paid], prior)
        assert surest(noise, prior) <= found.after <= 1
        assert found.before == max(prior)


@pytest.mark.parametrize("query", [histogram("h", ordered=False), cumulative("c")])
def test_the_odds_are_attained_by_a_histogram_and_at_the_ends_of_a_line(query: TableQuery) -> None:
    protection = PrivacyUnit(Policy(SecretGraph.line(3), 1))
    noise = calibrated(protection, [query], Ratio.of(4))
    found = told(protection, [noise.paid])
    truth = surest(noise, [Fraction(1, 3)] * 3)
    assert found.after == truth


def test_after_n_releases_the_odds_are_those_of_the_product() -> None:
    protection = PrivacyUnit(Policy(SecretGraph.complete(["no", "yes"]), 9))
    noise = calibrated(protection, [histogram("h", ordered=False)], Ratio.of(2))
    for times in (1, 2, 10):
        level = noise.level.value**times
        assert told(protection, times * [noise.paid]).after == level / (level + 1)
    assert str(odds(protection, [])) == (
        "a guess about one person is right with 50% before, and at most 50% after, all others known"
    )


def test_what_is_told_without_noise_is_known_for_certain() -> None:
    towns = SecretGraph.partition([["Bern", "Thun"], ["Basel"]])
    protection = PrivacyUnit(Policy(towns, 9))
    own = histogram("cantons", groups={"BE": ["Bern", "Thun"], "BS": ["Basel"]})
    noise = calibrated(protection, [own], Ratio.of(2))
    assert told(protection, [noise.paid]).after == 1
    assert told(protection, [noise.paid], {"Bern": "1/2", "Thun": "1/2"}).after < 0.501


@settings(max_examples=50)
@given(st.data(), secret_graphs(least=2, most=6), st.integers(1, 40))
def test_bounds_for_many_values_are_not_below_the_exact_odds_and_near_if_all_are_compared(
    data: st.DataObject, secrets: SecretGraph, compared: int
) -> None:
    protection = PrivacyUnit(Policy(secrets, 9))
    asked = [data.draw(questions(secrets.vertices)) for _ in range(2)]
    paid = [calibrated(protection, each, Ratio.of(i + 3)).paid for i, each in enumerate(asked)]
    exact = told(protection, paid)
    with pytest.MonkeyPatch.context() as small:
        small.setattr("leaktight.tables.odds.EXACT_VALUES", 1)
        assert exact.after <= told(protection, paid).after <= exact.after * (1 + Fraction(1, 2**30))
        small.setattr("leaktight.tables.odds.MOST_COMPARED", compared)
        assert exact.after <= told(protection, paid).after


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (cumulative("c"), Fraction(1, 2)),  # 1 − 1/λ, at the ends
        (histogram("h", ordered=False), Fraction(2, 10**4)),
    ],
)
def test_of_very_many_values_the_odds_are_told_nearly(
    query: TableQuery, most: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaktight.tables.odds.MOST_COMPARED", 10**6)
    protection = PrivacyUnit(Policy(SecretGraph.line(10**4), 9))
    paid = calibrated(protection, [query], Ratio.of(2)).paid
    found = told(protection, [paid])
    assert most * (1 - Fraction(1, 1000)) <= found.after <= most * (1 + Fraction(1, 1000))


# --- several rows of one person ------------------------------------------------------------


def surest_row(noise: Noise, prior: list[Fraction]) -> Fraction:
    """Return the largest chance that the value of a person's first row may get.

    All rows of the person and all outputs are listed. Which other rows go with a value is anybody's
    belief: the worst is that those go with it that make an output most likely, and with all other
    values those that make it least likely.
    """
    channel, values = output_channel(noise), noise.protection.values
    best = Fraction(0)
    for column in channel.matrix.T:
        chances: dict[object, list[Fraction]] = {value: [] for value in values}
        for rows, k in zip(channel.inputs, column, strict=True):
            assert isinstance(rows, tuple)
            chances[rows[0]].append(Fraction(int(k.p), int(k.q)))
        for value, p in zip(values, prior, strict=True):
            own = p * max(chances[value])
            rest = sum(
                q * min(chances[other])
                for other, q in zip(values, prior, strict=True)
                if other != value
            )
            best = max(best, own / (own + rest) if own else Fraction(0))
    return best


@settings(max_examples=50)
@given(st.data(), secret_graphs(least=2, most=3), st.integers(2, 3))
def test_no_output_makes_anyone_surer_of_a_row_than_the_odds_say_whatever_the_others_are(
    data: st.DataObject, secrets: SecretGraph, rows: int
) -> None:
    protection = PrivacyUnit(Policy(secrets, rows), rows_per_person=rows)
    asked = data.draw(questions(secrets.vertices))
    noise = calibrated(protection, asked, Ratio.of(64))
    parts = data.draw(st.lists(st.integers(0, 9), min_size=secrets.order, max_size=secrets.order))
    assume(sum(parts) and entries(noise) <= 3000)
    prior = [Fraction(part, sum(parts)) for part in parts]
    truth = surest_row(noise, prior)
    found = told(protection, [noise.paid], prior)
    assert truth <= found.after <= 1
    with pytest.MonkeyPatch.context() as small:
        small.setattr("leaktight.tables.odds.EXACT_VALUES", 1)
        near = told(protection, [noise.paid], prior)
        assert found.after <= near.after
        if len(noise.blocks) == 1:
            assert near.after <= found.after * (1 + Fraction(1, 2**30))
        small.setattr("leaktight.tables.odds.MOST_COMPARED", 1)
        assert found.after <= told(protection, [noise.paid], prior).after


@pytest.mark.parametrize(
    "query",
    [histogram("h", ordered=False), cumulative("c"), sum_of("s", {0: -1, 1: 0, 2: 2})],
)
@pytest.mark.parametrize("rows", [2, 3])
def test_the_odds_of_a_row_are_attained_if_one_thing_was_asked(
    query: TableQuery, rows: int
) -> None:
    protection = PrivacyUnit(Policy(SecretGraph.line(3), rows), rows_per_person=rows)
    noise = calibrated(protection, [query], Ratio.of(4**rows))
    for prior in ([Fraction(1, 3)] * 3, [Fraction(1, 2), Fraction(1, 2), Fraction(0)]):
        assert told(protection, [noise.paid], prior).after == surest_row(noise, prior)


def test_two_rows_may_be_further_apart_than_twice_one_row() -> None:
    """A sum of 0…10 at λ = 4 has steps of 2: the rows 0, 0 and 1, 10 differ by 11 of them."""
    protection = PrivacyUnit(Policy(SecretGraph.line(11), 2), rows_per_person=2)
    noise = calibrated(protection, [sum_of("s", {v: v for v in range(11)})], Ratio.of(4))
    channel = output_channel(noise)
    rows = dict(zip(channel.inputs, channel.matrix, strict=True))
    most = max(a / b for a, b in zip(rows[0, 0], rows[1, 10], strict=True))
    assert most == 2048
    found = told(protection, [noise.paid], {0: "1/2", 1: "1/2"})
    assert found.after == Fraction(2048, 2049)
    assert str(found).startswith(
        "a guess about one of up to 2 rows of a person is right with 50% before, and at most "
    )
    assert str(found).endswith(" after, all other persons known")
    said = found.to_dict()
    assert said["guessed"] == "one of up to 2 rows of a person"
    assert Fraction(2048, 2049) <= Fraction(said["after at most"]) < Fraction(2049, 2050)


def test_what_is_at_most_so_much_is_rounded_up_for_machines() -> None:
    third = Fraction(1, 3)
    assert Fraction(0.0 + third) < third  # the nearest float is below it
    said = Fraction(Odds("yes", third, third).to_dict()["after at most"])
    assert third < said < third + Fraction(1, 2**50)


def test_what_is_told_without_noise_of_one_row_may_tell_another() -> None:
    """The cantons are exact: whoever lives where she works is known by the one from the other."""
    towns = SecretGraph.partition([["Bern", "Thun"], ["Basel"]])
    protection = PrivacyUnit(Policy(towns, 2), rows_per_person=2)
    own = histogram("cantons", groups={"BE": ["Bern", "Thun"], "BS": ["Basel"]})
    noise = calibrated(protection, [own], Ratio.of(2))
    within: PriorLike = {"Bern": "1/2", "Thun": "1/2"}
    assert surest_row(noise, [Fraction(1, 2), Fraction(1, 2), Fraction(0)]) == 1
    assert told(protection, [noise.paid], within).after == 1
    with pytest.MonkeyPatch.context() as small:
        small.setattr("leaktight.tables.odds.EXACT_VALUES", 1)
        assert told(protection, [noise.paid], within).after == 1


def test_under_public_counts_no_odds_are_told() -> None:
    public = Policy(
        SecretGraph.complete(["flu", "none"]), 9, constraints=[count(["flu"], equals=2)]
    )
    assert odds(PrivacyUnit(public), []) is None
