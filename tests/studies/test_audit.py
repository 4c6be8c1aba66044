"""An audit's answers are right by independent computation, and its warnings where they belong."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from leaktight import GeometricNoise, Policy, RandomizedResponse, SecretGraph, Study
from leaktight.channels import SymmetricNoise
from leaktight.curves.worst_case import worst_case
from leaktight.policies import counting_query
from leaktight.reports import summary
from leaktight.studies import Audit, Skipped, audit, read_study
from leaktight.studies.answers import Answers, Person
from leaktight.studies.audit import PARTS
from tests.studies.examples import STUDIES, example, written

Answer = Callable[[str], Audit]


@pytest.fixture
def answer(tmp_path: Path) -> Answer:
    """Answer a study that is given as text, beside files that it may name."""

    def answered(text: str) -> Audit:
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return audit(read_study(path))

    return answered


def test_public_counts_break_randomised_response() -> None:
    """The hospital: by brute force over the six possible databases."""
    found: Any = example("hospital")
    values = ("flu", "cold", "none")
    wards = [ward for ward in product(values, repeat=3) if ward.count("flu") == 2]
    assert set(found.study.policy.databases()) == set(wards)

    def chance(seen: tuple[str, ...], ward: tuple[str, ...]) -> Fraction:
        kept = [
            Fraction(1, 2) if a == b else Fraction(1, 4) for a, b in zip(seen, ward, strict=True)
        ]
        return math.prod(kept, start=Fraction(1))

    seen = list(product(values, repeat=3))
    joined = {frozenset(pair) for pair in found.study.policy.adjacency().explicit().edge_pairs()}
    worst = max(
        chance(z, a) / chance(z, b)
        for a in wards for b in wards if frozenset((a, b)) in joined for z in seen
    )  # fmt: skip
    assert found.privacy.level.ratio == worst == 4
    assert found.privacy.one_record.ratio == 2
    assert found.holds is False
    capacity = sum(max(chance(z, ward) for ward in wards) for z in seen)
    assert found.leakage.bits == pytest.approx(math.log2(capacity))
    assert found.leakage.about == "all 3 records together"
    assert (found.worst_case.factor, found.worst_case.is_exact) == ("12/7", True)
    assert any("voids plain differential privacy" in told for told in found.warnings)
    # Two of three have the flu; at ratio 2 the odds 2 : 1 become 4 : 1 at most.
    most = found.person.any_mechanism
    assert (most.before, most.after[0].value) == (Fraction(2, 3), Fraction(4, 5))
    assert found.public.reach == 2
    assert found.public.odds.ratio == 4
    assert found.public.told.after == Fraction(2, 3)
    assert found.public.recommended_epsilon.error == pytest.approx(2 / (2 + math.sqrt(2)))


def test_a_vote_is_private_and_what_it_is_good_for_is_not_about_a_person() -> None:
    found: Any = example("vote")
    assert found.holds is True
    assert found.privacy.level.ratio == 3
    useful = found.usefulness
    assert (useful.about, useful.before) == ("the answer", Fraction(10, 27))
    assert useful.this == useful.best == useful.limit == Fraction(1, 2)  # λ/(λ + n − 1)
    assert found.warnings == ()


def test_geometric_noise_on_salaries_is_the_best() -> None:
    found: Any = example("salary")
    assert found.holds is True
    assert float(found.usefulness.this) == pytest.approx(float(found.usefulness.best))
    # Both ends are told with λ/(λ+1), each of the four values between with (λ−1)/(λ+1).
    ratio = math.e
    expected = (2 * ratio + 4 * (ratio - 1)) / (ratio + 1)
    assert found.worst_case.bits == pytest.approx(math.log2(expected))


def test_without_a_ratio_nothing_is_promised() -> None:
    found: Any = written('[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\n'
                         'rows = [["3/4", "1/4"], ["1/4", "3/4"]]')  # fmt: skip
    assert found.holds is None
    assert found.worst_case.factor == "3/2"  # 2λ/(λ + 1) at the mechanism's own ratio, 3


def test_a_policy_alone_has_a_worst_case() -> None:
    found: Any = written("[policy]\nvalues = 2\n[question]\nratio = 3")
    parts = (found.privacy, found.leakage, found.person.informed, found.person.uninformed)
    assert all(isinstance(part, Skipped) for part in parts)
    assert found.holds is None
    assert found.worst_case.factor == "3/2"
    assert found.person.any_mechanism.after[0].value == Fraction(3, 4)


def test_a_million_records_are_no_obstacle() -> None:
    found: Any = written('[policy]\nvalues = 2\nrecords = 1_000_000\n[mechanism]\n'
                         'kind = "randomised response"\n[question]\nepsilon = 1')  # fmt: skip
    assert found.holds is True
    assert found.leakage.bits == pytest.approx(10**6 * math.log2(2 * math.e / (math.e + 1)))
    assert found.worst_case.bits == pytest.approx(found.leakage.bits)


def test_a_hair_above_is_not_private() -> None:
    """ε is exact: e is below 2.7182818284590452354, and above the same with a 3 at its end."""
    rows = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = "{}"\n'
    question = "[question]\nepsilon = 1"
    assert written(rows.format("2.7182818284590452354") + question).holds is False
    assert written(rows.format("2.718281828459045235") + question).holds is True


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            '[policy]\nsecrets = "partition"\ngroups = [["a", "b"], ["c"]]',
            "falls into 2 groups: which group a value is in may be disclosed",
        ),
        (
            "[policy]\nvalues = 2\nrecords = 2\nconstraints = [{ values = [0], equals = 2 }]",
            "leaves 1 database without a neighbour",
        ),
        (
            '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [[1, 0], [0, 1]]',
            "Some output rules an input out",
        ),
        (
            "[policy]\nvalues = 2\n[question]\nbelow = 0.5",
            "The chance of 50% is reached before anything is seen",
        ),
        (
            '[policy]\nvalues = 3\nrecords = 5\n[mechanism]\nkind = "randomised response"\n'
            'query = "most common"\n[question]\nratio = 2\n'
            "answers = ['1/4', '1/4', '1/4', '1/4']",
            "does not follow from what is believed of one record: “0” has 25%, not 21%",
        ),
    ],
)
def test_users_are_warned(text: str, warning: str) -> None:
    assert any(warning in told for told in written(text).warnings), written(text).warnings


def test_answers_that_follow_from_the_records_are_not_warned_of() -> None:
    """Each city wins 51 of 243 votes of five, and 90 are ties."""
    text = (
        '[policy]\nvalues = ["x", "y", "z"]\nrecords = 5\n[mechanism]\n'
        'kind = "randomised response"\nquery = "most common"\n[question]\nratio = 2\n'
        'answers = { x = "17/81", y = "17/81", z = "17/81", tie = "30/81" }'
    )
    assert written(text).warnings == ()


def test_floats_are_warned_of(answer: Answer, tmp_path: Path) -> None:
    third = repr(1 / 3)
    (tmp_path / "m.csv").write_text(f"float,x,y\n0,{third},{1 - 1 / 3!r}\n1,0.5,0.5\n")
    found = answer('[policy]\nvalues = 2\n[mechanism]\nkind = "file"\nfile = "m.csv"')
    assert any("floating-point entries" in told for told in found.warnings)


def test_what_is_too_large_is_said_and_the_rest_answered() -> None:
    found: Any = written('[policy]\nvalues = 130\nsecrets = "line"\n[question]\nratio = 2')
    assert "at most 120 inputs, got 130" in found.usefulness.why
    assert found.worst_case.is_exact
    assert "at most 40 databases or values, got 130" in found.by_epsilon.why


def test_public_counts_have_a_verdict_at_any_number_of_records() -> None:
    found: Any = written(
        '[policy]\nvalues = 3\nrecords = 60000\nconstraints = [{ values = [0], equals = 30 }]\n'
        '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2'
    )  # fmt: skip
    assert found.privacy.level.ratio == 4
    assert found.holds is False


def test_every_answer_that_may_be_missing_is_a_part() -> None:
    may_miss = {
        f"{prefix}{name}"
        for prefix, kind in (("", Answers), ("person.", Person))
        for name, of in get_type_hints(kind).items()
        if Skipped in get_args(of)
    }
    assert may_miss
    computed = {part.field for part in PARTS if part.compute is not None}
    assert may_miss <= computed
    assert len({part.name for part in PARTS}) == len(PARTS)


def test_what_parts_share_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def counted(*given: Any) -> Any:
        calls.append(given)
        return worst_case(*given)

    monkeypatch.setattr("leaktight.studies.inquiry.worst_case", counted)
    found = audit(read_study(STUDIES / "salary.toml"))
    assert found.worst_case
    assert found.proof is found.inquiry.worst
    assert len(calls) == 1
    assert found.every_epsilon is found.every_epsilon


def test_progress_is_told() -> None:
    told: list[str] = []
    audit(read_study(STUDIES / "vote.toml"), told.append)
    assert told[0] == "privacy"
    assert "worst case" in told


def test_the_best_mechanism_is_found_once_and_for_the_epsilon_that_was_written() -> None:
    text = '[policy]\nvalues = 3\nsecrets = "line"\n[mechanism]\nkind = "best"\n{}[question]\n{}'
    found: Any = written(text.format("", "epsilon = 1"))
    assert found.proof is found.study.best is not None
    assert found.usefulness.best == found.study.best.utility
    assert not found.study.best.ratio.is_exact
    other: Any = written(text.format("ratio = 2\n", "ratio = 3"))
    assert other.study.best.ratio.lower == 2
    assert other.usefulness.best > other.usefulness.this


@pytest.mark.parametrize(
    "study",
    [
        "values = 3\nrecords = 4\nQUERY = sum",
        'values = [0, 2, 3]\nsecrets = "line"\nrecords = 3\nQUERY = sum',
        "values = 4\nrecords = 5\nQUERY = count",
    ],
)
@pytest.mark.parametrize("kind", ["truncated geometric", "rounded laplace", "geometric"])
def test_noise_that_is_not_written_out_has_the_answers_of_its_matrix(
    study: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Level, person, leakage: by formula, and from the matrix on all answers."""
    policy, _, query = study.partition("QUERY = ")
    of = "of = [1]\n" if query == "count" else ""
    text = (
        f'[policy]\n{policy}[mechanism]\nkind = "{kind}"\nquery = "{query}"\n{of}'
        "[question]\nratio = 3\nprior = [{}]\nobservations = 2\n"
    )
    weights = {"3": "5, 2, 1", "[0, 2, 3]": "1, 4, 2", "4": "1, 5, 3, 2"}
    values = policy.partition("\n")[0].removeprefix("values = ")
    found: Any = written(text.format(weights[values]))
    monkeypatch.setattr(SymmetricNoise, "adds_to", lambda *_: False)
    listed: Any = written.__wrapped__(text.format(weights[values]))
    assert listed.study.noise is None is not found.study.noise
    assert found.privacy.level.ratio == listed.privacy.level.ratio
    assert found.holds is listed.holds is True
    one, other = found.person.informed, listed.person.informed
    assert one.factor == other.factor
    assert (one.before, one.after[0]) == (other.before, other.after[0])
    assert found.person.uninformed.after == listed.person.uninformed.after
    assert found.leakage.bits >= listed.leakage.bits
    assert found.usefulness == listed.usefulness


def test_a_perturbed_count_of_a_million_people_is_audited_as_of_thirty(answer: Answer) -> None:
    """At most 7 redacted, others to the nearest 5: listed for 30, and not for a million."""
    asked = (
        '[policy]\nvalues = ["no", "yes"]\nrecords = {}\n[mechanism]\nkind = "suppression"\n'
        'at_most = 7\nbase = 5\nquery = "count"\nof = ["yes"]\n[question]\nepsilon = 1\n'
    )
    few, many = (answer(asked.format(records)) for records in (30, 1_000_000))
    assert many.study.channel is None
    for found in (few, many):
        level: Any = found.privacy
        assert (level.level.ratio, found.holds) == (None, False)
        assert (level.level.worst.input, level.level.worst.neighbour) == ("7", "8")
        person: Any = found.person
        assert person.informed.after[0].value == 1
        assert "the others' answer is 7" in person.informed.others
    assert f"{float(few.person.uninformed.after.value):.1%}" == "54.8%"  # type: ignore[union-attr]
    assert 0.5 < float(many.person.uninformed.after.value) < 0.501  # type: ignore[union-attr]
    told: Any = many.leakage
    assert not told.is_exact
    assert told.bits == pytest.approx(math.log2(1_000_001))


def test_swapping_says_what_it_takes_for_granted(answer: Answer) -> None:
    swapped = (
        '[policy]\nvalues = ["a", "b"]\nrecords = 5\n[mechanism]\nkind = "swapping"\nshare = 0.1\n'
    )
    assert any("whoever knows all other records" in said for said in answer(swapped).warnings)


def test_whether_a_person_is_there_has_an_advantage_and_rates() -> None:
    """One count with geometric noise, e = 3: the test "above the others" has 3/4 and 1/4."""
    ward = Policy(SecretGraph.add_remove(["ill", "well"]), records=1000)
    study = Study(
        ward, GeometricNoise(ratio=3), query=counting_query(["ill"]), ratio=3, absent="absent"
    )
    found: Any = audit(study).person.membership
    own, most = found.found
    assert (own.whose, own.is_exact, own.advantage) == ("this mechanism", True, Fraction(1, 2))
    assert dict(own.rates)[Fraction(1, 100)] == Fraction(3, 100)
    assert (most.whose, most.is_exact, most.advantage) == ("any mechanism", False, Fraction(1, 2))
    told = summary(audit(study))
    assert "this mechanism: advantage 50%; 3% found at 1% false positives" in told
    nobody: Any = audit(Study(Policy(SecretGraph.complete(2)), ratio=2)).person.membership
    assert not nobody


def test_the_picture_is_of_the_output_that_speaks_for_the_sensitive_value() -> None:
    """A smoking study: 10% → 23.2% after "heavy", and not falling after "never"."""
    policy = Policy(SecretGraph.complete(["never", "light", "heavy"]))
    response = RandomizedResponse(["never", "light", "heavy"], epsilon=1)
    given: Any = {"epsilon": 1, "prior": ["0.6", "0.3", "0.1"], "sensitive": ["heavy"]}
    known: Any = audit(Study(policy, response, **given)).person.informed
    assert known.speaking == "heavy"
    [heavy] = [each for each in known.belief if each.value == "heavy"]
    e = math.e
    assert heavy.before == 0.1
    assert heavy.after == pytest.approx(0.1 * e / (0.1 * e + 0.9), abs=1e-9)
