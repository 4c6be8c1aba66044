"""Every claim of the register, run as ``leaktight reproduce`` runs it."""

import pytest

from leaktight.papers.claim import Claim, run
from leaktight.papers.register import claims_named

KINDS = {"false", "gap", "typo", "improvable"}


@pytest.mark.parametrize("claim", claims_named(None), ids=lambda claim: claim.id)
def test_the_claim_comes_out_and_shows_why(claim: Claim) -> None:
    outcome = run(claim)
    assert outcome.failure is None
    assert 1 <= len(outcome.evidence) <= 5
    assert all(0 < len(line) < 100 for line in outcome.evidence)
    assert {erratum.kind for erratum in claim.errata} <= KINDS
