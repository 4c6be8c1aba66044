"""What comes out of the claims of the register; each is run once for all tests of a process."""

from functools import cache

from leaktight_papers.claim import Claim, Outcome, run
from leaktight_papers.register import REGISTER


def outcome_of(claim: Claim) -> Outcome:
    """Return what comes out of a claim as it is, with nothing broken."""
    return _named(claim.id)


@cache
def _named(name: str) -> Outcome:
    return run(REGISTER[name])
