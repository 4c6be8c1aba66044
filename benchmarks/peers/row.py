"""One function of a peer: what is its counterpart, and do the two agree on random inputs?"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.inputs import Inputs
from benchmarks.peers.words import WORDS

NEAR = 1e-9
"""How far floats may be from the exact answer and count as the same."""


@dataclass(frozen=True)
class Row:
    """A function of a peer and what does the same here.

    ``ours`` names the counterpart, in backquotes, or says why there is none. ``us`` and ``them``
    are expressions that answer for the same inputs, ours in exact arithmetic; in theirs ``f`` is
    the function and ``q`` its package. ``note`` says what is not alike.
    """

    theirs: str
    ours: str
    us: str = ""
    them: str = ""
    note: str = ""

    def answer(self, case: Inputs) -> list[float]:
        """Return what we say."""
        return numbers(eval(self.us, {**WORDS, **case}))

    def compared(self, peer: Any, cases: Iterable[Inputs]) -> str:
        """Say how often the answers agree, and how far off the others are."""
        if not self.us:
            return self.note or "–"
        same, failed, furthest, count = 0, 0, 0.0, 0
        theirs = {"q": peer, "f": attrgetter(self.theirs)(peer)}
        for case in cases:
            count += 1
            mine = self.answer(case)
            try:
                found = numbers(eval(self.them, {**WORDS, **case, **theirs}))
            except Exception:
                failed += 1
                continue
            off = distance(mine, found)
            same += off <= NEAR
            furthest = max(furthest, off)
        told = [f"{same} of {count}"]
        if failed:
            told.append(f"{failed} fail")
        if count - same - failed:
            told.append("differs" if furthest == math.inf else f"off by up to {furthest:.0e}")
        return "; ".join([*told, *[self.note] * bool(self.note)])


def rows(peer: str) -> tuple[Row, ...]:
    """Read the table of a peer: a line for each function, its columns apart by bars."""
    table = Path(__file__).with_name(f"{peer}.txt").read_text("utf-8")
    return tuple(Row(*line.split(" | ")) for line in table.splitlines())


def numbers(answer: Any) -> list[float]:
    """Return an answer as a list: a number, a verdict, a table."""
    if isinstance(answer, lt.Channel | lt.Gain | lt.Loss):
        answer = answer.matrix
    if isinstance(answer, lt.Distribution):
        answer = answer.array
    return [float(Fraction(int(v.p), int(v.q)) if hasattr(v, "p") else v) for v in np.ravel(answer)]


def distance(mine: list[float], theirs: list[float]) -> float:
    """Return the largest difference, relative where the numbers exceed 1; ∞ if shapes differ."""
    if len(mine) != len(theirs):
        return math.inf
    pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    gaps = [abs(a - b) / max(1.0, abs(a)) for a, b in pairs]
    return max((math.inf if math.isnan(gap) else gap for gap in gaps), default=0.0)
