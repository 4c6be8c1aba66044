"""How is a claim shown to a reader, after it was checked?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import fill
from typing import Any

from leaktight_papers.calls import CALLS, COMMANDS
from leaktight_papers.claim import Outcome, Verdict

WIDTH = 80

SUMMED_UP = {
    Verdict.HOLDS: "hold",
    Verdict.CORRECTED: "hold as corrected",
    Verdict.FALSE: "false",
    Verdict.DRAWING: "drawings",
    Verdict.SETTLED: "settled",
    Verdict.ANSWERED: "answered by another of them",
    Verdict.PARTLY: "partly settled",
    Verdict.OPEN: "open",
}
"""What is said of several claims with a verdict."""

PROBLEMS = {Verdict.SETTLED, Verdict.ANSWERED, Verdict.PARTLY, Verdict.OPEN}
"""What can become of a problem that a paper leaves open."""


def line(outcome: Outcome, width: int | None = None) -> str:
    """Return one line: the id, what became of the claim, the seconds and where it stands.

    A terminal has a width, and what does not fit is left out.
    """
    claim = outcome.claim
    verdict = claim.verdict.value if outcome.holds else "FAILED"
    told = f"{claim.id:<14} {verdict:<26} {outcome.seconds:6.2f} s  {claim.source}"
    return told if width is None or len(told) <= width else f"{told[: width - 1]}…"


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many claims came out with each verdict: the papers', ours and open problems."""
    seconds = sum(outcome.seconds for outcome in outcomes)
    groups: dict[str, Counter[Verdict]] = {}
    for outcome in (one for one in outcomes if one.holds):
        claim = outcome.claim
        ours = "of ours" if claim.source.startswith("Ours") else "of the papers"
        asked = "raised here" if claim.source == "Raised here" else "open in the papers"
        group = asked if claim.verdict in PROBLEMS else ours
        groups.setdefault(group, Counter())[claim.verdict] += 1
    told = [
        f"{found.total()} {whose} ("
        + ", ".join(
            f"{SUMMED_UP[verdict]}: {found[verdict]}" for verdict in Verdict if found[verdict]
        )
        + ")"
        for whose, found in groups.items()
    ]
    failed = sum(not outcome.holds for outcome in outcomes)
    end = f"{failed} FAILED" if failed else "all came out as the register says"
    return _wrapped(f"{len(outcomes)} claims in {seconds:.0f} s: {', '.join(told)}; {end}")


def detail(outcome: Outcome) -> str:
    """Return everything about a claim: what it says, the evidence, and what was wrong."""
    claim = outcome.claim
    told = [
        f"{claim.id}: {claim.source}",
        _wrapped(claim.statement),
        f"verdict: {claim.verdict.value} ({outcome.seconds:.2f} s)",
        *([f"call: {CALLS[claim.id]}"] if claim.id in CALLS else []),
        *([f"type: {COMMANDS[claim.id]}"] if claim.id in COMMANDS else []),
        *(_wrapped(f"- {each}", "  ") for each in outcome.evidence),
    ]
    for erratum in claim.errata:
        told.append(_wrapped(f"erratum {erratum.number} ({erratum.kind}): {erratum.wrong}", "  "))
        told.append(_wrapped(f"  right: {erratum.right}", "  "))
    if outcome.failure is not None:
        told.append(_wrapped(f"FAILED: {outcome.failure}", "  "))
    return "\n".join(told)


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as plain JSON."""
    claim = outcome.claim
    return {
        "id": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "call": CALLS.get(claim.id),
        "command": COMMANDS.get(claim.id),
        "verdict": claim.verdict.value,
        "holds": outcome.holds,
        "failure": outcome.failure,
        "evidence": list(outcome.evidence),
        "errata": [asdict(erratum) for erratum in claim.errata],
        "seconds": round(outcome.seconds, 3),
    }


def _wrapped(text: str, indent: str = "") -> str:
    return fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
