"""Guarantees add up for the same neighbours, and for no others."""

import math
import os
import subprocess
import sys
from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given

from leaktight import Channel, Policy, RandomizedResponse, SecretGraph, privacy_level
from leaktight.channels import Gain, sequential
from leaktight.channels.aim import aim_of
from leaktight.curves import PrivacyCurve, channel_keeps
from leaktight.errors import InvalidInput, InvalidPolicy, Mismatch
from leaktight.mechanisms import (
    CurveMechanism,
    DiscreteGaussian,
    GeometricNoise,
    Guarantee,
    NormalisedExponential,
    RoundedLaplace,
    TightConstraints,
    TruncatedGeometric,
    optimal_mechanism,
    release,
    repair,
)
from leaktight.policies import AdjacencyGraph, Metric
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs


@given(secret_graphs(least=2, most=5), fractions(1, 4, max_denominator=9))
def test_both_outputs_together_keep_the_sum(secrets: SecretGraph, ratio: Fraction) -> None:
    one, two = NormalisedExponential(secrets, ratio=2), NormalisedExponential(secrets, ratio=ratio)
    together = sequential(one.channel, two.channel)
    promised = one.guarantee + two.guarantee
    assert promised.ratio == one.guarantee.ratio * two.guarantee.ratio
    assert privacy_level(together, secrets).ratio <= promised.ratio
    assert promised.digest == one.guarantee.digest


def test_two_randomised_responses_attain_the_sum() -> None:
    answer = RandomizedResponse(["no", "yes"], ratio=3)
    both = sequential(answer.channel, answer.channel)
    promised = answer.guarantee + answer.guarantee
    assert privacy_level(both, answer.graph).ratio == promised.ratio == 9
    assert (promised + answer.guarantee).ratio == 27


def test_different_mechanisms_about_the_same_neighbours_add_up() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    coin = Channel([["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]], inputs=["a", "b", "c"])
    about = [
        TruncatedGeometric(["a", "b", "c"], ratio=2).guarantee,
        RoundedLaplace(["a", "b", "c"], ratio=2).guarantee,
        NormalisedExponential(line, ratio=2).guarantee,
        TightConstraints(line, ratio=2).guarantee,
        release(coin, ["a"], neighbours=line).record.guarantee,
        release(coin, ["a"], neighbours=Policy(line)).record.guarantee,
    ]
    said = [one for one in about if one is not None]
    assert len(said) == len(about)
    assert all((said[0] + one).ratio == said[0].ratio * one.ratio for one in said)


ABC = RandomizedResponse(["a", "b", "c"], ratio=2).guarantee


@pytest.mark.parametrize(
    "other",
    [
        RandomizedResponse(["a", "b", "d"], ratio=2).guarantee,
        RandomizedResponse(["a", "b", "c"], records=2, ratio=2).guarantee,
        TruncatedGeometric(["a", "b", "c"], ratio=2).guarantee,
        GeometricNoise(ratio=2).guarantee,
        Guarantee(Fraction(2), "values"),
    ],
    ids=["values", "records", "pairs", "answers", "unsaid"],
)
def test_guarantees_about_others_do_not_add_up(other: Guarantee) -> None:
    for one, two in ((ABC, other), (other, ABC)):
        with pytest.raises(Mismatch, match="add up only for the same neighbours") as wrong:
            one + two
        assert "\n" not in str(wrong.value)


def test_answers_within_another_distance_do_not_add_up() -> None:
    assert (GeometricNoise(ratio=2).guarantee + GeometricNoise(ratio=3).guarantee).ratio == 6
    with pytest.raises(Mismatch, match=r"differ by at most 1, the other about .* at most 2"):
        GeometricNoise(ratio=2).guarantee + GeometricNoise(ratio=2, sensitivity=2).guarantee


def test_two_that_were_said_by_nobody_do_not_add_up() -> None:
    with pytest.raises(Mismatch):
        Guarantee(Fraction(2), "values") + Guarantee(Fraction(2), "values")
    with pytest.raises(TypeError):
        ABC + 1  # type: ignore[operator]


def test_records_that_change_places_are_other_neighbours() -> None:
    values = ["a", "b", "c"]
    one, two = (SecretGraph.from_edges(values, [pair]) for pair in (("a", "b"), ("b", "c")))
    inputs = list(product(values, repeat=2))
    first = Channel([[int(x == "a"), int(x != "a")] for x, _ in inputs], inputs=inputs)
    ends = AdjacencyGraph.of_records([two, one]), AdjacencyGraph.of_records([one, two])
    blind = Channel([[1]] * 9, inputs=inputs)
    kept, other, same = (
        release(channel, inputs[:1], neighbours=graph).record.guarantee
        for channel, graph in ((first, ends[0]), (blind, ends[1]), (blind, ends[0]))
    )
    assert kept is not None
    assert other is not None
    assert same is not None
    assert privacy_level(first, ends[1]).ratio == math.inf
    assert (kept + same).ratio == 1
    with pytest.raises(Mismatch):
        kept + other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], ["1", "2"]),
        ([1.5, 2.5], ["1.5", "2.5"]),
        ([Fraction(1, 2), Fraction(1, 3)], ["1/2", "1/3"]),
        ([True, False], ["True", "False"]),
        ([None, "a"], ["None", "a"]),
        ([date(2020, 1, 2), date(2020, 1, 3)], ["2020-01-02", "2020-01-03"]),
        ([("a", 1), ("a", 2)], ["('a', 1)", "('a', 2)"]),
        ([("a", 1), ("a", 2)], [("a", "1"), ("a", "2")]),
        (["1", "2"], ["'1'", "'2'"]),
        ([b"a", b"b"], ["b'a'", "b'b'"]),
    ],
)
def test_values_of_another_type_are_other_values(one: list[Any], other: list[Any]) -> None:
    """1 and "1" are told apart by whoever holds both, so that no sum is made of them."""
    about = [RandomizedResponse(values, ratio=2).guarantee for values in (one, other)]
    with pytest.raises(Mismatch, match="add up only for the same neighbours"):
        about[0] + about[1]
    assert all((each + each).ratio == 4 for each in about)


def test_values_that_are_sets_have_one_digest_in_every_process() -> None:
    """The order in which a set is written differs from run to run."""
    program = (
        "from leaktight import RandomizedResponse as R;"
        "print(R([frozenset('abcde'), frozenset()], ratio=2).guarantee.digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_curves_of_guarantees_compose() -> None:
    """μ adds up by squares, ρ by sums, and what is pure with what is not by the grid."""
    who = SecretGraph.complete(3)
    three, four = (Guarantee(PrivacyCurve.gaussian(m), "values", lambda: who) for m in (3, 4))
    assert (three + four).curve == PrivacyCurve.gaussian(5)
    noise = DiscreteGaussian(rho="1/8")
    assert (noise.guarantee + noise.guarantee).curve == PrivacyCurve.zcdp("1/4")
    mixed = GeometricNoise(ratio=2).guarantee + noise.guarantee
    assert mixed.curve.advantage.upper > noise.promise.advantage.upper
    assert str(mixed).endswith("for neighbouring answers that differ by at most 1")
    assert mixed.to_dict()["promise"] == str(mixed.curve)
    with pytest.raises(InvalidInput, match="pure ε is not promised"):
        _ = mixed.epsilon
    with pytest.raises(Mismatch):
        three + ABC


@pytest.mark.parametrize("promise", [{"ratio": 2, "delta": "1/20"}, {"mu": 1}, {"rho": "1/2"}])
@pytest.mark.parametrize("gain", ["guess", "distance"])
@pytest.mark.parametrize("graph", [SecretGraph.complete(4), SecretGraph.line(4)], ids=["K", "L"])
def test_a_design_under_a_curve_keeps_it_and_none_is_much_better(
    graph: SecretGraph, gain: str, promise: dict[str, Any]
) -> None:
    best = optimal_mechanism(graph, None, gain, **promise)
    assert isinstance(best, CurveMechanism)
    assert best.kept.holds
    assert channel_keeps(best.channel, graph, best.curve).holds
    assert best.guarantee.curve == best.curve
    earned = best.utility if gain == "guess" else -best.loss
    aim = Gain.binary(graph.vertices) if gain == "guess" else aim_of("distance", graph)
    sign = 1 if gain == "guess" else -1
    table = {(g, x): sign * aim[g, x] for g in aim.guesses for x in graph.vertices}
    total = sum(
        (Fraction(1, 4) * table[y, x] * best.channel[x, y] for x in graph.vertices
         for y in best.channel.outputs),
        Fraction(0),
    )  # fmt: skip
    assert total == earned
    pure = optimal_mechanism(graph, None, gain, ratio=Fraction(1, 1))
    assert pure.utility <= best.utility <= best.upper
    assert best.gap < (Fraction(3, 20) if "rho" in promise else Fraction(1, 1000))


def test_a_design_with_distances_takes_pure_epsilon_alone() -> None:
    metric = Metric.euclidean([(0, 0), (0, 2), (3, 0)])
    with pytest.raises(InvalidPolicy, match="pure ε alone"):
        optimal_mechanism(metric, rho=1)


def test_a_repair_keeps_what_is_promised() -> None:
    rows = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
    who = SecretGraph.complete(3)
    for promise in ({"mu": 1}, {"rho": "1/3"}, {"epsilon": 1, "delta": "0.01"}):
        made = repair(rows, who, **promise)
        assert channel_keeps(made.channel, who, made.guarantee.curve).holds
        assert made.moved > 0
