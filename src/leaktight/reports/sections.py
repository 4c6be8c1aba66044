"""What does a report say, section by section?

The words and tables are the same on every page, HTML or Markdown. They show the answers and compute
nothing; a number is only rounded.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from leaktight.exact.shown import DIGITS, above, counted, percent, percent_above
from leaktight.reports.figure import short_label
from leaktight.reports.heat import MOST_NAMED
from leaktight.reports.person import informed
from leaktight.reports.table import Table
from leaktight.reports.wording import (
    LONGEST,
    AtLeast,
    AtMost,
    Cell,
    as_odds,
    as_private,
    away,
    bits,
    exactly,
    if_short,
    missing,
    quoted,
    rounded,
)
from leaktight.studies.answers import (
    Answers,
    Informed,
    MechanismShown,
    Privacy,
    PublicFound,
    PublishedBound,
    Skipped,
    Usefulness,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, and the numbers; a chart of the same name may stand between them."""

    name: str
    title: str
    text: tuple[str, ...]
    table: Table | None = None
    caption: str = ""
    """What to see in the chart."""
    code: tuple[str, ...] = ()
    """Lines to copy."""


def sections(answers: Answers, command: str | None, every: object = None) -> Iterator[Section]:
    """Return what the answers say, part by part, without the parts that were not computed."""
    known = answers.person.informed
    yield _policy(answers)
    if levels := tuple(_levels(answers)):
        yield Section("privacy", "How private it is", levels)
    if answers.mechanism is not None:
        yield _mechanism(answers, answers.mechanism)
    if answers.public is not None:
        yield _public(answers.public)
    if isinstance(known, Informed) and known.belief:
        yield _belief(answers, known)
    if isinstance(known, Informed) and not isinstance(known.curve, Skipped):
        yield _repetition(answers, known)
    if not all(isinstance(p, Skipped) for p in (answers.leakage, answers.worst_case)):
        yield _leakage(answers)
    if not isinstance(answers.usefulness, Skipped):
        yield _usefulness(answers.usefulness)
    if not isinstance(answers.published, Skipped):
        yield _bounds(answers, answers.published)
    if rows := tuple(missing(answers, every)):
        yield Section("missing", "What was not computed", (), Table(("what", "why"), rows))
    yield _check(answers, command)


# --- the sections --------------------------------------------------------------------------


def _policy(answers: Answers) -> Section:
    policy = answers.policy
    few = "" if policy.inputs is None else f" There are {policy.inputs:,}."
    sees = {
        "record": "The mechanism is applied to each record on its own.",
        "database": "The mechanism sees everything that is secret.",
        "answer": f"The mechanism sees the answer to a query.{few}",
    }
    told = (
        "The two values of a secret pair must be hard to tell apart. Values that are several pairs "
        "apart are protected less, by one factor for each pair."
    )
    if (apart := policy.distances) is not None:
        ends = (f"{rounded(d)} {apart.unit}".rstrip() for d in (apart.nearest, apart.farthest))
        told = (
            "The nearer two values are, the harder they must be to tell apart: by λ at a distance "
            f"of {f'1 {apart.unit}'.rstrip()}, and by λ^d at a distance d. The "
            f"nearest two are {' and the farthest '.join(ends)} apart."
        )
    text = [f"{policy.text}.", told, sees[policy.scope]]
    if policy.is_constrained:
        text.append("What is public ties records together: neighbours may differ in several.")
    if policy.values > len(policy.secrets):
        text.append("The graph is too large to draw.")
    caption = "A line joins each secret pair."
    if policy.distances is not None and policy.places is not None:
        caption = "A map of the values."
    return Section("policy", "Who must not be told apart", tuple(text), caption=caption)


def _levels(answers: Answers) -> Iterator[str]:
    """Yield what was asked and what was found."""
    if answers.question.asked is not None and answers.question.epsilon is None:
        yield (
            f"Asked: {answers.question.asked}. What is seen may tell two neighbours apart no "
            "better than this allows, whatever test is made of it."
        )
    elif answers.question.asked is not None:
        one, other = "one of two neighbours", ""
        if answers.policy.distances is not None:
            one, other = "one of two values at a distance of 1", "; at a distance d it is λ^d"
        yield (
            f"Asked: {answers.question.asked}. No output may be more than λ = e^ε times as likely "
            f"for {one} as for the other{other}."
        )
    if not isinstance(answers.privacy, Privacy):
        return
    level = answers.privacy.level
    if level.worst is None:
        yield "Found: every output is equally likely for neighbours, a ratio of 1 (ε = 0)."
        return
    output, one = map(quoted, (level.worst.output, level.worst.input))
    near = "its neighbour " if answers.policy.distances is None else ""
    other = f"{near}{quoted(level.worst.neighbour)}{away(answers)}"
    if level.ratio is None or level.epsilon is None:
        yield f"Found: the output {output} is possible for {one} but not for {other}."
        return
    apart = answers.policy.distances
    per = "" if apart is None else f" per {apart.unit}" if apart.unit else " at a distance of 1"
    yield (
        f"Found: the output {output} is {exactly(level.ratio, AtMost)} times as likely for {one} "
        f"as for {other} (ε = {above(level.epsilon, DIGITS)}{per}), and nothing "
        f"differs more{' for its distance' if answers.policy.distances else ''}."
    )


def _mechanism(answers: Answers, mechanism: MechanismShown) -> Section:
    size = "noise that is never written out"
    if mechanism.shape is not None:
        rows, columns = mechanism.shape
        kind = "exact fractions" if mechanism.is_exact else "floating-point numbers"
        size = (
            f"{counted(rows, 'input', 'inputs')}, {counted(columns, 'output', 'outputs')}, {kind}"
        )
    text = [f"Mechanism: {mechanism.name}; {size}."]
    if not mechanism.matrix:
        return Section("mechanism", "What is released", (*text, "It is too large to draw."))
    caption = f"Each row is {mechanism.about}. The stronger the colour, the likelier an output is."
    if mechanism.marked is not None:
        row, other, column = mechanism.marked
        one, two = (quoted(mechanism.inputs[k]) for k in (row, other))
        caption += (
            f" Framed is where it is worst{_alone(answers, mechanism.inputs[row])}: the output "
            f"{quoted(mechanism.outputs[column])}, for {one} and for {two}."
        )
    inputs, outputs = _labels(mechanism.inputs), _labels(mechanism.outputs)
    if max(len(inputs), len(outputs)) > MOST_NAMED:
        return Section("mechanism", "What is released", tuple(text), caption=caption)
    rows_of = zip(inputs, mechanism.matrix, strict=True)
    table = Table(("input", *outputs), tuple((name, *entries) for name, entries in rows_of))
    return Section("mechanism", "What is released", tuple(text), table, caption)


def _public(public: PublicFound) -> Section:
    """What public counts do: one table of what one guess is worth, and at what ε."""
    rows: list[tuple[Cell, ...]] = []
    if not isinstance(told := public.told, Skipped):
        rows.append(("one guess about one person, nothing public", percent(told.before)))
        if told.are_named:
            rows.append(("with the counts alone", percent(told.after)))
        else:
            rows.append(("with the counts alone, on average at most", percent_above(told.after)))
    if not isinstance(odds := public.odds, Skipped):
        if isinstance(told, Skipped):
            rows.append(("with the counts alone, at most", percent_above(odds.before)))
        rows.append(("after this release, at most", percent_above(odds.after)))
    rows.append(("records that may change at once", public.reach))
    if not isinstance(way := public.recommended_epsilon, Skipped):
        rows.append((f"ε for each {way.of} that keeps what was asked", AtLeast(way.epsilon)))
        of_noise = way.of != "record"
        kind = "mean size of the noise" if of_noise else "answers that are not true"
        shown = (lambda e: rounded(float(e))) if of_noise else percent
        rows.append((f"{kind}, made for the counts", shown(way.error)))
        rows.append((f"{kind}, if nothing were public", shown(way.plain_error)))
    table = Table(("what", "how much"), tuple(rows))
    return Section("public", "What the public counts do", public.text, table)


def _alone(answers: Answers, framed: str) -> str:
    worst = None if isinstance(answers.privacy, Skipped) else answers.privacy.level.worst
    return "" if worst is not None and worst.input == framed else " for one record alone"


def _leakage(answers: Answers) -> Section:
    text = []
    if not isinstance(leak := answers.leakage, Skipped):
        most = "leaks" if leak.is_exact else "leaks at most"
        text.append(
            f"Whatever was believed before, the mechanism {most} {bits(AtMost(leak.bits))} about "
            f"{leak.about}, at worst."
        )
    if not isinstance(worst := answers.worst_case, Skipped):
        attained = (
            "and one leaks as much"
            if worst.is_exact
            else f"and one leaks at least {rounded(AtLeast(worst.lower_bits))}"
        )
        if 0.01 < worst.bits - worst.lower_bits < 1:
            attained += ": the worst case is known to within one bit"
        text.append(
            f"No mechanism {as_private(answers)} leaks more than {bits(AtMost(worst.bits))} "
            f"({rounded(AtMost(worst.nats))} nats) about {worst.about}, {attained}."
        )
        if odds := as_odds(worst.bits):
            text.append(f"{bits(AtMost(worst.bits))} leak: {odds}.")
    points = () if isinstance(answers.by_epsilon, Skipped) else answers.by_epsilon
    rows = tuple(
        (p.epsilon, AtMost(p.worst), AtMost(p.tightest), _at_most(p.diameters)) for p in points
    )
    head = ("ε", "worst case (bits)", "tightest published bound", "Theorem 11 of [Edwards2021]")
    table = Table(head, rows) if rows else None
    heading = "How much can leak" + (" of all records" if answers.policy.records > 1 else "")
    return Section("leakage", heading, tuple(text), table)


def _belief(answers: Answers, known: Informed) -> Section:
    rows = [(short_label(b.value, LONGEST // 2), b.before, b.after) for b in known.belief]
    output = "" if known.telling is None else quoted(known.telling.output)
    return Section(
        "belief",
        "What one output tells of a person",
        (f"What is believed before and after the most telling output, {output}, by "
         f"{informed(answers)}.",),
        Table(("value", "before", "after"), tuple(rows)),
    )  # fmt: skip


def _repetition(answers: Answers, known: Informed) -> Section:
    curve = () if isinstance(known.curve, Skipped) else known.curve
    text = [
        f"How likely the best guess of {answers.question.what} is right, by "
        f"{informed(answers)}, if the same secret is released again and again with fresh noise."
    ]
    if curve[-1].observations < answers.question.observations:
        text.append(
            f"Beyond {curve[-1].observations:,} observations so many outcomes can be seen that "
            "counting them takes long."
        )
    wide = any(point.lower < point.upper for point in curve)
    caption = "Where there is a band, only its ends are known." if wide else ""
    if answers.question.below is not None:
        text.append(f"The threshold that was asked for is {exactly(answers.question.below)}.")
    rows = tuple(
        (p.observations, AtLeast(p.lower), AtMost(p.upper), if_short(p.exact)) for p in curve
    )
    head = ("observations", "at least", "at most", "exactly")
    return Section("repetition", "What repetition tells", tuple(text), Table(head, rows), caption)


def _bounds(answers: Answers, bounds: tuple[PublishedBound, ...]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    if not isinstance(worst := answers.worst_case, Skipped):
        kind = "exact worst case" if worst.is_exact else "worst case, upper end"
        found = f"nothing; found by {worst.route}"
        most = AtMost(worst.bits), AtMost(worst.nats)
        rows.append(("leaktight", kind, *most, _factor(worst.factor), found))
    rows += [
        (b.source, b.form, AtMost(b.bits), AtMost(b.nats), _factor(b.factor), b.assumes)
        for b in bounds
    ]
    return Section(
        "bounds",
        "What the papers promise",
        (f"Each is an upper bound for every mechanism that is {as_private(answers)}.",),
        Table(("source", "form", "bits", "nats", "factor", "assumes"), tuple(rows)),
    )


def _usefulness(useful: Usefulness) -> Section:
    better = "larger" if useful.kind == "expected gain" else "smaller"
    text = [f"The {useful.kind} of {useful.about}, as a release tells of it; {better} is better."]
    if useful.about == "the answer":
        text.append("This is not about one person.")
    named = (
        ("without a release", useful.before),
        ("this mechanism", useful.this),
        ("best possible", useful.best),
        ("proved limit", useful.limit),
    )
    rows = tuple(
        (name, if_short(number), float(number)) for name, number in named if number is not None
    )
    if useful.gap is not None:
        text.append(f"The best possible one is proved to be {_how_good(useful)}.")
    head = ("mechanism", "exactly", "rounded")
    return Section("usefulness", "How useful it is", tuple(text), Table(head, rows))


def _how_good(useful: Usefulness) -> str:
    assert useful.gap is not None
    assert useful.best is not None
    assert useful.limit is not None
    if useful.gap == 0:
        return "the best"
    near = f"within {exactly(useful.gap, AtMost)} of the limit"
    shown = {rounded(float(number)) for number in (useful.best, useful.limit)}
    return f"the best, up to rounding: {near}" if len(shown) == 1 else near


def _check(answers: Answers, command: str | None) -> Section:
    question, text, code = answers.question, [], []
    if command is not None:
        text.append("The command gives the same numbers again.")
        code.append(command)
    if (certificate := answers.certificate) is not None:
        name = PurePath(certificate.file).name
        text.append(f"{name} proves {certificate.proves}; leaktight verify checks it.")
        code.append(shlex.join(["leaktight", "verify", name]))
    elif command is not None and getattr(answers.worst_case, "is_certified", False):
        text.append("No certificate was written; --certificate writes one.")
    rows = (
        ("version", f"leaktight {answers.version}"),
        ("policy", answers.policy.text),
        ("mechanism", None if answers.mechanism is None else answers.mechanism.name),
        ("asked", question.asked),
        ("guessed", question.what),
        ("observations", question.observations),
        ("threshold", None if question.below is None else exactly(question.below)),
        *((file.name, f"sha256 {file.sha256}") for file in answers.files),
    )
    return Section(
        "check", "How to check it", tuple(text), Table(("what", "value"), rows), code=tuple(code)
    )


def _at_most(value: float | None) -> AtMost | None:
    return None if value is None else AtMost(value)


def _factor(text: str) -> str | None:
    return text if len(text) <= LONGEST // 2 else None


def _labels(labels: tuple[str, ...]) -> list[str]:
    return [short_label(label, LONGEST // 2) for label in labels]
