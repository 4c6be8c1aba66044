import math
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import repeated
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.attacker import MOST_SOLVED, largest_n
from leaktight.repetition.explanation import explain
from leaktight.repetition.success import success_probability
from tests.strategies.metrics import metrics

BANDS = ["<20k", "20-40k", "40-60k", ">60k"]
COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"], outputs=["-", "+"])


def test_the_sentence_that_a_report_begins_with() -> None:
    told = explain(SecretGraph.complete(BANDS), epsilon=1, what="one person's salary band")
    assert told.before.value == Fraction(1, 4)
    for n, chance in zip((1, 2), told.after, strict=True):
        assert chance.observations == n
        real = math.e**n / (3 + math.e**n)
        assert float(chance.value) == pytest.approx(real, rel=1e-15)
        assert not chance.is_exact
    assert str(told).splitlines() == [
        "Guessing one person's salary band: 25% before, at most 47.6% after 1 release, at",
        "most 71.2% after 2.",
        "No single outcome tells more than that.",
        "It holds for every mechanism with this guarantee.",
    ]
    assert (told.below, told.most) == (None, None)
    assert repr(told) == str(told)


def test_on_a_line_one_outcome_may_tell_more_than_the_mean() -> None:
    """Worst case 2/4 (the line of four at ratio 2); an end value: 1/(1 + 1/2 + 1/4 + 1/8)."""
    told = explain(SecretGraph.line(BANDS), ratio=2, observations=1)
    assert [chance.value for chance in told.after] == [Fraction(1, 2)]
    assert [chance.value for chance in told.belief] == [Fraction(8, 15)]
    assert "If the outcome is the most telling one: at most 53.4% after 1 release." in str(told)


def test_a_policy_says_from_whom_it_protects() -> None:
    line = SecretGraph.line(BANDS)
    many, one = (explain(Policy(line, records), ratio=2) for records in (1000, 1))
    assert many.after == one.after == explain(line, ratio=2).after
    assert "not if records are known to depend on each other." in " ".join(str(many).split())
    assert "records" not in str(one)


def test_a_guess_with_its_threshold() -> None:
    told = explain("1/1000", ratio=2, observations=5, below="1/100", what="that she is ill")
    assert [chance.value for chance in told.after] == [Fraction(2, 1001), Fraction(32, 1031)]
    assert told.most == 3  # 8/1007 is below 1/100, 16/1015 is not
    assert str(told).splitlines() == [
        "Guessing that she is ill: 0.1% before, at most 0.2% after 1 release, at most",
        "3.2% after 5.",
        "It holds for every mechanism with this guarantee.",
        "Up to 3 releases keep it below 1%; 4 may not.",
    ]


def test_the_distance_multiplies_the_releases() -> None:
    one, other = explain("1/9", ratio=2, distance=6), explain("1/9", ratio=8, observations=4)
    assert one.after[-1].value == other.after[-1].value == Fraction(2**12, 2**12 + 8)


def test_how_a_threshold_is_said() -> None:
    def last(secret: Any, below: str, **given: Any) -> str:
        return str(explain(secret, below=below, **given)).splitlines()[-1]

    assert last("1/4", "1/2", ratio=3) == "A single release can bring it to 50% or more."
    assert last("1/4", "1/2", ratio=2) == "Up to 1 release keeps it below 50%; 2 may not."
    assert last("1/4", "1/3", ratio=1) == "However many releases there are, it stays below 1/3."
    counted = last("1/4", "1/2", epsilon="0.001")
    assert counted == "Up to 1,098 releases keep it below 50%; 1,099 may not."  # ln 3 = 1.0986…


def test_a_channel_is_explained_exactly() -> None:
    told = explain(COIN, {"no": "3/4", "yes": "1/4"}, observations=3, below="4/5")
    once, thrice = (posterior_vulnerability(repeated(COIN, n), ["3/4", "1/4"]) for n in (1, 3))
    assert [(c.observations, c.value) for c in told.after] == [(1, once), (3, thrice)]
    assert all(chance.is_exact for chance in told.after)
    assert told.telling is not None
    assert (told.telling.subset, told.telling.output) == (("no",), "-")
    assert (told.telling.before, told.telling.after) == (Fraction(3, 4), Fraction(6, 7))
    text = " ".join(str(told).split())
    assert text.startswith("Guessing the secret: 75% before, exactly 75% after 1 observation, ")
    assert (
        "The most telling output is '-', with a chance of 58.3%: 'no' rises from 75% to 85.7%."
        in text
    )
    safe = max(
        n
        for n in range(1, 9)
        if posterior_vulnerability(repeated(COIN, n), ["3/4", "1/4"]) < Fraction(4, 5)
    )
    assert told.most == safe
    assert text.endswith(f"keep it below 80%; {safe + 1} do not.")


def test_a_channel_that_tells_nothing() -> None:
    told = explain(Channel.no_interference(4), observations=1, below="1/2")
    assert told.telling is None
    assert str(told).splitlines() == [
        "Guessing the secret: 25% before, exactly 25% after 1 observation.",
        "However many observations there are, it stays below 50%.",
    ]


def test_what_is_certain_and_what_almost_is() -> None:
    known = explain(Channel.identity(3), observations=1)
    assert "33.3% before, exactly 100% after 1 observation." in str(known)
    assert "possibly more than 99.9% after 40." in " ".join(
        str(explain("1/4", ratio=2, observations=40)).split()
    )
    apart = explain(SecretGraph(BANDS), ratio=2, observations=1)
    assert "at most 100% after 1 release." in str(apart)


@settings(max_examples=30)
@given(
    st.sampled_from(["1/1000000", "1/3", SecretGraph.complete(3), SecretGraph.line(7)]),
    st.sampled_from(["0", "0.001", "1", "40"]),
    st.integers(1, 1000),
    st.text(max_size=100),
)
def test_the_text_fits_80_columns_and_never_says_certain(
    secret: Any, epsilon: str, n: int, what: str
) -> None:
    told = explain(secret, epsilon=epsilon, observations=n, below="999/1000", what=what)
    text = str(told)
    assert max(map(len, text.splitlines())) <= 80
    numbers = re.findall(r"[\d.]+%", text.replace(what, ""))
    assert "100%" not in numbers
    assert "0%" not in numbers
    assert told.before.value <= told.after[0].value <= told.after[-1].value < 1


def test_a_prior_by_name() -> None:
    prior = {"<20k": "1/2", "20-40k": "1/2"}
    told = explain(SecretGraph.line(BANDS), prior, ratio=2, observations=1)
    assert told.before.value == Fraction(1, 2)
    assert told.after[0].value == Fraction(2, 3)  # randomised response between the two
    uniform = Distribution.uniform(BANDS)
    assert explain(SecretGraph.line(BANDS), uniform, ratio=2) == explain(
        SecretGraph.line(BANDS), ratio=2
    )


@pytest.mark.parametrize("observations", [0, -1, 1.5, "2"])
def test_observations_that_cannot_be_counted(observations: Any) -> None:
    with pytest.raises(InvalidNumber, match="observations must be a whole number from 1 up"):
        explain("1/4", ratio=2, observations=observations)


def test_what_cannot_be_explained() -> None:
    with pytest.raises(InvalidNumber, match="threshold must be above 1/2"):
        explain(SecretGraph.complete(2), ratio=2, below="1/2")
    with pytest.raises(InvalidInput, match="a secret must be a Channel"):
        explain([1, 2], ratio=2)  # type: ignore[arg-type]


def test_a_threshold_is_said_as_it_was_given() -> None:
    told = str(explain(COIN, below=0.9))
    assert "≈" not in told
    assert "keep it below 90%;" in told
    assert explain(COIN, below=0.9).below == Fraction(9, 10)
    assert explain(COIN, below=0.9).most == explain(COIN, below="9/10").most


def test_what_takes_long_is_bounded_and_said() -> None:
    """Six outputs of 32 rounds have C(37, 5) types; bounds take their place, and no search."""
    line = TruncatedGeometric(range(6), ratio="21/20").channel
    found = explain(line, observations=32, below="1/2")
    assert not found.after[-1].is_exact
    assert found.after[-1].value >= success_probability(line, n=16).upper  # it only grows
    assert (found.most, found.reached) == (16, None)
    told = " ".join(str(found).split())
    assert "Up to 16 observations keep it below 50%; more were not tried" in told


@pytest.mark.parametrize("below", ["0.6", "0.75", "0.99"])
def test_within_reach_the_answer_is_that_of_the_search(below: str) -> None:
    found = explain(COIN, below=below)
    assert found.most == largest_n(COIN, below)
    assert found.reached is True


@settings(max_examples=30, deadline=None)
@given(metrics(most=5), st.sampled_from(["1/5", "1"]), st.integers(1, 2), st.booleans())
def test_no_mechanism_for_a_metric_tells_more_than_is_said(
    metric: Metric, epsilon: str, looks: int, even: bool
) -> None:
    """The best mechanism for one look, seen several times, with the beliefs that it gives."""
    prior = Distribution.from_counts([1 if even else 1 + i for i in range(metric.order)],
                                     metric.values)  # fmt: skip
    told = explain(metric, prior, epsilon=epsilon, observations=looks)
    best = optimal_mechanism(metric, prior, epsilon=epsilon)
    chance = success_probability(best.channel, prior, looks)
    assert chance.lower <= told.after[-1].value
    seen = repeated(best.channel, looks).matrix * prior.array[:, None]
    posterior = (seen / seen.sum(axis=0)).max()
    assert Fraction(int(posterior.p), int(posterior.q)) <= told.belief[-1].value
    assert told.after[0].value <= told.belief[0].value
    if metric.unit == 1:
        assert told.after == explain(metric.graph, prior, epsilon=epsilon, observations=looks).after


@pytest.mark.parametrize(
    "promise", [{"epsilon": 1}, {"mu": 1}, {"rho": "1/2"}, {"epsilon": 1, "delta": "1e-5"}]
)
def test_edges_between_all_values_are_not_listed(
    promise: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = {v: SecretGraph.complete(v) for v in (5, 6, 7, 8, 200)}
    quick = {v: str(explain(graph, **promise)) for v, graph in graphs.items()}
    for graph in graphs.values():
        assert graph.order <= MOST_SOLVED or "edges" not in vars(graph)
    if set(promise) == {"epsilon"}:  # curves on other graphs are bounded by programs
        monkeypatch.setattr(Graph, "is_complete", False)
        for v in quick:
            assert str(explain(SecretGraph.complete(v), **promise)) == quick[v]
