"""Statements of a ledger for a person: what was released, at what cost, and what is left."""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.channels.distribution import PriorLike
from leaktight.errors import expect
from leaktight.exact.numbers import rational
from leaktight.exact.powers import Powers
from leaktight.exact.shown import above, counted, wrapped
from leaktight.labels import pair_named
from leaktight.policies.secrets import CHANGE
from leaktight.tables.accountant import Accountant
from leaktight.tables.attributes import AttributeOdds, attribute_odds
from leaktight.tables.budget import (
    USUAL_DELTA,
    Budget,
    lost_to_dict,
    told_left,
    told_lost,
)
from leaktight.tables.ledger import Ledger
from leaktight.tables.measure import CONCENTRATED, PURE, Lost, epsilon_above, measure_of
from leaktight.tables.odds import Odds, odds
from leaktight.tables.privacy_unit import PrivacyUnit

MOST_PRINTED = 10
"""The most kinds of pairs that are printed."""

MOST_LISTED = 100
"""The most kinds of pairs whose exact ratios are worked out."""

COUNTED = "who knows all others may know the person from the public counts"
TOO_MANY = "too many different things were asked of too many values"
SEVERAL = "of persons with several rows nothing is proved after Gaussian noise"

NO_STATE = (
    "No state: an earlier version made this ledger, which keeps a history from its next release on"
)

SHOWN_DIGITS = 32
"""So many digits of a state are printed, which are enough to know it by."""

INDENT = " " * 6
"""What stands before the lines of a list, after its numbers."""


CHANGING = "people change, and who is there each time may hang together"


def why_no_odds(protection: PrivacyUnit, gaussian: bool = False) -> str:
    """Say why nothing is told of one person."""
    if gaussian and protection.rows_per_person > 1:
        return SEVERAL
    if protection.counts is not None:
        return COUNTED
    return CHANGING if protection.people == CHANGE else TOO_MANY


@dataclass(frozen=True, slots=True)
class PairSpent:
    """What a secret pair has lost, how many others paid as much, and what is left to it."""

    pair: tuple[Any, ...]
    alike: int
    lost: Lost
    """What counts against the budget: the ratio, or ρ."""
    left: float
    """The ε or ρ that is left, rounded down."""
    ratio: Powers | None
    """The ratio of any outcome, at most; None after Gaussian noise, which has none."""
    rho: Fraction
    """ρ of zCDP, at most."""

    @property
    def approximate(self) -> float:
        """The ε that comes with the usual δ, rounded up."""
        least = epsilon_above(self.rho, USUAL_DELTA)
        return least if self.ratio is None else min(least, max(0.0, self.ratio.nats))

    def __str__(self) -> str:
        others = f" and {self.alike - 1:,} more" if self.alike > 1 else ""
        measure = measure_of(self.lost)
        if measure is PURE:
            also = [told_lost(self.rho)]
        else:
            also = ["no ε" if self.ratio is None else told_lost(self.ratio)]
        if self.ratio is None or self.approximate < self.ratio.nats:
            also.append(f"ε ≤ {above(self.approximate)} with δ = {float(USUAL_DELTA):g}")
        left = told_left(self.left, measure)
        return (
            f"{pair_named(self.pair)}{others}: {told_lost(self.lost)} spent ({'; '.join(also)}), "
            f"{left} left"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """All that a ledger says, with costs added up; it prints as text."""

    ledger: Ledger
    releases: tuple[tuple[str, str, list[str], Lost, bool], ...]
    """For each release its name, time, queries, cost, and whether it was drawn."""
    pairs: tuple[PairSpent, ...]
    """The kinds of secret pairs that have paid most, those first."""
    others: int
    """How many pairs have paid less."""
    odds: Odds | None
    states: tuple[str, ...]
    """All states that the ledger was in, the last one last; none if it keeps no history."""
    attributes: tuple[AttributeOdds, ...] = ()
    """The odds of each attribute alone, value by value; none if they are not known."""

    def __str__(self) -> str:
        return f"{self.told}\n{self.state}"

    @property
    def state(self) -> str:
        """The last line: by what the ledger is known as it is now."""
        state = f"State {self.states[-1][:SHOWN_DIGITS]}" if self.states else NO_STATE
        return wrapped(f"{state}.")

    @property
    def told(self) -> str:
        """All but the state, as text."""
        book = self.ledger
        lines = [
            f"{book.name}, made {book.made}",
            wrapped(
                f"{book.budget.told()} for {book.protection.policy!r}; neighbours: "
                f"{book.protection.relation}"
            ),
        ]
        for i, (name, time, queries, cost, drawn) in enumerate(self.releases, 1):
            unseen = "" if drawn else " (not drawn yet: nobody has seen it)"
            asked = ", ".join(queries)
            told = f"{time}  {name}: {asked}; {told_lost(cost)}{unseen}"
            lines.append(wrapped(told, INDENT, start=f"{i:>4}  "))
        lines.append(counted(len(self.releases), "release", "releases") + "; by secret pair:")
        lines += [wrapped(str(pair), INDENT, start=INDENT) for pair in self.pairs[:MOST_PRINTED]]
        if rest := self.others + sum(kind.alike for kind in self.pairs[MOST_PRINTED:]):
            more = f"and {counted(rest, 'other pair', 'other pairs')}, with less"
            lines.append(wrapped(more, INDENT, start=INDENT))
        if self.odds is not None:
            lines.append(wrapped(f"After all of it, {self.odds}."))
        else:
            why = why_no_odds(book.protection, any(e.rho for e in book.entries()))
            lines.append(wrapped(f"What becomes known of one person is not told: {why}."))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The statement as JSON has it; ratios are exact, as text."""
        book = self.ledger
        return {
            "ledger": book.name,
            "identity": book.identity,
            "made": book.made,
            "budget": {"exactly": str(book.budget), **_limits(book.budget)},
            "records": book.protection.policy.records,
            "neighbours": book.protection.relation,
            "rows per person": book.protection.rows_per_person,
            "state": self.states[-1] if self.states else None,
            "releases": [
                {
                    "name": name,
                    "time": time,
                    "queries": queries,
                    **lost_to_dict(cost),
                    "drawn": drawn,
                }
                for name, time, queries, cost, drawn in self.releases
            ],
            "pairs": [
                {
                    "pair": list(map(str, each.pair)),
                    "alike": each.alike,
                    "ratio": None if each.ratio is None else str(each.ratio),
                    "epsilon": None if each.ratio is None else max(0.0, each.ratio.nats),
                    "rho": str(rational(each.rho)),
                    "approximate": {"epsilon": each.approximate, "delta": float(USUAL_DELTA)},
                    "left": each.left,
                }
                for each in self.pairs
            ],
            "other pairs, with less": self.others,
            "one person": self.odds and self.odds.to_dict(),
            "one attribute": [each.to_dict() for each in self.attributes],
        }


def _limits(budget: Budget) -> dict[str, float]:
    """Return the numbers of a budget, rounded to the nearest."""
    told = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    if budget.rho is None:
        return {"epsilon": budget.near}
    return {name: float(number) for name, number in told.items() if number is not None}


def statement(ledger: Ledger, prior: PriorLike = None) -> Statement:
    """Return what a ledger says: each release and its cost, and what is left, pair by pair."""
    entries = expect(ledger, Ledger, "open one by Ledger.open(path)").entries()
    each = tuple((e.name, e.time, e.queries, e.cost, e.answered) for e in entries)
    spent = ledger.spent()
    listed = tuple(_kinds(ledger, spent))
    others = spent.pairs - sum(kind.alike for kind in listed)
    paid, attributes = list(ledger.paid()), tuple[AttributeOdds, ...]()
    if entries:
        columns = json.loads(entries[-1].question).get("rows", {}).get("columns", ())
        attributes = attribute_odds(ledger.protection, paid, prior, columns)
    known = odds(ledger.protection, paid, prior)
    return Statement(ledger, each, listed, others, known, ledger.states(), attributes)


def _kinds(ledger: Ledger, spent: Accountant) -> list[PairSpent]:
    """Return the kinds of pairs that paid most, each with one of the pairs that paid alike."""
    order = np.argsort(-spent.near, kind="stable")
    near = spent.near[order]
    last = np.flatnonzero(near[1:] < near[:-1] * (1 - 2 * spent.slack))  # surely less from here on
    cut = last[MOST_LISTED - 1] + 1 if len(last) >= MOST_LISTED else len(near)
    paid: dict[Any, tuple[Lost, list[int]]] = {}
    for alike, lost in spent.kinds(order[:cut]) if cut else ():
        key = lost.factors if isinstance(lost, Powers) else lost
        paid.setdefault(key, (lost, []))[1].extend(alike.tolist())
    cases, found = ledger.protection.cases, []
    ratios, rhos = (ledger.spent(measure) for measure in (PURE, CONCENTRATED))
    without = _without_ratio(ledger)
    for lost, own in sorted(paid.values(), key=lambda kind: -spent.near[kind[1][0]]):
        which = np.array(own)
        (_, ratio), (_, rho) = ratios.most(which), rhos.most(which)
        assert isinstance(ratio, Powers)
        assert isinstance(rho, Fraction)
        bounded = None if without[which].any() else ratio
        left = ledger.budget.left(lost)
        found.append(PairSpent(cases[min(own)], len(own), lost, left, bounded, rho))
    return found


def _without_ratio(ledger: Ledger) -> npt.NDArray[np.bool_]:
    """Say of each case whether it has paid for Gaussian noise, which keeps no ratio."""
    found = np.zeros(ledger.protection.accounts, dtype=np.bool_)
    for paid in ledger.paid():
        if paid.rhos:
            found |= ledger.protection.squares(paid) > 0
    return found
