"""How is a claim shown to a reader, after it was checked?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import fill
from typing import Any

from leaktight.papers.claim import Outcome, Verdict

WIDTH = 80

SUMMED_UP = {
    Verdict.HOLDS: "hold",
    Verdict.CORRECTED: "hold as corrected",
    Verdict.FALSE: "are false",
    Verdict.DRAWING: "are drawings",
}
"""What is said of several claims with a verdict."""


def line(outcome: Outcome, width: int | None = None) -> str:
    """Return one line: the id, what became of the claim, the seconds and where it stands.

    A terminal has a width, and what does not fit is left out.
    """
    claim = outcome.claim
    verdict = claim.verdict.value if outcome.holds else "FAILED"
    told = f"{claim.id:<14} {verdict:<26} {outcome.seconds:6.2f} s  {claim.source}"
    return told if width is None or len(told) <= width else f"{told[: width - 1]}…"


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many claims came out with each verdict, and how many did not come out."""
    seconds = sum(outcome.seconds for outcome in outcomes)
    found = Counter(outcome.claim.verdict for outcome in outcomes if outcome.holds)
    counts = [f"{found[verdict]} {SUMMED_UP[verdict]}" for verdict in Verdict]
    failed = sum(not outcome.holds for outcome in outcomes)
    end = f"{failed} FAILED" if failed else "all came out as the register says"
    return _wrapped(f"{len(outcomes)} claims in {seconds:.0f} s: {', '.join(counts)}; {end}")


def detail(outcome: Outcome) -> str:
    """Return everything about a claim: what it says, the evidence, and what was wrong."""
    claim = outcome.claim
    told = [
        f"{claim.id}: {claim.source}",
        _wrapped(claim.statement),
        f"verdict: {claim.verdict.value} ({outcome.seconds:.2f} s)",
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
        "verdict": claim.verdict.value,
        "holds": outcome.holds,
        "failure": outcome.failure,
        "evidence": list(outcome.evidence),
        "errata": [asdict(erratum) for erratum in claim.errata],
        "seconds": round(outcome.seconds, 3),
    }


def _wrapped(text: str, indent: str = "") -> str:
    return fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
