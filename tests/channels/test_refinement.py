from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain
from leaktight.channels.refinement import factorisation
from leaktight.channels.refinement.refinement import NearlyRefined, Refined, Refinement, refinement
from leaktight.channels.refinement.separation import NotRefined
from leaktight.errors import Mismatch, TooLarge, Undecided
from leaktight.leakage.vulnerability import posterior_vulnerability
from tests.strategies.channels import channels, distributions, gains

Pair = tuple[Channel, Channel]


@st.composite
def pairs(draw: st.DrawFn, most: int = 5) -> Pair:
    """Two channels on the same inputs, sometimes one refined by the other."""
    a = draw(channels(most=most))
    if draw(st.booleans()):
        return a, a.then(draw(channels(inputs=a.shape[1], most=most)))
    return a, draw(channels(inputs=a.shape[0], most=most))


def is_witnessed(a: Channel, b: Channel, verdict: Refinement) -> bool:
    """Check the witness of a verdict on exact channels with nothing but its definition."""
    assert not isinstance(verdict, NearlyRefined)
    if isinstance(verdict, Refined):
        remap = verdict.remap
        assert remap.matrix.min() >= 0
        assert (remap.matrix.sum(axis=1) == 1).all()
        return a.then(remap) == b
    assert isinstance(verdict, NotRefined)  # exact channels are never nearly so
    after_b, after_a = (
        posterior_vulnerability(channel, verdict.prior, verdict.gain) for channel in (b, a)
    )
    assert verdict.gain.matrix.min() >= 0
    assert verdict.gain.matrix.max() <= 1
    assert sum(p for _, p in verdict.prior.items()) == 1
    assert verdict.advantage == after_b - after_a
    return after_b > after_a


def least_miss(a: Channel, b: Channel) -> float:
    """A second route: the least Σ (B − A·R)⁺ over all channels R, by scipy.

    It is at least what B gains more than A under any prior and any gain between 0 and 1.
    """
    (n, k), m = a.shape, b.shape[1]
    miss = np.hstack([-np.kron(a.to_numpy(), np.eye(m)), -np.eye(n * m)])
    sums = np.hstack([np.kron(np.eye(k), np.ones(m)), np.zeros((k, n * m))])
    cost = np.concatenate([np.zeros(k * m), np.ones(n * m)])
    found = linprog(cost, A_ub=miss, b_ub=-b.to_numpy().ravel(), A_eq=sums, b_eq=np.ones(k))
    assert found.fun is not None
    return float(found.fun)


# --- exact channels ---


@settings(max_examples=100)
@given(pairs())
def test_every_verdict_has_a_witness_and_another_solver_agrees(pair: Pair) -> None:
    a, b = pair
    verdict = refinement(a, b)
    assert is_witnessed(a, b, verdict)
    assert not isinstance(verdict, NearlyRefined)
    if isinstance(verdict, Refined):
        assert least_miss(a, b) == pytest.approx(0, abs=1e-6)
    else:
        assert isinstance(verdict, NotRefined)
        assert least_miss(a, b) >= float(verdict.advantage) - 1e-6


@settings(max_examples=50)
@given(st.data())
def test_what_an_observer_can_make_is_refined(data: st.DataObject) -> None:
    a = data.draw(channels(most=6))
    b = a.then(data.draw(channels(inputs=a.shape[1], most=6)))
    verdict = refinement(a, b)
    assert isinstance(verdict, Refined)
    assert a.then(verdict.remap) == b


@settings(max_examples=50)
@given(pairs(), st.data())
def test_what_refines_never_leaks_more(pair: Pair, data: st.DataObject) -> None:
    a, b = pair
    prior, gain = data.draw(distributions(a.shape[0])), data.draw(gains(a.shape[0]))
    after_a, after_b = (posterior_vulnerability(channel, prior, gain) for channel in (a, b))
    if refinement(a, b):
        assert after_b <= after_a


@settings(max_examples=50)
@given(channels())
def test_everything_lies_between_identity_and_no_interference(a: Channel) -> None:
    assert refinement(Channel.identity(a.inputs), a)
    assert refinement(a, Channel.no_interference(a.inputs))
    assert refinement(a, a)


@settings(max_examples=50)
@given(st.data())
def test_refinement_is_transitive(data: st.DataObject) -> None:
    a = data.draw(channels(most=4))
    b = a.then(data.draw(channels(inputs=a.shape[1], most=4)))
    c = data.draw(channels(inputs=a.shape[0], most=4))
    if refinement(b, c):
        assert refinement(a, c)


@settings(max_examples=50)
@given(channels())
def test_a_channel_and_its_reduction_refine_each_other(a: Channel) -> None:
    assert refinement(a, a.reduced())
    assert refinement(a.reduced(), a)


def test_no_question_of_yes_or_no_may_be_enough() -> None:
    """B lets nobody answer a question of yes or no better, but one with three answers."""
    a = Channel([[0, "1/2", "1/6", "1/3"], ["1/2", "1/2", 0, 0], ["1/4", "1/2", "1/4", 0]])
    b = Channel(
        [["2/5", "1/5", "2/5"], ["3/5", "2/5", 0], ["3/5", "1/5", "1/5"]],
        outputs=["red", "green", "blue"],
    )
    for weights in product(range(-6, 7), repeat=3):
        subset = [x for x in range(3) if weights[x] > 0]
        if any(weights):
            prior = Distribution.from_counts([abs(w) for w in weights])
            question = Gain.membership(range(3), subset)
            after_a, after_b = (posterior_vulnerability(c, prior, question) for c in (a, b))
            assert after_b <= after_a
    verdict = refinement(a, b)
    assert isinstance(verdict, NotRefined)
    assert is_witnessed(a, b, verdict)
    assert verdict.gain.guesses == ("red", "green", "blue")
    rough = refinement(a.float(), b.float())
    assert isinstance(rough, NotRefined)
    assert rough.gain.guesses == ("red", "green", "blue")


def test_a_yes_or_no_question_is_asked_where_it_is_enough() -> None:
    a = Channel.no_interference(["flu", "cold", "none"])
    b = Channel.deterministic(lambda x: x == "flu", a.inputs)
    verdict = refinement(a, b)
    assert isinstance(verdict, NotRefined)
    assert verdict.gain.guesses == (True, False)
    assert verdict.prior["flu"] == Fraction(1, 2)
    assert verdict.advantage == Fraction(1, 2)


@pytest.mark.parametrize("power", [6, 15, 60, 400])
@pytest.mark.parametrize("outputs", [3, 5, 10])
def test_an_exact_change_is_seen_however_small(power: int, outputs: int) -> None:
    """There are five inputs: with fewer outputs A·R = B has too many equations, with as many one
    solution, and with more a linear program decides, where floats see no difference."""
    a = _random(5, outputs, seed=1)
    b = a.merge(lambda z: z // 2)
    assert is_witnessed(a, b, verdict := refinement(a, b))
    assert verdict
    changed = _shifted(b, Fraction(1, 10**power))
    verdict = refinement(a, changed)
    assert isinstance(verdict, NotRefined)
    assert is_witnessed(a, changed, verdict)
    assert verdict.advantage <= Fraction(1, 10**power)


def test_probabilities_beyond_floats_are_seen() -> None:
    tiny = Fraction(1, 10**400)
    a = Channel([[tiny, 1 - tiny], [0, 1]])
    b = Channel([[2 * tiny, 1 - 2 * tiny], [0, 1]])
    assert refinement(b, a)
    verdict = refinement(a, b)
    assert isinstance(verdict, NotRefined)
    assert is_witnessed(a, b, verdict)


def test_inputs_are_matched_by_label() -> None:
    a = Channel.identity(["x", "y"])
    b = Channel({"y": {"no": 1}, "x": {"yes": 1}})
    verdict = refinement(a, b)
    assert isinstance(verdict, Refined)
    assert verdict.remap["x", "yes"] == 1
    with pytest.raises(Mismatch, match="the inputs of the two channels must have the same labels"):
        refinement(a, Channel.identity(["x", "z"]))


def test_outputs_that_never_occur_get_a_row_in_the_remap() -> None:
    a = Channel([[1, 0], [1, 0]], outputs=["seen", "never"])
    verdict = refinement(a, a)
    assert isinstance(verdict, Refined)
    assert verdict.remap["never", "seen"] == 1
    assert verdict.remap["seen", "never"] == 0


def test_a_verdict_is_true_or_false() -> None:
    a, b = Channel.identity(2), Channel.no_interference(2)
    assert refinement(a, b)
    assert refinement(a, b).holds
    assert not refinement(b, a)
    assert not refinement(b, a).holds


def test_sixty_inputs_and_outputs() -> None:
    a, r = _random(60, 60, seed=2), _random(60, 60, seed=3)
    b = a.then(r)
    assert is_witnessed(a, b, refinement(a, b))
    assert is_witnessed(b, a, refinement(b, a))


def test_many_outputs_that_tell_the_same_are_one() -> None:
    row = Distribution.from_counts(range(1, 501))
    a = Channel.no_interference(20, row)
    b = _random(20, 500, seed=4)
    assert not refinement(a, b)
    assert refinement(b, a)
    assert refinement(a, Channel.no_interference(20, Distribution.uniform(500)))


def test_a_program_that_would_take_hours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factorisation, "MOST_ENTRIES", 10)
    a = _random(3, 6, seed=5)
    with pytest.raises(TooLarge, match="6 distinct outputs to 3"):
        refinement(a, a.merge(lambda z: z % 3))


# --- floating-point channels ---


@settings(max_examples=100)
@given(pairs())
def test_floats_are_decided_like_the_numbers_they_stand_for(pair: Pair) -> None:
    a, b = pair
    verdict = refinement(a, b)
    try:
        rough = refinement(a.float(), b.float())
    except Undecided:
        assert not verdict
        assert verdict.advantage < Fraction(1, 10**6)
        return
    assert not isinstance(rough, Refined)  # only exact numbers are called so
    if isinstance(rough, NearlyRefined):
        assert rough.excess < 1e-9 * (a.shape[1] + b.shape[1])
        if not verdict:  # the rounding of both channels may make a difference, too
            rounding = Fraction(a.shape[1] + b.shape[1], 2**53)
            assert verdict.advantage <= Fraction(rough.excess) + rounding
        assert np.abs(a.float().then(rough.remap).matrix - b.float().matrix).max() <= 1e-9
    else:
        assert not verdict
        after_b, after_a = (
            posterior_vulnerability(channel, rough.prior, rough.gain) for channel in (b, a)
        )
        assert 0 < rough.advantage == pytest.approx(float(after_b - after_a), abs=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        [[1.0]],
        [[0.5, 0.5], [0.5, 0.5]],  # singular
        [[0.5, 0.5], [0.5 + 2.0**-52, 0.5 - 2.0**-52]],  # nearly
        [[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.0, 1.0, 0.0]],  # an output that never occurs
        [[0.25, 0.25, 0.5], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]],  # two outputs that tell the same
    ],
)
def test_square_channels_of_floats_refine_themselves_and_what_they_make(
    rows: list[list[float]],
) -> None:
    a = Channel(rows)
    blur = Channel.random(len(rows), 3, seed=1)
    for b in (a, a.then(blur)):
        verdict = refinement(a, b)
        assert isinstance(verdict, NearlyRefined)
        assert verdict.remap.matrix.min() >= 0
        assert verdict.remap.matrix.sum(axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-12)
        assert a.then(verdict.remap).matrix == pytest.approx(b.matrix, abs=1e-9)


@pytest.mark.parametrize("n", [3, 5, 10, 20])
def test_the_advantage_of_floats_is_that_of_their_exact_values(n: int) -> None:
    a, b = Channel.random(n, n, seed=1), Channel.random(n, n, seed=2)
    verdict = refinement(a, b)
    assert isinstance(verdict, NotRefined)
    after_b, after_a = (
        sum(max(row) for row in zip(*_scores(c, verdict), strict=True)) for c in (b, a)
    )
    assert Fraction(verdict.advantage) <= after_b - after_a
    assert after_b - after_a < Fraction(np.nextafter(float(verdict.advantage), 1))


def _scores(channel: Channel, verdict: NotRefined) -> list[list[Fraction]]:
    """What each guess (row) earns at each output, with the exact values of the floats."""
    prior = [Fraction(verdict.prior[x]) for x in channel.inputs]
    return [
        [
            sum(
                (
                    Fraction(verdict.gain[w, x]) * p * Fraction(channel[x, z])
                    for x, p in zip(channel.inputs, prior, strict=True)
                ),
                Fraction(0),
            )
            for z in channel.outputs
        ]
        for w in verdict.gain.guesses
    ]


@pytest.mark.parametrize("shape", [(6, 4), (6, 6), (6, 12)])
def test_a_float_changed_by_a_ten_thousandth_is_not_refined(shape: tuple[int, int]) -> None:
    a, b = _merged(shape)
    verdict = refinement(a, _shifted(b, 1e-4))
    assert isinstance(verdict, NotRefined)
    changed = _shifted(b, 1e-4).exact()
    after = posterior_vulnerability(changed, verdict.prior, verdict.gain)
    assert after > posterior_vulnerability(a.exact(), verdict.prior, verdict.gain)


@pytest.mark.parametrize("shape", [(6, 4), (6, 6), (6, 12)])
@pytest.mark.parametrize("change", [0, 1e-16, 1e-13, 1e-11])
def test_a_float_changed_by_rounding_is_refined(shape: tuple[int, int], change: float) -> None:
    a, b = _merged(shape)
    verdict = refinement(a, _shifted(b, change))
    assert isinstance(verdict, NearlyRefined)
    assert np.abs(a.then(verdict.remap).matrix - b.matrix).max() <= 1e-9
    # The excess is above what the exact values of the floats gain, and says how near they are.
    exactly = refinement(a.exact(), _shifted(b, change).exact())
    assert exactly or exactly.advantage <= verdict.excess
    assert verdict.excess <= 1e-13 + 12 * change


@pytest.mark.parametrize("shape", [(6, 4), (6, 6), (6, 12)])
def test_a_change_near_the_precision_is_undecided(shape: tuple[int, int]) -> None:
    a, b = _merged(shape)
    with pytest.raises(Undecided, match=r"known up to 1e-09; \.exact\(\) takes them as they are"):
        refinement(a, _shifted(b, 1e-8))
    assert not refinement(a.exact(), _shifted(b, 1e-8).exact())


def test_floats_are_neither_refined_nor_not() -> None:
    """They used to be true, as if it were proved."""
    a, b = _merged((6, 4))
    verdict = refinement(a, b)
    for asked in (bool, lambda found: found.holds, lambda found: not found):
        with pytest.raises(Undecided, match="ask for `excess`, the most by which"):
            asked(verdict)


def test_a_float_and_an_exact_channel_are_compared_as_floats() -> None:
    a = _random(4, 3, seed=8)
    verdict = refinement(a, a.float())
    assert isinstance(verdict, NearlyRefined)
    assert not verdict.remap.is_exact


def _random(inputs: int, outputs: int, seed: int) -> Channel:
    weights = np.random.default_rng(seed).integers(1, 100, (inputs, outputs))
    return Channel.normalised(weights.tolist())


def _merged(shape: tuple[int, int]) -> Pair:
    """B merges pairs of A's outputs, which leaves it no room for a change."""
    a = _random(*shape, seed=9).float()
    return a, a.merge(lambda z: z // 2)


def _shifted(b: Channel, change: float | Fraction) -> Channel:
    rows = [[b[x, z] for z in b.outputs] for x in b.inputs]
    rows[0][0] += change
    rows[0][1] -= change
    return Channel(rows)
