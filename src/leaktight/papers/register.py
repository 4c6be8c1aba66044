"""Which claims are there, and which one is meant? All of them, paper by paper."""

from leaktight.errors import InvalidInput
from leaktight.labels import suggestion
from leaktight.papers.alvim2011a.bounds import CLAIMS as FOSAD_BOUNDS
from leaktight.papers.alvim2011a.entropy import CLAIMS as FOSAD_ENTROPY
from leaktight.papers.alvim2011a.graphs import CLAIMS as FOSAD_GRAPHS
from leaktight.papers.alvim2011a.leakage import CLAIMS as FOSAD_LEAKAGE
from leaktight.papers.alvim2011a.programs import CLAIMS as FOSAD_PROGRAMS
from leaktight.papers.alvim2011a.utility import CLAIMS as FOSAD_UTILITY
from leaktight.papers.alvim2011b.examples import CLAIMS as TRADEOFF_EXAMPLES
from leaktight.papers.alvim2011b.few_outputs import CLAIMS as TRADEOFF_FEW_OUTPUTS
from leaktight.papers.alvim2011b.leakage import CLAIMS as TRADEOFF_LEAKAGE
from leaktight.papers.alvim2011b.lemmas import CLAIMS as TRADEOFF_LEMMAS
from leaktight.papers.alvim2011b.utility import CLAIMS as TRADEOFF_UTILITY
from leaktight.papers.barthe2011.bit import CLAIMS as BARTHE_BIT
from leaktight.papers.barthe2011.bounds import CLAIMS as BARTHE_BOUNDS
from leaktight.papers.barthe2011.comparison import CLAIMS as BARTHE
from leaktight.papers.boreale2012.breaches import CLAIMS as BOREALE_BREACHES
from leaktight.papers.boreale2012.privacy import CLAIMS as BOREALE_PRIVACY
from leaktight.papers.boreale2012.rates import CLAIMS as BOREALE_RATES
from leaktight.papers.boreale2012.utility import CLAIMS as BOREALE_UTILITY
from leaktight.papers.claim import Claim
from leaktight.papers.edwards2021.bounds import CLAIMS as EDWARDS_BOUNDS
from leaktight.papers.edwards2021.policies import CLAIMS as EDWARDS_POLICIES
from leaktight.papers.edwards2021.symmetry import CLAIMS as EDWARDS_SYMMETRY
from leaktight.papers.ours.dual_bound import CLAIMS as DUAL_BOUND
from leaktight.papers.ours.open_problems import CLAIMS as OPEN_PROBLEMS

SECTIONS = (
    DUAL_BOUND,
    EDWARDS_POLICIES,
    EDWARDS_BOUNDS,
    EDWARDS_SYMMETRY,
    TRADEOFF_LEAKAGE,
    TRADEOFF_FEW_OUTPUTS,
    TRADEOFF_UTILITY,
    TRADEOFF_EXAMPLES,
    TRADEOFF_LEMMAS,
    BARTHE,
    BARTHE_BIT,
    BARTHE_BOUNDS,
    FOSAD_PROGRAMS,
    FOSAD_ENTROPY,
    FOSAD_LEAKAGE,
    FOSAD_GRAPHS,
    FOSAD_BOUNDS,
    FOSAD_UTILITY,
    BOREALE_BREACHES,
    BOREALE_PRIVACY,
    BOREALE_RATES,
    BOREALE_UTILITY,
    OPEN_PROBLEMS,
)

REGISTER: dict[str, Claim] = {one.id: one for section in SECTIONS for one in section}
"""Every claim by its id, in the order of the papers."""


def claims_named(name: str | None) -> list[Claim]:
    """Return the claim of an id, or those of a paper by its letter, or all.

    >>> [claim.source for claim in claims_named("E-T11")]
    ['Theorem 11 of [Edwards2021]']
    """
    if name is None:
        return list(REGISTER.values())
    wanted = name.upper()
    exact = [one for id, one in REGISTER.items() if id.upper() == wanted]
    found = exact or [one for id, one in REGISTER.items() if id.upper().startswith(f"{wanted}-")]
    if not found:
        raise InvalidInput(f"there is no claim {name[:40]!r}; {suggestion(name, list(REGISTER))}")
    return found
