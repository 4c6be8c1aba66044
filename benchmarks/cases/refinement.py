"""Refinement: is one channel always at least as safe as another?

We always say why: the remap, or a prior and a gain that exact arithmetic has checked. libqif says
yes or no (``refined_by``), or why (``refined_by_witness``); dit says yes or no.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case, Way
from benchmarks.libraries import dit, qif
from leaktight.channels import NotRefined

INPUTS = 50
"""Of channels that tell nothing through many outputs."""


class Given(NamedTuple):
    """The two channels as ours, and as arrays in the order that libqif wants."""

    a: lt.Channel
    b: lt.Channel
    arrays: tuple[Any, Any]


def given(a: Any, b: Any) -> Given:
    """Make everything afresh."""
    return Given(lt.Channel(a), lt.Channel(b), (np.asfortranarray(a), np.asfortranarray(b)))


# --- the channels ---


@cache
def remapped(n: int) -> Any:
    """Return a random channel, and the same seen through another."""
    rng = np.random.default_rng(1)
    a = rng.dirichlet(np.ones(n), n)
    return a, a @ rng.dirichlet(np.ones(n), n)


@cache
def merged(n: int) -> Any:
    """Return a channel with twice as many outputs as inputs, and the same seen through another."""
    rng = np.random.default_rng(2)
    a = rng.dirichlet(np.ones(2 * n), n)
    return a, a @ rng.dirichlet(np.ones(n), 2 * n)


@cache
def unrelated(n: int) -> Any:
    """Return two random channels."""
    a, b = np.random.default_rng(3).dirichlet(np.ones(n), (2, n))
    return a, b


@cache
def nothing(outputs: int) -> Any:
    """Return two channels that tell nothing."""
    rng = np.random.default_rng(4)
    a, b = (np.tile(rng.dirichlet(np.ones(outputs)), (INPUTS, 1)) for _ in range(2))
    return a, b


@cache
def nearly(n: int) -> Any:
    """Return a random channel, and the same with two entries moved by 1e-5."""
    a = np.random.default_rng(6).dirichlet(np.ones(n), n)
    b = a.copy()
    b[0, :2] += (1e-5, -1e-5) if b[0, 1] > 1e-5 else (-1e-5, 1e-5)
    return a, b


@cache
def fractions(inputs: int, outputs: int, seed: int) -> Any:
    """Return a random channel of fractions, with zeros."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, (inputs, outputs)) * (rng.random((inputs, outputs)) < 0.8)
    weights[:, 0] += 1
    return np.array([[Fraction(int(w), int(row.sum())) for w in row] for row in weights])


@cache
def exactly_remapped(n: int) -> Any:
    """Return a channel of fractions, and the same seen through another."""
    a = fractions(n, n, 2)
    return a, a.dot(fractions(n, n, 3))


def exactly_unrelated(n: int) -> Any:
    """Return two channels of fractions."""
    return fractions(n, n, 2), fractions(n, n, 4)


# --- who decides ---

FLOATS: dict[str, Way] = {
    "leaktight": lambda given: not isinstance(lt.refinement(given.a, given.b), NotRefined),
    "qif": lambda given: bool(qif.refinement.refined_by(*given.arrays)),
    "qif with witness": lambda given: bool(qif.refinement.refined_by_witness(*given.arrays)[0]),
    "dit": lambda given: bool(dit.channelorder.is_output_degraded(given.a.matrix, given.b.matrix)),
}
FRACTIONS: dict[str, Way] = {
    "leaktight": FLOATS["leaktight"],
    "qif": lambda given: bool(qif.channel.factorize(*given.arrays[::-1]).size),
}


def truly(holds: bool) -> Callable[[Mapping[str, bool]], str]:
    """Return a check of who is right, given how the channels were made."""

    def agree(answers: Mapping[str, bool]) -> str:
        assert answers["leaktight"] is holds, answers
        wrong = [way for way, said in answers.items() if said is not holds]
        truth = "refined" if holds else "not refined"
        return f"{truth}; wrong: {', '.join(wrong)}" if wrong else f"all say {truth}"

    return agree


def family(
    what: str,
    sizes: tuple[int, ...],
    make: Callable[[int], Any],
    holds: bool,
    ways: Mapping[str, Way] = FLOATS,
    **more: Any,
) -> Case:
    """Compare verdicts on pairs of channels, given whether the second is safer."""
    return Case(
        task=f"refinement, {what}",
        sizes=sizes,
        prepare=lambda n: given(*make(n)),
        ways=ways,
        agree=truly(holds),
        patience=10,
        **more,
    )


NO_DIT = {way: FLOATS[way] for way in ("leaktight", "qif", "qif with witness")}
VERDICTS = {way: FLOATS[way] for way in ("leaktight", "qif")}

CASES = (
    family(
        "{n}×{n} floats, holds",
        (10, 20, 60, 120),
        remapped,
        True,
        note="qif without the witness gives no remap, and says yes where it fails by 1e-5 (below).",
    ),
    family("{n} inputs, 2·{n} outputs, floats, holds", (10, 20, 40), merged, True, NO_DIT),
    family("{n}×{n} floats, fails", (10, 20, 60), unrelated, False),
    family("{n}×{n} floats, fails by 1e-5", (6, 20), nearly, False),
    family(
        "50×{n} floats of rank one, holds",
        (50, 100, 200, 1000),
        nothing,
        True,
        VERDICTS,
        scale_name="outputs",
    ),
    family("{n}×{n} rationals, holds", (5, 10, 20), exactly_remapped, True, FRACTIONS),
    family("{n}×{n} rationals, fails", (5, 10, 20), exactly_unrelated, False, FRACTIONS),
)
