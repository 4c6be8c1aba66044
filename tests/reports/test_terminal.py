"""The summary fits a terminal, the person first, and rounds no risk away."""

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from leaktight.reports.audit import summary
from leaktight.studies import Audit
from leaktight.studies.answers import Skipped
from tests.studies.examples import EXAMPLES, NO_MECHANISM, TELLS_ALL, example, hostile, written

NOISY = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = 2\n'


def verdict(text: str) -> str:
    return written(text).verdict.line


def squeezed(audit: Audit) -> str:
    return " ".join(summary(audit).split())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_fit_a_terminal(name: str) -> None:
    lines = summary(example(name)).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 42
    assert lines[0] == example(name).title
    assert lines[2].startswith(("PASS: ε = ", "FAIL: "))


def test_long_texts_are_wrapped() -> None:
    audit = written(
        f'title = "{"long " * 50}"\n[policy]\nvalues = ["{"x" * 300}", "y"]\n'
        '[mechanism]\nkind = "randomised response"\n'
        f'[question]\nratio = 2\nwhat = "{"something " * 30}"',
    )
    assert max(map(len, summary(audit).splitlines())) <= 80
    assert max(map(len, summary(hostile()).splitlines())) <= 80
    assert "\n" not in audit.verdict.line


def test_the_person_comes_first_and_numbers_last() -> None:
    text = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n[question]\nratio = 3'
    lines = summary(written(text)).splitlines()
    assert lines[2:4] == [
        "PASS: ε = 1.099 (limit 1.099), randomised response on 2 values.",
        "Worst pair: 0 vs 1, at output 0.",
    ]
    table = lines.index(
        next(line for line in lines if line.startswith("Guessing one record's value"))
    )
    assert lines[table].split()[-5:] == ["before", "after", "1", "after", "10"]
    assert lines[table + 1].split()[-3:-1] == ["50%", "75%"]
    leakage = lines.index("leakage        0.584963 bits about one value, under any prior")
    assert table < leakage
    most = "as private as asked leaks at most 0.584963 bits about one value;"
    assert any(line.startswith(f"any mechanism  {most}") for line in lines)


def test_two_levels_that_round_alike_are_told_apart() -> None:
    text = (
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = "{}"\n'
        "[question]\nratio = 2"
    )
    close = verdict(text.format("2.000001"))
    assert close.startswith("FAIL: ")
    assert "ε = 0.6931477 (limit 0.6931472)" in close  # 0.69314768…, 0.69314718…
    hair = verdict(text.format("2." + "0" * 30 + "1"))
    assert "the limit, if only by a hair" in hair


def test_without_a_mechanism_the_policy_answers() -> None:
    assert verdict(NO_MECHANISM) == "No mechanism is given: this is what any may tell."
    assert "any mechanism as private as asked leaks at most" in squeezed(written(NO_MECHANISM))


def test_nothing_asked_and_nothing_given_is_a_short_answer() -> None:
    lines = summary(written("[policy]\nvalues = 2")).splitlines()
    assert lines[2:] == [
        "No mechanism is given: this is what any may tell.",
        "",
        "policy  2 values, 1 secret pair, 1 record",
    ]


def test_no_epsilon_at_all_is_said() -> None:
    rows = '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [[1, 0], [0, 1]]\n'
    assert verdict(rows) == "The given matrix is private at no ε."
    assert verdict(TELLS_ALL) == "FAIL: private at no ε (limit 1.099), the given matrix."


def test_bounds_are_rounded_up() -> None:
    audit: Any = written("[policy]\nvalues = 3\n[question]\nratio = 2")
    for bits in (1.2345671, 1.2345601):
        bounds = (replace(audit.published[0], bits=bits),)
        found = replace(audit, worst_case=replace(audit.worst_case, bits=bits), published=bounds)
        assert summary(found).count("1.23457 bits") == 2


def test_no_epsilon_is_printed_below_the_true_one() -> None:
    """ln 2 = 0.69314…: a mechanism with that ε is not private at 0.6931."""
    assert verdict(NOISY).endswith("is private at ε = 0.6932.")
    asked = verdict(NOISY + "[question]\nratio = 2")
    assert asked.startswith("PASS: ε = 0.6932 (limit 0.6932), ")
    more = verdict(NOISY + '[question]\nratio = "3/2"')
    assert more.startswith("FAIL: ε = 0.6932 (limit 0.4055), ")  # ln 3/2 = 0.405465…
    told = verdict(NOISY + "[question]\nepsilon = 1")
    assert told.startswith("PASS: ε = 0.6932 (limit 1), ")


def test_what_leaks_at_worst_is_rounded_up() -> None:
    """Two coins leak 2·log2(4/3) = 0.8300749985… bits at worst."""
    text = NOISY.replace("values = 2", "values = 2\nrecords = 2")
    lines = summary(written(text)).splitlines()
    assert "leakage        0.830075 bits about all 2 records together, under any prior" in lines


def test_rows_say_what_they_are_about() -> None:
    hospital, vote = squeezed(example("hospital")), squeezed(example("vote"))
    assert "leakage 0.857981 bits about all 3 records together" in hospital
    assert "as private as asked leaks at most 0.777608 bits about all 3 records" in hospital
    assert "usefulness expected gain of the answer: 0.5, best possible 0.5; 0.37037 before" in vote
    assert "as private as asked leaks at most 4.23999 bits about all 5 records" in vote
    assert "At worst, the others are 2 × 'Lyon', 2 × 'Turin'." in vote


def test_without_a_question_others_are_as_private_as_this_one() -> None:
    text = squeezed(written(NOISY))
    assert "anyone, any mechanism as private as this one 50%" in text
    assert "any mechanism as private as this one leaks at most" in text


def test_the_certificate_is_named_with_what_it_proves() -> None:
    audit = written(NOISY)
    assert "certificate" not in summary(audit)
    *_, blank, name, proves, check = summary(audit.proved_by("my proof.json")).splitlines()
    assert (blank, name) == ("", "certificate: my proof.json")
    assert proves == "  It proves the worst case: that no mechanism as private leaks more."
    assert check == "  leaktight verify 'my proof.json'"


MARGINS = """
[policy]
records = 1200
attributes.band = ["<20k", "20-30k", "30-40k", "40-60k", "60-90k", ">90k"]
attributes.department = ["sales", "research", "works"]
margins.department = { sales = 400, research = 300, works = 500 }
[mechanism]
kind = "geometric"
query = "histogram"
[question]
epsilon = 1
"""


def test_one_published_bound_is_enough_for_a_summary() -> None:
    """Where not all pairs are secrets, only the number of databases bounds what leaks."""
    answers = written(MARGINS)
    assert not isinstance(answers.published, Skipped)
    assert [bound.form for bound in answers.published] == ["|X|"]
    assert "by number of databases" in squeezed(answers)


@pytest.mark.parametrize("below", ["17/100", "1/5", "1/2", "9/10"])
def test_what_shall_not_be_reached_is_answered_by_a_bound_too(below: str) -> None:
    person = written(f'{MARGINS}below = "{below}"').person.informed
    assert not isinstance(person, Skipped)
    most = max(
        n for n in range(100) if person.before * person.factor**n < Fraction(below)
    )  # each release multiplies the chance by the factor at most
    told = f"Up to {most} observation{'s' * (most > 1)} keep{'s' * (most == 1)} it below"
    assert person.text[-1].startswith(told if most else "A single observation may bring it to")


def test_what_is_reached_by_what_is_public_is_said() -> None:
    person = written(f'{MARGINS}below = "1/6"').person.informed
    assert not isinstance(person, Skipped)
    assert person.text[-1] == "It is 16.7% before anything is seen, by what is public."
