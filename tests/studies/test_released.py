"""A study with [release]: its audit is about what is published, and nothing else."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight.reports.audit import report, summarised
from leaktight.reports.document import Section
from leaktight.reports.text import to_text
from leaktight.studies import Study, audit, read_study
from leaktight.studies.answers import OF_RELEASE
from leaktight.studies.schema import to_json
from leaktight.tables import Ledger, release
from tests.tables.databases import output_channel

TABLES = Path(__file__).parent.parent.parent / "examples" / "tables"

WARD = """
title = "Ward"
[policy]
records = 40
[policy.attributes]
sex = ["female", "male"]
age = ["0-64", "65+"]
[data]
source = "ward.csv"
columns = ["sex", "age"]
[release]
name = "June"
epsilon = 1
budget = 3
ledger = "ward.ledger"
[[release.queries]]
name = "sex by age"
kind = "plain histogram"
[[release.queries]]
name = "by age"
kind = "plain histogram"
by = ["age"]
"""


def answered(study: Study, **how: Any) -> Any:
    return audit(study, **how)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    file = tmp_path / "ward.toml"
    file.write_text(WARD, "utf-8")
    return file


def test_the_release_is_what_the_audit_is_about(ward: Path) -> None:
    found = answered(read_study(ward))
    assert found.verdict.line == "PASS: ε = 1 (limit 1), 2 queries with geometric noise."
    assert found.holds is True
    assert found.leakage == found.usefulness == OF_RELEASE
    told = to_text(summarised(found))
    assert "No mechanism" not in told
    assert "best mechanism" not in told
    assert "sex: 50% → ≤ 62.3%" in told  # 1/(1 + e^(-1/2)), rounded up
    assert "age: 50% → ≤ 73.2%" in told  # 1/(1 + e^(-1))
    assert [(each.name, each.numbers) for each in found.release.queries] == [
        ("sex by age", 4),
        ("by age", 2),
    ]
    titles = [each.title for each in report(found).blocks if isinstance(each, Section)]
    assert "What is published" in titles
    assert "What is released" not in titles


def test_the_chances_of_an_audit_are_not_below_those_of_the_exact_output_channel(
    ward: Path,
) -> None:
    ward.write_text(WARD.replace("records = 40", "records = 1"), "utf-8")
    study = read_study(ward)
    assert study.release is not None
    noise = study.release.noise
    assert noise is not None
    matrix = output_channel(noise).matrix
    found = answered(study, without=("worst case", "published bounds", "worst case for other ε"))
    known = found.person.informed
    guess = sum(max(column) for column in matrix.T) / 4
    assert Fraction(int(guess.p), int(guess.q)) <= known.after[0].value
    assert Fraction(int(guess.p), int(guess.q)) * 4 <= known.factor
    level = max(
        column[u] / column[v] for column in matrix.T for u, v in study.policy.secrets.edges.tolist()
    )
    assert found.privacy.level.ratio == Fraction(int(level.p), int(level.q))
    surest = max(max(column) / sum(column) for column in matrix.T)
    assert known.values is not None
    assert max(each.after for each in known.values) == Fraction(int(surest.p), int(surest.q))


def test_what_has_been_spent_is_told_where_a_ledger_is(ward: Path) -> None:
    assert not answered(read_study(ward)).release.ledger
    study = read_study(ward)
    assert study.release is not None
    asked = study.release.asked
    Ledger.create(asked.ledger, asked.policy, epsilon=3)
    found = answered(read_study(ward)).release.ledger
    assert (found.file, found.spent, found.releases) == ("ward.ledger", 0.0, ())
    assert found.left == pytest.approx(3)
    assert "ε ≤ 0 of ε = 3 spent, in ward.ledger" in to_text(summarised(answered(read_study(ward))))


def test_advice_on_a_release_is_about_its_numbers_and_its_budget(ward: Path) -> None:
    text = " ".join(answered(read_study(ward)).advice.text)
    assert "The numbers of “sex by age” are then off by ± 6.41, instead of ± 5.64." in text
    assert "The budget, ε = 3, is for 3 releases at this ε, 3 then." in text
    assert "wrong in" not in text


def test_advice_counts_the_releases_for_which_something_is_left(ward: Path) -> None:
    study = read_study(ward)
    assert study.release is not None
    asked = study.release.asked
    Ledger.create(asked.ledger, asked.policy, epsilon=3)
    rows = ["female,0-64"] * 11 + ["female,65+"] * 9 + ["male,0-64"] * 16 + ["male,65+"] * 4
    (ward.parent / "ward.csv").write_text("\n".join(["sex,age", *rows]), "utf-8")
    release(
        asked.source, asked.policy, asked.queries, name="June", ledger=asked.ledger,
        columns=asked.reading.columns, epsilon="1/2",
    )  # fmt: skip
    text = " ".join(answered(read_study(ward)).advice.text)
    assert "What is left of ε = 3, ε = 2.5, is for 2 releases at this ε, 2 then." in text


def test_under_public_counts_and_with_absent_people_a_release_is_audited_too(ward: Path) -> None:
    counted = WARD.replace("[data]", "[policy.margins]\nsex = {female = 20, male = 20}\n[data]")
    ward.write_text(counted, "utf-8")
    found = answered(read_study(ward))
    assert found.verdict.line.startswith("PASS: ε ≤ 1 (limit 1)")
    assert found.public is not None
    ward.write_text(WARD.replace("records = 40", 'records = 40\npeople = "change"'), "utf-8")
    found = answered(read_study(ward))
    assert found.holds is True
    assert found.release.neighbours == "add/remove"


def test_a_study_of_a_release_as_json_has_it(ward: Path) -> None:
    told = json.loads(json.dumps(to_json(answered(read_study(ward)))))
    assert told["release"]["is"] == "release"
    assert told["release"]["queries"][0]["noise"] == "geometric noise"
    assert told["policy"]["scope"] == "table"


def test_the_example_passes_and_names_its_queries() -> None:
    found = answered(read_study(TABLES / "wages.toml"))
    assert found.verdict.line == "PASS: ε = 1 (limit 1), 3 queries with geometric noise."
    assert [each.kind for each in found.release.queries] == [
        "ordered histogram",
        "cumulative",
        "count",
    ]


def test_a_release_with_gaussian_noise_is_decided_by_its_rho(ward: Path) -> None:
    text = WARD.replace("epsilon = 1", 'noise = "gaussian"\nrho = "1/10"')
    ward.write_text(text.replace("budget = 3", 'budget = { rho = "1/2" }'), "utf-8")
    found = answered(read_study(ward))
    assert (
        found.verdict.line == "PASS: 2 queries with discrete Gaussian noise keeps ρ = 0.1 (zCDP)."
    )
    assert found.person.informed.after[0].value < found.person.any_mechanism.after[0].value
    told = {each.attribute: (each.before, each.after) for each in found.release.attributes}
    assert told.keys() == {"sex", "age"}
    assert Fraction(1, 2) < told["sex"][1] < told["age"][1] < Fraction(2, 3)


PAY = """
[policy]
values = [0, 1, 2]
secrets = "SECRETS"
records = 2
[data]
source = "pay.csv"
columns = "pay"
person = "who"
rows_per_person = 2
[release]
name = "June"
ratio = 4
ledger = "pay.ledger"
[[release.queries]]
name = "total"
kind = "sum"
[question]
ratio = 4
below = "99/100"
observations = 1
prior = ["8/10", "1/10", "1/10"]
"""


def surest(study: Study, value: int) -> Fraction:
    """Return the largest belief in a value of a person's first row, by going through all outputs.

    The second row is 2 where the first one has the value, and otherwise 0.
    """
    assert study.release is not None
    assert study.release.noise is not None
    channel = output_channel(study.release.noise)
    prior = [Fraction(8, 10), Fraction(1, 10), Fraction(1, 10)]
    rows = [(v, 2 if v == value else 0) for v in range(3)]
    seen = [[prior[v] * Fraction(channel[rows[v], z]) for v in range(3)] for z in channel.outputs]
    return max(chances[value] / sum(chances) for chances in seen)


@pytest.mark.parametrize("secrets", ["line", "complete"])
def test_no_row_of_a_person_is_told_of_as_if_it_were_the_only_one(
    tmp_path: Path, secrets: str
) -> None:
    file = tmp_path / "pay.toml"
    file.write_text(PAY.replace("SECRETS", secrets), "utf-8")
    study = read_study(file)
    found = answered(study)
    truth = {str(value): surest(study, value) for value in range(3)}
    said = [found.person.informed]
    if secrets == "complete":
        said.append(found.person.any_mechanism)
        assert found.advice
    else:  # 2 and 2 are two secret pairs from 1 and 0, which are one from 2 in the first row
        for part in (found.person.any_mechanism, found.advice, found.every_epsilon):
            assert "one person may have 2 rows, which may tell of each other" in part.why
    for each in said:
        for rise in each.values:
            assert rise.after >= truth[rise.value]
    assert secrets == "complete" or truth["1"] > Fraction(4, 13)  # which holds for one row alone
    # What leaks most keeps its ratio row by row, and not both rows of a person at once.
    assert not found.worst_case.is_exact
    assert found.worst_case.lower_bits == 0
    assert "some leaks as much" not in to_text(summarised(found))
    file.write_text(file.read_text("utf-8").replace("rows_per_person = 2\n", ""), "utf-8")
    assert "some leaks as much" in to_text(summarised(answered(read_study(file))))
