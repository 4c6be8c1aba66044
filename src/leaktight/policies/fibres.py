"""Fibres: all databases that agree in everything but one record, and the answer for each of them.

For every record i and all values D⁻ of the others that agree with what is public: the values v
that record i may have, and the answer f(D⁻, v) for each of them. It is K_{D⁻} of section 4.1 of
[Alvim2011b]_, before any noise. Answers that come again for other D⁻ are told once. Over the same
fibres, weighed by what is believed of the others, goes :mod:`leaktight.policies.average_fibre`.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.shown import counted
from leaktight.labels import Labels, parts
from leaktight.limits import allowed
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import (
    Counts,
    LinearQuery,
    Query,
    SymmetricQuery,
    all_counts,
    answered,
    symmetric_of,
)

MOST_OTHERS = 10**6
"""The most combinations of the other records that are gone through."""

MOST_SUM = 10**8
"""The most bits, over all records, for the sums that others can have."""


@dataclass(frozen=True, slots=True)
class Fibre:
    """The values that one record may have, and the answer for each, if the others are known."""

    values: Labels
    answers: tuple[Any, ...]
    others: str
    """Who the others are, in words."""


def fibres(policy: Policy, query: Query | None = None) -> Iterator[Fibre]:
    """Yield what one record can be and be answered, over all records and all others.

    Without a query the answer is the database itself.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=3)
    >>> for found in fibres(ill, counting_query(["yes"])):
    ...     print(found.answers, found.others)
    (0, 1) the others' answer is 0
    (1, 2) the others' answer is 1
    (2, 3) the others' answer is 2
    """
    symmetric = symmetric_of(query)
    if symmetric is not None and not policy.is_constrained:
        for values, others in _kinds(policy):
            if symmetric.adds_whole_numbers(policy.secrets.vertices):
                yield from _shifted(symmetric, values, others)
            else:
                yield from _counted(symmetric, values, others)
    else:
        yield from _listed(policy, query)


def weights_of(policy: Policy, query: LinearQuery) -> list[tuple[Labels, tuple[Any, ...]]]:
    """Return for each kind of record its values and what each adds to the answer.

    Where counts are public, whoever knows all others knows which counts a record is in, so that
    its values are those of a cell.
    """
    kinds = cells_of(policy) if policy.is_counted else [values for values, _ in _kinds(policy)]
    return [(values, tuple(map(query.weight, values))) for values in kinds]


def cells_of(policy: Policy) -> list[Labels]:
    """Return the values that a record can have for someone who knows all others and the counts.

    Each count is one number, so they know which counts the record is in, and no more.
    """
    names, counts = policy.secrets.vertices, policy.public_counts
    assert counts is not None
    return [tuple(names[v] for v in cell) for cell in counts.possible_cells]


def _kinds(policy: Policy) -> Iterator[tuple[Labels, Counter[Labels]]]:
    """Yield for each kind of record its values, and how many others have which values."""
    if policy.values is None:
        everything = policy.secrets.vertices
        yield everything, Counter({everything: policy.records - 1})
        return
    each = Counter(policy.values)
    for domain in each:
        others = each.copy()
        others[domain] -= 1
        yield domain, +others


def _shifted(query: Any, values: Labels, others: Counter[Labels]) -> Iterator[Fibre]:
    """Yield the answers of a sum: what the others add up to, and what the record adds."""
    own = tuple(map(query.weight, values))
    for base in reachable_sums([(tuple(map(query.weight, d)), n) for d, n in others.items()]):
        yield Fibre(values, tuple(base + w for w in own), f"the others' answer is {base}")


def reachable_sums(parts: Sequence[tuple[tuple[int, ...], int]]) -> Iterator[int]:
    """Yield in increasing order every sum of n numbers of a list, over some lists and their n.

    >>> list(reachable_sums([((0, 10), 2), ((1,), 1)]))
    [1, 11, 21]
    """
    least, reached = 0, 1  # bit k: least + k is a sum
    for numbers, times in parts:
        steps = sorted({_whole(number) - _whole(min(numbers)) for number in numbers})
        least += times * _whole(min(numbers))
        if steps == list(range(len(steps))):  # a run of whole numbers stays one
            reached = _plus_run(reached, times * steps[-1])
            continue
        if times * steps[-1] * times > allowed(MOST_SUM):
            raise TooLarge(
                f"the sums of {times:,} records with values up to {steps[-1]:,} apart would take "
                "too long to list; count in a larger unit"
            )
        for _ in range(times):
            reached = _plus_one(reached, steps)
    for k, bit in enumerate(reversed(f"{reached:b}")):
        if bit == "1":
            yield least + k


def _plus_one(reached: int, steps: Sequence[int]) -> int:
    """Return the set of sums, as bits, after one more number of ``steps``."""
    found = 0
    for step in steps:
        found |= reached << step
    return found


def _plus_run(reached: int, longest: int) -> int:
    """Return the set of sums after adding any whole number from 0 to ``longest``."""
    width = 0
    while width < longest:
        step = min(width + 1, longest - width)
        reached |= reached << step
        width += step
    return reached


def whole_weights(query: LinearQuery, value: Hashable) -> tuple[int, ...]:
    """Return what a record with a value adds to each coordinate of the answer, in whole numbers."""
    return tuple(map(_whole, parts(query.weight(value))))


def _whole(number: Any) -> int:
    exact = rational(number)
    if exact.q != 1:
        raise InvalidNumber(f"a sum with noise needs whole numbers, got {number}; choose a unit")
    return int(exact.p)


def _counted(query: SymmetricQuery, values: Labels, others: Counter[Labels]) -> Iterator[Fibre]:
    """Yield the answers over all counts of the others' values that the query tells apart."""
    if len(others) == 1:
        ((domain, n),) = others.items()
        ways, every = query.kinds_of_others(domain, n)
    else:
        ways = prod(comb(n + len(domain) - 1, n) for domain, n in others.items())
        every = _joined(list(others.items()))
    if ways > allowed(MOST_OTHERS):
        raise TooLarge(
            f"{counted(ways, 'combination', 'combinations')} of the other records, and at most "
            f"{allowed(MOST_OTHERS):,} are gone through; fewer records, or fewer values"
        )
    seen = set[tuple[Hashable, ...]]()
    for counts in every:
        answers = tuple(query.of_counts({**counts, v: counts.get(v, 0) + 1}) for v in values)
        if answers not in seen:
            seen.add(answers)
            told = ", ".join(f"{n:,} × {value!r}" for value, n in counts.items())
            yield Fibre(values, answers, f"the others are {told}" if told else "nobody else")


def _joined(parts: list[tuple[Labels, int]]) -> Iterator[Counts]:
    """Yield all counts of records that have values of their own."""
    if not parts:
        yield {}
        return
    (domain, n), *rest = parts
    for some in all_counts(domain, n):
        for more in _joined(rest):
            yield some | {value: some.get(value, 0) + times for value, times in more.items()}


def _listed(policy: Policy, query: Query | None) -> Iterator[Fibre]:
    """Yield the answers by going through all possible databases."""
    if policy.database_factors > allowed(MOST_OTHERS):
        raise TooLarge(
            f"{policy.database_factors.counted('database', 'databases')}, and at most "
            f"{allowed(MOST_OTHERS):,} are gone through; fewer records, or a query that only counts"
        )
    answer, seen = answered(query), set[tuple[Labels, tuple[Hashable, ...]]]()
    databases: Any = policy.databases()
    told = [frozenset(one.values) for one in policy.constraints if one.is_published]
    for record in range(policy.records):
        groups: dict[tuple[Any, ...], list[tuple[Hashable, Hashable]]] = {}
        for database in databases:
            whole = (database,) if policy.records == 1 else tuple(database)
            rest = (*whole[:record], *whole[record + 1 :])
            # Whoever knows all others and a count knows whether it counts this record.
            key = rest, tuple(whole[record] in some for some in told)
            groups.setdefault(key, []).append((whole[record], answer(whole)))
        for (others, _), found in groups.items():
            values, answers = zip(*found, strict=True)
            if (values, answers) not in seen:
                seen.add((values, answers))
                who = f"record {record + 1} is guessed and the others are {others!r:.60}"
                yield Fibre(values, answers, who if policy.records > 1 else "nobody else")
