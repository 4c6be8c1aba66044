"""Covering codes: sizes, radii and what the vertices see, against enumeration."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.published import (
    covering_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from leaktight.worst_case.published.codes import CoveringCode, greedy_code, hamming_blocks
from tests.strategies.named_graphs import cube, cycle, disjoint, path, petersen, star

RATIOS = [1, Fraction(6, 5), 2, 5]


def words_of_bits(length: int) -> AdjacencyGraph:
    return AdjacencyGraph.of(SecretGraph.complete(2), length)


def hamming_words(checks: int) -> list[tuple[int, ...]]:
    """The words whose positions with a 1, counted from 1, have XOR 0."""
    found = []
    for word in itertools.product((0, 1), repeat=2**checks - 1):
        check = 0
        for position, bit in enumerate(word, 1):
            check ^= position * bit
        if not check:
            found.append(word)
    return found


def agree(formula: CoveringCode, listed: CoveringCode) -> None:
    assert formula.size == listed.size
    assert formula.radius == listed.radius
    for ratio in RATIOS:
        assert formula.bound(ratio) == listed.bound(ratio)
        assert formula.normalised_bound(ratio) == listed.normalised_bound(ratio)


def test_a_code_of_a_billion_records_is_not_counted_out() -> None:
    code = hamming_code(2) ** (10**9 // 3)
    assert "about 10^100343332 words" in repr(code)  # two words for every three records
    with pytest.raises(TooLarge, match="bits"):
        _ = code.size


@pytest.mark.parametrize("checks", [1, 2, 3])
def test_hamming_codes_are_seen_as_enumerated(checks: int) -> None:
    length = 2**checks - 1
    agree(
        hamming_code(checks),
        covering_code(words_of_bits(length), hamming_words(checks) if length > 1 else [0]),
    )


@pytest.mark.parametrize(("records", "values"), [(1, 2), (2, 2), (5, 2), (6, 2), (4, 3), (3, 4)])
def test_repetition_codes_are_seen_as_enumerated(records: int, values: int) -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(values), records)
    words = [(value,) * records if records > 1 else value for value in range(values)]
    agree(repetition_code(records, values), covering_code(graph, words))


def test_products_of_codes_are_seen_as_enumerated() -> None:
    product = hamming_code(2) * repetition_code(2)
    words = [a + b for a in hamming_words(2) for b in ((0, 0), (1, 1))]
    agree(product, covering_code(words_of_bits(5), words))
    square = [a + b for a in hamming_words(2) for b in hamming_words(2)]
    agree(hamming_code(2) ** 2, covering_code(words_of_bits(6), square))
    assert product.covers(words_of_bits(5))
    assert not product.covers(words_of_bits(6))


def test_blocks_of_hamming_codes_cover_words_of_any_length() -> None:
    for records in (3, 10, 100):
        for code in hamming_blocks(records):
            assert code.covers(words_of_bits(records))
    assert hamming_blocks(2) == ()


def test_components_add() -> None:
    """A word in the middle of a path of 3 and one of a pair: λ + λ, not 2λ^2."""
    graph = disjoint(path(3), path(2))
    code = covering_code(graph, [(0, 1), (1, 0)])
    assert code.bound(3) == 6
    longer = covering_code(graph, [(0, 0), (1, 0)])
    assert longer.bound(3) == 9 + 3
    assert longer.radius == 2


def test_a_code_must_reach_every_component() -> None:
    with pytest.raises(Mismatch, match=r"every component, got none reaching \(1, 0\)"):
        covering_code(disjoint(path(3), path(2)), [(0, 1)])


@pytest.mark.parametrize("ratio", RATIOS)
def test_normalising_never_makes_a_bound_larger(ratio: Fraction) -> None:
    for graph in (path(5), star(4), cycle(7), cube(3), petersen(), disjoint(star(3), path(4))):
        for radius in range(4):
            code = greedy_code(graph, radius)
            assert code.normalised_bound(ratio) <= code.bound(ratio)


def smallest_by_search(graph: Graph, radius: int) -> int:
    near = (graph.distances >= 0) & (graph.distances <= radius)
    return next(
        size
        for size in range(1, graph.order + 1)
        if any(
            near[list(c)].any(axis=0).all()
            for c in itertools.combinations(range(graph.order), size)
        )
    )


def test_smallest_codes_are_smallest_and_greedy_ones_cover() -> None:
    for graph in (path(7), star(4), cycle(9), cube(3), petersen(), disjoint(star(3), path(4))):
        for radius in range(3):
            smallest, greedy = smallest_code(graph, radius), greedy_code(graph, radius)
            assert smallest.size == smallest_by_search(graph, radius) <= greedy.size
            assert max(smallest.radius, greedy.radius) <= radius


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", None, True])
def test_bad_codes_are_refused(number: Any) -> None:
    with pytest.raises(InvalidInput, match="checks must be a whole number from 1 up, got"):
        hamming_code(number)
    with pytest.raises(InvalidInput, match="records must be a whole number from 1 up, got"):
        repetition_code(number)
    with pytest.raises(InvalidInput, match="values must be a whole number from 1 up, got"):
        repetition_code(3, number)
    with pytest.raises(InvalidInput, match="copies must be a whole number from 1 up, got"):
        _ = repetition_code(3) ** number


def test_a_code_has_a_radius_and_not_too_many_checks() -> None:
    with pytest.raises(InvalidInput, match="1 to 10 check bits here, got 11"):
        hamming_code(11)
    for radius in (-1, 0.5):
        with pytest.raises(InvalidInput, match="radius must be a whole number from 0 up, got"):
            greedy_code(path(3), radius)  # type: ignore[arg-type]
