from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.mechanisms.planar import PlanarGeometric
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.repetition.adversary import guaranteed_success
from leaktight.repetition.explanation import explain
from leaktight.repetition.success import success_probability
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.channels import channels_and_priors


@given(channels_and_priors(), st.integers(1, 4))
@settings(max_examples=150)
def test_no_guess_does_better(made: tuple[Channel, Distribution], n: int) -> None:
    channel, prior = made
    bound = guaranteed_success(channel, prior, n)
    assert success_probability(channel, prior, n).upper <= bound <= 1


@given(st.integers(2, 12), st.sampled_from(["11/10", "2", "40"]), st.integers(1, 5))
def test_on_a_line_it_is_the_worst_case_of_the_guarantee(m: int, ratio: str, n: int) -> None:
    """Geometric noise has every ratio that it may have, so nothing better is known of it."""
    channel = TruncatedGeometric(range(m), ratio=ratio)
    worst = worst_case_leakage(channel.graph, Fraction(ratio) ** n).upper / m
    bound = guaranteed_success(channel.channel, Distribution.uniform(m), n)
    assert worst <= bound <= worst * (1 + Fraction(1, 10**9))


def test_entries_below_the_floats_are_not_compared() -> None:
    channel = Channel([["1e-400", 1 - Fraction(1, 10**400)], ["1e-500", 1 - Fraction(1, 10**500)]])
    assert guaranteed_success(channel, Distribution.uniform(2), 1) == 1


def test_many_observations_never_say_more_than_one() -> None:
    coin = RandomizedResponse(3, ratio=2).channel
    assert guaranteed_success(coin, Distribution.uniform(3), 10**17) == 1


def test_explain_takes_the_smaller_of_what_is_known() -> None:
    """Three looks at 60 values, and two at a grid: the guarantee says less than the pairs do."""
    line = TruncatedGeometric(range(60), ratio="11/10")
    told = explain(line.channel, observations=3)
    own = explain(line.graph, ratio="11/10", observations=3).after[-1].value
    assert told.after[-1].value <= own * (1 + Fraction(1, 10**9))
    grid = PlanarGeometric(10, 10, ratio=2)
    found = explain(grid.channel, observations=3).after[-1].value
    own = explain(grid.graph, ratio=grid.guarantee.ratio, observations=3).after[-1].value
    assert found <= own * (1 + Fraction(1, 10**9))
