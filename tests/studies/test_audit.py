"""An audit's answers are right by independent computation, and its warnings where they belong."""

import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from leaktight import TooLarge
from leaktight.studies.audit import Audit, audit
from leaktight.studies.study import read_study

STUDIES = Path(__file__).parents[2] / "examples" / "studies"
Answer = Callable[[str], Audit]


@pytest.fixture
def answer(tmp_path: Path) -> Answer:
    """Answer a study that is given as text."""

    def answered(text: str) -> Audit:
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return audit(read_study(path))

    return answered


def test_public_counts_break_randomised_response() -> None:
    """The hospital: by brute force over the six possible databases."""
    found = audit(read_study(STUDIES / "hospital.toml"))
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
    assert found.level is not None
    assert found.promised is not None
    assert found.level.ratio == worst == 4
    assert found.promised.ratio == 2
    assert found.holds is False
    capacity = sum(max(chance(z, ward) for ward in wards) for z in seen)
    assert found.together == pytest.approx(math.log2(capacity))
    assert found.worst is not None
    assert str(found.worst.upper_factors) == str(found.worst.lower_factors) == "12/7"
    assert found.leakage is not None
    assert (found.leakage.before, found.leakage.after) == (Fraction(2, 3), Fraction(2, 3))
    assert any("voids plain differential privacy" in told for told in found.warnings)
    assert "guarantee" in found.skipped


def test_a_vote_is_private() -> None:
    found = audit(read_study(STUDIES / "vote.toml"))
    assert found.holds is True
    assert found.level is not None
    assert found.level.ratio == 3
    assert found.usefulness is not None
    assert found.usefulness.value == Fraction(1, 2)  # λ/(λ + n − 1) on four joined answers
    assert found.warnings == ()
    assert found.skipped == {}


def test_geometric_noise_on_salaries_is_the_best() -> None:
    found = audit(read_study(STUDIES / "salary.toml"))
    assert found.holds is True
    assert found.usefulness is not None
    assert found.best is not None
    assert float(found.usefulness.value) == pytest.approx(float(found.best.loss))
    # Both ends are told with λ/(λ+1), each of the four values between with (λ−1)/(λ+1).
    ratio = math.e
    assert found.worst is not None
    expected = (2 * ratio + 4 * (ratio - 1)) / (ratio + 1)
    assert found.worst.bits == pytest.approx(math.log2(expected))


def test_without_a_ratio_nothing_is_promised(answer: Answer) -> None:
    found = answer('[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [["3/4", "1/4"], '
                   '["1/4", "3/4"]]')  # fmt: skip
    assert found.holds is None
    assert found.ratio is not None
    assert found.ratio.lower == 3  # the mechanism's own


def test_a_policy_alone_has_a_worst_case(answer: Answer) -> None:
    found = answer("[policy]\nvalues = 2\n[question]\nratio = 3")
    assert (found.level, found.holds, found.leakage, found.seen) == (None, None, None, None)
    assert found.worst is not None
    assert str(found.worst.upper_factors) == "3/2"
    assert found.guaranteed is not None


def test_a_million_records_are_no_obstacle(answer: Answer) -> None:
    found = answer('[policy]\nvalues = 2\nrecords = 1_000_000\n[mechanism]\n'
                   'kind = "randomised response"\n[question]\nepsilon = 1')  # fmt: skip
    assert found.holds is True
    assert found.together == pytest.approx(10**6 * math.log2(2 * math.e / (math.e + 1)))
    assert found.worst is not None
    assert found.worst.bits == pytest.approx(found.together)


def test_a_hair_above_is_not_private(answer: Answer) -> None:
    """ε is exact: e is below 2.7182818284590452354, and above the same with a 3 at its end."""
    rows = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = "{}"\n'
    question = "[question]\nepsilon = 1"
    assert answer(rows.format("2.7182818284590452354") + question).holds is False
    assert answer(rows.format("2.718281828459045235") + question).holds is True


def test_an_epsilon_that_no_float_is_stays_exact(answer: Answer) -> None:
    found = answer('[policy]\nvalues = 2\n[question]\nepsilon = "1/3"')
    assert found.worst is not None
    assert found.worst.ratio.lower == found.ratio.lower  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            '[policy]\nsecrets = "partition"\ngroups = [["a", "b"], ["c"]]',
            "falls into 2 groups: which group a value is in may be disclosed completely",
        ),
        (
            '[policy]\nvalues = ["a", "b"]\nrecords = 2\ndatabases = [["a", "a"]]',
            "leaves 1 database without a neighbour",
        ),
        (
            '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [[1, 0], [0, 1]]',
            "Some output rules an input out",
        ),
        (
            "[policy]\nvalues = 2\n[question]\nbelow = 0.5",
            "The chance of 0.5 is reached before anything is seen",
        ),
    ],
)
def test_users_are_warned(answer: Answer, text: str, warning: str) -> None:
    assert any(warning in told for told in answer(text).warnings)


def test_floats_are_warned_of(answer: Answer, tmp_path: Path) -> None:
    third = repr(1 / 3)
    (tmp_path / "m.csv").write_text(f"float,x,y\n0,{third},{1 - 1 / 3!r}\n1,0.5,0.5\n")
    found = answer('[policy]\nvalues = 2\n[mechanism]\nkind = "file"\nfile = "m.csv"')
    assert any("floating-point entries" in told for told in found.warnings)
    assert found.level is not None


def test_what_is_too_large_is_said_and_the_rest_answered(answer: Answer) -> None:
    found = answer('[policy]\nvalues = 130\nsecrets = "line"\n[question]\nratio = 2')
    assert "best mechanism" in found.skipped
    assert found.worst is not None
    assert found.worst.is_exact


def test_a_verdict_is_never_left_out(answer: Answer) -> None:
    """If privacy cannot be decided there is no answer, rather than one without a verdict."""
    with pytest.raises(TooLarge):
        answer(
            '[policy]\nvalues = 3\nrecords = 60\nconstraints = [{ values = [0], equals = 30 }]\n'
            '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2'
        )  # fmt: skip


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    audit(read_study(STUDIES / "vote.toml"), told.append)
    assert told[0] == "privacy"
    assert "worst case" in told


WARD = (
    '[policy]\nvalues = ["flu", "cold", "none"]\nrecords = 3\n{}\n'
    '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2\n'
)
TWO_ILL = 'constraints = [{ values = ["flu"], equals = 2 }]'


def test_a_prior_unlike_what_is_public_is_warned_of(answer: Answer) -> None:
    """Of the six possible databases, four have the flu in the first record."""
    expected = "33.3%, but of the databases that are possible 66.7% have 'flu' in record 1"
    assert any(expected in told for told in answer(WARD.format(TWO_ILL)).warnings)
    given = 'prior = { flu = "2/3", cold = "1/6", none = "1/6" }'
    alike = (
        'databases = [["flu", "cold", "none"], ["cold", "none", "flu"], ["none", "flu", "cold"]]'
    )
    for study in (WARD.format(TWO_ILL) + given, WARD.format(""), WARD.format(alike)):
        assert not any("equally likely" in told for told in answer(study).warnings)


def test_many_outcomes_do_not_hold_an_audit_up(answer: Answer) -> None:
    """Of six outputs, 40 observations have C(45, 5) types: minutes, with a threshold to search."""
    found = answer(
        '[policy]\nvalues = 6\nsecrets = "line"\n[mechanism]\nkind = "truncated geometric"\n'
        '[question]\nratio = "21/20"\nobservations = 40\nbelow = 0.9'
    )
    assert max(found.curve) == 15
    assert "the curve beyond 15 observations" in found.skipped
    assert found.seen is not None
    assert [chance.observations for chance in found.seen.after] == [1, 40]
    assert found.seen.after[1].value >= found.curve[15].upper  # it only grows
    assert found.seen.reached is None


def test_the_best_mechanism_is_found_once_and_for_the_epsilon_that_was_written(
    answer: Answer,
) -> None:
    text = '[policy]\nvalues = 3\nsecrets = "line"\n[mechanism]\nkind = "best"\n{}[question]\n{}'
    found = answer(text.format("", "epsilon = 1"))
    assert found.best is found.study.best is not None
    assert found.study.best.ratio == found.ratio
    assert not found.study.best.ratio.is_exact
    other = answer(text.format("ratio = 2\n", "ratio = 3"))
    assert other.study.best is not None
    assert other.study.best.ratio.lower == 2
    assert other.best is not None
    assert other.best.ratio.lower == 3


# --- what all answers together tell ----------------------------------------------------------


def by_brute_force(found: Audit) -> tuple[Fraction, Fraction, Fraction]:
    """Return the best guess of a record before and after, and the likeliest that a value gets."""
    study: Any = found.study
    channel, wards = study.channel.exact(), study.policy.databases()
    weight = {ward: math.prod(study.prior[x] for x in ward) for ward in wards}
    total = sum(weight.values())
    guesses, likeliest = [], Fraction(0)
    for record in range(study.policy.records):
        before: dict[Any, Fraction] = defaultdict(Fraction)
        for ward in wards:
            before[ward[record]] += weight[ward] / total
        after = Fraction(0)
        for seen in product(channel.outputs, repeat=study.policy.records):
            held: dict[Any, Fraction] = defaultdict(Fraction)
            for ward in wards:
                chance = math.prod(channel[x, z] for x, z in zip(ward, seen, strict=True))
                held[ward[record]] += weight[ward] / total * chance
            after += max(held.values())
            for x, mass in held.items():
                if mass > before[x] * sum(held.values()):
                    likeliest = max(likeliest, mass / sum(held.values()))
        guesses.append((after, max(before.values())))
    best = max(guesses)
    return best[1], best[0], likeliest


def test_all_answers_tell_more_than_one_alone() -> None:
    """The hospital: 'flu' rises to 4/5 after its own answer, but to 6/7 after all three."""
    found = audit(read_study(STUDIES / "hospital.toml"))
    assert found.all_answers is not None
    told = found.all_answers
    assert told.telling is not None
    before, after, likeliest = by_brute_force(found)
    assert (told.before, told.after, told.telling.after) == (before, after, likeliest)
    assert (before, after, likeliest) == (Fraction(2, 3), Fraction(2, 3), Fraction(6, 7))
    assert told.record is None
    assert told.telling.event == "'flu' in record 1"
    assert told.telling.output in set(product(["flu"], ["cold", "none"], ["cold", "none"]))
    # (flu, cold, none) has the chance 1/32 or 1/16 in two wards each that have 'flu' first, and
    # 1/64 in the two that have not; each ward has 1/6.
    assert told.telling.chance == Fraction(7, 192)
    assert found.seen is not None
    assert found.seen.telling is not None
    assert found.seen.telling.after == Fraction(4, 5)


TIED = "What is public ties records together: all answers together can tell more than one alone."


@pytest.mark.parametrize(
    "study",
    [
        WARD.format(TWO_ILL),
        WARD.format(TWO_ILL) + 'prior = { flu = "1/2", cold = "1/2", none = 0 }',
        WARD.format('databases = [["flu", "cold", "none"], ["cold", "cold", "flu"]]'),
        WARD.format('constraints = [{ values = ["flu"], at_least = 1 }]').replace("= 2", "= 7"),
        '[policy]\nvalues = 2\nrecords = 4\nconstraints = [{ values = [1], equals = 1 }]\n'
        '[mechanism]\nkind = "matrix"\nrows = [["1/3", "2/3"], ["5/7", "2/7"]]',
        '[policy]\nvalues = 2\nrecords = 3\nconstraints = [{ values = [1], equals = 1 }]\n'
        '[mechanism]\nkind = "randomised response"\n[question]\nepsilon = 1',
    ],
)  # fmt: skip
def test_what_all_answers_tell_is_found_by_brute_force(answer: Answer, study: str) -> None:
    found = answer(study)
    assert found.all_answers is not None
    told = found.all_answers
    assert told.telling is not None
    assert (told.before, told.after, told.telling.after) == by_brute_force(found)
    assert TIED not in found.warnings


def test_the_record_that_is_guessed_best_is_named(answer: Answer) -> None:
    """Record 2 is always the same, so that it is known; of the others nothing is seen."""
    found = answer(
        '[policy]\nvalues = 2\nrecords = 2\ndatabases = [[0, 1], [1, 1]]\n'
        '[mechanism]\nkind = "matrix"\nrows = [[1], [1]]'
    )  # fmt: skip
    assert found.all_answers is not None
    assert found.all_answers.record == 2
    assert found.all_answers.after == 1
    assert found.all_answers.telling is None


def test_many_records_that_tell_nothing_are_no_obstacle(answer: Answer) -> None:
    found = answer(
        '[policy]\nvalues = 2\nrecords = 70\nconstraints = [{ values = [1], equals = 1 }]\n'
        '[mechanism]\nkind = "matrix"\nrows = [[1], [1]]'
    )  # fmt: skip
    assert found.all_answers is not None
    assert found.all_answers.before == found.all_answers.after == Fraction(69, 70)


def test_where_all_answers_are_too_many_that_is_a_warning(answer: Answer) -> None:
    many = answer(WARD.format(TWO_ILL).replace("records = 3", "records = 7"))
    assert many.all_answers is None
    assert TIED in many.warnings
    why = many.skipped["all answers together"]
    assert why.startswith("672 databases of 7 records with 3 outputs each")  # C(7, 2)·2^5
    assert many.seen is not None
    assert "from that record's answer alone" in str(many.seen)


def test_a_prior_that_rules_all_databases_out_tells_nothing_of_all_answers(answer: Answer) -> None:
    found = answer(WARD.format(TWO_ILL) + "prior = { flu = 1, cold = 0, none = 0 }")
    assert found.all_answers is None
    assert "rules out every database" in found.skipped["all answers together"]
    assert TIED in found.warnings


def test_independent_records_tell_of_themselves_alone(answer: Answer) -> None:
    found = answer(WARD.format(""))
    assert found.all_answers is None
    assert "all answers together" not in found.skipped
    assert TIED not in found.warnings
    assert "alone" not in str(found.seen)
    assert found.guaranteed is not None
    known = "also if all other records are known, but not if records are known to depend on each"
    assert known in " ".join(str(found.guaranteed).split())
    alone = answer(WARD.format("").replace("records = 3", "records = 1"))
    assert "known" not in str(alone.guaranteed)
