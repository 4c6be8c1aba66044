from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel, pair_factors, parallel, repeated, sequential
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.errors import InvalidChannel, InvalidNumber, Mismatch, TooLarge
from leaktight.leakage.vulnerability import min_entropy_leakage, posterior_vulnerability
from tests.strategies.channels import channels, distributions

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])


@given(st.data())
def test_sequential_composition_multiplies_along_the_path(data: st.DataObject) -> None:
    first = data.draw(channels(inputs=3, outputs=2))
    after = {y: data.draw(channels(inputs=3)) for y in first.outputs}
    both = sequential(first, after)
    assert (both.matrix.sum(axis=1) == 1).all()
    for x in first.inputs:
        for y1 in first.outputs:
            for y2 in after[y1].outputs:
                assert both[x, (y1, y2)] == first[x, y1] * after[y1][x, y2]
    assert sequential(first, after.__getitem__) == both


@given(channels(inputs=2, outputs=2), channels(inputs=4, outputs=3))
def test_the_second_channel_may_have_pairs_as_inputs(first: Channel, table: Channel) -> None:
    pairs = Channel(table, inputs=list(product(first.outputs, first.inputs)))
    both = sequential(first, pairs)
    for x, y1, y2 in product(first.inputs, first.outputs, pairs.outputs):
        assert both[x, (y1, y2)] == first[x, y1] * pairs[(y1, x), y2]


def test_sequential_composition_goes_by_labels() -> None:
    named = Channel(COIN, ["no", "yes"])
    other = Channel({"yes": {"+": 1}, "no": {"-": 1}})
    assert sequential(named, other)["yes", (1, "+")] == Fraction(2, 3)
    with pytest.raises(Mismatch, match="none for 1"):
        sequential(named, {0: named})
    with pytest.raises(Mismatch, match="must have the first one's inputs"):
        sequential(named, {0: COIN, 1: COIN})
    with pytest.raises(InvalidChannel, match="must be a Channel"):
        sequential(named, lambda y: [[1]])  # type: ignore[arg-type,return-value]


@given(st.lists(channels(most=3), min_size=1, max_size=3))
def test_a_parallel_composition_expands_to_the_product(factors: list[Channel]) -> None:
    whole = parallel(*factors).expand()
    assert (whole.matrix.sum(axis=1) == 1).all()
    for x, z in product(whole.inputs, whole.outputs):
        assert isinstance(x, tuple)
        assert isinstance(z, tuple)
        assert whole[x, z] == prod(c[a, b] for c, a, b in zip(factors, x, z, strict=True))


def test_many_channels_in_parallel_are_kept_as_one_and_a_number() -> None:
    crowd = parallel(*[COIN] * 10**6)
    assert crowd == Parallel(((COIN, 10**6),))
    with pytest.raises(TooLarge, match="10\\^301030 inputs"):
        crowd.expand()
    with pytest.raises(InvalidChannel, match="at least one"):
        parallel()


def test_a_product_prior_is_paired_with_the_channels_in_order() -> None:
    p, q = Distribution(["1/4", "3/4"]), Distribution(["1/3", "2/3"])
    other = Channel.identity(2)
    paired = pair_factors(parallel(COIN, COIN, other), product_distribution(p, q, q))
    assert paired == [(COIN, p, 1), (COIN, q, 1), (other, q, 1)]
    with pytest.raises(Mismatch, match="2 channels in parallel need a product prior"):
        pair_factors(parallel(COIN, COIN), product_distribution(p))
    with pytest.raises(Mismatch, match="2 channels in parallel need a product prior"):
        posterior_vulnerability(parallel(COIN, COIN), p)


@given(channels(most=3), st.integers(1, 4), st.data())
def test_repetition_by_types_is_the_product_up_to_order(
    channel: Channel, n: int, data: st.DataObject
) -> None:
    counted = repeated(channel, n)
    assert len(counted.outputs) == comb(n + channel.shape[1] - 1, n)
    assert (counted.matrix.sum(axis=1) == 1).all()

    def counts(sequence: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sequence.count(z) for z in channel.outputs)

    one_secret = parallel(*[channel] * n).expand().restrict([(x,) * n for x in channel.inputs])
    merged = one_secret.merge(counts)
    assert (merged.permute(counted.outputs).matrix == counted.matrix).all()
    prior = data.draw(distributions(channel.shape[0]))
    assert (
        min_entropy_leakage(counted, prior).factor
        == min_entropy_leakage(Channel(one_secret, channel.inputs), prior).factor
    )
    assert np.allclose(repeated(channel.float(), n).matrix, counted.to_numpy(), rtol=1e-12)


def test_many_repetitions_neither_overflow_nor_vanish() -> None:
    many = repeated(COIN.float(), 600)
    assert np.allclose(many.matrix.sum(axis=1), 1, atol=1e-15)
    with pytest.raises(InvalidNumber, match=r"too small for a float; use .exact\(\)"):
        repeated(COIN.float(), 1000)
    tiny = Channel([[1e-200, 1.0], [2e-200, 1.0]])
    for compose in (sequential, lambda a, b: parallel(a, b).expand()):
        with pytest.raises(InvalidNumber, match="too small for a float"):
            compose(tiny, tiny)
    exact = repeated(COIN, 400)
    assert exact[0, (0, 400)] == Fraction(1, 3**400)
    with pytest.raises(TooLarge, match="for each of 2 inputs"):
        repeated(Channel.random(2, 10, seed=1), 1000)
    with pytest.raises(InvalidNumber, match="a whole number of times, got n = 0"):
        repeated(COIN, 0)


@given(st.lists(channels(), min_size=1, max_size=3), st.data())
def test_the_rows_of_some_inputs_are_those_of_the_whole_product(
    each: list[Channel], data: st.DataObject
) -> None:
    whole = parallel(*each).expand()
    some = data.draw(st.lists(st.sampled_from(whole.inputs), min_size=1, unique=True))
    found = parallel(*each).expand_on(tuple(some))
    assert (found.inputs, found.outputs) == (tuple(some), whole.outputs)
    assert (found.matrix == whole.restrict(some).matrix).all()


def test_rows_of_a_product_with_too_many_outputs_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An exact number takes the room of eight floats, and a long one more."""
    monkeypatch.setattr("leaktight.channels.composition.LARGEST", 64)
    coin, two = Channel([["2/3", "1/3"], ["1/3", "2/3"]]), ((0, 1, 1), (1, 1, 1))
    assert parallel(*[coin] * 3).expand_on(two[:1]).shape == (1, 8)
    assert parallel(*[Channel(coin.to_numpy())] * 3).expand_on(two).shape == (2, 8)
    with pytest.raises(TooLarge, match="2 rows of the product, with 8 outputs each"):
        parallel(*[coin] * 3).expand_on(two)
    long = Channel([[Fraction(1, 3**99), 1 - Fraction(1, 3**99)]] * 2)
    with pytest.raises(TooLarge, match="have more than 2 entries as long"):
        parallel(*[long] * 3).expand_on(two[:1])
