import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.refinement import factorisation
from leaktight.channels.refinement.factorisation import (
    Proposal,
    Remap,
    Weights,
    exact_proposals,
    float_proposals,
)
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import is_exact
from tests.strategies.channels import channels


def is_right(proposal: Proposal, a: Channel, b: Channel) -> bool:
    if isinstance(proposal, Remap):
        remap = proposal.matrix
        return bool(
            remap.min() >= 0
            and (remap.sum(axis=1) == 1).all()
            and (matrix_product(a.matrix, remap) == b.matrix).all()
        )
    after = [matrix_product(proposal.matrix, c.matrix).max(axis=0).sum() for c in (a, b)]
    return bool(after[1] > after[0])


@settings(max_examples=100)
@given(st.data())
def test_an_exact_proposal_decides(data: st.DataObject) -> None:
    """The first comes from floats and may be wrong; one of the others is right, or it is."""
    a = data.draw(channels(most=6))
    b = data.draw(channels(inputs=a.shape[0], most=6))
    if data.draw(st.booleans()):
        b = a.then(data.draw(channels(inputs=a.shape[1], most=6)))
    a, b = a.reduced(), b.reduced()
    for proposal in exact_proposals(a.matrix, b.matrix):
        if isinstance(proposal, Remap) or is_exact(proposal.matrix):
            assert is_right(proposal, a, b)
            break
    else:
        pytest.fail("nothing was decided")


def test_a_positive_remap_is_found_without_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is projected in floats is corrected exactly."""
    rng = np.random.default_rng(0)
    a = Channel.normalised(rng.integers(1, 100, (10, 20)).tolist())
    b = a.then(Channel.normalised(rng.integers(1, 100, (20, 15)).tolist()))
    monkeypatch.delattr(factorisation, "solve_exact")
    *_, last = _until_remap(a, b)
    assert is_right(last, a, b)


def _until_remap(a: Channel, b: Channel) -> list[Proposal]:
    found: list[Proposal] = []
    for proposal in exact_proposals(a.matrix, b.matrix):
        found.append(proposal)
        if isinstance(proposal, Remap):
            break
    return found


def test_floats_propose_both_ways() -> None:
    channel = Channel.random(4, 7, seed=1)
    kinds = [type(p) for p in float_proposals(channel.matrix, channel.matrix)]
    assert kinds == [Remap, Remap, Weights, Remap, Remap, Weights]
