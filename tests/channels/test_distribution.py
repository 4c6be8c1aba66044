from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.distribution import (
    Distribution,
    ProductDistribution,
    prior_on,
    product_distribution,
)
from leaktight.errors import InvalidDistribution, Mismatch, TooLarge
from tests.strategies.channels import distributions


def test_a_distribution_is_read_by_label_and_by_position() -> None:
    by_label = Distribution({"a": "1/3", "b": "2/3"})
    assert by_label["b"] == Fraction(2, 3)
    assert prior_on(["1/3", "2/3"], ("a", "b")) == by_label
    assert prior_on({"b": "2/3", "a": "1/3"}, ("a", "b")) == by_label
    assert prior_on(Distribution({"b": "2/3", "a": "1/3"}), ("a", "b")) == by_label
    assert prior_on({"b": 1}, ("a", "b"))["a"] == 0
    assert prior_on(None, ("a", "b")) == Distribution.uniform(["a", "b"])


def test_the_usual_distributions() -> None:
    assert Distribution.uniform(4)[3] == Fraction(1, 4)
    assert Distribution.point("b", ["a", "b", "c"]).support == ("b",)
    assert Distribution.from_counts({"a": 1, "b": 3})["b"] == Fraction(3, 4)
    assert Distribution.from_counts([1.0, 3.0])[1] == 0.75


def test_a_column_is_counted_and_numbers_are_counts() -> None:
    column = ["flu", "cold", "flu", "none"]
    for each in (column, tuple(column), np.array(column), pd.Series(column)):
        assert Distribution.from_counts(each)["flu"] == Fraction(1, 2)
    assert Distribution.from_counts(["3", "1"])[0] == Fraction(3, 4)
    for mixed in (["flu", "3"], ["flu", 3], ["flu", None]):
        with pytest.raises(InvalidDistribution, match="a count must be a number"):
            Distribution.from_counts(mixed)


def test_it_cannot_be_changed() -> None:
    source = np.array([0.5, 0.5])
    prior = Distribution(source)
    source[0] = 7
    assert prior[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        prior.array[0] = 1


@given(distributions(4))
def test_exact_and_float_convert_explicitly(prior: Distribution) -> None:
    assert prior.is_exact
    assert not prior.float().is_exact
    back = prior.float().exact()
    assert back.array.sum() == 1
    assert np.allclose(back.float().array, prior.float().array, rtol=1e-15)


def test_tiny_probabilities_do_not_vanish() -> None:
    tiny = Fraction(1, 10**400)
    prior = Distribution([tiny, 1 - tiny])
    assert prior[0] == tiny
    assert prior.support == (0, 1)


@given(st.lists(distributions(2), min_size=1, max_size=4))
def test_a_product_expands_to_the_products_of_its_factors(factors: list[Distribution]) -> None:
    whole = product_distribution(*factors).expand()
    assert whole.array.sum() == 1
    for value, probability in whole.items():
        assert isinstance(value, tuple)
        expected = Fraction(1)
        for factor, part in zip(factors, value, strict=True):
            expected *= Fraction(factor[part])
        assert probability == expected


def test_a_product_of_many_is_kept_and_too_many_are_not_multiplied_out() -> None:
    coin = Distribution.uniform(2)
    crowd = product_distribution(*[coin] * 1000)
    assert crowd == ProductDistribution(((coin, 1000),))
    with pytest.raises(TooLarge, match="values"):
        crowd.expand()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "at least one value, got none"),
        ([[1]], "a number"),
        (["1/2", "1/3"], "sum to 1, got 5/6"),
        ([0.5, 0.4], "sum to 1 up to rounding, got 0.9"),
        (["3/2", "-1/2"], "probability of 1 must be at least 0, got -1/2"),
        ([0.5, float("nan")], "probability of 1 must be at least 0, got nan"),
        (["half", "half"], "must be a number"),
        ("half", "got 'half'"),
    ],
)
def test_what_is_no_distribution_is_refused(wrong: object, message: str) -> None:
    with pytest.raises(InvalidDistribution, match=message):
        Distribution(wrong)  # type: ignore[arg-type]


def test_a_pandas_series_goes_by_label() -> None:
    series = pd.Series({"b": 0.9, "a": 0.1})
    assert prior_on(series, ("a", "b"))["b"] == 0.9
    assert Distribution(series)["a"] == 0.1
    assert Distribution.from_counts(pd.Series({"x": 1, "y": 3}))["y"] == Fraction(3, 4)


def test_counts_that_cannot_be_are_refused() -> None:
    for wrong in ("12", 5, [1e308, 1e308], [float("nan")], ["one", None]):
        with pytest.raises(InvalidDistribution):
            Distribution.from_counts(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidDistribution, match="already names"):
        Distribution.from_counts({"a": 1}, ["b"])
    with pytest.raises(InvalidDistribution, match="must be a Distribution"):
        product_distribution([0.5, 0.5])  # type: ignore[arg-type]


def test_labels_that_do_not_fit_are_named() -> None:
    with pytest.raises(Mismatch, match="did you mean 'flu'"):
        prior_on({"fly": 1}, ("flu", "cold"))
    with pytest.raises(Mismatch, match="'flu' is only in one"):
        prior_on(Distribution({"a": 1}), ("flu", "cold"))
    with pytest.raises(Mismatch, match="got 3 for 2"):
        prior_on(["1/3"] * 3, ("flu", "cold"))
    with pytest.raises(InvalidDistribution, match="'a' twice"):
        Distribution(["1/2", "1/2"], ["a", "a"])
    with pytest.raises(InvalidDistribution, match="more than 0"):
        Distribution.from_counts([0, 0])
