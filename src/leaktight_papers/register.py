"""Which claims are there, and which one is meant? All of them, paper by paper."""

from difflib import get_close_matches
from importlib import import_module

from leaktight.errors import InvalidInput
from leaktight_papers.claim import Claim

SECTIONS = (
    ("ours", "dual_bound"),
    ("edwards2021", "policies bounds symmetry unnumbered"),
    ("alvim2011b", "leakage few_outputs utility examples lemmas unnumbered"),
    ("barthe2011", "comparison bit bounds unnumbered"),
    ("alvim2011a", "programs entropy leakage graphs bounds utility unnumbered"),
    ("boreale2012", "breaches privacy rates utility"),
    ("ours", "open_problems"),
)
"""The modules of claims, in the order in which these are told."""

REGISTER: dict[str, Claim] = {
    claim.id: claim
    for paper, modules in SECTIONS
    for module in modules.split()
    for claim in vars(import_module(f"leaktight_papers.{paper}.{module}")).values()
    if isinstance(claim, Claim)
}
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
        near = get_close_matches(name, REGISTER, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`leaktight reproduce` names them all"
        raise InvalidInput(f"there is no claim {name[:40]!r}; {hint}")
    return found
