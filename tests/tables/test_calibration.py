"""The noise: what is stated is what the exact output channel has."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph, privacy_level
from leaktight.errors import InvalidNumber, InvalidPolicy
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.labels import Labels
from leaktight.policies.constraint import count
from leaktight.tables import TableQuery, count_of, cumulative, hierarchy, histogram, sum_of
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.noise import GeometricStep
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.strategies.graphs import secret_graphs
from tests.tables.databases import entries, output_channel


@st.composite
def questions(draw: st.DrawFn, values: Labels) -> list[TableQuery]:
    """One or two queries of any kinds."""
    some = st.lists(st.sampled_from(values), min_size=1, unique=True)
    share = draw(st.integers(1, 2))
    options = [
        histogram("plain", ordered=False, share=share),
        histogram("ordered", ordered=True),
        histogram("either"),
        histogram("some cells", groups={"a": draw(some)}),
        cumulative("up to", share=share),
        count_of("some", draw(some)),
        sum_of("total", {v: draw(st.integers(-2, 3)) for v in values}),
    ]
    return draw(st.lists(st.sampled_from(options), min_size=1, max_size=2, unique=True))


def noise_of(
    policy: Policy, queries: list[TableQuery], ratio: RatioLike = 4, rows_per_person: int = 1
) -> Noise:
    return calibrated(PrivacyUnit(policy, None, rows_per_person), queries, Ratio.of(ratio))


@settings(max_examples=60)
@given(st.data(), secret_graphs(most=4), st.integers(1, 3), st.sampled_from([2, "9/4", 8]))
def test_the_stated_ratio_is_that_of_the_exact_output_channel(
    data: st.DataObject, secrets: SecretGraph, records: int, ratio: int | str
) -> None:
    policy = Policy(secrets, records)
    noise = noise_of(policy, data.draw(questions(secrets.vertices)), ratio)
    assume(entries(noise) <= 3000)
    assert privacy_level(output_channel(noise), policy).ratio == noise.level.value
    assert noise.level.value <= Fraction(ratio)


@settings(max_examples=60)
@given(st.data(), secret_graphs(least=2, most=4), st.integers(2, 3))
def test_under_public_counts_no_neighbours_are_told_apart_by_more_than_is_stated(
    data: st.DataObject, secrets: SecretGraph, records: int
) -> None:
    some = st.lists(st.sampled_from(secrets.vertices), min_size=1, unique=True)
    counts = [count(data.draw(some), equals=data.draw(st.integers(0, records)))]
    try:
        policy = Policy(secrets, records, constraints=counts)
    except InvalidPolicy:  # no database has these counts
        assume(False)
    noise = noise_of(policy, data.draw(questions(secrets.vertices)), 8)
    assume(entries(noise) <= 3000)
    truth = privacy_level(output_channel(noise), policy.adjacency()).ratio
    assert truth <= noise.level.value <= 8
    if secrets.size == secrets.order * (secrets.order - 1) // 2:  # then it is exact
        assert truth == noise.level.value


@settings(max_examples=20)
@given(secret_graphs(most=3), st.booleans())
def test_a_person_with_two_rows_pays_twice(secrets: SecretGraph, plain: bool) -> None:
    """Both rows move along a secret pair: the largest ratio of such databases is the level."""
    query = histogram("h", ordered=False) if plain else cumulative("c")
    noise = noise_of(Policy(secrets, 2), [query], 16, rows_per_person=2)
    channel = output_channel(noise)
    rows = dict(zip(channel.inputs, channel.matrix, strict=True))
    joined = {pair for u, v in secrets.edge_pairs() for pair in ((u, v), (v, u))}
    joined |= {(v, v) for v in secrets.vertices}
    worst = max(
        a / b
        for (u, v), (x, y) in product(product(secrets.vertices, repeat=2), repeat=2)
        if {(u, x), (v, y)} <= joined
        for a, b in zip(rows[u, v], rows[x, y], strict=True)
        if b
    )
    assert Fraction(str(worst)) == noise.level.value <= 16


@pytest.mark.parametrize(("order", "theta"), [(2, 1), (5, 1), (5, 3), (6, 5), (6, 9)])
def test_a_cumulative_histogram_needs_as_many_steps_as_the_threshold_allows(
    order: int, theta: int
) -> None:
    near = Policy(SecretGraph.threshold(range(order), distance=theta), 9)
    assert noise_of(near, [cumulative("c")], 2 ** min(theta, order - 1)).step == 2
    everybody = Policy(SecretGraph.complete(order), 9)
    assert noise_of(everybody, [cumulative("c")], 2 ** (order - 1)).step == 2


def test_a_histogram_needs_two_steps_and_a_partitions_own_none() -> None:
    towns = Policy(SecretGraph.partition([["Bern", "Thun"], ["Basel", "Muttenz"]]), 100)
    assert noise_of(towns, [histogram("towns", ordered=False)], 4).step == 2
    own = histogram("cantons", groups={"BE": ["Bern", "Thun"], "BL": ["Basel", "Muttenz"]})
    exact = noise_of(towns, [own], 4)
    assert exact.level.value == 1
    assert exact.of(exact.blocks[0]) == [None, None]


def test_an_absent_record_adds_nothing_and_its_neighbours_pay_for_its_cells() -> None:
    secrets = SecretGraph(["a", "b"]).with_absent("absent")
    protection = PrivacyUnit(Policy(secrets, 5), absent="absent")
    plain = calibrated(protection, [histogram("h", ordered=False)], Ratio.of(2))
    assert plain.step == 2  # presence alone: one cell changes by one
    ordered = calibrated(protection, [cumulative("c")], Ratio.of(4))
    assert ordered.step == 2  # from the first value on, both numbers change
    assert ordered.of(ordered.blocks[0]) == 2 * [GeometricStep(Fraction(2))]


def test_the_last_number_of_a_cumulative_histogram_is_the_public_number_of_records() -> None:
    noise = noise_of(Policy(SecretGraph.line(4), 9), [cumulative("c")], 2)
    assert noise.of(noise.blocks[0]) == [*3 * [GeometricStep(Fraction(2))], None]


@given(secret_graphs(least=2))
def test_a_hierarchy_pays_two_for_each_level_at_which_a_pair_is_parted(
    secrets: SecretGraph,
) -> None:
    noise = noise_of(Policy(secrets, 3), [hierarchy("h")], 2)
    pairs = noise.protection.pairs
    for (u, v), found in zip(pairs.tolist(), noise.paid.exponents(pairs).tolist(), strict=True):
        widths = [width for width in (1, 2, 4) if width == 1 or width < secrets.order]
        assert found == sum(2 * (u // width != v // width) for width in widths)


@given(st.data(), secret_graphs(least=2))
def test_shapes_agree_with_the_matrix_itself(data: st.DataObject, secrets: SecretGraph) -> None:
    noise = noise_of(Policy(secrets, 3), data.draw(questions(secrets.vertices)))
    pairs = noise.protection.pairs
    everything = np.array(list(product(range(secrets.order), repeat=2)))
    counts = np.array(data.draw(st.lists(st.integers(0, 99), min_size=5, max_size=5)))
    for block in noise.blocks:
        weights, matrix = block.weights, block.weights.matrix()
        differ = matrix[everything[:, 0]] - matrix[everything[:, 1]]
        assert (weights.distances(everything) == np.abs(differ).sum(axis=1)).all()
        moved = (matrix[pairs[:, 0]] != matrix[pairs[:, 1]]).any(axis=0)
        assert (weights.moved(pairs) == moved).all()
        assert (weights.bare(everything, pairs) == (differ[:, ~moved] != 0).any(axis=1)).all()
        own = counts[: secrets.order]
        assert weights.answers(own) == (own @ matrix).tolist()
        packed = weights.packed()
        again = type(weights).unpacked(str(weights.shape), weights.size, packed, weights.digest)
        assert again.digest == weights.digest


def test_what_cannot_be_released_is_refused() -> None:
    secrets = SecretGraph.complete(["cold", "flu"])
    for public in (
        Policy(secrets, 3, databases=[("flu",) * 3]),
        Policy(secrets, 3, values={0: ["flu"]}),
        Policy(secrets, 3, constraints=[count(["flu"], equals=1)], predicate=bool),
    ):
        with pytest.raises(InvalidPolicy, match="nothing public but the number of records"):
            PrivacyUnit(public)
    counts = Policy(secrets, 3, constraints=[count(["flu"], equals=1)])
    with pytest.raises(InvalidPolicy, match="each person must have one row"):
        PrivacyUnit(counts, rows_per_person=2)
    with pytest.raises(InvalidNumber, match="above 0"):
        noise_of(Policy(secrets, 3), [histogram("h")], 1)
    large = sum_of("s", {"cold": 2**31 - 1})
    with pytest.raises(InvalidNumber, match="larger unit"):
        noise_of(Policy(secrets, 3), [large], 2, rows_per_person=10**6)
