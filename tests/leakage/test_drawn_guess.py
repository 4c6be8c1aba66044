"""A guess drawn by the belief is right as often as enumeration of posteriors says."""

from fractions import Fraction

from hypothesis import given

from leaktight.channels.channel import Channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution
from leaktight.leakage import leakage_measures, measures
from leaktight.leakage.drawn_guess import drawn_guess_leakage
from leaktight.leakage.hyper import hyper
from leaktight.leakage.vulnerability import min_entropy_leakage
from tests.strategies.channels import channels_and_priors, functions


def agrees(belief: Distribution) -> Fraction:
    """Return how likely two draws agree, pair by pair."""
    chances = [Fraction(str(p)) for p in belief.array]
    return sum((p * q for i, p in enumerate(chances) for j, q in enumerate(chances) if i == j),
               Fraction(0))  # fmt: skip


@given(channels_and_priors())
def test_it_is_the_mean_over_posteriors(drawn: tuple[Channel, Distribution]) -> None:
    channel, prior = drawn
    found, after = drawn_guess_leakage(channel, prior), hyper(channel, prior)
    assert found.before == agrees(prior)
    each = [after.outer[z] * agrees(after.posterior(z)) for z in after.outer.values]
    assert found.after == sum(each)
    assert found.before <= found.after <= min_entropy_leakage(channel, prior).after


@given(functions())
def test_of_a_function_it_is_that_of_its_matrix(function: Deterministic) -> None:
    assert drawn_guess_leakage(function) == drawn_guess_leakage(Channel(function))


def test_it_is_in_the_table_of_all_measures() -> None:
    nothing = Channel([["1/2", "1/2"]] * 4)
    row = measures(nothing).named("a guess drawn by the belief is right (Gini)")
    assert (row.before, row.after, row.bits) == (Fraction(1, 4), Fraction(1, 4), 0)
    assert row.name in leakage_measures()
