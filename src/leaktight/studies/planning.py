"""What a release would cost, whether its budget allows it, and what would narrow its noise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidFile, LeaktightError
from leaktight.exact.shown import counted, nearest
from leaktight.labels import in_words
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import CHANGE
from leaktight.studies.policy import read_policy
from leaktight.studies.release import ReleaseStudy
from leaktight.studies.table import StudyTable, load
from leaktight.tables.accountant import Accountant
from leaktight.tables.budget import Budget, told_left, told_lost
from leaktight.tables.calibration import Allowance, Noise, calibrated
from leaktight.tables.ledger import Ledger
from leaktight.tables.plan import OtherNoise, other_noise, plan
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import question_of
from leaktight.tables.queries import Expected

MOST_TRIED = 6
"""The most changes of a study that are tried."""

MOST_NAMED = 2
"""The most records of neighbours that are told."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasePlan:
    """What a release would tell, and cost; nothing is read or spent."""

    expected: tuple[Expected, ...]
    other: OtherNoise | None
    """What another noise would do at the same cost."""
    allowed: str
    """What it may cost, in words."""
    cost: str
    """What it costs the pair that pays most, in words."""
    fits: bool | None
    """Whether the ledger, or the budget that one would be made with, allows it; None without."""
    left: str
    """What that says, as a sentence."""
    explained: tuple[str, ...]
    """What public counts do to the noise, and what would help."""

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return {
            "queries": [_written(each) for each in self.expected],
            "instead": None
            if self.other is None
            else {
                "noise": self.other.noise,
                "queries": [_written(each) for each in self.other.expected],
            },
            "cost": self.cost,
            "fits": self.fits,
            "budget": self.left,
            "explained": list(self.explained),
        }


def _written(error: Expected) -> dict[str, Any]:
    return {
        "query": error.query,
        "kind": error.kind,
        "way": error.way or None,
        "numbers": error.numbers,
        "squared error of a number": float(error.cell),
        "squared error of a run": None if error.run is None else float(error.run),
        "taken": error.chosen,
    }


def release_plan(asked: ReleaseStudy, file: Path, name: str | None = None) -> ReleasePlan:
    """Return what the release of a study would tell and cost, under its own name or another."""
    for query in asked.queries:
        query.expect_reading(asked.reading)
    noise = asked.noise
    assert asked.allowed is not None
    assert noise is not None  # there are queries
    expected = plan(
        asked.policy,
        asked.queries,
        noise=asked.allowed,
        columns=asked.reading.columns,
        absent=asked.absent,
        rows_per_person=asked.rows_per_person,
        people=asked.people,
    )
    fits, left = _budget(asked, noise, name or asked.name)
    explained = tuple(_explained(asked, noise, file)) if noise.protection.counts else ()
    other = other_noise(asked.protection, asked.queries, asked.allowed, asked.reading.columns)
    allowed, cost = asked.allowed.told(), told_lost(noise.cost)
    if all(query.error is not None for query in asked.queries):
        allowed = cost
    return ReleasePlan(expected, other, allowed, cost, fits, left, explained)


# --- the budget ------------------------------------------------------------------------------


def _budget(asked: ReleaseStudy, noise: Noise, name: str) -> tuple[bool | None, str]:
    """Say whether the release fits into what is left, or into what a new ledger would have."""
    try:
        book = Ledger.open(asked.ledger)
    except InvalidFile:
        if asked.budget is None:
            return None, "There is no ledger yet, and the study names no budget."
        return _fits(noise, asked.budget, (), "There is no ledger yet; a new one would be")
    book.expect(noise.protection)
    if (known := book.find(name)) is not None:
        if known.question == question_of(noise, asked.reading):
            return True, f"{name!r} is in the ledger already: asked again, it costs nothing."
        return False, (
            f"The ledger {book.name} has another release called {name!r}, of {known.time}: this "
            "one needs another name."
        )
    return _fits(noise, book.budget, tuple(book.paid()), f"The ledger {book.name} is")


def _fits(noise: Noise, budget: Budget, before: tuple[Any, ...], what: str) -> tuple[bool, str]:
    protection, measure = noise.protection, budget.measure

    def spent(paid: tuple[Any, ...]) -> Accountant:
        charges = [each for one in paid for each in measure.charges(protection, one)]
        return Accountant.of(protection.accounts, charges, measure)

    if noise.paid.rho and budget.epsilon is not None and budget.delta is None:
        return (
            False,
            "The budget is in ε, which Gaussian noise does not keep: the release is refused.",
        )
    known, after = spent(before), spent((*before, noise.paid))
    lost = told_left(budget.left(known.largest), measure)
    if not after.within(budget):
        return False, f"{what} there with {lost} left of {budget.told()}: the release does not fit."
    rest = told_left(budget.left(after.largest), measure)
    return True, f"{what} there with {lost} left of {budget.told()}, and {rest} after this release."


# --- public counts ---------------------------------------------------------------------------


def _explained(asked: ReleaseStudy, noise: Noise, file: Path) -> Iterator[str]:
    """Say why the noise is so wide under public counts, and what would help."""
    protection = noise.protection
    plain = PrivacyUnit(
        Policy(protection.policy.secrets, protection.policy.records),
        protection.absent,
        protection.rows_per_person,
        protection.people,
    )
    alone = calibrated(plain, asked.queries, _allowed(asked), asked.reading.columns)
    first, other = noise.expected[0], alone.expected[0]
    moves = protection.change(noise.paid).moves
    if not moves or not other.cell or not first.cell:
        return
    ratio = (float(first.cell) / float(other.cell)) ** 0.5
    if len(moves) > 1:
        values = protection.values
        told = ", ".join(
            f"{in_words(values[u])} → {in_words(values[v])}" for u, v in moves[:MOST_NAMED]
        )
        more = len(moves) - MOST_NAMED
        rest = f", and {counted(more, 'more', 'more')}" if more > 0 else ""
        yield (
            "Counts are public, so that hardly anybody can change alone: neighbours differ in up "
            f"to {counted(len(moves), 'record', 'records')} at once, such as {told}{rest}."
        )
    yield (
        f"That makes the noise {nearest(ratio, 3)} times as wide as if nothing but the declared "
        f"values were public: ±{_typical(first)} in place of ±{_typical(other)} for "
        f"{first.query!r}."
    )
    found = [
        f"{what}: ±{error}" for what, error in _helping(asked, noise, file) if error is not None
    ]
    if found:
        yield f"What would help ({first.query!r}): {'; '.join(found)}."


def _helping(asked: ReleaseStudy, noise: Noise, file: Path) -> Iterator[tuple[str, str | None]]:
    """Yield changes of the study, each with the error that the first query would then have."""
    content = load(file)["policy"]
    for what, changed in list(_changes(content, asked.people))[:MOST_TRIED]:
        try:
            policy = read_policy(StudyTable.of(file, "policy", changed))
            own = noise.protection
            other = PrivacyUnit(policy, own.absent, own.rows_per_person, own.people)
            made = calibrated(other, asked.queries, _allowed(asked), asked.reading.columns)
        except LeaktightError:
            continue
        yield what, _typical(made.expected[0])


def _changes(
    content: Mapping[str, Any], people: str | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield coarser margins, and attributes of theirs that are not secret."""
    margins = list(content.get("margins", ()))
    for key in margins:
        parts = [part.strip() for part in key.split(",")]
        others = [each for each in margins if each != key]
        for part in parts if len(parts) > 1 else ():
            rest = ", ".join(each for each in parts if each != part)
            yield f"only {rest} public, not {key}", {**content, "margins": [*others, rest]}
        if len(parts) == 1 and others:
            yield f"{key} not public", {**content, "margins": others}
    attributes = content.get("attributes")
    used = list(dict.fromkeys(p.strip() for key in margins for p in key.split(",")))
    if people != CHANGE and "absent" not in content and isinstance(attributes, dict) and used:
        plain = {name: _no_secret(attributes[name]) for name in used if name in attributes}
        told = f"{' and '.join(used)} not secret"
        yield told, {**content, "attributes": {**attributes, **plain}}


def _no_secret(attribute: Any) -> dict[str, Any]:
    """Return an attribute of which no two values are a secret pair."""
    values = attribute["values"] if isinstance(attribute, dict) else attribute
    listed = list(range(values)) if isinstance(values, int) else list(values)
    return {"secrets": "partition", "groups": [[v] for v in listed]}


def _allowed(asked: ReleaseStudy) -> Allowance:
    assert asked.allowed is not None
    return asked.allowed


def _typical(error: Expected) -> str:
    return nearest(float(error.cell) ** 0.5)
