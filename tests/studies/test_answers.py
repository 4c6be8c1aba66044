"""Facts are plain JSON, whose numbers are those of the audit."""

import hashlib
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight.studies.answers import facts
from leaktight.studies.audit import audit
from leaktight.studies.study import read_study

STUDIES = Path(__file__).parents[2] / "examples" / "studies"


def found(path: Path, text: str) -> dict[str, Any]:
    study = path / "study.toml"
    study.write_text(text, encoding="utf-8")
    return facts(audit(read_study(study)))


def test_facts_are_plain_json() -> None:
    answers = facts(audit(read_study(STUDIES / "hospital.toml")))
    assert json.loads(json.dumps(answers, allow_nan=False)) == answers


def test_the_numbers_are_those_of_the_audit() -> None:
    path = STUDIES / "hospital.toml"
    answers = facts(audit(read_study(path)))
    assert answers["holds"] is False
    assert answers["privacy"]["ratio"] == {"exact": "4", "float": 4.0}
    assert answers["one record alone"]["ratio"]["exact"] == "2"
    assert answers["worst case"]["factor"] == "12/7"
    assert answers["leakage"]["before"] == {
        "exact": "2/3", "float": float(Fraction(2, 3)), "percent": "66.7%",
    }  # fmt: skip
    assert answers["leakage"]["after"]["percent"] == "66.7%"
    assert sum(answers["posterior"]["after"]) == pytest.approx(1)
    assert answers["files"] == [
        {"name": "hospital.toml", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    ]


@pytest.mark.parametrize(
    "ratio", ['"1e400"', "1e300", '"100000000000000000001/100000000000000000000"']
)
def test_ratios_beyond_floats_are_plain_json_too(tmp_path: Path, ratio: str) -> None:
    answers = found(
        tmp_path,
        f'[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n'
        f"[question]\nratio = {ratio}",
    )
    assert answers["holds"] is True
    json.dumps(answers, allow_nan=False)


@pytest.mark.parametrize("name", ["hospital", "locations", "salary", "vote"])
def test_words_and_exact_numbers_do_not_contradict_each_other(name: str) -> None:
    """Words say "exactly" only of what the percentage is, and "at most" only of a bound."""
    attacker = facts(audit(read_study(STUDIES / f"{name}.toml")))["attacker"]
    seen = 0
    for whose in ("of this mechanism", "of any mechanism"):
        for each in [] if attacker[whose] is None else attacker[whose]["after"]:
            seen += 1
            kind, _, rest = each["text"].partition(" ")
            assert each["only a bound"] == (kind in ("at", "possibly"))
            if kind == "exactly":
                told = Fraction(rest.removesuffix("%")) / 100
                assert Fraction(each["chance"]["exact"]) == told
            elif kind == "about" and each["chance"]["exact"] is not None:
                assert Fraction(each["chance"]["exact"]) != Fraction(rest.removesuffix("%")) / 100
    assert seen >= 2


def test_what_all_answers_tell_is_exact_in_the_facts() -> None:
    told = facts(audit(read_study(STUDIES / "hospital.toml")))["attacker"]["of all answers"]
    assert told["before"]["exact"] == told["after"]["exact"] == "2/3"
    assert told["most telling"]["after"]["exact"] == "6/7"
    assert told["record"] is None
    assert facts(audit(read_study(STUDIES / "vote.toml")))["attacker"]["of all answers"] is None


def test_what_is_called_exact_is_exact(tmp_path: Path) -> None:
    answers = found(
        tmp_path,
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n[question]\nepsilon = 1',
    )
    near = answers["privacy"]["ratio"]
    assert near["exact"] is None or "≈" not in near["exact"]


def test_an_infinite_ratio_is_said_so(tmp_path: Path) -> None:
    answers = found(
        tmp_path,
        '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [[1, 0], [0, 1]]\n'
        "[question]\nratio = 2",
    )
    assert answers["privacy"]["ratio"] == {"exact": "infinite", "float": None}
    assert answers["privacy"]["epsilon"] is None
    assert answers["holds"] is False


def test_a_certainty_is_never_rounded_to(tmp_path: Path) -> None:
    answers = found(
        tmp_path,
        '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\n'
        'rows = [["999999/1000000", "1/1000000"], ["1/1000000", "999999/1000000"]]',
    )
    assert answers["leakage"]["after"]["percent"] == "more than 99.9%"


def test_labels_that_read_alike_are_told_apart(tmp_path: Path) -> None:
    """The worst output is the text "1", which is 9 times as likely; the number 1 is 3 times."""
    answers = found(
        tmp_path,
        '[policy]\nvalues = ["(a, b)", ["a", "b"], "c"]\nsecrets = "line"\n'
        '[mechanism]\nkind = "matrix"\noutputs = [0, 1, "1"]\n'
        'rows = [["3/12", "8/12", "1/12"], ["3/12", "0.25", "1/2"], ["3/12", "0.25", "1/2"]]',
    )
    assert answers["policy"]["secrets"] == ["'(a, b)'", "('a', 'b')", "c"]
    assert answers["policy"]["pairs"] == [["'(a, b)'", "('a', 'b')"], ["('a', 'b')", "c"]]
    assert answers["mechanism"]["outputs"] == ["0", "1", "'1'"]
    assert answers["privacy"]["worst"]["output"] == "'1'"


@pytest.mark.parametrize("ratio", ["2", "3", "3/2", "2.7182818284590452354", "1.0000001", "1e9"])
def test_no_epsilon_is_below_the_true_one(tmp_path: Path, ratio: str) -> None:
    answers = found(
        tmp_path,
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n'
        f'[question]\nratio = "{ratio}"',
    )
    with localcontext() as context:
        context.prec = 60
        exactly = Decimal(ratio.split("/")[0]) / Decimal((ratio + "/1").split("/")[1])
        for each in (answers["privacy"], answers["asked"]):
            assert exactly.ln() <= Decimal(each["epsilon"])
            assert Decimal(math.nextafter(each["epsilon"], 0)) < exactly.ln()


def test_nats_are_not_below_the_bits(tmp_path: Path) -> None:
    answers = found(tmp_path, "[policy]\nvalues = 2\nrecords = 300\n[question]\nratio = 3")
    with localcontext() as context:
        context.prec = 60
        exactly = 300 * (Decimal(3) / 2).ln()  # 2λ/(λ+1) for each record
        assert exactly <= Decimal(answers["worst case"]["nats"]) < exactly * (1 + Decimal(2) ** -50)


def test_a_certificate_is_named_with_what_it_proves() -> None:
    hospital, vote = (audit(read_study(STUDIES / f"{name}.toml")) for name in ("hospital", "vote"))
    assert facts(hospital)["certificate"] is None
    assert facts(hospital, "p.json")["certificate"] == {
        "file": "p.json",
        "proves": "the worst case: that no mechanism as private leaks more",
    }
    assert "none is better" in facts(vote, "p.json")["certificate"]["proves"]
    assert hospital.proved is hospital.worst
    assert vote.proved is vote.study.best is vote.best
