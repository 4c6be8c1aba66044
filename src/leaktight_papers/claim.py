"""What does a claim of the papers say, does it hold, and what shows it?

A claim is a function that computes its evidence and yields it line by line, with the numbers that
it found. Whatever must come out is demanded on the way; if it does not, the claim fails, whatever
its verdict is: a claim that is false has a counterexample that must come out.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from leaktight.errors import LeaktightError

Check: TypeAlias = Callable[[], Iterator[str]]


class Verdict(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    CORRECTED = "holds as corrected"
    FALSE = "false, with counterexample"
    DRAWING = "drawing"
    SETTLED = "settled"
    ANSWERED = "answered by the papers"
    PARTLY = "partly settled"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Erratum:
    """What is wrong in a paper, and what is right instead."""

    number: int
    """Its number in the list of errata."""
    kind: str
    """"false" statement, "gap" in a proof, "typo" or ambiguity, or "improvable"."""
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A numbered item of a paper, in our words, with the function that checks it."""

    id: str
    source: str
    statement: str
    verdict: Verdict
    errata: tuple[Erratum, ...]
    check: Check


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking a claim gave: lines of evidence, the seconds, and what failed, if anything."""

    claim: Claim
    evidence: tuple[str, ...]
    seconds: float
    failure: str | None

    @property
    def holds(self) -> bool:
        """Whether everything came out that the verdict says."""
        return self.failure is None


class Unexpected(Exception):
    """Something that a claim demands did not come out."""


def demand(condition: bool, message: str) -> None:
    """Fail the claim unless a condition holds; the message says what was found.

    >>> demand(1 + 1 == 2, "1 + 1 must be 2")
    """
    if not condition:
        raise Unexpected(message)


def expect(found: object, expected: object, what: str) -> None:
    """Fail the claim unless something came out as expected.

    >>> expect(1 + 1, 2, "the sum")
    """
    demand(found == expected, f"{what} must be {expected}, got {found}")


PAPERS = {
    "A": "Alvim2011b",
    "B": "Barthe2011",
    "E": "Edwards2021",
    "Q": "Alvim2011a",
    "W": "Boreale2012",
}
ITEMS = {
    "C": "Corollary",
    "D": "Definition",
    "Ex": "Example",
    "Fig": "Figure",
    "L": "Lemma",
    "P": "Proposition",
    "R": "Remark",
    "T": "Theorem",
    "Tab": "Table",
}


def place(id: str) -> str:
    """Return where a claim stands, if its id is that of a numbered item.

    >>> place("E-Fig2")
    'Figure 2 of [Edwards2021]'
    """
    item = id[2:].rstrip("0123456789")
    return f"{ITEMS[item]} {id[2 + len(item) :]} of [{PAPERS[id[0]]}]"


def claim(
    id: str,
    statement: str,
    verdict: Verdict = Verdict.HOLDS,
    *errata: Erratum,
    source: str | None = None,
) -> Callable[[Check], Claim]:
    """Make a claim of a function that yields its evidence; its place follows from its id, or not.

    >>> @claim("E-T99", "Two and two are four.")
    ... def sums() -> Iterator[str]:
    ...     demand(2 + 2 == 4, f"2 + 2 must be 4, got {2 + 2}")
    ...     yield f"2 + 2 = {2 + 2}"
    >>> run(sums).evidence, run(sums).holds
    (('2 + 2 = 4',), True)
    """

    def made(check: Check) -> Claim:
        return Claim(id, source or place(id), statement, verdict, errata, check)

    return made


def run(claim: Claim) -> Outcome:
    """Check a claim, and say how long it took."""
    start, evidence, failure = time.perf_counter(), list[str](), None
    try:
        evidence.extend(claim.check())
    except (Unexpected, LeaktightError) as wrong:
        failure = str(wrong)
    return Outcome(claim, tuple(evidence), time.perf_counter() - start, failure)
