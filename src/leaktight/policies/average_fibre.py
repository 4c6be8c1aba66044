"""The average fibre: what one record is and what is then answered, if nobody is known.

Records are believed to be independent and alike, but for what is public. Of each value v of one
record and each answer a it is the chance of both, P(v, a), with the others averaged out. The prior
of answers is its sum over v, and what the uninformed adversary sees of v is what is seen of the
answers, weighed by P(a|v). What the others add up to comes from polynomials, how many of them have
each value from counts, and all else from the list of databases.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import comb, prod
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import Array
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.policy import Policy
from leaktight.policies.population import Population
from leaktight.policies.symmetric_query import Query, SymmetricQuery, answered, symmetric_of

MOST_STEPS = 2**18
"""The most databases, or counts, with a value of one record that are gone through; and the most
answers with what is seen of each."""

MOST_EXACT = 64
"""The most records whose sums have probabilities of few digits."""

Belief = Mapping[Hashable, fmpq]
"""What is believed of one record's value."""

Chances = dict[Hashable, fmpq]
"""The chance of each answer."""


@dataclass(frozen=True, slots=True)
class AverageFibre:
    """P(v, a) of one record's values v and the answers a, up to one factor.

    ``record`` is the first that it is about, counted from 1; it is None if all records are alike.
    """

    parts: dict[Hashable, tuple[fmpq, Chances]]
    """For each value v a number and the chances of answers, whose products are P(v, a). Values that
    are answered alike share these chances."""
    record: int | None = None
    digits: int = 1
    """How much longer than usual its numbers are."""

    def seen(self, rows: Callable[[Hashable], Array], width: int) -> dict[Hashable, Array]:
        """Return the chance of each value with each output, if ``rows`` says what is seen of an
        answer.
        """
        answers = {answer for _, chances in self.parts.values() for answer in chances}
        if len(answers) * width * self.digits > allowed(MOST_STEPS):
            raise TooLarge(
                f"{counted(len(answers), 'answer', 'answers')} with what is seen of each, and at "
                f"most {allowed(MOST_STEPS):,} combinations are gone through"
            )
        nothing = np.full(width, fmpq(0), dtype=object)
        known: dict[int, Array] = {}
        for _, chances in self.parts.values():
            if id(chances) not in known:
                known[id(chances)] = sum((p * rows(a) for a, p in chances.items()), nothing)
        return {v: share * known[id(chances)] for v, (share, chances) in self.parts.items()}


def are_alike(policy: Policy) -> bool:
    """Say whether nothing tells one record from another: nothing but counts is public."""
    return policy.public_counts is not None or not (policy.is_constrained or policy.values)


def likely_answers(policy: Policy, query: Query, belief: Belief) -> Chances:
    """Return the chance of each answer to a query."""
    found: Chances = {}
    symmetric = symmetric_of(query)
    if symmetric is not None and are_alike(policy):
        try:
            if symmetric.adds_whole_numbers(belief):
                return _likely_sums(policy, symmetric, belief)
            for counts, weight in _likely_counts(policy.records, belief):
                if _agrees(counts, policy):
                    _add(found, symmetric.of_counts(counts), weight)
            return _normalised(found)
        except TooLarge:
            if not policy.is_listable:
                raise
    answer = answered(query)
    for whole, chance in likely_databases(policy, belief):
        _add(found, answer(whole), chance)
    return _normalised(found)


def _normalised(chances: Chances) -> Chances:
    if not (total := sum(chances.values(), fmpq(0))):
        raise InvalidInput("the prior rules out every database that is possible")
    return chances if total == 1 else {a: chance / total for a, chance in chances.items()}


def _likely_sums(policy: Policy, query: Any, belief: Belief) -> Chances:
    weights = [int(query.weight(v)) for v in belief]
    sums = Population.of(policy, tuple(belief.values())).sum_of_all(weights).coeffs()
    return {policy.records * min(weights) + k: chance for k, chance in enumerate(sums)}


def average_fibres(policy: Policy, query: Query | None, belief: Belief) -> Iterator[AverageFibre]:
    """Yield what each record is and what is answered; one for all if records are alike.

    Without a query the answer is the database itself.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=3)
    >>> half = {"no": fmpq(1, 2), "yes": fmpq(1, 2)}
    >>> [found] = average_fibres(ill, counting_query(["yes"]), half)
    >>> found.parts["yes"]
    (1/2, {1: 1/4, 2: 1/2, 3: 1/4})
    """
    symmetric = symmetric_of(query)
    if symmetric is not None and are_alike(policy):
        try:
            kind = _of_sums if symmetric.adds_whole_numbers(belief) else _of_counts
            yield kind(policy, symmetric, belief)
            return
        except TooLarge:
            if not policy.is_listable:
                raise
    yield from _listed(policy, query, belief)


def _of_sums(policy: Policy, query: Any, belief: Belief) -> AverageFibre:
    """The sum of the others has the coefficients of Π_j (Σ_v π_v·x^w_v)^m_j.

    Cell j has m_j others, by the public counts; without them there is one cell, of all values.
    """
    names, weights = list(belief), [int(query.weight(v)) for v in belief]
    people = Population.of(policy, tuple(belief.values()))
    least, others = min(weights), policy.records - 1
    digits = 1 + others // MOST_EXACT
    sums = (max(weights) - least) * others
    mixed = sums * len(people.histograms) * len(people.cells) ** 2 // 16
    if max(sums, mixed) * digits > allowed(MOST_STEPS):
        raise TooLarge(
            f"the sum of {others:,} others takes {sums:,} values, and at most "
            f"{allowed(MOST_STEPS):,} are gone through with what is seen of each"
        )
    within = people.within()
    parts: dict[Hashable, tuple[fmpq, Chances]] = {v: (fmpq(0), {}) for v in names}
    for cell, added in zip(people.cells, people.sums_of_others(weights), strict=True):
        chances = [(others * least + k, p) for k, p in enumerate(added.coeffs()) if p]
        own = {weights[v] for v in cell}
        shifted: dict[int, Chances] = {w: {k + w: p for k, p in chances} for w in own}
        for v in cell:
            if share := within.get(v):
                parts[names[v]] = share, shifted[weights[v]]
    return AverageFibre(parts, digits=digits)


def _of_counts(policy: Policy, query: SymmetricQuery, belief: Belief) -> AverageFibre:
    """Only how many others have each value matters: go through all such counts that may be."""
    found: dict[Hashable, Chances] = {v: {} for v in belief}
    for counts, weight in _likely_counts(policy.records - 1, belief, len(belief)):
        for v in belief:
            whole = {**counts, v: counts.get(v, 0) + 1}
            if _agrees(whole, policy):
                _add(found[v], query.of_counts(whole), weight)
    return AverageFibre({v: (belief[v], chances) for v, chances in found.items()})


def _likely_counts(
    records: int, belief: Belief, times: int = 1
) -> Iterator[tuple[dict[Hashable, int], fmpq]]:
    """Yield how many records have each value, and how likely that is, for all that is likely."""
    ways = comb(records + len(belief) - 1, records)
    if ways * times > allowed(MOST_STEPS):
        raise TooLarge(
            f"{counted(ways, 'combination', 'combinations')} of the values of {records:,} records, "
            f"and at most {allowed(MOST_STEPS) // times:,} are gone through"
        )
    likely = [(v, p) for v, p in belief.items() if p]
    if likely:
        yield from _counts_of(likely, records, fmpq(1))


def _counts_of(
    likely: list[tuple[Hashable, fmpq]], left: int, weight: fmpq
) -> Iterator[tuple[dict[Hashable, int], fmpq]]:
    """Yield how many of the records that are left have each value, each weight of the last one."""
    (value, chance), *others = likely
    if not others:
        yield ({value: left} if left else {}), weight * chance**left
        return
    for n in range(left, -1, -1):
        own = {value: n} if n else {}
        for counts, whole in _counts_of(others, left - n, weight * comb(left, n) * chance**n):
            yield own | counts, whole


def _add(chances: Chances, answer: Hashable, chance: fmpq) -> None:
    chances[answer] = chances.get(answer, fmpq(0)) + chance


def _agrees(counts: Mapping[Hashable, int], policy: Policy) -> bool:
    """Say whether records of which so many have each value agree with the public counts."""
    for one in policy.constraints:
        number = sum(counts.get(v, 0) for v in set(one.values))
        if number < one.least or (one.most is not None and number > one.most):
            return False
    return True


def _listed(policy: Policy, query: Query | None, belief: Belief) -> Iterator[AverageFibre]:
    """Go through all databases, for each record by itself."""
    answer = answered(query)
    rows = [(whole, answer(whole), chance) for whole, chance in likely_databases(policy, belief)]
    for record in range(policy.records):
        found: dict[Hashable, Chances] = {}
        for whole, seen, chance in rows:
            _add(found.setdefault(whole[record], {}), seen, chance)
        yield AverageFibre({v: (fmpq(1), found[v]) for v in found}, record + 1)


def likely_databases(policy: Policy, belief: Belief) -> Iterator[tuple[tuple[Any, ...], fmpq]]:
    """Yield every database that is possible, as a tuple, and its chance, up to one factor."""
    if policy.database_factors > allowed(MOST_STEPS):
        raise TooLarge(
            f"{policy.database_factors.counted('database', 'databases')}, of which at most "
            f"{allowed(MOST_STEPS):,} are gone through with what can be seen of each"
        )
    databases: Iterable[Any] = policy.databases()
    for database in databases:
        whole = (database,) if policy.records == 1 else tuple(database)
        yield whole, prod((belief[v] for v in whole), start=fmpq(1))
