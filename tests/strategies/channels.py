"""Objects that are valid by construction."""

from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain
from tests.strategies.fractions import fractions

ENTRIES = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**6))
GAINS = fractions(0, 3, max_denominator=12)


@cache  # or each would be made and looked through anew whenever it is drawn from
def weights(size: int) -> st.SearchStrategy[list[int]]:
    """Non-negative integers, often 0, not all of them."""
    return st.lists(ENTRIES, min_size=size, max_size=size).filter(any)


def _normalised(row: list[int]) -> list[Fraction]:
    return [Fraction(entry, sum(row)) for entry in row]


@cache
def distributions(size: int) -> st.SearchStrategy[Distribution]:
    return weights(size).map(_normalised).map(Distribution)


@st.composite
def channels(
    draw: st.DrawFn, inputs: int | None = None, outputs: int | None = None, most: int = 5
) -> Channel:
    """Exact channels, with zeros and now and then a repeated row."""
    n = inputs or draw(st.integers(1, most))
    m = outputs or draw(st.integers(1, most))
    rows = [_normalised(draw(weights(m))) for _ in range(n)]
    if n > 1 and draw(st.booleans()):
        rows[-1] = rows[0]
    return Channel(rows)


@st.composite
def channels_and_priors(draw: st.DrawFn) -> tuple[Channel, Distribution]:
    channel = draw(channels())
    return channel, draw(distributions(channel.shape[0]))


@st.composite
def gains(draw: st.DrawFn, inputs: int) -> Gain:
    guesses = draw(st.integers(1, 4))
    row = st.lists(GAINS, min_size=inputs, max_size=inputs)
    return Gain([draw(row) for _ in range(guesses)])


@st.composite
def functions(draw: st.DrawFn, inputs: int | None = None) -> Deterministic:
    """Draw a deterministic channel, some of whose outputs may never occur."""
    size = draw(st.integers(1, 6)) if inputs is None else inputs
    outputs = draw(st.integers(1, 5))
    seen = draw(st.lists(st.integers(0, outputs - 1), min_size=size, max_size=size))
    return Deterministic(tuple(range(size)), tuple(range(outputs)), np.array(seen))
