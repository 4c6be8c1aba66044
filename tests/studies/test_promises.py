"""Studies that ask for other promises than pure ε: verdicts, answers, and what is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from leaktight.channels.channel import Channel
from leaktight.curves import PrivacyCurve, worst_case_leakage
from leaktight.errors import LeaktightError
from leaktight.mechanisms.geometric import GeometricNoise
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import counting_query
from leaktight.repetition.explanation import explain
from leaktight.reports.audit import html, summary
from leaktight.studies import Skipped, Study, audit, read_study
from leaktight.studies.answers import AnyMechanism, WorstCaseFound
from leaktight.studies.schema import to_json
from leaktight.web.answer import TASKS, read_asked

SCHEMA = Path(__file__).parents[2] / "docs" / "audit.schema.json"
THREE = Policy(SecretGraph.complete(["no", "yes", "maybe"]))
PERSON = ("all others known", "nobody known", "any mechanism")
VOTE = RandomizedResponse(["no", "yes", "maybe"], ratio=3)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a study."""

    def written(text: str) -> Path:
        file = tmp_path / "study.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return written


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mu = 1", "μ = 1 (Gaussian)"),
        ("rho = 2.63", "ρ = 2.63 (zCDP)"),
        ('epsilon = 1\ndelta = "1e-6"', "ε = 1, δ = 1e-06"),
        ("ratio = 3\ndelta = 0.5", "λ = 3, δ = 0.5"),
        ('curve = [[1, "1e-6"], ["ln 2", 0.01]]', "ε = 1, δ = 1e-06; λ = 2, δ = 0.01"),
    ],
)
def test_a_promise_is_read(write: Callable[[str], Path], text: str, says: str) -> None:
    study = read_study(write(f"[policy]\nvalues = 3\n[question]\n{text}\n"))
    assert isinstance(study.promise, PrivacyCurve)
    assert (str(study.curve), study.ratio) == (says, None)
    found = audit(study, without=PERSON)
    assert (found.question.asked, found.question.epsilon) == (says, None)


def test_delta_of_nothing_is_pure_epsilon(write: Callable[[str], Path]) -> None:
    study = read_study(write("[policy]\nvalues = 3\n[question]\nratio = 3\ndelta = 0\n"))
    assert study.ratio is not None
    assert study.ratio.upper == 3
    assert study.curve is None


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        # Randomised response of ratio 3 on 3 values: 3/5 against 1/5, δ at λ is (3 − λ)/5.
        ({"ratio": 2, "delta": "1/5"}, True),
        ({"ratio": 2, "delta": "199/1000"}, False),
        # D₁ = 2/5·ln 3 = 0.43944 is the largest D_α/α.
        ({"rho": "0.4395"}, True),
        ({"rho": "0.4394"}, False),
        # Φ⁻¹(3/5) − Φ⁻¹(1/5) = 1.0949
        ({"mu": "1.095"}, True),
        ({"mu": "1.094"}, False),
    ],
)
@pytest.mark.parametrize("records", [1, 50])
def test_the_verdict_is_that_of_the_numbers(
    asked: dict[str, Any], holds: bool, records: int
) -> None:
    study = Study(Policy(THREE.secrets, records), VOTE, **asked)
    found = audit(study, without=PERSON)
    assert found.holds is holds
    assert found.verdict.line.startswith("PASS: " if holds else "FAIL: ")


def test_noise_that_is_not_listed_is_judged_by_its_ratio() -> None:
    """ρ of the pair of ratio λ: (λ − 1)/(λ + 1)·ln λ at α = 1 is 0.0998, the largest D_α/α."""
    crowd = Policy(SecretGraph.complete(["no", "yes"]), 10**6)
    query = counting_query(["yes"])
    noise = GeometricNoise(epsilon="0.45")
    for rho, holds in (("0.101", True), ("0.09", False)):
        study = Study(crowd, noise, query=query, rho=rho)
        assert study.channel is None
        found = audit(study, without=PERSON)
        assert found.holds is holds
    assert "NOT PROVED: " in found.verdict.line
    few = Study(Policy(crowd.secrets, 20), noise, query=query, rho="0.09")
    assert "FAIL: " in audit(few, without=PERSON).verdict.line


def test_an_exact_matrix_decides_what_epsilon_alone_cannot() -> None:
    """A mechanism that tells all with the chance 1/100 is private at no ε."""
    rows = [["1/100", 0, "99/100"], [0, "1/100", "99/100"]]
    policy = Policy(SecretGraph.complete(2))
    for delta, holds in (("1/100", True), ("9/1000", False)):
        found = audit(Study(policy, Channel(rows), ratio=1, delta=delta))
        assert found.holds is holds


def test_the_answers_are_those_of_the_library_and_of_the_schema() -> None:
    found = audit(Study(THREE, VOTE, mu=1, observations=2, below="9/10"))
    told = explain(THREE, mu=1, observations=2, below="9/10")
    most = found.person.any_mechanism
    assert isinstance(most, AnyMechanism)
    assert told.other is not None
    assert (most.before, most.after) == (told.before.value, told.after)
    assert most.neighbours == "replace"
    assert most.other is not None
    assert (most.other.neighbours, most.other.after) == ("add/remove", told.other.after)
    assert most.beliefs is not None
    assert [b.neighbours for b in most.beliefs] == ["replace"] * 2 + ["add/remove"] * 2
    assert [b.after for b in most.beliefs[:2]] == [b.upper for _, b in told.outlook]
    assert isinstance(found.worst_case, WorstCaseFound)
    assert found.worst_case.bits == worst_case_leakage(THREE, mu=1).bits
    for part in (found.published, found.by_epsilon):
        assert isinstance(part, Skipped)
        assert "pure ε alone" in part.why
    content = json.loads(json.dumps(to_json(found), allow_nan=False))
    jsonschema.validate(content, json.loads(SCHEMA.read_text("utf-8")))
    text = " ".join(summary(found).split())
    assert "the same, neighbours: add/remove" in text
    assert "With a chance of at least 99.99% over the output of 1 release, nobody whose" in text
    assert "Asked: μ = 1 (Gaussian). What is seen may tell two neighbours apart" in html(found)


def test_a_mechanism_is_built_for_the_epsilon_beside_a_delta(write: Callable[[str], Path]) -> None:
    text = '[policy]\nvalues = 4\n[mechanism]\nkind = "best"\n[question]\nratio = 3\ndelta = 0.01\n'
    study = read_study(write(text))
    assert study.best is not None
    assert study.best.ratio.upper == 3
    assert audit(study).holds is True
    with pytest.raises(LeaktightError, match="needs epsilon or ratio"):
        read_study(write('[policy]\nvalues = 4\n[mechanism]\nkind = "best"\n[question]\nmu = 1\n'))


# --- every kind of policy with every promise ---------------------------------------------------

POLICIES: dict[str, Policy] = {
    "one record": THREE,
    "many records": Policy(THREE.secrets, 10**6),
    "a line": Policy(SecretGraph.line(4), 3),
    "two parts": Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), 2),
    "absent": Policy(SecretGraph.complete(["no", "yes"]).with_absent("gone"), 5),
    "attributes": Policy(SecretGraph.product(SecretGraph.complete(2), SecretGraph.line(3)), 2),
    "public": Policy(SecretGraph.complete(2), 4, constraints=[count([0], equals=2)]),
    "much public": Policy(SecretGraph.complete(2), 300, constraints=[count([0], equals=150)]),
    "databases": Policy(SecretGraph.complete(2), 2, databases=[(0, 0), (0, 1), (1, 1)]),
    "one value": Policy(SecretGraph.complete(1)),
}
DISTANT = Policy(Metric.euclidean([(0, 0), (3, 4)]))
ASKED: dict[str, dict[str, Any]] = {
    "pair": {"ratio": 3, "delta": "1/1000"},
    "rho": {"rho": "1/2"},
    "mu": {"mu": 1},
    "curve": {"curve": PrivacyCurve.pairs([("ln 3", "1/1000"), ("ln 2", "1/50")])},
    "nothing hidden": {"ratio": 1, "delta": 1},
    "all hidden": {"mu": 0},
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_and_promise_is_answered_or_refused(name: str, asked: str) -> None:
    policy = POLICIES[name]
    found = audit(Study(policy, observations=2, **ASKED[asked]))
    worst, most = found.worst_case, found.person.any_mechanism
    if name == "much public":
        assert isinstance(worst, Skipped)
        assert "too many" in worst.why
    else:
        assert isinstance(worst, WorstCaseFound)
        assert worst.lower_bits <= worst.bits
        if asked == "all hidden" and name not in ("two parts", "public", "databases"):
            assert worst.bits <= 1e-9
    tied = name in ("public", "much public", "databases")
    assert isinstance(most, Skipped) is tied
    if isinstance(most, AnyMechanism):
        chances = [Fraction(most.before), *(p.value for p in most.after)]
        assert chances == sorted(chances)
        assert chances[-1] <= 1
        if asked == "nothing hidden":
            assert chances[1] == 1
        if most.other is not None:
            assert all(
                a.value <= b.value for a, b in zip(most.after, most.other.after, strict=True)
            )
    else:
        assert "\n" not in most.why
    assert summary(found)
    json.dumps(to_json(found), allow_nan=False)


@pytest.mark.parametrize("asked", ASKED)
def test_distances_are_refused(asked: str) -> None:
    with pytest.raises(LeaktightError, match="with distances pure ε alone is proved"):
        Study(DISTANT, **ASKED[asked])


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [{"mu": 1}, {"rho": 0.5}, {"epsilon": 1, "delta": 0.001}, {"curve": [[1, 0.01], [2, 0.001]]}],
    ids=lambda question: next(reversed(question)),
)
def test_the_page_answers_for_every_promise(question: dict[str, Any]) -> None:
    mechanism = {"kind": "randomised response", "ratio": 2}
    document = {
        "policy": {"values": 4},
        "mechanism": mechanism,
        "question": question | {"below": 0.6, "observations": 2},
    }
    body = json.dumps({"study": document}).encode()

    def ask(task: str) -> Any:
        return TASKS[task](read_asked(body), lambda *_: None)

    answer = ask("answer")
    study = Study(
        Policy(SecretGraph.complete(4)),
        observations=2,
        **{k: v for k, v in question.items() if k != "curve"}
        or {"curve": PrivacyCurve.pairs([(1, "0.01"), (2, "0.001")])},
    )
    told = explain(study.policy, curve=study.curve, observations=2)
    assert told.other is not None
    near = [row["near"][1] for row in answer["odds"][-2:]]
    assert near == [float(told.after[0].value), float(told.other.after[0].value)]
    if "rho" not in question:  # it takes seconds
        odds = [point["odds"][1] for point in ask("curves")["points"]]
        assert odds == sorted(odds)
    if "curve" in question:
        with pytest.raises(LeaktightError, match="of a curve none is the largest"):
            ask("choice")
    else:
        kind = next(key for key in ("rho", "mu", "epsilon") if key in question)
        assert "keeps every guess below 60%" in ask("choice")["text"]
        assert ask("choice")[kind] > 0
    scope: dict[str, Any] = {}
    code = ask("code")
    exec(compile(code.replace("print(", "str("), "page", "exec"), scope)
    assert scope["study"].promise == study.promise
