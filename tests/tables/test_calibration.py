"""The noise: what is stated is what the exact output channel has."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph, privacy_level
from leaktight.errors import InvalidNumber, InvalidPolicy, LeaktightError
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import log2
from leaktight.labels import Labels
from leaktight.policies.constraint import count
from leaktight.tables import TableQuery, count_of, cumulative, hierarchy, histogram, sum_of
from leaktight.tables.calibration import GaussianWithin, Noise, calibrated
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


LARGE = st.one_of(
    st.integers(-(2**31) + 1, 2**31 - 1), st.sampled_from([0, 1, 2**20 - 1, 2**31 - 1])
)


@settings(max_examples=300)
@given(
    st.lists(LARGE, min_size=2, max_size=4),
    st.sampled_from([1, 2, 10**6]),
    st.lists(st.one_of(st.none(), st.sampled_from([1, 45, 10**6, 10**9, 3 * 10**11])), max_size=2),
    st.integers(1, 100),
    st.booleans(),
    st.sampled_from([0, 2, 12]),
)
def test_sums_of_large_amounts_cost_what_is_said_or_are_refused(
    amounts: list[int],
    rows: int,
    errors: list[int | None],
    share: int,
    gaussian: bool,
    cells: int,
) -> None:
    """What neighbours differ by is added up here in whole numbers without an end."""
    groups = range(max(1, cells))
    values = [(g, k) for g in groups for k in range(len(amounts))]
    told = [count([v for v in values if v[0] == g], equals=7) for g in groups] if cells else []
    policy = Policy(SecretGraph.complete(values), 7 * len(groups), constraints=told)
    unit = PrivacyUnit(policy, rows_per_person=1 if cells else rows)
    weights = [{v: amounts[v[1]] for v in values}, {v: int(v[1] == 0) for v in values}]
    asked = [
        sum_of(name, each, share=1 if error is not None else many, error=error)
        for name, each, error, many in zip("ab", weights, errors, (1, share), strict=False)
    ]
    if not asked:
        return
    allowed = GaussianWithin(Fraction(3)) if gaussian else Ratio.of(3)
    try:
        noise = calibrated(unit, asked, allowed)
    except LeaktightError:
        return
    # Both answers may move as far as they can at once, in each cell and for each row.
    times = len(groups) if cells else rows
    for u, v in product(values, repeat=2):
        moved = {q: times * abs(w[u] - w[v]) for q, w in zip("ab", weights, strict=True)}
        paid = [
            (moved[block.query.name], own)
            for block, own in zip(noise.blocks, noise.noises, strict=True)
        ]
        assert all(own is not None or not far for far, own in paid)
        if gaussian:
            costs = [far**2 / (2 * each.sigma2) for far, each in paid if far]  # type: ignore[union-attr]
            assert sum(costs) <= noise.rho <= 3
        else:
            bits = [far * log2(each.step) for far, each in paid if far]  # type: ignore[union-attr]
            assert sum(bits) <= noise.level.bits_interval[1] * (1 + 2**-40)
            assert noise.level <= 3
