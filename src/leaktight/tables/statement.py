"""What does a ledger say to a person: what was released, at what cost, and what is left?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.exact.powers import Powers
from leaktight.exact.shown import below, counted, wrapped
from leaktight.tables.budget import Spent, told_epsilon
from leaktight.tables.ledger import Ledger
from leaktight.tables.odds import Odds, odds

MOST_PAIRS = 10
"""The most kinds of pairs that are listed."""

INDENT = " " * 6
"""What stands before the lines of a list, after its numbers."""


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
            f"{u} – {v}{others}: ε ≤ {told_epsilon(self.ratio)} spent, ε = {below(self.left)} left"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """All that a ledger says, with costs added up; it prints as text."""

    ledger: Ledger
    releases: tuple[tuple[str, str, list[str], Powers, bool], ...]
    """For each release its name, time, queries, cost, and whether it was drawn."""
    pairs: tuple[PairSpent, ...]
    """The kinds of secret pairs, those that have paid most first."""
    odds: Odds | None

    def __str__(self) -> str:
        book = self.ledger
        lines = [
            f"{book.path}, made {book.made}",
            wrapped(f"{book.budget.told()} for {book.protection.policy!r}"),
        ]
        for i, (name, time, queries, cost, drawn) in enumerate(self.releases, 1):
            unseen = "" if drawn else " (not drawn yet: nobody has seen it)"
            asked = ", ".join(queries)
            told = f"{time}  {name}: {asked}; ε ≤ {told_epsilon(cost)}{unseen}"
            lines.append(wrapped(told, INDENT, start=f"{i:>4}  "))
        lines.append(counted(len(self.releases), "release", "releases") + "; by secret pair:")
        lines += [wrapped(str(pair), INDENT, start=INDENT) for pair in self.pairs[:MOST_PAIRS]]
        if len(self.pairs) > MOST_PAIRS:
            more = f"and {len(self.pairs) - MOST_PAIRS:,} other kinds of pairs, with less"
            lines.append(wrapped(more, INDENT, start=INDENT))
        if self.odds is not None:
            lines.append(wrapped(f"After all of it, {self.odds}."))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The statement as JSON has it; ratios are exact, as text."""
        book = self.ledger
        return {
            "ledger": str(book.path),
            "identity": book.identity,
            "made": book.made,
            "budget": {"exactly": str(book.budget), "epsilon": book.budget.nats},
            "records": book.protection.policy.records,
            "rows per person": book.protection.rows_per_person,
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
            "one person": self.odds
            and {"before": str(self.odds.before), "after at most": float(self.odds.after)},
        }


def statement(ledger: Ledger, prior: PriorLike = None) -> Statement:
    """Return what a ledger says: each release and its cost, and what is left, pair by pair."""
    entries = ledger.entries()
    alike = {(entry.step, entry.blocks): entry for entry in entries}
    costs = {key: ledger.cost([entry]).largest for key, entry in alike.items()}
    each = tuple((e.name, e.time, e.queries, costs[e.step, e.blocks], e.answered) for e in entries)
    risk = odds(ledger.protection, ledger.paid(), prior)
    return Statement(ledger, each, tuple(_kinds(ledger, ledger.spent())), risk)


def _kinds(ledger: Ledger, spent: Spent) -> list[PairSpent]:
    """Return one of each kind of pairs that have paid alike, those that paid most first."""
    if not spent.pairs:
        return []
    paid = list(spent.exponents.values()) or [np.zeros(spent.pairs, dtype=np.int64)]
    _, first, counts = np.unique(np.stack(paid), axis=1, return_index=True, return_counts=True)
    cases = ledger.protection.cases
    found = []
    for at, alike in zip(first.tolist(), counts.tolist(), strict=True):
        ratio = spent.ratio(at)
        found.append(PairSpent(cases[at], alike, ratio, ledger.budget.left(ratio)))
    return sorted(found, key=lambda one: one.ratio, reverse=True)
