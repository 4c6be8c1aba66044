"""How is a property searched for a case in which it fails?

Hypothesis draws the bytes that cases are read from, and makes a failing one small. Cases that are
checked quickly are drawn several at a time, as drawing takes longer than checking.
"""

import os
import signal
import time
import traceback
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure

from fuzz.property import Case, Property

PATIENCE = 30
"""So many seconds may a case take."""

SHRINKING = 20.0
"""So many seconds are spent on making a failing case smaller."""

FIRST, MOST = 5, 5000
"""How many draws there are at first, and at once."""

SIZE = 96
"""How many bytes a case is read from."""

TOGETHER, QUICK = 16, 0.02
"""How many cases are drawn at a time if they take less than so many seconds."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A case in which a property does not hold, and what was seen."""

    case: Case
    seen: str


@dataclass(slots=True)
class Tally:
    """What was tried: cases, answers compared, cases refused, and the failure if there is one."""

    cases: int = 0
    checks: int = 0
    refused: int = 0
    seconds: float = 0.0
    failure: Failure | None = None

    def add(self, other: "Tally") -> None:
        """Add what another slice tried."""
        self.cases += other.cases
        self.checks += other.checks
        self.refused += other.refused
        self.seconds += other.seconds
        self.failure = self.failure or other.failure


class TooSlow(Exception):
    """A case took longer than any may."""


def search(what: Property, seconds: float, seed: int) -> Tally:
    """Try cases of a property for so long, or until one fails."""
    tally, start, draws, together = Tally(), time.perf_counter(), FIRST, 1
    while tally.failure is None and (left := seconds - time.perf_counter() + start) > 0:
        before, begun = tally.cases, time.perf_counter()
        try_some(what, draws, seed, tally, together, until=start + seconds)
        each = (time.perf_counter() - begun) / max(1, tally.cases - before)
        together = TOGETHER if each < QUICK else 1
        draws, seed = min(MOST, max(FIRST, int(left / each / together / 2))), seed + 1
    tally.seconds = time.perf_counter() - start
    return tally


def try_some(
    what: Property,
    draws: int,
    seed: int,
    tally: Tally,
    together: int = 1,
    until: float = float("inf"),
) -> None:
    """Draw so often, several cases together; what fails is made smaller and put into the tally."""
    found: dict[str, Any] = {}

    @hypothesis.seed(seed)
    @settings(
        max_examples=draws,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(st.tuples(*[st.binary(min_size=SIZE, max_size=SIZE)] * together))
    def tried(sources: tuple[bytes, ...]) -> None:
        for case in map(what.case, sources):
            now = time.perf_counter()
            if now > (found["at"] + SHRINKING if found else until):
                return
            try:
                checks = timed(what, case)
            except Exception:
                found.setdefault("at", now)
                if len(repr(case)) <= len(repr(found.get("case", case))):
                    found.update(case=case, seen=traceback.format_exc(limit=-2))
                raise
            tally.cases += 1
            tally.checks += checks
            tally.refused += not checks

    try:
        tried()
    except FlakyFailure:  # the time for making it smaller was over
        pass
    except Exception:
        if not found:
            raise
    if found:
        tally.failure = Failure(found["case"], found["seen"])


def timed(what: Property, case: Case) -> int:
    """Try one case; it must not take long."""

    def stop(*_: object) -> None:
        raise TooSlow(f"it took more than {PATIENCE} s")

    before = signal.signal(signal.SIGPROF, stop)  # by its own time: a busy machine is no mistake
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return what.try_case(case)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def quiet() -> None:
    """Leave the arithmetic of a process to one core."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
