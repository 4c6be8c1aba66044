"""Studies whose values have distances: ε is for a distance of 1, however they are given."""

import math
import re
from pathlib import Path

import pytest

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidFile, InvalidInput
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import counting_query
from leaktight.reports import summary
from leaktight.reports.audit import html, markdown
from leaktight.studies import Audit, Study, audit, read_study
from leaktight.studies.answers import Skipped
from leaktight.worst_case.optimum import worst_case_leakage
from tests.studies.examples import example, written

PLACES = {"a": (0, 0), "b": (3, 4), "c": (0, 1)}
EUCLIDEAN = Metric.euclidean(PLACES)
MANHATTAN = Metric.manhattan(PLACES)

GIVEN = {
    "points = { a = [0, 0], b = [3, 4], c = [0, 1] }\nmetric = 'euclidean'": EUCLIDEAN,
    "points = { a = [0, 0], b = [3, 4], c = [0, 1] }\nmetric = 'manhattan'": MANHATTAN,
    "points = [[0, 0], [3, 4], [0, 1]]\nmetric = 'euclidean'": EUCLIDEAN,
    "points = 'places.csv'\nmetric = 'manhattan'": MANHATTAN,
    "points = 'places.csv'\nmetric = 'haversine'": Metric.haversine(PLACES),
    "sides = [2, 3]\nmetric = 'euclidean'": Metric.euclidean(
        [(x, y) for x in range(2) for y in range(3)]
    ),
    "sides = [[0.5, 2], 2]\nmetric = 'manhattan'": Metric.manhattan(
        [(x, y) for x in ("1/2", 2) for y in range(2)]
    ),
    "values = ['a', 'b', 'c']\ndistances = [[0, 7, 1], [7, 0, 6], [1, 6, 0]]\nmetric = 'matrix'":
        MANHATTAN,
    "edges = [['a', 'c', 1], ['c', 'b', '6']]\nmetric = 'edges'": MANHATTAN,
}  # fmt: skip


@pytest.mark.parametrize("text", GIVEN)
def test_distances_are_read_however_they_are_given(text: str, tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("place,x,y\na,0,0\nb,3,4\nc,0,1\n")
    (tmp_path / "study.toml").write_text(f"[policy]\n{text}\n")
    study, expected = read_study(tmp_path / "study.toml"), GIVEN[text]
    found = study.policy.metric
    assert found is not None
    assert (found.distances[0].tolist() == expected.distances[0].tolist()) or text.startswith("edg")
    assert sorted(found.lower.tolist()) == sorted(expected.lower.tolist())
    assert study.unit == ("km" if "haversine" in text else "")
    assert [path.name for path in study.files] == [
        "study.toml", *(["places.csv"] if "csv" in text else [])]  # fmt: skip


def test_what_holds_at_the_epsilon_that_was_asked_is_not_said_to_have_more() -> None:
    streets = Policy(Metric.manhattan([(x, y) for x in range(2) for y in (0, 2, 5)]))
    best = optimal_mechanism(streets, epsilon="0.3")
    found = audit(Study(streets, best, epsilon="0.3"))
    assert "ε = 0.3 at a distance of 1 (limit 0.3)" in found.verdict.line
    assert "(ε = 0.3 at a distance of 1)" in markdown(found)


WRONG = {
    "metric = 'euclidian'": "[policy] metric cannot be 'euclidian'; did you mean 'euclidean'?",
    "metric = 'euclidean'": '[policy] needs points for metric = "euclidean", or the sides',
    "metric = 'euclidean'\npoints = 3": "[policy] points must be a list, a table or text",
    "metric = 'euclidean'\npoints = { a = [0], b = [1, 2] }": "must have 1 coordinates, got 2",
    "metric = 'haversine'\npoints = [[95, 0], [0, 0]]": "latitude must be from -90 to 90 degrees",
    "metric = 'euclidean'\npoints = 'none.csv'": "[policy] points: there is no file",
    "metric = 'matrix'\ndistances = [[0, 1], [2, 0]]": "must be the same both ways",
    "metric = 'edges'\nedges = [['a', 'b']]": "must be two values and a length",
    "metric = 'edges'\nedges = [['a', 'b', -1]]": "must be at least 0",
    "metric = 'edges'\nedges = [['a', 'b', 2]]\nsecrets = 'line'": "does not go with metric",
    "metric = 'euclidean'\npoints = [[0], [1.5]]\nconstraints = []": "does not go with metric",
    "values = 3\npoints = [1, 2]": "[policy] points is for a metric",
    "values = 3\nunit = 'km'": "[policy] unit is for a metric",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_distances_is_said_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(f"[policy]\n{text}\n")
    with pytest.raises(InvalidFile) as said:
        read_study(tmp_path / "study.toml")
    assert WRONG[text] in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("mechanism.kind = 'graph exponential'", 'is one of "best", "cell key", "planar'),
        ("mechanism.kind = 'geometric'", "with a metric, or given; got"),
        ("mechanism.kind = 'planar laplace'", "needs sides = [4, 4], a grid with two sides"),
        ("mechanism.kind = 'best'\nmechanism.on = 'answer'\nmechanism.query = 'histogram'",
         '[mechanism] on must be "record" with a metric'),
    ],
)  # fmt: skip
def test_mechanisms_that_have_no_distances_are_refused(
    lines: str, said: str, tmp_path: Path
) -> None:
    text = "policy.metric = 'euclidean'\npolicy.points = { a = [0], b = [2], c = [5] }\n"
    (tmp_path / "study.toml").write_text(f"{text}{lines}\nquestion.epsilon = 1\n")
    with pytest.raises(InvalidFile, match=re.escape(said)):
        read_study(tmp_path / "study.toml")


def by_hand(channel: Channel, metric: Metric) -> float:
    """The largest ln(K(z|x)/K(z|x′))/d(x, x′), in floating point."""
    rows = dict(zip(channel.inputs, channel.matrix.astype(float), strict=True))
    return max(
        max(math.log(p / q) for p, q in zip(rows[a], rows[b], strict=True))
        / float(metric.distance(a, b)[0])
        for a in metric.values
        for b in metric.values
        if a != b
    )


ROWS = [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["2/5", "1/5", "2/5"]]


@pytest.mark.parametrize("epsilon", ["7/10", "0.69"])
def test_a_mechanism_is_judged_by_distance(epsilon: str) -> None:
    """a and c are 1 apart, where it has ln 2 = 0.6931…; farther values may differ more."""
    channel = Channel(ROWS, list(PLACES))
    found = audit(Study(Policy(EUCLIDEAN), channel, epsilon=epsilon, unit="km"))
    assert found.holds == (epsilon == "7/10")
    assert not isinstance(found.privacy, Skipped)
    level = found.privacy.level
    assert level.epsilon is not None
    assert math.isclose(level.epsilon, by_hand(channel, EUCLIDEAN), rel_tol=1e-12)
    assert "per km" in found.verdict.line
    assert {level.worst.input, level.worst.neighbour} == {"a", "c"} if level.worst else False
    assert found.person.informed.factor == min_capacity(channel).factor  # type: ignore[union-attr]


def test_what_is_asked_is_that_of_the_library() -> None:
    found = example("places")
    study, metric = found.study, found.study.policy.metric
    assert metric is not None
    assert found.holds
    worst = worst_case_leakage(metric, epsilon=1)
    assert not isinstance(found.worst_case, Skipped)
    assert found.worst_case.bits == worst.bits
    best = optimal_mechanism(metric, None, study.aim, epsilon=1)
    assert not isinstance(found.usefulness, Skipped)
    assert found.usefulness.this == best.loss == found.usefulness.best
    far = max(float(d) for d in metric.distances.ravel())
    told = " ".join(found.person.any_mechanism.text)  # type: ignore[union-attr]
    assert "within 1 km by a factor of at most 2.71829" in told
    said = float(told.split("4.098 km apart, by a factor of at most ")[1].split(". ")[0])
    assert 0 <= said - math.exp(far) < 1e-3
    assert study.aim is not None
    assert math.isclose(float(study.aim.matrix.max()), far)
    for each in (summary(found), html(found), markdown(found)):
        assert "per km" in each
        assert "km away" in each or "4.098" in each


def lines(metric: str) -> Audit:
    return written(f"{metric}\nmechanism.kind = 'best'\nquestion.ratio = 2\n")


def test_lengths_of_one_are_the_line_itself() -> None:
    plain = lines("policy.values = 4\npolicy.secrets = 'line'")
    long = lines("policy.metric = 'edges'\npolicy.edges = [[0, 1, 1], [1, 2, 1], [2, 3, 1]]")
    assert plain.worst_case == long.worst_case
    assert plain.person.informed == long.person.informed
    assert plain.privacy == long.privacy


def test_several_records_have_a_mechanism_each() -> None:
    channel = Channel(ROWS, list(PLACES))
    one, many = (audit(Study(Policy(EUCLIDEAN, n), channel, epsilon="7/10")) for n in (1, 1000))
    assert many.holds
    assert many.privacy.level.epsilon == one.privacy.level.epsilon  # type: ignore[union-attr]
    assert math.isclose(many.leakage.bits, 1000 * one.leakage.bits)  # type: ignore[union-attr]
    assert many.leakage.bits <= many.worst_case.bits  # type: ignore[union-attr]
    assert many.person.informed.after == one.person.informed.after  # type: ignore[union-attr]


def test_randomised_response_is_made_for_the_nearest_two() -> None:
    text = "policy.metric = 'euclidean'\npolicy.points = { a = [0, 0], b = [3, 4], c = [0, 2] }\n"
    found = written(f"{text}mechanism.kind = 'randomised response'\nquestion.ratio = 2\n")
    assert found.holds
    assert found.study.channel is not None
    assert found.study.channel["a", "a"] == 4 * found.study.channel["a", "b"]


def test_planar_noise_on_a_grid_is_judged_by_straight_distances() -> None:
    text = "policy.metric = 'euclidean'\npolicy.sides = [3, 3]\nquestion.epsilon = 1\n"
    text += "question.observations = 1\n"
    holds = [written(f"{text}mechanism.kind = '{kind}'").holds
             for kind in ("planar laplace", "planar geometric")]  # fmt: skip
    assert holds == [True, False]


@pytest.mark.parametrize("kind", ["planar laplace", "planar geometric"])
def test_the_rows_of_a_grid_are_in_their_order_however_they_are_listed(kind: str) -> None:
    """2, 0, 1 were taken for three rows that follow each other in this order."""
    asked = f"mechanism.kind = '{kind}'\nmechanism.ratio = 2\nquestion.ratio = 2\n"
    listed, ordered = (
        written(f"policy.attributes = {{x = {rows}, y = [0, 1]}}\n{asked}").study.channel
        for rows in ([2, 0, 1], [0, 1, 2])
    )
    assert listed is not None
    assert ordered is not None
    for seen in ((0, 0), (2, 1)):
        for place in ((0, 0), (1, 1), (2, 0)):
            assert listed[place, seen] == ordered[place, seen]


def test_a_study_in_python_refuses_what_has_no_distances() -> None:
    policy = Policy(EUCLIDEAN, 2)
    with pytest.raises(InvalidInput, match="answers to a query have no distances"):
        Study(policy, query=counting_query(["a"]))
    with pytest.raises(InvalidInput, match="a mechanism sees each record"):
        Study(policy, on="database")


def test_a_map_of_many_points_is_drawn_without_lines() -> None:
    text = "policy.metric = 'euclidean'\npolicy.sides = [12, 9]\n"
    shown = written(text).policy
    assert (len(shown.secrets), len(shown.places or ()), shown.pairs) == (108, 108, ())
    assert shown.distances is not None
    assert shown.distances.farthest == pytest.approx(math.hypot(11, 8))
    roads = written("policy.metric = 'edges'\npolicy.edges = [['a', 'b', 2], ['b', 'c', 3]]\n")
    assert roads.policy.pairs == (("a", "b"), ("b", "c"))
