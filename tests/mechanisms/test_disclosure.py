"""Disclosure control as mechanisms: levels and odds as by listing databases.

``LEAKTIGHT_DISCLOSURES=300`` lists the databases of so many random cases of each kind.
"""

import math
import os
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, product
from typing import Any

import pytest

import leaktight as lt
from leaktight.errors import InvalidInput, LeaktightError, TooLarge
from leaktight.leakage import individual_leakage, uninformed_guess
from leaktight.mechanisms import (
    CellKey,
    CountPerturbation,
    LinkedCounts,
    PerturbedCount,
    Rounding,
    Suppression,
    TopCoding,
    count_odds,
    pram,
    swapping,
)
from leaktight.policies import counting_query

Seen = dict[Any, Fraction]
CASES = int(os.environ.get("LEAKTIGHT_DISCLOSURES", "40"))


def table(rng: random.Random) -> CellKey:
    rows: list[dict[int, Fraction]] = [{0: Fraction(1)}]
    for count in range(1, rng.randint(1, 4) + 1):
        changes = rng.sample(range(-min(count, 2), 3), rng.randint(1, 3))
        weights = [rng.randint(1, 4) for _ in changes]
        rows.append({d: Fraction(w, sum(weights)) for d, w in zip(changes, weights, strict=True)})
    return CellKey(rows)


KINDS: dict[str, Callable[[random.Random], CountPerturbation]] = {
    "rounding": lambda rng: Rounding(rng.randint(1, 6), random=rng.random() < 0.5),
    "suppression": lambda rng: Suppression(
        rng.randint(0, 5),
        rng.choice([None, Rounding(rng.randint(1, 5), random=rng.random() < 0.5)]),
        zero_shown=rng.random() < 0.5,
    ),
    "cell key": table,
    "top-coding": lambda rng: TopCoding(rng.randint(0, 6)),
}


def by_listing(
    show: Callable[[Sequence[int]], Seen], people: int, prior: Fraction, person: int = 0
) -> tuple[Any, Fraction, Fraction]:
    """The level, the informed and the uninformed guess, from all databases of 0 and 1."""
    level: Any = Fraction(1)
    informed = Fraction(0)
    sums: tuple[Seen, Seen] = (defaultdict(Fraction), defaultdict(Fraction))
    for rest in product((0, 1), repeat=people - 1):
        databases = [(*rest[:person], own, *rest[person:]) for own in (0, 1)]
        rows = [show(database) for database in databases]
        weight = math.prod((prior if bit else 1 - prior for bit in rest), start=Fraction(1))
        outputs = {**rows[0], **rows[1]}
        for z in outputs:
            a, b = (row.get(z, Fraction(0)) for row in rows)
            if a or b:
                level = max(level, math.inf if not (a and b) else max(a / b, b / a))
            for own in (0, 1):
                sums[own][z] += weight * (a, b)[own]
        informed = max(informed, guess(rows[0], rows[1], prior))
    return level, informed, guess(*sums, prior)


def guess(absent: Seen, present: Seen, prior: Fraction) -> Fraction:
    none = Fraction(0)
    return sum(
        (
            max((1 - prior) * absent.get(z, none), prior * present.get(z, none))
            for z in {**absent, **present}
        ),
        none,
    )


def check(kind: str, seed: int) -> None:
    rng = random.Random(f"{kind} {seed}")
    mechanism, people = KINDS[kind](rng), rng.randint(1, 8)
    prior = rng.choice([Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)])
    found = count_odds(mechanism, people, prior)
    level, informed, uninformed = by_listing(
        lambda database: dict(mechanism.row(sum(database))), people, prior
    )
    assert (found.level.ratio, found.informed) == (level, informed)
    assert (found.uninformed.upper, found.uninformed.lower) == (uninformed, uninformed)
    if found.level.ratio == math.inf:
        witness = found.level.witness
        assert witness is not None
        assert mechanism.row(witness.input)[witness.output] > 0  # type: ignore[arg-type]
        assert witness.output not in mechanism.row(witness.neighbour)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_levels_and_odds_are_those_of_all_databases(kind: str) -> None:
    for seed in range(CASES):
        check(kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_the_channel_says_the_same(kind: str) -> None:
    """The second route: the channel on counts, and the library's own measures of channels."""
    for seed in range(4):
        rng = random.Random(f"channel {kind} {seed}")
        mechanism, people = KINDS[kind](rng), rng.randint(2, 30)
        found = count_odds(mechanism, people)
        policy = lt.Policy(lt.SecretGraph.complete(["no", "yes"]), records=people)
        counted, channel = counting_query(["yes"]), mechanism.channel(people)
        line = lt.SecretGraph.line(range(people + 1))
        assert lt.privacy_level(channel, line).ratio == found.level.ratio
        assert individual_leakage(channel, policy, counted).after == found.informed
        assert uninformed_guess(channel, policy, counted).upper == found.uninformed.upper


def by_keys(mechanism: CellKey, published: Any, areas: Sequence[str], parts: int) -> Any:
    """Cell keys on a fine grid, by which the keys of areas are drawn; independent of area sums."""

    def show(counts: dict[str, int]) -> Seen:
        there = [area for area in areas if counts[area]]
        found: Seen = defaultdict(Fraction)
        for keys in product(range(parts), repeat=len(there)):
            own = dict(zip(there, keys, strict=True))
            seen = []
            for cell in published:
                size = sum(counts[area] for area in cell)
                key = Fraction(2 * sum(own.get(a, 0) for a in cell) % (2 * parts), 2 * parts)
                ends = list(accumulate(chance for _, chance in mechanism.changes(size)))
                at = next(i for i, end in enumerate(ends) if key < end)
                seen.append(size + mechanism.changes(size)[at][0])
            found[tuple(seen)] += Fraction(1, parts ** len(there))
        return found

    return show


def by_halves(mechanism: CellKey, published: Any, counts: dict[str, int]) -> Seen:
    """What cell keys of at most two areas show, exactly: the second route.

    All chances are multiples of 1/parts. Where the areas' keys lie in cells i and j of so many, the
    sum of what is left over passes 1 with chance 1/2: their own cells are i and j, and that
    of the sum is i + j or i + j + 1.
    """
    there = [area for area, count in counts.items() if count]
    parts = math.lcm(*(p.denominator for row in mechanism.ptable for _, p in row))
    found: Seen = defaultdict(Fraction)
    for keys in product(range(parts), repeat=len(there)):
        for carry in (0, 1):
            shown = []
            for cell in published:
                size = sum(counts[area] for area in cell)
                own = [key for area, key in zip(there, keys, strict=True) if area in cell]
                key = (sum(own) + (carry if len(own) == 2 else 0)) % parts
                ends = list(accumulate(chance for _, chance in mechanism.changes(size)))
                at = next(i for i, end in enumerate(ends) if Fraction(key, parts) < end)
                shown.append(size + mechanism.changes(size)[at][0])
            found[tuple(shown)] += Fraction(1, 2 * parts ** len(there))
    return found


def small_table(rng: random.Random) -> CellKey:
    """A ptable whose chances are quarters or sixths."""
    parts = rng.choice([4, 6])
    rows: list[dict[int, Fraction]] = [{0: Fraction(1)}]
    for count in range(1, rng.randint(1, 3) + 1):
        drawn = [rng.randint(-min(count, 2), 2) for _ in range(parts)]
        rows.append({d: Fraction(drawn.count(d), parts) for d in drawn})
    return CellKey(rows)


KINDS_OF_LINKED = {**KINDS, "cell key": small_table}


@pytest.mark.parametrize("kind", KINDS_OF_LINKED)
def test_linked_tables_are_one_channel_of_all_databases(kind: str) -> None:
    """Totals beside parts, and tables with and without an area: listed, each number by itself."""
    for seed in range(CASES // 4):
        rng = random.Random(f"linked {kind} {seed}")
        mechanism = KINDS_OF_LINKED[kind](rng)
        names = ["a", "b"] if kind == "cell key" else rng.choice([["a", "b"], ["a", "b", "c"]])
        areas = {name: rng.randint(1, 3) for name in names}
        sets = [cell for n in range(1, len(names) + 1) for cell in combinations(names, n)]
        published = rng.sample(sets, rng.randint(1, 3))
        prior = rng.choice([Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)])
        asked = rng.choice(names)
        found = LinkedCounts(areas, published, mechanism).odds(asked, prior)
        lives = [name for name, people in areas.items() for _ in range(people)]

        def show(
            database: Sequence[int],
            lives: Any = lives,
            areas: Any = areas,
            published: Any = published,
            mechanism: Any = mechanism,
        ) -> Seen:
            counts = dict.fromkeys(areas, 0)
            for name, bit in zip(lives, database, strict=True):
                counts[name] += bit
            if isinstance(mechanism, CellKey):
                return by_halves(mechanism, published, counts)
            rows = [mechanism.row(sum(counts[x] for x in cell)) for cell in published]
            return {
                tuple(z for z, _ in choice): math.prod(p for _, p in choice)
                for choice in product(*(row.items() for row in rows))
            }

        told = by_listing(show, len(lives), prior, lives.index(asked))
        assert (found.level.ratio, found.informed, found.uninformed.upper) == told


def test_the_keys_of_a_total_hang_together_with_those_of_its_parts() -> None:
    mechanism = CellKey([{0: 1}, {-1: "1/4", 0: "1/2", 1: "1/4"}, {-2: "1/4", 0: "1/2", 2: "1/4"}])
    published = [("a",), ("b",), ("a", "b")]
    both = LinkedCounts({"a": 3, "b": 3}, published, mechanism)
    for counts in ((0, 2), (1, 1), (1, 3)):
        exact = both.row(counts)
        assert sum(exact.values()) == 1
        parts = 120
        near = by_keys(mechanism, published, ["a", "b"], parts)(
            dict(zip(("a", "b"), counts, strict=True))
        )
        assert set(near) <= {*exact}
        for z, chance in exact.items():
            assert abs(near.get(z, 0) - chance) < Fraction(8, parts)
    assert both.row((0, 2)) == {
        (0, 0, 0): Fraction(1, 4), (0, 2, 2): Fraction(1, 2), (0, 4, 4): Fraction(1, 4),
    }  # fmt: skip
    # Independent noise on the total would show (1, 1, 0) with 1/2·1/2·1/4.
    assert both.row((1, 1))[1, 1, 0] != Fraction(1, 16)
    three = LinkedCounts(
        {"a": 2, "b": 2, "c": 2}, [("a",), ("b",), ("c",), ("a", "b", "c")], mechanism
    )
    with pytest.raises(TooLarge, match="hang together"):
        three.row((1, 1, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_perturbed_count_is_its_channel_and_lists_nothing(kind: str) -> None:
    """Values that are counted or not, six of them, some alone secret; then of a million people."""
    values = list("abcdef")
    for seed in range(6):
        rng = random.Random(f"count {kind} {seed}")
        mechanism, people = KINDS[kind](rng), rng.randint(1, 24)
        weights = [rng.randint(0, 4) for _ in values[1:]]
        prior = [Fraction(w, sum(weights) + 1) for w in (1, *weights)]
        counted = counting_query(rng.sample(values, rng.randint(1, 5)))
        graph = rng.choice([lt.SecretGraph.complete(values), lt.SecretGraph.line(values)])
        policy, count = lt.Policy(graph, people), PerturbedCount(mechanism, people)
        listed = count.channel
        one, other = (individual_leakage(each, policy, counted, prior=prior) for each in
                      (count, listed))  # fmt: skip
        assert (one.after, one.before, one.others) == (other.after, other.before, other.others)
        guessed, listed_guess = (
            uninformed_guess(each, policy, counted, prior=prior) for each in (count, listed)
        )
        assert (guessed.upper, guessed.lower) == (listed_guess.upper, listed_guess.lower)
        answers = lt.SecretGraph.line(range(people + 1))
        assert count.level.ratio == lt.privacy_level(listed, answers).ratio
        assert count.level_on(policy, counted).ratio == count.level.ratio
        many = PerturbedCount(mechanism, 10**6)
        found = count_odds(mechanism, 10**6, Fraction(1, 3))
        two = lt.Policy(lt.SecretGraph.complete(["no", "yes"]), 10**6)
        third = [Fraction(2, 3), Fraction(1, 3)]
        yes = counting_query(["yes"])
        assert individual_leakage(many, two, yes, prior=third).after == found.informed
        assert uninformed_guess(many, two, yes, prior=third).upper == found.uninformed.upper
        assert many.level.ratio == found.level.ratio
        assert (many.guarantee.curve.advantage.upper == 1) == (many.level.ratio == math.inf)


def test_who_is_not_told_apart_by_the_count_has_no_level() -> None:
    policy = lt.Policy(lt.SecretGraph(["a", "b", "c"], [("a", "b")]), 9)
    count = PerturbedCount(Rounding(3), 9)
    assert count.level_on(policy, counting_query(["c"])).ratio == 1
    assert count.level_on(policy, counting_query(["b"])).ratio == math.inf
    assert count.guarantee.curve.advantage.upper == 1


def test_chances_of_zero_are_no_witness() -> None:
    """A perturbation of one's own may list what is never shown."""

    class Listed(Rounding):
        def row(self, count: int) -> dict[Any, Fraction]:
            return {0: Fraction(0), -1: Fraction(1, 2), -2: Fraction(1, 2)}

    assert count_odds(Listed(3), 9).level.ratio == 1


def test_linked_tables_of_many_people_enclose_what_few_are_exactly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from leaktight.mechanisms.disclosure import linked

    areas, tables = {"town": 70, "house": 2}, [["town"], ["town", "house"]]
    for kind in KINDS_OF_LINKED:
        mechanism = KINDS_OF_LINKED[kind](random.Random(kind))
        both = LinkedCounts(areas, tables, mechanism)
        whole = both.odds("house", Fraction(1, 3)).uninformed
        with monkeypatch.context() as patched:
            patched.setattr(linked.LinkedCounts, "_counts", lambda self, at, last: [(0, 0)])
            patched.setattr(linked, "_refuse_many", lambda numbers: None)
            patched.setattr(linked, "MOST_STATES", 100)
            near = both.odds("house", Fraction(1, 3)).uninformed
        assert near.lower <= whole.upper <= near.upper
        assert near.upper - near.lower < 1e-9
    town = LinkedCounts({"town": 10**6, "house": 1}, tables, Rounding(3)).odds("house")
    # In two of three towns the house stays within what is rounded alike.
    assert float(town.uninformed.upper) == pytest.approx(2 / 3, abs=1e-6)


def test_differencing_shows_who_lives_in_the_hamlet() -> None:
    exact = Suppression(4)  # what is small is suppressed, and the hamlet is not published
    alone = LinkedCounts({"town": 30, "hamlet": 1}, [("town",)], exact).odds("hamlet")
    both = LinkedCounts({"town": 30, "hamlet": 1}, [("town",), ("town", "hamlet")], exact)
    found = both.odds("hamlet")
    assert (alone.informed, alone.uninformed.upper) == (Fraction(1, 2), Fraction(1, 2))
    assert found.uninformed.upper > Fraction(99, 100)


def test_the_example_of_the_issue_and_a_million_people() -> None:
    small = Suppression(7, then=Rounding(5))
    found = count_odds(small, 30)
    assert (found.before, found.informed) == (Fraction(1, 2), Fraction(1))
    assert f"{float(found.uninformed.upper):.1%}" == "54.8%"
    many = count_odds(small, 1_000_000)
    assert (many.level.ratio, many.informed) == (math.inf, Fraction(1))
    assert 0.5 <= many.uninformed.lower <= many.uninformed.upper < 0.501
    for mechanism in (small, Rounding(3, random=True), CellKey([{0: 1}, {0: "1/2", 1: "1/2"}])):
        from leaktight.mechanisms.disclosure import odds

        near = count_odds(mechanism, 129, Fraction(1, 3)).uninformed
        exactly, odds.MOST_EXACT = odds.MOST_EXACT, 129
        try:
            whole = count_odds(mechanism, 129, Fraction(1, 3)).uninformed
        finally:
            odds.MOST_EXACT = exactly
        assert near.lower <= whole.upper <= near.upper
        assert near.upper - near.lower < 1e-9


def test_records_that_are_changed_are_channels() -> None:
    one = pram({"no": {"no": "9/10", "yes": "1/10"}, "yes": {"no": "1/5", "yes": "4/5"}})
    graph = lt.SecretGraph.complete(["no", "yes"])
    assert lt.privacy_level(one, graph).ratio == 8
    swapped = swapping(["a", "b", "c"], "1/4", ["1/2", "1/4", "1/4"])
    prior = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    for j in range(3):  # the margin stays
        seen = sum(p * Fraction(str(swapped.matrix[i, j])) for i, p in enumerate(prior))
        assert seen == prior[j]
    assert lt.privacy_level(swapping(["a", "b"], 0), lt.SecretGraph.complete(["a", "b"])).ratio == (
        math.inf
    )
    assert lt.privacy_level(swapping(["a", "b"], 1), lt.SecretGraph.complete(["a", "b"])).ratio == 1


def drawn_matrix(rng: random.Random, values: Sequence[str]) -> lt.Channel:
    if rng.random() < 0.5:
        weights = [rng.randint(1, 4) for _ in values]
        prior = [Fraction(w, sum(weights)) for w in weights]
        return swapping(values, Fraction(rng.randint(0, 6), 6), prior)
    rows = [[rng.randint(0, 4) for _ in values] for _ in values]
    for i, row in enumerate(rows):
        row[i] += 1
    return pram([[Fraction(n, sum(row)) for n in row] for row in rows], values)


def test_records_that_are_changed_one_by_one_are_as_all_databases_say() -> None:
    """PRAM and swapping of a column: every database against every table that may be published."""
    for seed in range(CASES):
        rng = random.Random(f"records {seed}")
        values = "abc"[: rng.randint(2, 3)]
        records = rng.randint(1, 3 if len(values) == 2 else 2)
        channel = drawn_matrix(rng, list(values))
        weights = [rng.randint(1, 4) for _ in values]
        prior = {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
        seen = {
            (v, z): Fraction(str(channel.matrix[i, j]))
            for i, v in enumerate(channel.inputs)
            for j, z in enumerate(channel.outputs)
        }
        level: Any = Fraction(1)
        informed = Fraction(0)
        average: dict[Any, Fraction] = defaultdict(Fraction)
        for rest in product(values, repeat=records - 1):
            belief = math.prod((prior[v] for v in rest), start=Fraction(1))
            sums: dict[Any, Fraction] = {}
            for table in product(channel.outputs, repeat=records):
                others = math.prod(
                    (seen[v, z] for v, z in zip(rest, table[1:], strict=True)), start=Fraction(1)
                )
                chances = {v: seen[v, table[0]] * others for v in values}
                for one, other in product(chances.values(), repeat=2):
                    if one:
                        level = max(level, one / other if other else math.inf)
                sums[table] = max(prior[v] * p for v, p in chances.items())
                for v, p in chances.items():
                    average[table, v] += belief * prior[v] * p
            informed = max(informed, sum(sums.values(), Fraction(0)))
        nobody = sum(
            max(average[table, v] for v in values)
            for table in product(channel.outputs, repeat=records)
        )
        policy = lt.Policy(lt.SecretGraph.complete(list(values)), records)
        each = lt.parallel(*[channel] * records)
        assert lt.privacy_level(each, policy).ratio == level
        believed = list(prior.values())
        assert individual_leakage(each, policy, prior=believed).after == informed
        assert uninformed_guess(each, policy, prior=believed).upper == nobody


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Rounding(0), "the base of rounding must be a whole number from 1"),
        (lambda: Suppression(-1), "the largest count that is suppressed must be"),
        (lambda: Suppression(3, then=5), "then must be such as Rounding(5)"),  # type: ignore[arg-type]
        (
            lambda: CellKey([{0: "1/2"}]),
            "must have chances that sum to 1, got 1/2",
        ),
        (lambda: CellKey([{0: 1}, {-2: 1}]), "row 1 of a ptable must not make a count negative"),
        (lambda: CellKey([{0: "1/2", 1: "1/2"}]), "row 0 of a ptable must be certain"),
        (lambda: count_odds(Rounding(3), 0), "people must be a whole number, 1 or more"),
        (lambda: count_odds(Rounding(3), 3, 2), "the prior must be a chance"),
        (lambda: LinkedCounts({"a": 1}, [["b"]], Rounding(3)), "got 'b'"),
        (lambda: LinkedCounts({"a": 1}, ["a"], Rounding(3)), "a list of areas for each number"),
        (
            lambda: LinkedCounts({"a": 1}, [["a"]], Suppression(1, CellKey([{0: 1}]))),
            "without suppression",
        ),
        (
            lambda: LinkedCounts(dict.fromkeys("ab", 10**6), [["a", "b"]], Rounding(3)).odds("a"),
            "combinations",
        ),
        (lambda: PerturbedCount(Rounding(3), 0), "people must be a whole number, 1 or more"),
        (lambda: swapping(["a"], 2), "between 0 and 1, got 2"),
        (lambda: Suppression(3).mean_error(2), "nothing is shown of 2"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(LeaktightError) as wrong:
        make()
    assert said in str(wrong.value)
    assert isinstance(wrong.value, InvalidInput | TooLarge)


def test_a_table_that_is_too_large_is_refused_before_every_count_is_looked_at() -> None:
    looked = list[int]()

    class Watched(Rounding):
        def row(self, count: int) -> Mapping[Hashable, Fraction]:
            looked.append(count)
            return super().row(count)

    with pytest.raises(TooLarge, match=r"1,000,001 inputs and 1\d\d outputs or more, more than"):
        Watched(2).channel(10**6)
    assert len(looked) < 1000
