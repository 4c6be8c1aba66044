"""The page says what the command line says of the same study."""

import io
import json
import math
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leaktight as lt
from leaktight import Policy, SecretGraph, Study
from leaktight.errors import InvalidFile, InvalidInput, TooLarge
from leaktight.mechanisms.registry import constructions
from leaktight.studies.schema import to_json
from leaktight.web.answer import POINTS, TASKS, Asked, answer, choice, curves, looks, read_asked
from leaktight.web.document import Document, answerable, document_of, toml_of
from leaktight.web.drawing import folded
from leaktight.web.menu import mechanism_menu
from leaktight.web.worker import answered
from tests.web.documents import EXAMPLES, documents, example, sent

QUICK = ("policy", "verdict", "mechanism", "privacy", "worst_case", "usefulness")


def ignored(*progress: Any) -> None:
    """Do not show how far it is."""


def audited_by(code: str) -> Any:
    """Run code, and return the audit that it makes."""
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(code, names)
    return to_json(names["found"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_shown_and_the_code_say_what_the_audit_of_the_file_says(path: Path) -> None:
    said = to_json(lt.audit(lt.read_study(path)))
    document = example(path)
    shown = answer(Asked(study=document), ignored)
    assert {key: shown["audit"][key] for key in QUICK} == {key: said[key] for key in QUICK}
    assert shown["audit"]["person"]["any_mechanism"] == said["person"]["any_mechanism"]
    after = looks(Asked(study=document), ignored)
    for who in ("informed", "uninformed"):
        assert after["person"][who] == said["person"][who]
    assert after["published"] == said["published"]
    code = TASKS["code"](Asked(study=document), ignored)
    assert audited_by(code) | {"files": ()} == said | {"files": ()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_study_stays_what_it_is_on_its_way_through_a_page(path: Path) -> None:
    opened = document_of(path.read_text("utf-8"))
    assert document_of(toml_of(sent(opened))) == opened


NUMBERS: Document = {"values": [1, 2, 3], "secrets": "threshold", "distance": 2}
POLICIES: list[Document] = [
    NUMBERS,
    {"secrets": "partition", "groups": [["a", "b"], ["c"]], "absent": "gone"},
    {"values": ["a", "b"], "records": 2, "databases": [["a", "b"], ["b", "b"]]},
    {"values": ["a", ["b", 1]], "secrets": "edges", "edges": [["a", ["b", 1]]], "records": 2,
     "constraints": [{"values": ["a"], "at_most": 1}]},
    {"attributes": {"sex": ["f", "m"], "age": {"values": [1, 2], "secrets": "line"}},
     "records": 2, "margins": {"age": {"1": 1, "2": 1}}},
    {"attributes": {"sex": ["f", "m"], "age": [1, 2]}, "records": 3, "margins": ["age"]},
    {"metric": "euclidean", "points": [[0, 0], [0.5, 1], ["1/3", 2]], "unit": "mile"},
    {"metric": "euclidean", "points": {"a": [0, 0, 1], "b": [0, 1, "0.3"]}, "records": 3},
    {"metric": "manhattan", "sides": [2, ["0.5", 2]]},
    {"metric": "matrix", "distances": [[0, 1.5], [1.5, 0]]},
    {"metric": "edges", "values": ["a", 2, "c"], "edges": [["a", 2, "3/2"], [2, "c", 1]]},
]  # fmt: skip
TOWN: Document = {"metric": "euclidean", "sides": [2, 2]}
MECHANISMS: list[Document] = [
    {"kind": "best", "epsilon": "1/2"},
    {"kind": "graph exponential"},
    {"kind": "tight constraints"},
    {"kind": "rounded laplace"},
    {"kind": "truncated geometric", "query": "sum"},
    {"kind": "geometric", "query": "sum"},
    {"kind": "matrix", "rows": [["1/2", 0.5], [0.5, "1/2"], ["1/3", "2/3"]], "outputs": ["-", "+"]},
]


@pytest.mark.parametrize(
    "document",
    [
        *({"policy": policy, "question": {"ratio": 2}} for policy in POLICIES),
        *(
            {"policy": NUMBERS, "mechanism": mechanism, "question": {"epsilon": 0.7,
             "gain": "squared", "prior": {"1": 2, "2": 1, "3": 1}, "below": 0.9}}
            for mechanism in MECHANISMS
        ),
        *(
            {"policy": TOWN, "mechanism": {"kind": kind}, "question": {"epsilon": 0.7,
             "gain": "distance", "prior": [1, 2, 3, 4]}}
            for kind in ("best", "randomised response", "planar geometric", "planar laplace")
        ),
    ],
)  # fmt: skip
def test_so_does_the_code_of_every_kind_of_policy_and_mechanism(document: Document) -> None:
    asked = sent(document)
    code = TASKS["code"](Asked(study=asked), ignored)
    assert audited_by(code) == to_json(lt.audit(answerable(asked)))


@pytest.mark.parametrize("ill", [0, 30])
def test_a_noisy_count_of_many_under_a_public_count_is_answered(ill: int) -> None:
    """As many as are not gone through exactly, at which the page once failed."""
    document: Document = {
        "policy": {"values": ["flu", "cold", "none"], "records": 100,
                   "constraints": [{"values": ["flu"], "equals": ill}]},
        "mechanism": {"kind": "geometric", "query": "count", "of": ["cold"]},
        "question": {"ratio": 2},
    }  # fmt: skip
    found = looks(Asked(study=sent(document)), ignored)["person"]["uninformed"]
    assert found == to_json(lt.audit(answerable(sent(document))))["person"]["uninformed"]
    assert found["before"]["exact"] == str(Fraction(100 - ill, 200))


def test_a_curve_has_the_worst_case_the_bounds_and_the_odds_at_each_epsilon() -> None:
    told: list[Any] = []
    document = sent({"policy": {"values": 4, "secrets": "line"}, "question": {"epsilon": 1,
                     "observations": 2, "below": "1/2"}})  # fmt: skip
    found = curves(Asked(study=document, upto=2), lambda *said: told.append(said))
    points = found["points"]
    assert [point["epsilon"] for point in points] == [2 * k / POINTS for k in range(POINTS + 1)]
    assert sorted(said[1] for said in told) == [said[1] for said in told]
    line = lt.SecretGraph.line(4)
    for point in points[:: POINTS // 4]:
        epsilon = str(point["epsilon"])
        assert point["worst"] == lt.worst_case_leakage(line, epsilon=epsilon).bits
        bounds = lt.leakage_bounds(lt.Policy(line), epsilon=epsilon)
        assert point["bounds"] == {str(bound): bound.bits for bound in bounds.bounds}
        said = lt.explain(line, epsilon=epsilon, observations=2)
        assert point["odds"] == [0.25, *(float(chance.value) for chance in said.after)]


def test_a_curve_has_the_belief_in_a_sensitive_value() -> None:
    document = sent({"policy": {"values": ["negative", "positive"]}, "question": {"epsilon": 1,
                     "prior": [0.99, 0.01], "sensitive": ["positive"]}})  # fmt: skip
    for point in curves(Asked(study=document, upto=4), ignored)["points"]:
        ratio = math.exp(point["epsilon"])  # λπ/(1 + (λ − 1)π), of a complete graph
        assert point["belief"] == pytest.approx(ratio * 0.01 / (1 + (ratio - 1) * 0.01))
    without = sent({"policy": {"values": 2}, "question": {"epsilon": 1}})
    points = curves(Asked(study=without, upto=4), ignored)["points"]
    assert {point["belief"] for point in points} == {None}


def test_so_does_the_curve_of_distances() -> None:
    points = {"a": [0, 0], "b": [300, 400], "c": [0, 100]}
    document = sent({"policy": {"metric": "euclidean", "points": points},
                     "question": {"observations": 2}})  # fmt: skip
    found = curves(Asked(study=document, upto=0.0002), ignored)
    metric = lt.Metric.euclidean(points)
    for point in found["points"][:: POINTS // 4]:
        epsilon = f"{point['epsilon']:.7f}"
        worst = lt.worst_case_leakage(metric, epsilon=epsilon)
        assert point["worst"] == worst.bits
        said = lt.explain(metric, epsilon=epsilon, observations=2)
        assert point["odds"] == [float(each.value) for each in (said.before, *said.after)]
    assert len({point["epsilon"] for point in found["points"]}) == POINTS + 1


def test_the_epsilon_that_keeps_the_odds_below_is_that_of_choose() -> None:
    document = sent({"policy": {"values": 4}, "question": {"epsilon": 1, "below": 0.5,
                     "observations": 1}})  # fmt: skip
    assert choice(Asked(study=document), ignored) | {"epsilon": 0} == {
        "text": "ε = ln 3 ≈ 1.09861 keeps every guess at 50% or less, and every smaller ε below "
        "it.",
        "ratio": "3", "epsilon": 0, "exact": True,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match="below must be the chance"):
        choice(Asked(study={"policy": {"values": 4}}), ignored)


def test_what_an_output_tells_is_the_posterior() -> None:
    document = sent({"policy": {"values": ["no", "yes"]}, "question": {"ratio": 3, "prior": [1, 3]},
                     "mechanism": {"kind": "randomised response"}})  # fmt: skip
    shown = answer(Asked(study=document), ignored)["posteriors"]
    assert shown["before"] == [0.25, 0.75]
    # By Bayes: P(no) = 1/4·3/4 + 3/4·1/4, and of that 1/4·3/4 is true.
    np.testing.assert_allclose(shown["chances"], [6 / 16, 10 / 16], rtol=1e-15)
    np.testing.assert_allclose(shown["after"], [[0.5, 0.5], [0.1, 0.9]], rtol=1e-15)


def test_a_certificate_that_is_taken_away_proves_the_worst_case(tmp_path: Path) -> None:
    document = sent({"policy": {"values": 3}, "question": {"ratio": 2}})
    proof = TASKS["certificate"](Asked(study=document), ignored)
    (tmp_path / "proof.json").write_text(proof, encoding="utf-8")
    assert lt.verify_certificate(tmp_path / "proof.json") == [(1, Fraction(3, 2), Fraction(3, 2))]
    with pytest.raises(InvalidInput, match="nothing to prove: no ε is asked for"):
        TASKS["certificate"](Asked(study={"policy": {"values": 3}}), ignored)


def test_the_report_and_the_formula_are_those_of_the_study() -> None:
    asked = Asked(study=sent({"title": "Three", "policy": {"values": 3}, "question": {"ratio": 2}}))
    assert "<title>Three" in TASKS["report"](asked, ignored)
    assert TASKS["formula"](asked, ignored) == {"pieces": ["(3λ)/(λ + 2) for λ ≥ 1"]}


# --- what a page may not ask ------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "why"), [("python", "--allow-code"), ("file", "reads none")])
def test_no_code_is_run_and_no_file_is_read(kind: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("x,-,+\na,1,0\nb,0,1\n")
    mechanism = {"kind": kind, "file": str(tmp_path / "own.csv"), "function": "os:getcwd"}
    document = {"policy": {"values": ["a", "b"]}, "mechanism": mechanism, "question": {"ratio": 2}}
    for task in set(TASKS) - {"open"}:
        said = answered(task, msgspec.json.encode({"study": document}), io.StringIO())
        assert why in said["wrong"]
    with pytest.raises(InvalidFile, match=why):
        document_of(f'[policy]\nvalues = 2\n[mechanism]\nkind = "{kind}"\nfunction = "os:getcwd"')


def test_more_values_than_are_answered_at_once_are_refused_with_the_command_that_takes_them() -> (
    None
):
    line = {"values": 2000, "secrets": "line"}
    assert answerable({"policy": line}).policy.secrets.order == 2000
    with pytest.raises(
        TooLarge, match=r'at most 2000 values, got 2,001; .*"leaktight audit study.toml"'
    ):
        answerable({"policy": line | {"values": 2001}})
    with pytest.raises(TooLarge, match=r"the best mechanism for at most 40 values, got 41; choose"):
        answerable(
            {"policy": {"values": 41}, "mechanism": {"kind": "best"}, "question": {"epsilon": 1}}
        )


def test_many_values_are_drawn_in_groups_and_attributes_as_branches() -> None:
    """Every value is in one group, and two groups are joined if a pair lies between them."""
    secrets = SecretGraph.line(100)
    found = folded(secrets, [0.01] * 100)
    assert sum(found["folded"]["sizes"]) == 100
    assert sum(found["prior"]) == pytest.approx(1)
    ends = {(min(a, b), max(a, b)) for a, b in found["pairs"]}
    assert ends == {(k, k + 1) for k in range(len(found["values"]) - 1)}
    assert sum(found["folded"]["inside"]) + len(ends) == len(secrets.edges)
    both = SecretGraph.product(
        SecretGraph.complete(["f", "m"]), SecretGraph.line([f"{k}" for k in range(30)])
    )
    assert folded(both, [1 / 60] * 60)["values"] == ["f", "m"]


def test_the_menu_is_the_registry() -> None:
    plain = mechanism_menu(Study(Policy(SecretGraph.complete(["no", "yes"]), records=3)))
    planes = {name for name, one in constructions().items() if one.built_on == "plane"}
    assert {each["name"] for each in plain} == {"best", *constructions()} - planes
    grid = mechanism_menu(Study(Policy(SecretGraph.grid(2, 2))))
    assert planes <= {each["name"] for each in grid}
    for each in plain[1:]:
        one = constructions()[each["name"]]
        assert [key["name"] for key in each["keys"]] == [key.name for key in one.keys]
        needed = {key.name for key in one.keys if key.is_needed}
        assert needed <= {key["name"] for key in each["keys"] if key["first"] is not None}


def test_numbers_that_a_browser_would_round_stay_what_they_are() -> None:
    text = "[policy]\nvalues = 2\n[question]\nbelow = 0.12345678901234567890"
    assert document_of(text)["question"]["below"] == "0.12345678901234567890"
    with pytest.raises(TooLarge, match=r"up to 2\^53"):
        document_of(f"[policy]\nvalues = [1, {2**60}]")
    with pytest.raises(InvalidFile, match="texts and numbers"):
        document_of("[policy]\nvalues = [2020-01-01, 2021-01-01]")
    assert read_asked(b'{"study": {"x": 0.1}}').study["x"] + 0 == Fraction(1, 10)


@settings(max_examples=40)
@given(documents(), st.sampled_from(sorted(set(TASKS) - {"report", "curves"})))
def test_whatever_is_asked_is_answered_or_refused_in_one_line(document: Any, task: str) -> None:
    body = {"study": document} if task != "open" else {"toml": json.dumps(document)}
    said = answered(task, msgspec.json.encode(body), io.StringIO())
    assert "mistake" not in said
    assert "answer" in said or "\n" not in said["wrong"]
    msgspec.json.encode(said)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"study": 1}', b'{"study": {}}', b"\xff", b'{"o": 1}', b"[" * 10**4,
             b'{"study": {"policy": null}}', b'{"study": {"policy": {"values": 2}}, "upto": "a"}',
             b'{"study": {"policy": {"values": 1e999}}}',
             b'{"study": {"a": ' + b"9" * 5000 + b"}}"],
)  # fmt: skip
def test_what_is_no_request_is_refused(body: bytes) -> None:
    said = answered("answer", body, io.StringIO())
    assert "mistake" not in said
    assert said["wrong"]


def test_no_file_of_points_is_read() -> None:
    document = {"policy": {"metric": "euclidean", "points": "/etc/passwd"}}
    for task in set(TASKS) - {"open"}:
        said = answered(task, msgspec.json.encode({"study": document}), io.StringIO())
        assert "points names a file, and the page reads none" in said["wrong"]


@pytest.mark.parametrize(
    "given",
    [{"sides": [6, 5]}, {"points": {f"p{k}": [k, k * k] for k in range(30)}},
     {"points": [[k, 1] for k in range(30)]}, {"sides": [list(range(6)), 5]},
     {"metric": "matrix", "distances": [[abs(i - j) for j in range(30)] for i in range(30)]},
     {"metric": "edges", "edges": [[k, k + 1, 2] for k in range(29)]}],
)  # fmt: skip
def test_more_points_than_are_answered_at_once_are_refused_too(given: Document) -> None:
    with pytest.raises(
        TooLarge, match=r'at most 25 values with distances, got 30; .*"leaktight audit study.toml"'
    ):
        answerable({"policy": {"metric": "euclidean"} | given})


@pytest.mark.parametrize("names", [("2", "1"), ("a", "7")])
def test_names_that_a_browser_would_put_into_another_order_are_refused(
    names: tuple[str, str],
) -> None:
    points = "".join(f"{name} = [{k}, 1]\n" for k, name in enumerate(names))
    head = "[policy]\nmetric = 'manhattan'\n[policy.points]\n"
    with pytest.raises(InvalidFile, match="a browser puts names that are whole numbers first"):
        document_of(head + points)
    assert document_of(f"{head}1 = [0, 0]\n10 = [1, 1]\n01 = [2, 2]\na = [3, 3]\n")
