"""Plans: how near to the truth each number will be, before anything is spent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above
from leaktight.policies.policy import Policy
from leaktight.tables.budget import USUAL_DELTA
from leaktight.tables.calibration import (
    Allowance,
    GaussianWithin,
    GeometricWithin,
    allowance,
    calibrated,
)
from leaktight.tables.measure import epsilon_above, rho_below
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.queries import Expected, TableQuery, distinct


def plan(
    policy: Policy,
    queries: Iterable[TableQuery],
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | Allowance = "geometric",
    columns: Sequence[str] = (),
    absent: object = None,
    rows_per_person: int = 1,
    people: str | None = None,
) -> tuple[Expected, ...]:
    """Return the expected errors of each query, and for histograms of the other way too.

    Nothing is read or spent. 101 ages of which only neighbouring ones are secret pairs:

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.tables.queries import histogram
    >>> ages = Policy(SecretGraph.line(101), records=1000)
    >>> for way in plan(ages, [histogram("ages")], ratio=2):
    ...     print(way.kind, round(float(way.run), 2), way.chosen)
    ordered histogram 7.84 True
    plain histogram 565.99 False
    """
    protection = PrivacyUnit(policy, absent, rows_per_person, people).expect_secrets()
    asked, named = distinct(queries), tuple(columns)
    costs: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "rho": rho, "delta": delta}
    allowed = allowance(noise, queries=asked, **costs)
    made = calibrated(protection, asked, allowed, named)
    taken = {block.query.name: block.query for block in made.blocks}
    found = list[Expected]()
    for i, (query, parts) in enumerate(made.parts([() for _ in made.blocks])):
        found += query.expected(parts)
        for way in asked[i].ways():
            if way != query:
                others = [way if name == query.name else each for name, each in taken.items()]
                told = calibrated(protection, others, allowed, named)
                [(_, own)] = [p for p in told.parts([() for _ in told.blocks]) if p[0] == way]
                found += [each.instead() for each in way.expected(own)]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class OtherNoise:
    """What the other noise would do for the same queries, at the same ε.

    Geometric noise keeps ε, and Gaussian noise ε with a small δ.
    """

    noise: str
    epsilon: float
    rhos: tuple[Fraction, Fraction]
    """What the noise that is asked for and the other one cost in ρ, at most."""
    expected: tuple[Expected, ...]
    better: tuple[str, ...]
    """The queries whose numbers it would bring nearer to the truth."""

    def __str__(self) -> str:
        now, then = (above(float_above(rational(rho))) for rho in self.rhos)
        delta = f"δ = {float(USUAL_DELTA):g}"
        told = [f"At the same ε ≤ {above(self.epsilon)}, {delta}, {self.noise} would do this:"]
        told += [f"  {each}" for each in self.expected]
        names = "none of them"
        if self.better:
            every = len(self.better) == len(self.expected)
            names = "all of them" if every else ", ".join(self.better)
        told.append(f"It is better for {names}. In a ledger of ρ it costs {then} instead of {now}.")
        return "\n".join(told)


def other_noise(
    protection: PrivacyUnit,
    queries: Iterable[TableQuery],
    allowed: Allowance,
    columns: Sequence[str] = (),
) -> OtherNoise | None:
    """Return what the other noise would do: Gaussian for geometric, geometric for Gaussian.

    It is None where errors are asked for, which both noises have, where nothing needs noise, and
    where the other noise is not possible.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.tables.queries import count_of, cumulative
    >>> flats = PrivacyUnit(Policy(SecretGraph.complete(200), records=1000))
    >>> for asked in (cumulative("up to"), count_of("some", [1])):
    ...     found = other_noise(flats, [asked], allowance(epsilon=1))
    ...     print(found.noise, found.better)
    discrete Gaussian noise ('up to',)
    discrete Gaussian noise ()
    """
    asked, named = distinct(queries), tuple(columns)
    made = calibrated(protection, asked, allowed, named)
    if any(query.error is not None for query in asked) or not any(made.noises):
        return None
    if made.paid.rhos:
        epsilon = epsilon_above(allowed.limit, USUAL_DELTA)
        instead: Allowance = GeometricWithin(Ratio.of(epsilon=epsilon))
    else:
        epsilon = float_above(rational(allowed.limit))
        instead = GaussianWithin(rho_below(allowed.limit, USUAL_DELTA))
    try:
        other = calibrated(protection, asked, instead, named)
    except (InvalidNumber, TooLarge):  # such as weights that are too large to be squared
        return None
    now, then = made.expected, other.expected
    better = [a.query for a, b in zip(now, then, strict=False) if b.cell < a.cell]
    [kind] = {own.told() for own in other.noises if own is not None}
    told = tuple(each.instead() for each in then)
    return OtherNoise(kind, epsilon, (made.rho, other.rho), told, tuple(better))
