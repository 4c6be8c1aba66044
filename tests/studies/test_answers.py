"""JSON comes from the types, as the published schema says; its numbers are the audit's."""

import hashlib
import json
import math
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from leaktight.studies import Skipped, audit, read_study
from leaktight.studies.answers import FORMAT
from leaktight.studies.schema import schema, to_json
from tests.studies.examples import (
    EXAMPLES,
    NO_MECHANISM,
    NOTHING_ASKED,
    STUDIES,
    TELLS_ALL,
    TELLS_NOTHING,
    example,
    hostile,
    written,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "audit.schema.json"


def in_order(found: Any) -> Any:
    """Return a schema whose alternatives are sorted: versions of msgspec differ in their order.

    So do versions of Python in the white space of what is described.
    """
    if isinstance(found, str):
        return " ".join(found.split())
    if isinstance(found, dict):
        each = {key: in_order(value) for key, value in found.items()}
        return each | {key: sorted(each[key], key=str) for key in ("anyOf",) if key in each}
    return [in_order(value) for value in found] if isinstance(found, list) else found


def test_the_published_schema_is_that_of_the_types() -> None:
    """After a change: python -m leaktight.studies.schema > docs/audit.schema.json"""
    assert in_order(json.loads(PUBLISHED.read_text("utf-8"))) == in_order(schema())


def checked(answers: Any) -> Any:
    """Return answers as JSON that the published schema allows."""
    content = json.loads(json.dumps(to_json(answers), allow_nan=False))
    jsonschema.validate(content, json.loads(PUBLISHED.read_text("utf-8")))
    return content


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_what_the_schema_says(name: str) -> None:
    content = checked(example(name))
    assert content["format"] == FORMAT
    assert content["person"]["informed"]["is"] == "informed"


@pytest.mark.parametrize(
    "text",
    [
        NO_MECHANISM,
        NOTHING_ASKED,
        TELLS_ALL,
        TELLS_NOTHING,
        "[policy]\nvalues = 2",
        NOTHING_ASKED.replace("ratio = 3", 'ratio = "1e400"'),
    ],
)
def test_whatever_is_left_out_the_schema_allows_it(text: str) -> None:
    checked(written(text))
    checked(written(text).proved_by("proof.json"))


def test_odd_labels_are_json_too() -> None:
    checked(hostile())


def test_the_schema_can_be_missed() -> None:
    content = to_json(example("vote"))
    content["person"]["informed"]["factor"] = "5/3"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, schema())


def test_the_numbers_are_those_of_the_audit() -> None:
    content = checked(example("hospital"))
    assert content["verdict"]["holds"] is False
    assert content["privacy"]["level"]["ratio"] == {"exact": "4", "near": 4.0}
    assert content["privacy"]["one_record"]["ratio"]["exact"] == "2"
    assert content["worst_case"]["factor"] == "12/7"
    path = STUDIES / "hospital.toml"
    assert content["files"] == [
        {"name": "hospital.toml", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    ]


def test_what_is_called_exact_is_exact() -> None:
    """A long fraction is given as a float alone; none is infinite."""
    content = checked(
        written('[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n'
                "[question]\nepsilon = 1\nobservations = 100")
    )  # fmt: skip
    many = content["person"]["informed"]["after"][1]["value"]
    assert many["exact"] is None
    assert 0.99 < many["near"] < 1
    assert checked(written(TELLS_ALL))["privacy"]["level"]["ratio"] is None


def test_why_something_is_missing_is_told() -> None:
    content = checked(written(NO_MECHANISM))
    assert content["leakage"] == {"is": "skipped", "why": "no mechanism is given"}
    assert written(NO_MECHANISM).leakage == Skipped("no mechanism is given")


@pytest.mark.parametrize("ratio", ["2", "3", "3/2", "2.7182818284590452354", "1.0000001", "1e9"])
def test_no_epsilon_is_below_the_true_one(ratio: str) -> None:
    answers = written(
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n'
        f'[question]\nratio = "{ratio}"'
    )
    with localcontext() as context:
        context.prec = 60
        exactly = Decimal(ratio.split("/")[0]) / Decimal((ratio + "/1").split("/")[1])
        for found in (answers.privacy.level.epsilon, answers.question.epsilon):  # type: ignore[union-attr]
            assert found is not None
            assert exactly.ln() <= Decimal(found)
            assert Decimal(math.nextafter(found, 0)) < exactly.ln()


def test_nats_are_not_below_the_bits() -> None:
    answers = written("[policy]\nvalues = 2\nrecords = 300\n[question]\nratio = 3")
    with localcontext() as context:
        context.prec = 60
        exactly = 300 * (Decimal(3) / 2).ln()  # 2λ/(λ+1) for each record
        nats = Decimal(answers.worst_case.nats)  # type: ignore[union-attr]
        assert exactly <= nats < exactly * (1 + Decimal(2) ** -50)


def test_labels_that_read_alike_are_told_apart() -> None:
    """The worst output is the text "1", which is 9 times as likely; the number 1 is 3 times."""
    answers = written(
        '[policy]\nvalues = ["(a, b)", ["a", "b"], "c"]\nsecrets = "line"\n'
        '[mechanism]\nkind = "matrix"\noutputs = [0, 1, "1"]\n'
        'rows = [["3/12", "8/12", "1/12"], ["3/12", "0.25", "1/2"], ["3/12", "0.25", "1/2"]]',
    )
    assert answers.policy.secrets == ("'(a, b)'", "('a', 'b')", "c")
    assert answers.policy.pairs == (("'(a, b)'", "('a', 'b')"), ("('a', 'b')", "c"))
    assert answers.mechanism is not None
    assert answers.mechanism.outputs == ("0", "1", "'1'")
    assert answers.privacy.level.worst.output == "'1'"  # type: ignore[union-attr]


def test_a_certificate_is_named_with_what_it_proves() -> None:
    hospital, vote = example("hospital"), example("vote")
    assert hospital.certificate is None
    named = hospital.proved_by("p.json").certificate
    assert named is not None
    assert (named.file, named.proves) == (
        "p.json", "the worst case: that no mechanism as private leaks more",
    )  # fmt: skip
    told = vote.proved_by("p.json").certificate
    assert told is not None
    assert "none is better" in told.proves
    assert vote.proof is vote.study.best is not None


def test_an_audit_of_a_changed_file_is_not_the_same(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(NO_MECHANISM)
    one = audit(read_study(path)).files
    path.write_text(NO_MECHANISM + "\n# changed")
    assert audit(read_study(path)).files != one
