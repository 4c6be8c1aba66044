"""Beliefs of databases and answers that follow from one record's prior.

Records are independent and alike, but for what is public: of the databases that agree with it, each
is as likely as the product of its records' chances, divided by their sum.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import fmpq

from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.errors import InvalidInput, TooLarge, Undecided, is_whole
from leaktight.exact.matrix import as_mapping
from leaktight.exact.numbers import exact_array, rational
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.policies.average_fibre import likely_answers, likely_databases
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query

MOST_DATABASES = 2**16
"""The most databases of which it is told what is believed."""


def record_prior(given: PriorLike, values: Labels) -> Distribution:
    """Return what is believed of one record's value: chances, percentages or counts.

    Whole numbers that add up to more than 1 are counts. Percentages, such as "33%", may miss 100%
    by as much as rounding each to a whole one can.

    >>> record_prior({"a": 1, "b": 3}, ("a", "b"))["b"]
    Fraction(3, 4)
    >>> record_prior(["33%", "33%", "33%"], ("a", "b", "c"))["a"]
    Fraction(1, 3)
    """
    if given is None or isinstance(given, Distribution):
        return prior_on(given, values).exact()
    named = as_mapping(given)
    numbers = list(named.values() if named is not None else given)  # type: ignore[arg-type]
    labels = list(named) if named is not None else list(values)
    if any(isinstance(each, str) and each.strip().endswith("%") for each in numbers):
        numbers = [_percentage(each) for each in numbers]
        whole = sum(numbers, Fraction(0))
        if whole and abs(whole - 1) <= Fraction(len(numbers), 200):
            numbers = [each / whole for each in numbers]
    elif _are_counts(numbers):
        numbers = [Fraction(each, sum(numbers)) for each in numbers]
    again: Any = numbers if named is None else dict(zip(labels, numbers, strict=True))
    return prior_on(again, values).exact()


def _percentage(given: Any) -> Fraction:
    if not isinstance(given, str) or not given.strip().endswith("%"):
        raise InvalidInput(f"either all chances or none must be percentages, got {given!r:.40}")
    number = rational(given.strip().removesuffix("%").strip()) / 100
    return Fraction(int(number.p), int(number.q))


def _are_counts(numbers: Iterable[Any]) -> bool:
    found = list(numbers)
    plain = all(is_whole(n, 0) for n in found)
    return plain and sum(found) > 1


def typical_record(policy: Policy, prior: Distribution) -> Distribution:
    """Return what is believed of a record that is picked at random, given what is public.

    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> health = SecretGraph.complete(["flu", "none"])
    >>> ward = Policy(health, records=3, constraints=count(["flu"], equals=2))
    >>> typical_record(ward, Distribution.uniform(["flu", "none"]))["flu"]
    Fraction(2, 3)
    """
    if not policy.is_constrained or policy.is_free:
        return prior
    if policy.is_counted:
        from leaktight.leakage.under_counts import known_counts

        try:
            return Distribution.trusted(
                prior.values, exact_array(known_counts(policy, prior).given())
            )
        except Undecided:  # counts that overlap: the databases may still be few
            pass
    shares = dict.fromkeys(prior.values, fmpq(0))
    for database, chance in databases_prior(policy, prior).items():
        for value in database if policy.records > 1 else (database,):  # type: ignore[attr-defined]
            shares[value] += rational(chance) / policy.records
    return Distribution.trusted(prior.values, exact_array(shares.values()))


def databases_prior(policy: Policy, prior: Distribution) -> Distribution:
    """Return what is believed of whole databases."""
    if policy.database_factors > allowed(MOST_DATABASES):
        raise TooLarge(
            f"{policy.database_factors.counted('database', 'databases')}, and what is believed "
            f"of each is told for at most {allowed(MOST_DATABASES):,}"
        )
    belief = dict(zip(prior.values, prior.array, strict=True))
    weights = exact_array(chance for _, chance in likely_databases(policy, belief))
    if not (total := weights.sum()):
        raise InvalidInput("the prior rules out every database that is possible")
    return Distribution.trusted(policy.databases(), weights / total)


def answers_prior(
    policy: Policy, query: Query, prior: Distribution, answers: Labels
) -> Distribution:
    """Return what is believed of the answers of a query, exactly.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import MostCommonQuery
    >>> vote = Policy(SecretGraph.complete(["Lyon", "Turin", "Graz"]), records=5)
    >>> cities = Distribution.uniform(vote.secrets.vertices)
    >>> answers_prior(vote, MostCommonQuery(), cities, (*cities.values, "tie"))["tie"]
    Fraction(10, 27)
    """
    belief = dict(zip(prior.values, prior.array, strict=True))
    chances = likely_answers(policy, query, belief)
    return Distribution.trusted(answers, exact_array(chances.get(a, fmpq(0)) for a in answers))
