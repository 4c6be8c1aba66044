"""No route from a number to a float hides a ratio: what is too small for a float is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaktight import (
    Channel,
    Distribution,
    SecretGraph,
    parallel,
    privacy_level,
    read_channel,
    repeated,
    sequential,
    write_channel,
)
from leaktight.channels import product_distribution, symmetrise_by_distance
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import SMALLEST, kept_float, rational
from leaktight.leakage import hyper

PAIR = SecretGraph.complete(2)

TINY = [Fraction(1, 10**400), Fraction(1, 10**500)]
EXACT = Channel([[p, 1 - p] for p in TINY])
"""Its ratio is 10^100, and no float can say so."""

NEAR = Channel([["3e-320", 1 - Fraction("3e-320")], ["1e-320", 1 - Fraction("1e-320")]])
"""Its ratio is 3; that of the nearest floats, which have four digits, is not."""

SMALL = Channel([[1e-200, 1.0], [1e-250, 1.0]])
BLUR = Channel([[1e-200, 1.0], [0.0, 1.0]])

ROUTES: dict[str, Callable[[], Any]] = {
    "texts beside floats": lambda: Channel([["1e-400", 1.0], ["1e-500", 1.0]]),
    "fractions beside floats": lambda: Channel([[TINY[0], 1.0], [TINY[1], 1.0]]),
    "an exact row beside one of floats": lambda: Channel([[TINY[0], 1 - TINY[0]], [0.5, 0.5]]),
    "texts near the end of the floats": lambda: Channel([["3e-320", 1.0], ["1e-320", 1.0]]),
    "a mapping": lambda: Channel({"a": {"x": "1e-400", "y": 1.0}, "b": {"x": 0.5, "y": 0.5}}),
    "long doubles": lambda: Channel(np.array([["1e-400", "1"], ["1e-500", "1"]], np.longdouble)),
    "a row of long doubles": lambda: Channel([list(np.array(["1e-400", "1"], np.longdouble))]),
    "weights": lambda: Channel.normalised([[1e-300, 1e100], [1e-250, 1e100]]),
    "weights near the end": lambda: Channel.normalised([[3e-310, 4.0], [1e-310, 4.0]]),
    "float": EXACT.float,
    "float, near the end": NEAR.float,
    "to_numpy": EXACT.to_numpy,
    "a cascade": lambda: SMALL.then(BLUR),
    "a cascade of exact and float": lambda: EXACT.then(Channel([[1.0, 0.0], [0.0, 1.0]])),
    "a cascade of float and exact": lambda: Channel([[1.0, 0.0], [0.0, 1.0]]).then(EXACT),
    "one after the other": lambda: sequential(SMALL, SMALL),
    "one after the other, by output": lambda: sequential(SMALL, {0: SMALL, 1: BLUR}),
    "one after the other, mixed": lambda: sequential(Channel.random(2, 2, seed=1), EXACT),
    "side by side": lambda: parallel(SMALL, SMALL).expand(),
    "side by side, mixed": lambda: parallel(Channel.random(2, 2, seed=1), EXACT).expand(),
    "repeated": lambda: repeated(SMALL, 2),
    "a prior of texts and floats": lambda: Distribution(["1e-400", 1.0]),
    "a prior as floats": lambda: Distribution(["1e-400", 1 - TINY[0]]).float(),
    "a prior of weights": lambda: Distribution.from_counts([1e-300, 1e100]),
    "a product of priors": lambda: product_distribution(
        *[Distribution([1e-200, 1.0])] * 2
    ).expand(),
    "posteriors": lambda: SMALL.reverse([1e-200, 1.0]),
    "posteriors, mixed": lambda: EXACT.reverse([0.5, 0.5]),
    "a posterior": lambda: hyper(SMALL, [1e-200, 1.0]),
    "averages": lambda: symmetrise_by_distance(Channel([[1.0, 5e-324], [0.0, 1.0]]), PAIR),
    "posteriors to be merged": Channel([[5e-324, 1.0, 0.0], *[[0.5, 0.0, 0.5]] * 4]).reduced,
}


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_what_is_too_small_for_a_float_is_refused(route: Callable[[], Any]) -> None:
    with pytest.raises(InvalidInput, match=r"too small for a float; use \.exact\(\)"):
        route()


FILES = {
    "float.csv": "float,x,y\na,1e-400,1\nb,1e-500,1\n",
    "near.csv": "float,x,y\na,3e-320,1\nb,1e-320,1\n",
    "plain.csv": ",x,y\na,1e-400,1\nb,1e-500,1\n",
    "float.json": json.dumps(
        {"format": "leaktight channel", "numbers": "float", "inputs": ["a", "b"]}
        | {"outputs": ["x", "y"], "matrix": [[1e-300, 1.0], [1e-301, 1.0]]}
    ).replace("e-30", "e-40"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_floats_that_are_too_small_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    with pytest.raises(InvalidInput, match="too small for a float"):
        read_channel(tmp_path / name)


def test_the_way_out_is_exact() -> None:
    cases = [
        (EXACT.then(Channel.identity(2)), 10**100),
        (NEAR, 3),
        (SMALL.exact().then(BLUR.exact()), None),
        (sequential(SMALL.exact(), SMALL.exact()), None),
    ]
    for channel, ratio in cases:
        found = privacy_level(channel, PAIR).ratio
        assert found > 2**100 if ratio is None else found == ratio


@pytest.mark.parametrize("suffix", ["csv", "json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(entries=st.lists(st.floats(0, 2.0**-1000), min_size=1, max_size=4))
def test_floats_that_are_given_stay_what_they_are(
    suffix: str, tmp_path: Path, entries: list[float]
) -> None:
    """A float is the exact number that it is, however small: in a channel and in its file."""
    channel = Channel([[*entries, 1.0], [*([0.5] + [0.0] * (len(entries) - 1)), 0.5]])
    assert channel.matrix[0, :-1].tolist() == entries
    write_channel(channel, tmp_path / f"small.{suffix}")
    assert read_channel(tmp_path / f"small.{suffix}") == channel


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.integers(0, 1100))
def test_a_cascade_keeps_every_ratio_or_is_refused(numbers: list[float], power: int) -> None:
    """Against exact arithmetic: what floats say is right to 2^-50, or they say nothing."""
    p, q, r, s = (
        x * 2.0**-k for x, k in zip(numbers, (power // 2, power, power // 3, 0), strict=True)
    )
    first, second = Channel([[p, 1 - p], [q, 1 - q]]), Channel([[r, 1 - r], [s, 1 - s]])
    exact = np.array([[rational(x) for x in row] for row in first.matrix]) @ np.array(
        [[rational(x) for x in row] for row in second.matrix]
    )
    try:
        found = first.then(second).matrix
    except InvalidInput:
        assert any(0 < x < rational(2 * SMALLEST) for x in exact.ravel())
        return
    for near, true in zip(found.ravel(), exact.ravel(), strict=True):
        assert abs(rational(near) - true) <= true * rational(2.0**-50)


@given(st.fractions(0, 1), st.integers(900, 1200))
def test_a_number_becomes_a_float_with_all_its_digits_or_none(part: Fraction, power: int) -> None:
    number = part / 2**power
    try:
        near = rational(kept_float(number))
    except InvalidInput:
        assert 0 < number < Fraction(SMALLEST)
        return
    assert abs(near - rational(number)) <= rational(number) / 2**53
