"""What an audit says of one person is what the definitions say, on all databases."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    counting_query,
)
from leaktight.studies import Skipped, Study, audit
from tests.leakage.test_individual import free_policies, priors_on
from tests.strategies.channels import channels
from tests.strategies.graphs import constrained_policies
from tests.studies.examples import example, written


def rows_of(study: Study) -> dict[Any, dict[Any, Fraction]]:
    """What is seen of each database, as a tuple of records, output by output."""
    channel: Any = study.channel
    assert channel is not None
    n = study.policy.records
    rows = {}
    databases: Any = study.policy.databases()
    for database in databases:
        whole = database if n > 1 else (database,)
        if study.query is not None:
            answer = study.query(whole)  # type: ignore[operator]
            rows[whole] = {z: channel[answer, z] for z in channel.outputs}
        elif study.scope == "record":
            rows[whole] = {
                seen: math.prod(channel[x, z] for x, z in zip(whole, seen, strict=True))
                for seen in product(channel.outputs, repeat=n)
            }
        else:
            rows[whole] = {z: channel[database, z] for z in channel.outputs}
    return rows


def informed(study: Study, looks: int) -> tuple[Fraction, Fraction]:
    """The largest Σ_z max_v K(z|D⁻,v), and the largest chance of a right guess after some looks.

    The latter over those D⁻ that leave more than one value possible, if there are any.
    """
    rows, factor, guesses = rows_of(study), Fraction(0), []
    for record in range(study.policy.records):
        groups = defaultdict(list)
        for whole in rows:
            groups[whole[:record] + whole[record + 1 :]].append(whole)
        for those in groups.values():
            outputs = rows[those[0]]
            whole = sum((max(rows[d][z] for d in those) for z in outputs), Fraction(0))
            factor = max(factor, whole)
            prior = {d: study.prior[d[record]] for d in those}
            if not (total := sum(prior.values())):
                continue
            after = sum(
                max(prior[d] * math.prod(rows[d][z] for z in seen) for d in those)
                for seen in product(outputs, repeat=looks)
            )
            is_open = sum(p > 0 for p in prior.values()) > 1
            guesses.append((is_open, Fraction(after / total)))
    return factor, max(guesses)[1]


def uninformed(study: Study) -> tuple[Fraction, Fraction, Fraction]:
    """The best guess of a record before and after, and the likeliest that a value gets."""
    rows = rows_of(study)
    weight: Any = {d: math.prod(study.prior[x] for x in d) for d in rows}
    total = sum(weight.values())
    guesses, likeliest = [], Fraction(0)
    for record in range(study.policy.records):
        before: Any = defaultdict(Fraction)
        seen: Any = defaultdict(lambda: defaultdict(Fraction))
        for d, row in rows.items():
            before[d[record]] += weight[d] / total
            for z, p in row.items():
                seen[z][d[record]] += weight[d] / total * p
        guesses.append((sum(max(held.values()) for held in seen.values()), max(before.values())))
        for held in seen.values():
            for x, mass in held.items():
                if mass > before[x] * sum(held.values()):
                    likeliest = max(likeliest, mass / sum(held.values()))
    after, first = max(guesses)
    return first, after, likeliest


def agrees(study: Study) -> None:
    found = audit(study).person
    known: Any = found.informed
    factor, after = informed(study, 1)
    assert known.factor == factor
    assert (known.after[0].value, known.after[0].is_exact) == (after, True)
    if len(known.after) > 1 and known.after[1].is_exact:
        assert known.after[1].value == informed(study, study.observations)[1]
    if not isinstance(found.uninformed, Skipped):
        first, last, likeliest = uninformed(study)
        assert found.uninformed.after.value == last
        telling = found.uninformed.telling
        assert (0 if telling is None else telling.after) == likeliest
        if not study.policy.is_constrained and study.policy.values is None:
            assert found.uninformed.before == first


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_random_queries_and_policies_agree_with_the_definitions(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    values = policy.secrets.vertices
    queries: list[Any] = [counting_query(values[:1]), MostCommonQuery(), HistogramQuery(values)]
    query = data.draw(st.sampled_from(queries))
    databases: Any = policy.databases()
    answers = list(dict.fromkeys(query(d if policy.records > 1 else (d,)) for d in databases))
    channel = Channel(data.draw(channels(inputs=len(answers), outputs=3)), answers)
    prior = data.draw(priors_on(policy))
    assume(any(math.prod(prior[v] for v in (d if policy.records > 1 else (d,))) for d in databases))
    agrees(Study(policy, channel, query=query, prior=prior, observations=2))


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_answers_of_each_record_agree_with_the_definitions(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    values = policy.secrets.vertices
    databases: Any = policy.databases()
    prior = data.draw(priors_on(policy))
    assume(any(math.prod(prior[v] for v in (d if policy.records > 1 else (d,))) for d in databases))
    channel = Channel(data.draw(channels(inputs=len(values), outputs=2)), values)
    agrees(Study(policy, channel, prior=prior, observations=1))


def test_the_vote_tells_of_one_delegate() -> None:
    found: Any = example("vote")
    factor, after = informed(found.study, 1)
    assert (factor, after) == (Fraction(5, 3), Fraction(5, 9))
    assert (found.person.informed.factor, found.person.informed.after[0].value) == (factor, after)
    assert found.person.informed.before == Fraction(1, 3)
    first, last, likeliest = uninformed(found.study)
    assert (first, last) == (Fraction(1, 3), Fraction(97, 243))
    assert (found.person.uninformed.before, found.person.uninformed.after.value) == (first, last)
    assert found.person.uninformed.telling.after == likeliest


def test_the_ward_tells_of_one_patient() -> None:
    """Of the flu after all three answers, 6/7; of a cold after one, if the others have the flu."""
    found: Any = example("hospital")
    assert informed(found.study, 1) == (Fraction(5, 4), Fraction(5, 8))
    assert found.person.informed.after[0].value == Fraction(5, 8)
    first, last, likeliest = uninformed(found.study)
    assert (first, last, likeliest) == (Fraction(2, 3), Fraction(2, 3), Fraction(6, 7))
    telling = found.person.uninformed.telling
    assert (telling.event, telling.after) == ("flu", likeliest)
    # (flu, cold, none) has the chance 1/32 or 1/16 in two wards each that have 'flu' first, and
    # 1/64 in the two that have not; each ward has 1/6.
    assert telling.chance == Fraction(7, 192)


@pytest.mark.parametrize("records", [595, 1_000_000])
def test_a_noisy_count_of_wages_tells_as_much_of_one_person_among_any_number(records: int) -> None:
    """2λ/(1 + λ) = 1.4621 at ε = 1; with six uniform bands 16.7% become 24.4%."""
    bands = SecretGraph.complete(["<20k", "20-30k", "30-40k", "40-60k", "60-90k", ">90k"])
    noise = GeometricNoise(epsilon=1)
    found: Any = audit(
        Study(Policy(bands, records), noise, query=counting_query([">90k"]), epsilon=1)
    )
    known, ratio = found.person.informed, noise.ratio
    assert found.holds is True
    assert known.factor == 2 * ratio / (1 + ratio)
    assert (known.before, known.after[0].value) == (Fraction(1, 6), known.factor / 6)
    assert f"{float(known.factor):.4f}" == "1.4621"
    # Two outcomes are all that matters: at most the others' count, or more; ten looks are binomial.
    p = ratio / (1 + ratio)
    often = [(math.comb(10, k) * p**k * (1 - p) ** (10 - k)) for k in range(11)]
    assert known.after[1].value == sum(
        max(Fraction(1, 6) * often[k], Fraction(1, 6) * often[10 - k]) for k in range(11)
    )
    nobody = found.person.uninformed
    assert Fraction(1, 6) <= nobody.after.value <= known.after[0].value
    assert not nobody.after.is_exact


@pytest.mark.parametrize("records", [1, 3, 1_000_000])
def test_a_histogram_of_any_number_tells_by_the_formula(records: int) -> None:
    """[1 − (1−α)(1+α)^(1−k)]/α for k cells with α = λ^(−1/2) on each, and so with 2 at λ = 4."""
    policy = Policy(SecretGraph.complete(list("abc")), records)
    noise = GeometricNoise(ratio=4, sensitivity=2)
    found: Any = audit(Study(policy, noise, query=HistogramQuery(("a", "b", "c")), ratio=4))
    alpha = Fraction(1, 2)
    assert found.holds is True
    assert found.privacy.level.ratio == 4
    factor = (1 - (1 - alpha) / (1 + alpha) ** 2) / alpha
    assert found.person.informed.factor == factor
    assert found.person.informed.after[0].value == factor / 3
    if records > 1:
        assert found.person.uninformed.after.value <= factor / 3


def test_a_factor_is_rounded_up_in_words() -> None:
    """A sum of maxima just above 5/4, by less than a float has."""
    tiny = Fraction(1, 10**20)
    more, less = Fraction(5, 8) + tiny, Fraction(3, 8) - tiny
    found: Any = audit(
        Study(Policy(SecretGraph.complete(2)), Channel([[more, less], [less, more]]))
    )
    said = found.person.informed.text[0].split("at most ")[1].split(" ")[0]
    assert Fraction(said) > found.person.informed.factor == 2 * more


def test_a_sum_in_small_units_is_bounded() -> None:
    """Wages to the unit: neighbours' sums are 25,000 apart, and the ratio is rounded up."""
    policy = Policy(SecretGraph.line([20_000, 30_000, 55_000]), 100_000)
    noise = GeometricNoise(epsilon=1, sensitivity=25_000)
    found: Any = audit(Study(policy, noise, query=SumQuery(), epsilon=1, observations=3))
    assert found.holds is True
    assert noise.ratio * (1 - Fraction(1, 10**9)) < found.privacy.level.ratio <= noise.ratio
    # Laplace's noise of scale 25,000: 1 − e^(−gap/50,000) for each gap of 10,000 and 25,000.
    smooth = 1 + (1 - math.exp(-0.2)) + (1 - math.exp(-0.5))
    assert float(found.person.informed.factor) == pytest.approx(smooth, rel=1e-4)
    assert found.person.informed.after[0].value <= found.person.informed.factor / 3
    assert not found.person.informed.after[0].is_exact


def test_presence_and_value_are_told_apart() -> None:
    """A count of all who are there tells of presence alone."""
    secrets = SecretGraph.complete(["ill", "well"]).with_absent("away")
    study = Study(
        Policy(secrets, 100), GeometricNoise(ratio=2), query=counting_query(["ill", "well"]),
        ratio=2, absent="away",
    )  # fmt: skip
    known: Any = audit(study).person.informed
    assert (known.value, known.presence) == (1, Fraction(4, 3))
    told = "Of the value, if the person is there, it is 1, and of whether the person is there 4/3."
    assert told in known.text


def test_nobody_else_and_independent_answers_need_no_second_row() -> None:
    coin = RandomizedResponse(["no", "yes"], ratio=3)
    secrets = SecretGraph.complete(["no", "yes"])
    alone, many = (audit(Study(Policy(secrets, n), coin, ratio=3)).person for n in (1, 1000))
    assert isinstance(alone.uninformed, Skipped)
    assert isinstance(many.uninformed, Skipped)
    assert alone.informed.after == many.informed.after  # type: ignore[union-attr]
    assert alone.any_mechanism.after == many.any_mechanism.after  # type: ignore[union-attr]


def test_no_mechanism_tells_more_than_any_mechanism_may() -> None:
    for name in ("salary", "vote", "wages", "locations"):
        found: Any = example(name).person
        most = found.any_mechanism
        for own, limit in zip(found.informed.after, most.after, strict=True):
            assert own.value <= limit.value


def test_what_takes_long_is_bounded_by_the_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a line of a thousand: too many to compare all pairs, but not for the guarantee."""
    monkeypatch.setattr("leaktight.repetition.adversary.MOST_COMPARED", 1)
    line = SecretGraph.line(30)
    noise = TruncatedGeometric(line.vertices, ratio="11/10")
    found: Any = audit(Study(Policy(line), noise, ratio="11/10", observations=20)).person
    assert found.informed.after[0].is_exact
    assert found.informed.after[1].value <= found.any_mechanism.after[1].value < 1


def test_what_is_known_beforehand_is_said_to_be() -> None:
    """If all counts are public, who knows all others knows the last one."""
    found: Any = written(
        "[policy]\nvalues = 2\nrecords = 3\nconstraints = [{ values = [0], equals = 1 }]\n"
        '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2'
    )
    known = found.person.informed
    assert (known.before, known.after[0].value) == (1, 1)
    assert known.text == ("Who knows all others knows the value already, by what is public.",)


def test_where_others_are_many_some_who_know_already_are_said_to() -> None:
    """Of three records with one 0 at least, who knows two 1 knows the third."""
    policy = Policy(SecretGraph.line(3), 3, constraints=[count([0], at_least=1)])
    possible: tuple[Any, ...] = policy.databases()
    rows = {d: ["1/2", "1/2"] if sum(d) % 2 else ["1/3", "2/3"] for d in possible}
    told: Any = audit(Study(policy, Channel(rows), on="database", ratio=2)).person.informed
    assert (told.before, told.after[0].value) == (1, 1)
    assert told.text[0] == "Some who know all others know the value already, by what is public."


def test_no_number_of_looks_keeps_below_what_some_reach_before() -> None:
    """Of two who share a count, one is a or b, and 19 in 20 of these are a; the other is c or d."""
    found: Any = written(
        '[policy]\nvalues = ["a", "b", "c", "d"]\nrecords = 2\n'
        'constraints = [{ values = ["a", "b"], equals = 1 }]\n'
        '[mechanism]\nkind = "randomised response"\n'
        '[question]\nratio = 2\nbelow = "9/10"\nprior = [19, 1, 10, 10]'
    )
    known = found.person.informed
    assert known.before == Fraction(19, 20)
    assert known.text[-1] == "Some who know all others reach 90% before anything is seen."
    assert not any("observations keep it below" in line for line in known.text)


def test_the_most_telling_output_is_that_of_any_record() -> None:
    """All are guessed equally well, but of the last record an output tells more."""
    policy = Policy(SecretGraph.complete(["a", "b"]), records=2)
    rows = [["1/2", "1/2"], ["1/3", "2/3"], ["1/2", "1/2"], ["1/2", "1/2"]]
    study = Study(policy, Channel(rows, policy.databases()), prior={"a": "3/4", "b": "1/4"})
    person: Any = audit(study).person
    assert person.uninformed.record is None
    # Output 0 has 3/4·(3/4·1/2 + 1/4·1/3) + 1/4·1/2 = 15/32, of which 3/8 if the last is an a.
    assert person.uninformed.telling.after == uninformed(study)[2] == Fraction(4, 5)


def test_under_counts_who_knows_nobody_is_not_bounded_by_who_knows_all_others() -> None:
    """Two thirds have the flu, whatever is seen; of those who may not, 62.5% are guessed right."""
    found: Any = written(
        "[policy]\nvalues = 3\nrecords = 9\nconstraints = [{ values = [0], equals = 6 }]\n"
        '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2'
    ).person
    assert found.informed.after[0].value == Fraction(5, 8)
    assert found.uninformed.after.value >= found.uninformed.before == Fraction(2, 3)


@pytest.mark.parametrize("records", [64, 65, 80, 2_000, 1_000_000])
@pytest.mark.parametrize("prior", ["", 'prior = ["9/10", "1/20", "1/20"]'])
def test_a_noisy_count_is_told_to_who_knows_the_public_counts(records: int, prior: str) -> None:
    """Nobody has the flu, or a quarter have: what else was believed of it does not matter."""

    def told(ill: int) -> Any:
        return written(
            f'[policy]\nvalues = ["flu", "cold", "none"]\nrecords = {records}\n'
            f'constraints = [{{ values = ["flu"], equals = {ill} }}]\n[mechanism]\n'
            'kind = "geometric"\nquery = "count"\nof = ["cold"]\n[question]\nratio = 2\n' + prior
        ).person.uninformed

    nobody, quarter = told(0), told(records // 4)
    assert nobody.before == Fraction(1, 2)
    assert quarter.before == Fraction(records - records // 4, 2 * records)
    # One more or less among n evenly split is seen with at most the chance of the likeliest count.
    most = 1 / math.sqrt(math.pi * (records - records // 4 - 2) / 2)
    for found in (nobody, quarter):
        assert found.before < found.after.value <= found.before + Fraction(most)


def test_many_outcomes_do_not_hold_an_audit_up() -> None:
    """Of six outputs, 40 observations have C(45, 5) types: minutes, with a threshold to search."""
    found: Any = written(
        '[policy]\nvalues = 6\nsecrets = "line"\n[mechanism]\nkind = "truncated geometric"\n'
        '[question]\nratio = "21/20"\nobservations = 40\nbelow = 0.9'
    )
    known = found.person.informed
    assert known.curve[-1].observations == 15
    assert [chance.observations for chance in known.after] == [1, 40]
    assert not known.after[1].is_exact
    assert known.after[1].value >= known.curve[-1].upper  # it only grows
    assert "more were not tried" in known.text[-1]


def test_too_many_others_are_bounded() -> None:
    """A matrix on the answers of 30 records has 30 different D⁻: several looks are bounded."""
    n = 30
    noise = GeometricNoise(ratio=2).truncated(0, n)
    policy = Policy(SecretGraph.complete([0, 1]), n)
    found: Any = audit(Study(policy, noise.channel, query=SumQuery(), observations=3))
    listed = found.person.informed
    assert isinstance(listed.curve, Skipped)
    assert listed.after[0].value == Fraction(2, 3)
    assert not listed.after[1].is_exact
    often: Any = audit(Study(policy, noise.channel, query=SumQuery(), observations=10**6))
    assert often.person.informed.after[1].value <= 1
    one: Any = audit(Study(policy, noise, query=SumQuery(), observations=3)).person.informed
    assert one.after[1].is_exact
    assert one.after[1].value <= listed.after[1].value < 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"observations": 0}, "observations must be a whole number from 1"),
        ({"below": 2}, "below must be a chance above 0 and at most 1, got 2"),
        ({"gain": "glory"}, "gain must be one of guess"),
        ({"absent": "gone"}, "absent must be a value of the policy, got 'gone'"),
        ({"mechanism": "noise"}, "a mechanism must be a Channel, or have one, got 'noise'"),
        ({"mechanism": Channel.identity(3)}, "the mechanism and the policy"),
        ({"on": "answer"}, 'on="answer" needs a query'),
        ({"on": "nothing"}, "on must be one of record, database, answer"),
        ({"answers": [1, 0]}, "give a query, too"),
        ({"mechanism": GeometricNoise(ratio=2)}, "noise on whole numbers needs answers that are"),
    ],
)
def test_a_study_is_checked_when_it_is_made(wrong: dict[str, Any], message: str) -> None:
    policy = Policy(SecretGraph.complete(["no", "yes"]))
    with pytest.raises((InvalidInput, InvalidNumber, Mismatch), match=message):
        Study(policy, **wrong)
    with pytest.raises(InvalidInput, match="expected Policy, got 3"):
        Study(3)  # type: ignore[arg-type]
