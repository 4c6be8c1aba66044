"""An audit as a document: all of it for a page, or a summary for a terminal.

The words and tables are the same in every form. They show the answers and compute nothing; a number
is only rounded. What a report says of a part is a function of the answers in ``SECTIONS``, which is
None if it has nothing to say, and what a summary says one in ``FACTS``.
"""

import shlex
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePath

from leaktight.errors import InvalidInput
from leaktight.exact.shown import (
    BOUND_DIGITS,
    DIGITS,
    above,
    below,
    counted,
    nearest,
    percent,
    percent_above,
)
from leaktight.files import new_file
from leaktight.reports.document import (
    Advice,
    Block,
    Chart,
    Document,
    Facts,
    Notes,
    Paragraph,
    Section,
    Slider,
    Table,
    Verdict,
    section,
)
from leaktight.reports.figure import short_label
from leaktight.reports.person import guessing, informed
from leaktight.reports.text import to_text
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
from leaktight.studies.answers import Answers, PresenceRates, Usefulness

PAGES = (".html", ".htm", ".md")
"""How the name of a page ends."""

A_BIT = "Each bit doubles the chance to guess all records right at once"
"""What bits about all records mean."""

MOST_NAMED = 40
"""The most rows and columns of a mechanism that are listed."""


def write_report(audit: Answers, path: str | Path) -> None:
    """Write an audit as a page: HTML with pictures, or Markdown, as the name ends in .html or .md.

    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.studies import Study, audit
    >>> found = audit(Study(Policy(SecretGraph.complete(["no", "yes"])), ratio=3, title="A vote"))
    >>> with TemporaryDirectory() as folder:
    ...     write_report(found, Path(folder) / "vote.md")
    ...     print((Path(folder) / "vote.md").read_text()[:8])
    # A vote
    """
    file = Path(path)
    kind = file.suffix.lower()
    if kind not in PAGES:
        raise InvalidInput(f"a report must end in .html or .md, got {file}")
    written = markdown(audit) if kind == ".md" else html(audit)
    with new_file(file) as opened:
        opened.write(written)


def html(answers: Answers, *, command: str | None = None) -> str:
    """Return the report on an audit as one HTML file; ``command`` is what reproduces it."""
    from leaktight.reports.page import to_html

    return to_html(report(answers, command, moves=True))


def markdown(answers: Answers, *, command: str | None = None) -> str:
    """Return the report as Markdown, with the same words and numbers, without pictures."""
    from leaktight.reports.markdown import to_markdown

    return to_markdown(report(answers, command))


def summary(answers: Answers) -> str:
    """Return an audit as text of 80 columns, as ``leaktight audit`` prints it.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.studies import Study, audit
    >>> policy = Policy(SecretGraph.complete(["no", "yes"]), records=1000)
    >>> survey = Study(policy, RandomizedResponse(["no", "yes"], ratio=3), what="one answer")
    >>> print("\\n".join(summary(audit(survey)).splitlines()[5:9]))
    Guessing one answer                             before  after 1  after 10
      adversary (sees the release)                     50%      75%     95.1%
      anyone, any mechanism as private as this one     50%    ≤ 75%    ≤ 100%
    """
    return to_text(summarised(answers))


def report(answers: Answers, command: str | None = None, *, moves: bool = False) -> Document:
    """Return all that an audit says.

    :param answers: the audit
    :param command: what reproduces it
    :param moves: whether the reader can move a slider for ε
    """
    person = guessing(answers)
    every = answers.every_epsilon if moves else None
    blocks: list[Block] = [
        Verdict(answers.verdict.line, answers.verdict.holds, person.headline),
        *_advice(answers),
        *([Notes(answers.warnings)] if answers.warnings else []),
        person,
    ]
    if every:
        from leaktight.reports.slider import slider

        blocks.append(Slider(partial(slider, every)))
    blocks += [made for of in SECTIONS if (made := of(answers)) is not None]
    if rows := tuple(missing(answers, later=moves)):
        table = Table(("what", "why"), rows)
        blocks.append(section("missing", "What was not computed", table=table, is_wide=True))
    blocks.append(_check(answers, command))
    return Document(answers.title, tuple(blocks), answers.version)


def summarised(answers: Answers) -> Document:
    """Return an audit in few words: the person first, then numbers."""
    blocks: list[Block] = [Verdict(answers.verdict.line), *_worst(answers), *_advice(answers)]
    blocks += [Notes(answers.warnings)] if answers.warnings else []
    blocks += [guessing(answers), Facts(tuple(fact for of in FACTS for fact in of(answers)))]
    blocks += [Paragraph(f"not computed: {what}: {why}", "  ") for what, why in missing(answers)]
    if certificate := answers.certificate:
        verify = shlex.join(["leaktight", "verify", certificate.file])
        proves = (Paragraph(f"  It proves {certificate.proves}.", "  "), Paragraph(f"  {verify}"))
        blocks.append(Section("", f"certificate: {certificate.file}", proves))
    return Document(answers.title, tuple(blocks), answers.version)


def _advice(answers: Answers) -> Iterator[Block]:
    """Say how strong what is asked for is, and which line of the study would make it stronger."""
    if found := answers.advice:
        where = "[release]" if answers.policy.scope == "table" else "[question]"
        line = f"{where} {found.setting}" if found.setting else ""
        yield Advice(found.rank, " ".join(found.text), line)


def _worst(answers: Answers) -> Iterator[Block]:
    worst = answers.privacy.level.worst if answers.privacy else None
    if worst is not None:
        stay = f"; {counted(worst.others, 'other stays', 'others stay')}" if worst.others else ""
        yield Paragraph(
            f"Worst pair: {worst.input} vs {worst.neighbour}{away(answers)}, at output "
            f"{worst.output}{stay}."
        )


def _policy_fact(answers: Answers) -> Iterator[tuple[str, str]]:
    yield "policy", answers.policy.text


def _leakage_fact(answers: Answers) -> Iterator[tuple[str, str]]:
    if leak := answers.leakage:
        most = "" if leak.is_exact else "at most "
        yield "leakage", f"{most}{bits(AtMost(leak.bits))} about {leak.about}, under any prior"


def _worst_case_fact(answers: Answers) -> Iterator[tuple[str, str]]:
    if worst := answers.worst_case:
        some = "; some leaks as much" if worst.is_exact else ""
        yield (
            "any mechanism",
            f"{as_private(answers)} leaks at most {bits(AtMost(worst.bits))} about "
            f"{worst.about}{some}",
        )
        if answers.policy.records > 1:
            yield "", f"{A_BIT[0].lower()}{A_BIT[1:]}"


def _bounds_facts(answers: Answers) -> Iterator[tuple[str, str]]:
    if bounds := answers.published:
        tight, loose = bounds[0], [bounds[0], *(b for b in bounds if b.form != "|X|")][-1]
        yield "published", f"at most {bits(AtMost(tight.bits))} by {tight.source}"
        if loose.bits > tight.bits:
            yield "", f"at most {bits(AtMost(loose.bits))} by {loose.source}"


def _public_facts(answers: Answers) -> Iterator[tuple[str, str]]:
    """What public counts do, in few words; the report has more."""
    if (public := answers.public) is None:
        return
    most = "up to" if public.is_exact else "at most"
    at_once = f"{most} {public.reach:,} records change at once"
    if way := public.recommended_epsilon:
        at_once += f"; ε = {below(way.epsilon, DIGITS)} for each {way.of} keeps what was asked"
        if way.of == "record":
            at_once += f", and {percent(way.error)} of the answers are not true"
        else:
            at_once += f", with noise of {nearest(float(way.error))} on average"
    yield "public counts", at_once
    if told := public.told:
        after = percent(told.after)
        if not told.are_named:
            after = f"at most {percent_above(told.after)} on average"
        chances = f"{after}, without them {percent(told.before)}"
        yield "", f"one guess about one person with the counts alone: {chances}"
    odds = public.odds
    if odds and odds.epsilon is not None:
        yield (
            "",
            f"no output changes one person's odds by more than ε = {above(odds.epsilon, DIGITS)}, "
            "for records believed to be independent and alike; otherwise nothing is promised",
        )


def _usefulness_fact(answers: Answers) -> Iterator[tuple[str, str]]:
    if not (useful := answers.usefulness):
        return
    parts = [
        f"{words}{nearest(float(number), BOUND_DIGITS)}"
        for words, number in (("", useful.this), ("best possible ", useful.best))
        if number is not None
    ]
    before = (
        "" if useful.before is None else f"; {nearest(float(useful.before), BOUND_DIGITS)} before"
    )
    yield "usefulness", f"{useful.kind} of {useful.about}: {', '.join(parts)}{before}"


def _membership_facts(answers: Answers) -> Iterator[tuple[str, str]]:
    if not (found := answers.person.membership):
        return
    for k, each in enumerate(found.found):
        at = dict(each.rates)[Fraction(1, 100)]
        yield (
            "membership" if k == 0 else "",
            f"{each.whose}: advantage {_rate(each, each.advantage)}; "
            f"{_rate(each, at)} found at 1% false positives",
        )


def _release_facts(answers: Answers) -> Iterator[tuple[str, str]]:
    if not (found := answers.release):
        return
    for k, each in enumerate(found.queries):
        off = f" ± {nearest(each.error, 3)}" if each.noise else ", exactly"
        off = off if each.is_of_numbers else f" from counts{off}"
        numbers = counted(each.numbers, "number", "numbers")
        yield "release" if k == 0 else "", f"{each.name} ({each.kind}): {numbers}{off}"
    for k, one in enumerate(found.attributes if len(found.attributes) > 1 else ()):
        chances = f"{percent(one.before)} → ≤ {percent_above(one.after)}"
        yield "one attribute" if k == 0 else "", f"{one.attribute}: {chances}, all others known"
    if ledger := found.ledger:
        told = f"{ledger.unit} ≤ {above(ledger.spent)} of {ledger.budget} spent"
        yield "ledger", f"{told}, in {ledger.file}"


FACTS: tuple[Callable[[Answers], Iterator[tuple[str, str]]], ...] = (
    _policy_fact, _membership_facts, _release_facts, _public_facts, _leakage_fact,
    _worst_case_fact, _bounds_facts,
    _usefulness_fact,
)  # fmt: skip
"""What a summary says, part by part: nothing of what has no answer."""


# --- the sections --------------------------------------------------------------------------


def _policy(answers: Answers) -> Section:
    policy = answers.policy
    few = "" if policy.inputs is None else f" There are {policy.inputs:,}."
    sees = {
        "record": "The mechanism is applied to each record on its own.",
        "database": "The mechanism sees everything that is secret.",
        "answer": f"The mechanism sees the answer to a query.{few}",
        "table": "Numbers about the whole table are published.",
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
    chart = _chart("policy", answers, caption)
    return section("policy", "Who must not be told apart", text, chart=chart)


def _privacy(answers: Answers) -> Section | None:
    levels = tuple(_levels(answers))
    return section("privacy", "How private it is", levels) if levels else None


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
    if not answers.privacy:
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


def _mechanism(answers: Answers) -> Section | None:
    if (mechanism := answers.mechanism) is None or answers.policy.scope == "table":
        return None
    heading = ("mechanism", "What is released")
    size = "noise that is never written out"
    if mechanism.shape is not None:
        rows, columns = mechanism.shape
        kind = "exact fractions" if mechanism.is_exact else "floating-point numbers"
        size = (
            f"{counted(rows, 'input', 'inputs')}, {counted(columns, 'output', 'outputs')}, {kind}"
        )
    text = [f"Mechanism: {mechanism.name}; {size}."]
    if not mechanism.matrix:
        return section(*heading, [*text, "It is too large to draw."])
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
        return section(*heading, text, chart=_chart("mechanism", answers, caption))
    rows_of = zip(inputs, mechanism.matrix, strict=True)
    table = Table(("input", *outputs), tuple((name, *entries) for name, entries in rows_of))
    return section(*heading, text, chart=_chart("mechanism", answers, caption), table=table)


def _membership(answers: Answers) -> Section | None:
    """How well it is told whether a person is there."""
    if not (found := answers.person.membership):
        return None
    text = (
        "A test says whether a person is there, from what is published. Its false positive rate is "
        "how often it says so of somebody who is absent, its true positive rate how often of "
        "somebody who is there; its advantage is the difference of the two."
    )
    rows: list[tuple[Cell, ...]] = [
        ("advantage", *(_rate(each, each.advantage) for each in found.found))
    ]
    for k, (false, _) in enumerate(found.found[0].rates):
        told = (_rate(each, each.rates[k][1]) for each in found.found)
        rows.append((f"true positives at {percent(false)} false ones", *told))
    head = ("membership", *(each.whose for each in found.found))
    return section("membership", "Whether a person is there", [text],
                   table=Table(head, tuple(rows)))  # fmt: skip


def _rate(found: PresenceRates, rate: Fraction) -> str:
    return percent(rate) if found.is_exact else f"≤ {percent_above(rate)}"


def _release(answers: Answers) -> Section | None:
    """What is published of a table, and what it tells of one attribute of a person."""
    if not (found := answers.release):
        return None
    text = [f"“{found.name}”, from {found.source}; neighbours: {found.neighbours}.", *found.text]
    if ledger := found.ledger:
        text.append(
            f"The ledger {ledger.file} has {counted(len(ledger.releases), 'release', 'releases')}: "
            f"{ledger.unit} ≤ {above(ledger.spent)} of {ledger.budget} is spent, and "
            f"{ledger.unit} = {below(ledger.left)} is left."
        )
    rows: list[tuple[Cell, ...]] = [
        (each.name, each.kind, each.numbers, each.noise, each.error) for each in found.queries
    ]
    head = ("query", "kind", "numbers", "noise", "standard deviation")
    blocks: list[Block] = [*map(Paragraph, text), Table(head, tuple(rows))]
    if found.attributes:
        told = (
            (each.attribute, rise.value, percent(rise.before), f"≤ {percent_above(rise.after)}")
            for each in found.attributes
            for rise in each.values
        )
        blocks.append(Table(("attribute", "value", "before", "after"), tuple(told)))
    return Section("release", "What is published", tuple(blocks))


def _public(answers: Answers) -> Section | None:
    """What public counts do: one table of what one guess is worth, and at what ε."""
    if (public := answers.public) is None:
        return None
    rows: list[tuple[Cell, ...]] = []
    if told := public.told:
        rows.append(("one guess about one person, nothing public", percent(told.before)))
        if told.are_named:
            rows.append(("with the counts alone", percent(told.after)))
        else:
            rows.append(("with the counts alone, on average at most", percent_above(told.after)))
    if odds := public.odds:
        if not told:
            rows.append(("with the counts alone, at most", percent_above(odds.before)))
        rows.append(("after this release, at most", percent_above(odds.after)))
    rows.append(("records that may change at once", public.reach))
    if way := public.recommended_epsilon:
        rows.append((f"ε for each {way.of} that keeps what was asked", AtLeast(way.epsilon)))
        of_noise = way.of != "record"
        kind = "mean size of the noise" if of_noise else "answers that are not true"
        shown = (lambda e: rounded(float(e))) if of_noise else percent
        rows.append((f"{kind}, made for the counts", shown(way.error)))
        rows.append((f"{kind}, if nothing were public", shown(way.plain_error)))
    table = Table(("what", "how much"), tuple(rows))
    return section("public", "What the public counts do", public.text, table=table)


def _alone(answers: Answers, framed: str) -> str:
    worst = answers.privacy.level.worst if answers.privacy else None
    return "" if worst is not None and worst.input == framed else " for one record alone"


def _leakage(answers: Answers) -> Section | None:
    if not answers.leakage and not answers.worst_case:
        return None
    text = []
    if leak := answers.leakage:
        most = "leaks" if leak.is_exact else "leaks at most"
        text.append(
            f"Whatever was believed before, the mechanism {most} {bits(AtMost(leak.bits))} about "
            f"{leak.about}, at worst."
        )
    if worst := answers.worst_case:
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
    if answers.policy.records > 1:
        text.append(f"{A_BIT}; for one person, the odds at the top count.")
    points = answers.by_epsilon or ()
    rows = tuple(
        (p.epsilon, AtMost(p.worst), AtMost(p.tightest), _at_most(p.diameters)) for p in points
    )
    head = ("ε", "worst case (bits)", "tightest published bound", "Theorem 11 of [Edwards2021]")
    table = Table(head, rows) if rows else None
    heading = "How much can leak" + (" of all records" if answers.policy.records > 1 else "")
    return section("leakage", heading, text, chart=_chart("leakage", answers), table=table)


def _belief(answers: Answers) -> Section | None:
    known = answers.person.informed
    if not known or not known.belief:
        return None
    rows = [(short_label(b.value, LONGEST // 2), b.before, b.after) for b in known.belief]
    output = "" if known.speaking is None else quoted(known.speaking)
    whose = f"the one that speaks most for {quoted(known.values[0].value)}" if known.values else ""
    told = (
        f"What is believed before and after the output {output}, {whose}, by {informed(answers)}."
    )
    return section(
        "belief",
        "What one output tells of a person",
        [told],
        chart=_chart("belief", answers),
        table=Table(("value", "before", "after"), tuple(rows)),
    )


def _repetition(answers: Answers) -> Section | None:
    known = answers.person.informed
    if not known or not (curve := known.curve) or curve[-1].observations == 1:
        return None
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
    chart = _chart("repetition", answers, caption)
    return section(
        "repetition", "What repetition tells", text, chart=chart, table=Table(head, rows)
    )


def _bounds(answers: Answers) -> Section | None:
    if not (bounds := answers.published):
        return None
    rows: list[tuple[Cell, ...]] = []
    if worst := answers.worst_case:
        kind = "exact worst case" if worst.is_exact else "worst case, upper end"
        found = f"nothing; found by {worst.route}"
        most = AtMost(worst.bits), AtMost(worst.nats)
        rows.append(("leaktight", kind, *most, _factor(worst.factor), found))
    rows += [
        (b.source, b.form, AtMost(b.bits), AtMost(b.nats), _factor(b.factor), b.assumes)
        for b in bounds
    ]
    return section(
        "bounds",
        "What the papers promise",
        [f"Each is an upper bound for every mechanism that is {as_private(answers)}."],
        table=Table(("source", "form", "bits", "nats", "factor", "assumes"), tuple(rows)),
        is_wide=True,
        is_folded=True,
    )


def _usefulness(answers: Answers) -> Section | None:
    if not (useful := answers.usefulness):
        return None
    better = "larger" if useful.kind == "expected gain" else "smaller"
    what = f"The {useful.kind} of {useful.about}, as a release tells of it"
    if useful.before is not None:
        what = f"How often the best guess of {useful.about} is right, by what a release tells of it"
    text = [f"{what}; {better} is better."]
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
    return section("usefulness", "How useful it is", text, table=Table(head, rows))


def _how_good(useful: Usefulness) -> str:
    assert useful.gap is not None
    assert useful.best is not None
    assert useful.limit is not None
    if useful.gap == 0:
        return "the best"
    near = f"within {exactly(useful.gap, AtMost)} of the limit"
    shown = {rounded(float(number)) for number in (useful.best, useful.limit)}
    return "the best, up to rounding" if len(shown) == 1 else near


def _check(answers: Answers, command: str | None) -> Section:
    question, text, code = answers.question, [], []
    if command is not None:
        text.append("The command gives the same numbers again.")
        code.append(command)
    if (certificate := answers.certificate) is not None:
        name = PurePath(certificate.file).name
        text.append(f"{name} proves {certificate.proves}; leaktight verify checks it.")
        code.append(shlex.join(["leaktight", "verify", name]))
    elif command is not None and answers.worst_case and answers.worst_case.is_certified:
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
    table = Table(("what", "value"), rows)
    return section("check", "How to check it", text, code=code, table=table, is_wide=True)


SECTIONS: tuple[Callable[[Answers], Section | None], ...] = (
    _policy, _privacy, _mechanism, _release, _membership, _public, _belief, _repetition, _leakage,
    _usefulness, _bounds,
)  # fmt: skip
"""What a report says, part by part."""


def _chart(name: str, answers: Answers, caption: str = "") -> Chart:
    def draw() -> str | None:
        from leaktight.reports.charts import CHARTS

        return CHARTS[name](answers)

    return Chart(draw, caption)


def _at_most(value: float | None) -> AtMost | None:
    return None if value is None else AtMost(value)


def _factor(text: str) -> str | None:
    return text if len(text) <= LONGEST // 2 else None


def _labels(labels: tuple[str, ...]) -> list[str]:
    return [short_label(label, LONGEST // 2) for label in labels]
