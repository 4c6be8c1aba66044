"""What is the answer to a study, in a line, and what does it mean for one person?"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from leaktight.exact.shown import DIGITS, above, apart, percent
from leaktight.reports.charts import Facts, own_bits
from leaktight.reports.wording import AtMost, as_private, exactly, quoted, rounded

Named: TypeAlias = tuple[tuple[str, str], ...]
"""Texts, each with its name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands first in a report."""

    holds: bool | None
    title: str
    """The answer in a line."""
    text: tuple[str, ...]
    """What was asked, and what was found."""
    persons: Named
    """What an attacker knows of one person, each text with its heading."""
    warnings: tuple[str, ...]
    numbers: tuple[tuple[str, Named], ...]
    """The few numbers that matter most, by what they are about."""


def verdict(facts: Facts) -> Verdict:
    """Return the answer that the facts of an audit give."""
    attacker = facts["attacker"]
    sees = "the answer for one record" if facts["policy"]["tied"] else "what it releases"
    told = (
        (f"To those who see {sees}", attacker["of this mechanism"]),
        ("To those who see the answers for all records", attacker["of all answers"]),
        (f"Under any mechanism that is {as_private(facts)}", attacker["of any mechanism"]),
    )
    return Verdict(
        facts["holds"],
        _answer(facts),
        tuple(_levels(facts)),
        tuple((title, " ".join(each["text"].split())) for title, each in told if each is not None),
        tuple(facts["warnings"]),
        tuple((title, named) for title, named in _numbers(facts) if named),
    )


def _answer(facts: Facts) -> str:
    level = facts["privacy"]
    if facts["mechanism"] is None:
        return "No mechanism is given: this is what any may tell."
    if level is None:
        return "How private it is could not be computed."
    if facts["holds"] is not None:
        return (
            "Yes: it is as private as asked."
            if facts["holds"]
            else "No: it is less private than asked."
        )
    if level["epsilon"] is None:
        return "It is private at no ε."
    return f"It is private at ε = {above(level['epsilon'], DIGITS)}."


def _levels(facts: Facts) -> Iterator[str]:
    if facts["asked"] is not None:
        yield (
            f"Asked: a ratio of at most {facts['asked']['text']}. No output may be more than that "
            "many times as likely for one of two neighbours as for the other."
        )
    level = facts["privacy"]
    if level is None:
        return
    worst = level["worst"]
    if worst is None:
        yield "Found: every output is equally likely for neighbours, a ratio of 1 (ε = 0)."
        return
    output, one, other = (quoted(worst[key]) for key in ("output", "input", "neighbour"))
    if level["epsilon"] is None:
        yield f"Found: the output {output} is possible for {one} but not for its neighbour {other}."
        return
    asked, found = _epsilons(facts)
    times = exactly(level["ratio"], AtMost)
    yield (
        f"Found: the output {output} is {times} times as likely for {one} as for "
        f"its neighbour {other} (ε = {found}), and nothing differs more."
    )
    if facts["holds"] is False and asked == found:
        yield "That is more than asked, if only by a hair."


def _epsilons(facts: Facts) -> tuple[str | None, str | None]:
    """Return the ε that was asked for and the one that was found, as far as there are any."""
    asked, level = facts["asked"], facts["privacy"]
    if facts["holds"] is False and level["epsilon"] is not None:
        return apart(asked["epsilon"], level["epsilon"])
    found = None
    if level is not None:
        found = "infinite" if level["epsilon"] is None else above(level["epsilon"], DIGITS)
    return None if asked is None else above(asked["epsilon"], DIGITS), found


def _numbers(facts: Facts) -> Iterator[tuple[str, Named]]:
    asked, found = _epsilons(facts)
    yield "Privacy, as ε", _given(("asked", asked), ("found", found))
    seen = facts["attacker"]["of this mechanism"] or facts["attacker"]["of any mechanism"]
    if seen is not None:
        yield "A right guess", tuple(_guesses(facts, seen))
    own, worst = own_bits(facts), facts["worst case"]
    yield (
        f"Leakage about {facts['policy']['about']['all']} at worst, in bits",
        _given(
            ("this mechanism", None if own is None else rounded(AtMost(own))),
            (
                f"any {as_private(facts)}",
                None if worst is None else rounded(AtMost(worst["upper bits"])),
            ),
        ),
    )
    useful = facts["usefulness"]
    if useful is not None:
        names = {"this mechanism": "this mechanism", "best": "best possible"}
        yield (
            useful["kind"].capitalize(),
            tuple((name, exactly(useful[key])) for key, name in names.items() if key in useful),
        )


def _guesses(facts: Facts, seen: Facts) -> Iterator[tuple[str, str]]:
    """Name each chance; where other records' answers tell more, say which are seen."""
    yield "before", percent(Fraction(seen["before"]["float"]))
    alone = "one answer, " if facts["policy"]["tied"] else ""
    for each in seen["after"]:
        told = each["text"].removeprefix("exactly ").removeprefix("about ")
        yield f"{alone}after {rounded(each['observations'])}", told
    if (together := facts["attacker"]["of all answers"]) is not None:
        yield "all answers", together["after"]["percent"]
        if (telling := together["most telling"]) is not None:
            yield "the most telling", telling["after"]["percent"]


def _given(*named: tuple[str, str | None]) -> Named:
    return tuple((name, text) for name, text in named if text is not None)
