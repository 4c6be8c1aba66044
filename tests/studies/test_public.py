"""Public counts in an audit, at any number of records."""

import itertools
import math
import re
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.mechanisms.geometric import GeometricNoise
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.query import sensitivity
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import HistogramQuery
from leaktight.studies import Skipped, Study, audit
from tests.studies.examples import RANGE, example, written


def test_an_agency_whose_margins_are_public() -> None:
    found: Any = example("agency")
    assert found.privacy.level.is_exact
    assert found.privacy.level.epsilon == found.public.reach == 8
    assert found.privacy.level.worst.others == 100_000 - 8
    # Sex and age are believed independent, so that the likeliest is a middle-aged woman, and of
    # four illnesses one.
    assert found.public.told.after == Fraction(51_203 * 44_110, 4 * 100_000**2)
    assert found.public.told.before == Fraction(1, 24)
    # C(100,001, 1)·C(100,002, 2) results of the two tables
    assert abs(found.public.told.bits - math.log2(100_001 * 100_002 * 100_001 / 2)) < 1e-9
    assert found.public.odds.epsilon == 3  # the person, and one other for each margin
    assert found.public.recommended_epsilon.epsilon == 1 / 8
    lam = math.exp(1 / 8)
    assert abs(found.public.recommended_epsilon.error - 23 / (23 + lam)) < 1e-12
    assert found.holds is False


def test_noise_on_a_histogram_is_made_for_what_is_public() -> None:
    text = """
    policy.attributes.sex = ["f", "m"]
    policy.attributes.ill = ["no", "yes"]
    policy.differ = "all"
    policy.records = 50_000
    policy.margins.sex = { f = 30_000, m = 20_000 }
    mechanism = { kind = "geometric", query = "histogram" }
    question.ratio = 16
    """
    found: Any = written(text)
    assert found.holds
    assert found.privacy.level.ratio == 16  # two moves change four cells: step 2, 2⁴
    assert found.public.recommended_epsilon.steps == 4
    assert found.public.recommended_epsilon.plain_steps == 2
    assert found.public.recommended_epsilon.error == Fraction(4, 3)
    assert found.public.odds.ratio == 16
    naive: Any = written(text.replace('"histogram" }', '"histogram", sensitivity = 2 }'))
    assert not naive.holds
    assert naive.privacy.level.ratio == 4**4


def test_odds_are_no_larger_than_the_level_allows() -> None:
    """Two cells change by one each: a person's odds move by the ratio of neighbours, not λ²."""
    found: Any = written("""
    policy = { values = 3, records = 3, constraints = [{ values = [0], equals = 2 }] }
    mechanism = { kind = "geometric", query = "histogram" }
    question.ratio = 4
    """)
    assert found.privacy.level.ratio == found.public.odds.ratio == 4
    # Two of three have 0: 2/3, with odds of 2, which become 8 at most.
    assert found.person.uninformed.after.value == Fraction(8, 9)
    assert found.person.uninformed.after.value <= found.person.any_mechanism.after[0].value


def test_odds_without_a_limit_are_said_to_have_none() -> None:
    found: Any = written("""
    policy = { values = 2, records = 2, constraints = [{ values = [0], equals = 1 }] }
    mechanism = { kind = "matrix", on = "database", rows = [[1, 0], ["1/2", "1/2"]] }
    """)
    assert (found.public.odds.ratio, found.public.odds.after) == (None, 1)
    assert not any("finite" in line for line in found.public.text)


def test_a_bound_that_is_not_attained_says_so() -> None:
    margins = {
        "a": dict.fromkeys(range(3), 300) | {3: 100},
        "b": dict.fromkeys(range(4), 250),
    }
    values = [(i, j) for i in range(4) for j in range(4)]
    told = [
        count([v for v in values if v[place] == k], equals=n)
        for place, table in enumerate(margins.values())
        for k, n in table.items()
    ]
    policy = Policy(SecretGraph.complete(values), 1000, constraints=told)
    query = HistogramQuery(tuple(values))
    noise = GeometricNoise(ratio=2)
    found: Any = audit(Study(policy, noise, query=query, ratio=2**300))
    assert not found.public.is_exact
    change = sensitivity(policy, query)
    low, high = 2**change.attained, 2**change.value
    assert 2**9 < low < 2**300 < high == found.privacy.level.ratio
    assert found.verdict.line.startswith("NOT PROVED: ")
    assert found.holds is False
    too_much: Any = audit(Study(policy, noise, query=query, ratio=2**9))
    assert f"FAIL: ε ≥ {math.log(low):.4g} (limit " in too_much.verdict.line
    enough: Any = audit(Study(policy, noise, query=query, ratio=high))
    assert "PASS: ε ≤ " in enough.verdict.line


def test_ranges_promise_nothing_for_one_person() -> None:
    found: Any = written(RANGE)
    assert found.privacy.level.ratio == 2
    assert isinstance(found.public.odds, Skipped)
    assert isinstance(found.person.any_mechanism, Skipped)
    assert not any("without a neighbour" in told for told in found.warnings)
    sparse: Any = written(
        'policy.values = 3\npolicy.secrets = "line"\npolicy.records = 1000\n'
        "policy.constraints = [{ values = [1], equals = 10 }]\n"
        'mechanism.kind = "randomised response"\nquestion.ratio = 2'
    )
    assert any("without a neighbour" in told for told in sparse.warnings)


def test_what_any_mechanism_leaks_is_bounded_where_databases_are_not_listed() -> None:
    found: Any = example("agency")
    low, high = found.worst_case.lower_bits, found.worst_case.bits
    assert 0 < low < high < found.published[0].bits < found.published[1].bits
    assert high < found.leakage.bits  # what the counts leave is less than all
    assert len(found.by_epsilon) == 12
    assert all(a.worst < b.worst for a, b in itertools.pairwise(found.by_epsilon))


def test_no_counts_no_section() -> None:
    assert example("salary").public is None
    assert example("vote").public is None


WHATEVER = """
policy.attributes.sex = ["f", "m"]
policy.attributes.age = ["young", "middle", "old"]
policy.attributes.ill = ["no", "yes"]
policy.differ = "all"
policy.records = 100_000
policy.margins = ["sex", "age"]
mechanism.kind = "randomised response"
question.epsilon = 1
"""


def test_margins_are_public_whatever_their_numbers_are() -> None:
    found: Any = written(WHATEVER)
    assert found.privacy.level.is_exact
    assert found.privacy.level.epsilon == found.public.reach == 8  # as for any numbers
    assert found.public.odds.epsilon == 3
    # On average the tables tell hardly more than was believed.
    assert Fraction(1, 12) < found.public.told.after < Fraction(1, 12) + Fraction(1, 400)
    assert not found.public.told.are_named
    assert any("whatever they say" in told for told in found.public.text)
    one: Any = written(WHATEVER.replace('["sex", "age"]', '["sex, age"]'))
    assert one.public.reach == 6  # the cells of one table


def test_two_tables_may_depend_on_each_other() -> None:
    text = WHATEVER.replace('["sex", "age"]', "MARGINS").replace(
        "policy.margins = MARGINS",
        "policy.margins.sex = { f = 51_000, m = 49_000 }\n"
        "policy.margins.ill = { no = 90_000, yes = 10_000 }",
    )
    likely = {("f", "no"): 0.5, ("m", "yes"): 0.1, ("f", "yes"): 0.15, ("m", "no"): 0.25}
    shares = ", ".join(f'"{sex}, young, {ill}" = {p}' for (sex, ill), p in likely.items())
    found: Any = written(f"{text}question.prior = {{ {shares} }}")
    assert found.public.odds.epsilon == 4  # the person, and three others
    assert not found.public.odds.is_exact
    assert Fraction(45, 100) < found.public.odds.before < Fraction(51, 100)
    assert isinstance(found.public.told, Skipped)
    assert isinstance(found.person.any_mechanism, Skipped)


def test_bits_in_sequence_are_those_of_all_that_the_counts_might_say() -> None:
    """Σ over counts and outputs of max K(z|D), by listing: bits add only if none is named."""
    rows = {"no": (Fraction(9, 10), Fraction(1, 10)), "yes": (Fraction(1, 10), Fraction(9, 10))}
    coin = Channel([*rows.values()], inputs=["no", "yes"])
    worst: dict[tuple[int, tuple[int, ...]], Fraction] = {}
    for database in itertools.product(rows, repeat=3):
        for seen in itertools.product((0, 1), repeat=3):
            chance = math.prod((rows[x][z] for x, z in zip(database, seen, strict=True)))
            key = database.count("yes"), seen
            worst[key] = max(worst.get(key, Fraction(0)), Fraction(chance))
    bits = math.log2(sum(worst.values()))
    for told in (count(["yes"], equals=0), count(["yes"], published=True)):
        policy = Policy(SecretGraph.complete(["no", "yes"]), 3, constraints=[told])
        found: Any = audit(Study(policy, mechanism=coin, ratio=1000)).public
        (line,) = [line for line in found.text if "in sequence" in line]
        said = re.findall(r"at most ([0-9.]+) bits", line)
        assert len(said) == told.is_published
        assert all(float(most) >= bits for most in said)


def test_what_is_only_bounded_is_not_said_to_be_so() -> None:
    one = """
    policy.attributes = { band = ["a", "b", "c", "d"], sex = ["f", "m"] }
    policy.margins = { sex = { f = 200, m = 200 }, band = { a = 100, b = 100, c = 100, d = 100 } }
    policy.records = 400
    mechanism.kind = "randomised response"
    question.ratio = 2
    """
    twelve = f"{12 * math.log(2):.4g}"  # (4 + 1)²/2 records
    bounded: Any = written(one)
    assert any(f"ε is at most {twelve}" in told for told in bounded.warnings)
    known: Any = written(one + 'policy.differ = "all"')
    assert any("voids" in told and f"ε is {twelve}" in told for told in known.warnings)


def test_noise_on_a_count_whose_range_is_public_needs_no_list() -> None:
    text = """
    policy.values = ["no", "yes"]
    policy.records = 1000
    policy.constraints = [{ values = ["yes"], at_least = 2, at_most = 4 }]
    mechanism = { kind = "geometric", query = "count", of = ["yes"] }
    question.ratio = 2
    """
    few: Any = written(text.replace("1000", "6"))  # all of whose databases are listed
    assert few.privacy.level.ratio == 2
    for records in ("40", "2000", "1_000_000"):
        found: Any = written(text.replace("1000", records))
        assert found.holds
        assert found.privacy.level.ratio == 2
        assert "with ranges all databases would be listed" in found.person.informed.why
