"""What does a ledger say to a person: what was released, at what cost, and what is left?"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.errors import expect
from leaktight.exact.powers import Powers
from leaktight.exact.shown import counted, wrapped
from leaktight.labels import named
from leaktight.policies.secrets import CHANGE
from leaktight.tables.budget import told_epsilon, told_left
from leaktight.tables.ledger import Ledger
from leaktight.tables.odds import Odds, odds
from leaktight.tables.protection import Protection
from leaktight.tables.spent import Spent

MOST_PRINTED = 10
"""The most kinds of pairs that are printed."""

MOST_LISTED = 100
"""The most kinds of pairs whose exact ratios are worked out."""

COUNTED = "who knows all others may know the person from the public counts"
TOO_MANY = "too many different things were asked of too many values"

NO_STATE = (
    "No state: an earlier version made this ledger, which keeps a history from its next release on"
)

SHOWN_DIGITS = 32
"""So many digits of a state are printed, which are enough to know it by."""

INDENT = " " * 6
"""What stands before the lines of a list, after its numbers."""


CHANGING = "people change, and who is there each time may hang together"


def why_no_odds(protection: Protection) -> str:
    """Say why nothing is told of one person."""
    if protection.counts is not None:
        return COUNTED
    return CHANGING if protection.people == CHANGE else TOO_MANY


@dataclass(frozen=True, slots=True)
class PairSpent:
    """What a secret pair has paid, how many others paid as much, and what is left to it."""

    pair: tuple[Any, Any]
    alike: int
    ratio: Powers
    left: float
    """The ε that is left, rounded down."""

    def __str__(self) -> str:
        u, v = self.pair
        others = f" and {self.alike - 1:,} more" if self.alike > 1 else ""
        return (
            f"{named(u)} – {named(v)}{others}: ε ≤ {told_epsilon(self.ratio)} spent, "
            f"ε = {told_left(self.left)} left"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """All that a ledger says, with costs added up; it prints as text."""

    ledger: Ledger
    releases: tuple[tuple[str, str, list[str], Powers, bool], ...]
    """For each release its name, time, queries, cost, and whether it was drawn."""
    pairs: tuple[PairSpent, ...]
    """The kinds of secret pairs that have paid most, those first."""
    others: int
    """How many pairs have paid less."""
    odds: Odds | None
    states: tuple[str, ...]
    """All states that the ledger was in, the last one last; none if it keeps no history."""

    def __str__(self) -> str:
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
            told = f"{time}  {name}: {asked}; ε ≤ {told_epsilon(cost)}{unseen}"
            lines.append(wrapped(told, INDENT, start=f"{i:>4}  "))
        lines.append(counted(len(self.releases), "release", "releases") + "; by secret pair:")
        lines += [wrapped(str(pair), INDENT, start=INDENT) for pair in self.pairs[:MOST_PRINTED]]
        if rest := self.others + sum(kind.alike for kind in self.pairs[MOST_PRINTED:]):
            more = f"and {counted(rest, 'other pair', 'other pairs')}, with less"
            lines.append(wrapped(more, INDENT, start=INDENT))
        if self.odds is not None:
            lines.append(wrapped(f"After all of it, {self.odds}."))
        else:
            why = why_no_odds(book.protection)
            lines.append(wrapped(f"What becomes known of one person is not told: {why}."))
        state = f"State {self.states[-1][:SHOWN_DIGITS]}" if self.states else NO_STATE
        return "\n".join([*lines, wrapped(f"{state}.")])

    def to_dict(self) -> dict[str, Any]:
        """The statement as JSON has it; ratios are exact, as text."""
        book = self.ledger
        return {
            "ledger": book.name,
            "identity": book.identity,
            "made": book.made,
            "budget": {"exactly": str(book.budget), "epsilon": book.budget.nats},
            "records": book.protection.policy.records,
            "neighbours": book.protection.relation,
            "rows per person": book.protection.rows_per_person,
            "state": self.states[-1] if self.states else None,
            "releases": [
                {
                    "name": name,
                    "time": time,
                    "queries": queries,
                    "ratio": str(cost),
                    "epsilon": max(0.0, cost.nats),
                    "drawn": drawn,
                }
                for name, time, queries, cost, drawn in self.releases
            ],
            "pairs": [
                {
                    "pair": list(map(str, each.pair)),
                    "alike": each.alike,
                    "ratio": str(each.ratio),
                    "epsilon": max(0.0, each.ratio.nats),
                    "left": each.left,
                }
                for each in self.pairs
            ],
            "other pairs, with less": self.others,
            "one person": self.odds and self.odds.to_dict(),
        }


def statement(ledger: Ledger, prior: PriorLike = None) -> Statement:
    """Return what a ledger says: each release and its cost, and what is left, pair by pair."""
    entries = expect(ledger, Ledger, "open one by Ledger.open(path)").entries()
    each = tuple((e.name, e.time, e.queries, e.cost, e.answered) for e in entries)
    spent = ledger.spent()
    listed = tuple(_kinds(ledger, spent))
    others = spent.pairs - sum(kind.alike for kind in listed)
    known = odds(ledger.protection, ledger.paid(), prior)
    return Statement(ledger, each, listed, others, known, ledger.states())


def _kinds(ledger: Ledger, spent: Spent) -> list[PairSpent]:
    """Return the kinds of pairs that paid most, each with one of the pairs that paid alike."""
    order = np.argsort(-spent.near, kind="stable")
    near = spent.near[order]
    last = np.flatnonzero(near[1:] < near[:-1] * (1 - 2 * spent.slack))  # surely less from here on
    cut = last[MOST_LISTED - 1] + 1 if len(last) >= MOST_LISTED else len(near)
    paid: dict[tuple[tuple[Fraction, int], ...], list[int]] = {}
    for alike, ratio in spent.kinds(order[:cut]) if cut else ():
        paid.setdefault(ratio.factors, []).extend(alike.tolist())
    cases, found = ledger.protection.cases, []
    for factors, own in sorted(paid.items(), key=lambda kind: -spent.near[kind[1][0]]):
        ratio = Powers(factors)
        found.append(PairSpent(cases[min(own)], len(own), ratio, ledger.budget.left(ratio)))
    return found
