"""How does an audit read on a terminal? A summary of 80 columns: the person first, then numbers."""

import shlex
from collections.abc import Iterator

from leaktight.exact.shown import (
    BOUND_DIGITS,
    DIGITS,
    NARROWEST,
    above,
    below,
    counted,
    nearest,
    percent,
    percent_above,
    width,
    wrapped,
)
from leaktight.reports.person import guessing
from leaktight.reports.wording import AtMost, as_private, away, bits, missing
from leaktight.studies.answers import Answers, Privacy, PublicFound, Skipped, Usefulness


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
    title = _paragraph(answers.title, "")
    lines = [*title, "=" * max(map(len, title)), *_paragraph(answers.verdict.line, "")]
    lines += _worst(answers)
    for told in answers.warnings:
        lines += _paragraph(f"! {told}", "  ")
    lines += [*_person(answers), ""]
    rows = list(_rows(answers))
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        lines += _paragraph(f"{name:<{wide}}  {value}", " " * (wide + 2))
    for what, why in missing(answers):
        lines += _paragraph(f"not computed: {what}: {why}", "  ")
    if certificate := answers.certificate:
        lines += ["", *_paragraph(f"certificate: {certificate.file}", "  ")]
        lines += _paragraph(f"  It proves {certificate.proves}.", "  ")
        lines += [f"  {shlex.join(['leaktight', 'verify', certificate.file])}"]
    return "\n".join(lines)


def _worst(answers: Answers) -> list[str]:
    worst = answers.privacy.level.worst if isinstance(answers.privacy, Privacy) else None
    if worst is None:
        return []
    stay = f"; {counted(worst.others, 'other stays', 'others stay')}" if worst.others else ""
    return _paragraph(
        f"Worst pair: {worst.input} vs {worst.neighbour}{away(answers)}, at output "
        f"{worst.output}{stay}.",
        "",
    )


def _person(answers: Answers) -> Iterator[str]:
    """Yield a table of who guesses right before and after, and then what it rests on."""
    found = guessing(answers)
    if not found.guessers:
        return
    yield ""
    columns = list(zip(found.when, *(one.chances for one in found.guessers), strict=True))
    widths = [max(map(len, column)) for column in columns]
    room = width() - sum(widths) - 2 * len(widths)
    head = _paragraph(found.what, "  ", max(room, NARROWEST // 2))
    names = max([len(head[-1]), *(len(one.who) + 2 for one in found.guessers)])
    yield from head[:-1]
    for name, cells in [
        (head[-1], found.when),
        *((f"  {g.who}", g.chances) for g in found.guessers),
    ]:
        row = "".join(f"  {cell:>{wide}}" for cell, wide in zip(cells, widths, strict=True))
        if names + len(row) <= width():
            yield f"{name:<{names}}{row}"
        else:
            yield from [*_paragraph(name, "  "), row]
    for one in found.guessers:
        if one.text:
            yield from ["", *_paragraph(f"{one.who[:1].upper()}{one.who[1:]}:", "")]
        for sentence in one.text:
            yield from _paragraph(f"  {sentence}", "  ")


def _rows(answers: Answers) -> Iterator[tuple[str, str]]:
    yield "policy", answers.policy.text
    if answers.public is not None:
        yield from _public(answers.public)
    if not isinstance(leak := answers.leakage, Skipped):
        most = "" if leak.is_exact else "at most "
        yield "leakage", f"{most}{bits(AtMost(leak.bits))} about {leak.about}, under any prior"
    if not isinstance(worst := answers.worst_case, Skipped):
        some = "; some leaks as much" if worst.is_exact else ""
        yield (
            "any mechanism",
            f"{as_private(answers)} leaks at most {bits(AtMost(worst.bits))} about "
            f"{worst.about}{some}",
        )
    if not isinstance(bounds := answers.published, Skipped):
        tight, loose = bounds[0], [bounds[0], *(b for b in bounds if b.form != "|X|")][-1]
        yield "published", f"at most {bits(AtMost(tight.bits))} by {tight.source}"
        if loose.bits > tight.bits:
            yield "", f"at most {bits(AtMost(loose.bits))} by {loose.source}"
    if not isinstance(useful := answers.usefulness, Skipped):
        yield "usefulness", _useful(useful)


def _public(public: PublicFound) -> Iterator[tuple[str, str]]:
    """What public counts do, in few words; the report has more."""
    most = "up to" if public.is_exact else "at most"
    at_once = f"{most} {public.reach:,} records change at once"
    if not isinstance(way := public.recommended_epsilon, Skipped):
        at_once += f"; ε = {below(way.epsilon, DIGITS)} for each {way.of} keeps what was asked"
        if way.of == "record":
            at_once += f", and {percent(way.error)} of the answers are not true"
        else:
            at_once += f", with noise of {nearest(float(way.error))} on average"
    yield "public counts", at_once
    if not isinstance(told := public.told, Skipped):
        after = percent(told.after)
        if not told.are_named:
            after = f"at most {percent_above(told.after)} on average"
        chances = f"{after}, without them {percent(told.before)}"
        yield "", f"one guess about one person with the counts alone: {chances}"
    odds = public.odds
    if not isinstance(odds, Skipped) and odds.epsilon is not None:
        yield (
            "",
            f"no output changes one person's odds by more than ε = {above(odds.epsilon, DIGITS)}, "
            "for records believed to be independent and alike; otherwise nothing is promised",
        )


def _useful(useful: Usefulness) -> str:
    parts = [
        f"{words}{nearest(float(number), BOUND_DIGITS)}"
        for words, number in (("", useful.this), ("best possible ", useful.best))
        if number is not None
    ]
    before = (
        "" if useful.before is None else f"; {nearest(float(useful.before), BOUND_DIGITS)} before"
    )
    return f"{useful.kind} of {useful.about}: {', '.join(parts)}{before}"


def _paragraph(text: str, indent: str, room: int | None = None) -> list[str]:
    return wrapped(text, indent, room=room).splitlines()
