"""δ after n looks at the same secret: how likely is an output more telling than ε allows?

Google's accounting rounds the privacy loss of one look to a grid, up for a bound from above and
down for one from below, and composes by Fourier transforms. Ours counts types of outputs; it is
exact where all losses are multiples of one, and an enclosure of them elsewhere. All answer a lower
and an upper end; ours is the whole function of ε, of which one δ is asked.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import leaktight as lt
from benchmarks.case import Case
from leaktight.privacy import privacy_profile

GRID, FINE = 1e-4, 1e-5
"""The step of the grid that Google's accounting takes unless told, and a tenth of it."""

TAILS = 1e-12
"""So much their ends may be off: they leave tails of 1e-15 out, and compute in floats."""

COIN = lt.RandomizedResponse(["no", "yes"], ratio="11/10").channel
DIE = lt.Channel([["21/64", "22/64", "21/64"], ["20/64", "22/64", "22/64"]])
"""Its losses ln(21/20), 0 and ln(21/22) have no common step."""


class Looks(NamedTuple):
    """So many looks through a channel on two inputs, and the ratio at which δ is asked for."""

    channel: lt.Channel
    number: int
    ratio: int


def ours(looks: Looks) -> tuple[float, float, bool]:
    """Return both ends, and whether they are exactly the same."""
    both = lt.SecretGraph.complete(looks.channel.inputs)
    found = privacy_profile(looks.channel, both, observations=looks.number).delta(ratio=looks.ratio)
    return float(found.lower), float(found.upper), found.is_exact


def dp_accounting(looks: Looks) -> tuple[float, float, bool]:
    """Return the optimistic and the pessimistic δ."""
    return google_delta(looks, pessimistic=False), google_delta(looks, pessimistic=True), False


def pessimistic(looks: Looks) -> tuple[float, float, bool]:
    """Return the pessimistic δ alone."""
    return 0.0, google_delta(looks, pessimistic=True), False


def as_near(looks: Looks) -> tuple[float, float, bool]:
    """Return the pessimistic δ on a grid with which it is nearer to the truth."""
    return 0.0, google_delta(looks, pessimistic=True, step=FINE), False


def google_delta(looks: Looks, pessimistic: bool, step: float = GRID) -> float:
    """Return δ by Google's accounting, rounded to one side."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    rows = [
        {z: math.log(float(p)) for z, p in enumerate(row)} for row in looks.channel.matrix.tolist()
    ]
    one = [
        pld.from_two_probability_mass_functions(
            *pair, pessimistic_estimate=pessimistic, value_discretization_interval=step
        )
        for pair in (rows, rows[::-1])
    ]
    found = (
        each.self_compose(looks.number).get_delta_for_epsilon(math.log(looks.ratio)) for each in one
    )
    return float(max(found))


def within(answers: Mapping[str, tuple[float, float, bool]]) -> str:
    """Demand that the two agree: ours, if exact, lies between their ends."""
    low, high, exact = answers["ours"]
    said = f"δ = {high:.6g}, exactly" if exact else f"δ from {low:.5g} to {high:.5g}"
    if "dp_accounting" in answers:
        least, most, _ = answers["dp_accounting"]
        assert least - TAILS <= (low if exact else high), answers
        assert (high if exact else low) <= most + TAILS, answers
        said += f"; theirs from {least:.5g} to {most:.5g}"
    return said


def looked(channel: lt.Channel, ratio: int) -> Callable[[int], Looks]:
    """Prepare so many looks."""
    return lambda n: Looks(channel, n, ratio)


WAYS: Mapping[str, Any] = {
    "ours": ours,
    "dp_accounting": dp_accounting,
    "dp_accounting, its upper end alone": pessimistic,
    "the same on a grid ten times as fine": as_near,
}

CASES = (
    Case(
        task="δ at λ = 2 after {n} randomised responses of ratio 11/10",
        sizes=(10, 100, 1000),
        prepare=looked(COIN, 2),
        ways=WAYS,
        agree=within,
        rounds=3,
        note="ours has every δ(λ), in exact fractions; theirs is for one λ",
    ),
    Case(
        task="δ at λ = 2 after {n} looks with losses that have no common step",
        sizes=(30, 100, 1000),
        prepare=looked(DIE, 2),
        ways=WAYS,
        agree=within,
        rounds=3,
        patience=120.0,
        note="ours is exact for few looks, and an enclosure of every δ(λ) for many",
    ),
)
