"""Who may differ between neighbours: people who come and go, or who stay."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph, count
from leaktight.errors import InvalidInput, InvalidPolicy, OverBudget
from leaktight.exact.ratio import Ratio
from leaktight.tables import Ledger, count_of, histogram, record_of, release, statement
from leaktight.tables.calibration import calibrated
from leaktight.tables.odds import odds
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.writing import read_protection, write_protection

VALUES = ["flu", "cold", "none"]
MONTHLY = Policy(SecretGraph.add_remove(VALUES), records=50)


def test_people_who_come_and_go_set_absent_by_themselves() -> None:
    protection = PrivacyUnit(MONTHLY, people="change")
    assert (protection.absent, protection.relation) == ("absent", "add/remove")
    assert read_protection(write_protection(protection)) == protection


@pytest.mark.parametrize(
    ("graph", "how", "said"),
    [
        (SecretGraph.complete(3), {"people": "change"}, "SecretGraph.add_remove"),
        (SecretGraph.complete(3).with_absent("absent"), {"people": "change"}, "add/remove"),
        (SecretGraph.add_remove(3), {"people": "fixed", "absent": "absent"}, "nobody is absent"),
        (SecretGraph.complete(3), {"people": "often"}, 'must be "change"'),
    ],
)
def test_a_graph_that_says_otherwise_is_refused(
    graph: SecretGraph, how: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidPolicy, match=said):
        PrivacyUnit(Policy(graph, 5), **how)  # type: ignore[arg-type]


def test_a_ledger_that_says_nothing_of_people_is_written_as_before() -> None:
    silent = write_protection(PrivacyUnit(Policy(SecretGraph.complete(3), 5)))
    assert silent == write_protection(
        PrivacyUnit(Policy(SecretGraph.complete(3), 5), people="fixed")
    )
    assert "people" not in silent


def test_whoever_has_another_value_next_month_pays_for_both(tmp_path: Path) -> None:
    """Flu in January and a cold in February: the two counts are of the same person."""
    asked = {"january": count_of("n", ["flu"]), "february": count_of("n", ["cold"])}
    for people, policy, fits in (
        ("change", MONTHLY, False),
        (None, MONTHLY, True),  # the same people with the same values: each pair pays once
    ):
        protection = PrivacyUnit(policy, "absent", people=people)
        ledger = Ledger.create(
            tmp_path / f"{people}.ledger", policy, ratio=4, absent="absent", people=people
        )
        january, february = (
            calibrated(protection, [query], Ratio.of(4)).paid for query in asked.values()
        )
        ledger.spend("january", '{"queries":[]}', january)
        if fits:
            ledger.spend("february", '{"queries":[]}', february)
        else:
            with pytest.raises(OverBudget, match="anyone – absent"):
                ledger.spend("february", '{"queries":[]}', february)


def test_months_with_other_numbers_of_people_are_released_from_one_ledger(tmp_path: Path) -> None:
    import polars

    Ledger.create(tmp_path / "l", MONTHLY, ratio=4, people="change")
    for month, people in enumerate((["flu"] * 7, ["cold"] * 9 + ["none"])):
        done = release(
            polars.DataFrame({"illness": people}), MONTHLY, [histogram("h")],
            name=str(month), ledger=tmp_path / "l", columns="illness", ratio=2, people="change",
        )  # fmt: skip
    told = str(record_of(done))
    assert "If one person is added or removed, no outcome" in told
    assert "together: ε ≤ 1.3863 of ε = ln 4" in told
    assert record_of(done).to_dict()["policy"]["neighbours"] == "add/remove"
    assert "neighbours: add/remove" in " ".join(str(statement(done.ledger)).split())
    with pytest.raises(InvalidInput, match="made for another policy, with other people"):
        release(
            polars.DataFrame({"illness": people}), MONTHLY, [histogram("h")], absent="absent",
            name="3", ledger=tmp_path / "l", columns="illness", ratio=2,
        )  # fmt: skip


# --- under public counts, against every database ---------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_under_public_counts_no_neighbours_are_further_apart_than_is_paid_for(
    data: st.DataObject,
) -> None:
    """Every database of up to three people, and what each one's answers are."""
    values = list(product("ab", "xyz"[: data.draw(st.integers(2, 3))]))
    public = [count([v for v in values if v[0] == sex], published=True) for sex in "ab"]
    policy = Policy(
        SecretGraph.add_remove(values), data.draw(st.integers(1, 3)), constraints=public
    )
    protection = PrivacyUnit(policy, people="change")
    queries = [
        histogram("h", ordered=False),
        count_of("c", data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True))),
    ]
    noise = calibrated(protection, queries[: data.draw(st.integers(1, 2))], Ratio.of(4))
    rows = [share * weights.matrix() for weights, share in noise.paid.blocks]
    place = {value: i for i, value in enumerate(policy.secrets.vertices)}
    graph = policy.adjacency().explicit()

    def answers(database: Any) -> list[int]:
        return [int(x) for w in rows for x in w[[place[v] for v in database]].sum(axis=0)]

    truth = max(
        (
            sum(abs(a - b) for a, b in zip(answers(d), answers(e), strict=True))
            for d, e in graph.edge_pairs()
        ),
        default=0,
    )
    [paid] = protection.exponents(noise.paid)
    assert truth <= paid


def test_the_odds_of_a_series_are_not_told_where_a_value_may_change() -> None:
    """Flu in January may mean a cold in February: by pair of values each month tells less."""
    protection = PrivacyUnit(MONTHLY, people="change")
    one = calibrated(protection, [histogram("h", ordered=False)], Ratio.of(2)).paid
    assert odds(protection, [one]) is not None
    assert odds(protection, [one, one]) is None
