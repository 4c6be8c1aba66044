"""How does an audit read on a terminal? A summary of 80 columns: words first, then numbers."""

import shlex
from collections.abc import Iterator
from textwrap import fill
from typing import Any

from leaktight.exact.shown import BOUND_DIGITS, DIGITS, above, apart, nearest

WIDTH = 80


def summary(facts: dict[str, Any]) -> str:
    """Return the answers as text; see :func:`leaktight.studies.answers.facts`."""
    title = _paragraph(facts["title"], "")
    lines = [*title, "=" * max(map(len, title)), *_paragraph(verdict(facts), ""), *_worst(facts)]
    for told in facts["warnings"]:
        lines += _paragraph(f"! {told}", "  ")
    for whence, names in (
        ("from this mechanism", ("of this mechanism", "of all answers")),
        (f"at most, from any mechanism {_as_private(facts)}", ("of any mechanism",)),
    ):
        told = [facts["attacker"][name] for name in names]
        if any(told):
            lines += ["", f"What an attacker learns {whence}"]
            lines += [line for each in told if each for line in _indented(each["text"])]
    lines += [""]
    rows = list(_rows(facts))
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        lines += _paragraph(f"{name:<{wide}}  {value}", " " * (wide + 2))
    for what, why in facts["not computed"].items():
        lines += _paragraph(f"not computed: {what}: {why}", "  ")
    if certificate := facts["certificate"]:
        lines += ["", *_paragraph(f"certificate: {certificate['file']}", "  ")]
        lines += _paragraph(f"  It proves {certificate['proves']}.", "  ")
        lines += [f"  {shlex.join(['leaktight', 'verify', certificate['file']])}"]
    return "\n".join(lines)


def verdict(facts: dict[str, Any]) -> str:
    """Return the answer in one line."""
    level, asked = facts["privacy"], facts["asked"]
    if facts["mechanism"] is None:
        return "No mechanism is given: this is what any may tell."
    if level is None:
        return "How private it is could not be computed."
    name = facts["mechanism"]["name"]
    if asked is None:
        has = "at no ε" if level["epsilon"] is None else f"at ε = {above(level['epsilon'], DIGITS)}"
        return f"{name[:1].upper()}{name[1:]} is private {has}."
    if level["epsilon"] is None:
        return f"NOT PRIVATE as asked: {name} is private at no ε."
    has, most = apart(level["epsilon"], asked["epsilon"])
    if facts["holds"]:
        return f"PRIVATE as asked: {name} has ε = {has}, at most ε = {most}."
    if has == most:
        return f"NOT PRIVATE as asked: {name} has a larger ε than asked, if only by a hair."
    return f"NOT PRIVATE as asked: {name} has ε = {has}, more than ε = {most}."


def _as_private(facts: dict[str, Any]) -> str:
    return "as private as asked" if facts["asked"] is not None else "as private as this one"


def _worst(facts: dict[str, Any]) -> list[str]:
    worst = facts["privacy"] and facts["privacy"]["worst"]
    if not worst:
        return []
    told = f"Worst: output {worst['output']} of {worst['input']} against {worst['neighbour']}."
    return _paragraph(told, "")


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "policy", facts["policy"]["text"]
    about = facts["policy"]["about"]
    if leak := facts["leakage"]:
        before, after = (leak[when]["percent"] for when in ("before", "after"))
        alone = ", by one answer alone" if facts["policy"]["tied"] else ""
        yield "leakage", f"{_above(leak['bits'])}: a guess is right {before} → {after}{alone}"
        yield (
            "at worst",
            f"{_above(leak['at worst']['bits'])} about {about['seen']}, under any prior",
        )
        if leak["all records"]:
            yield "", f"{_above(leak['all records']['bits'])} about {about['all']}"
    if worst := facts["worst case"]:
        some = "; some leaks as much" if worst["exact"] else ""
        yield (
            "any mechanism",
            f"{_as_private(facts)} leaks at most {_above(worst['upper bits'])} "
            f"about {about['all']}{some}",
        )
    if bounds := facts["published bounds"]:
        tight = bounds[0]
        yield "published", f"at most {_above(tight['bits'])} by {tight['source']}"
        if (loose := bounds[-1])["bits"] > tight["bits"]:
            yield "", f"at most {_above(loose['bits'])} by {loose['source']}"
    if useful := facts["usefulness"]:
        parts = []
        for name, words in (("this mechanism", ""), ("best", "best possible ")):
            if name in useful:
                parts.append(f"{words}{_short(useful[name])}")
        yield useful["kind"], ", ".join(parts)


def _short(number: dict[str, Any]) -> str:
    near = number["float"]
    return number["exact"] or "beyond floats" if near is None else nearest(near, BOUND_DIGITS)


def _above(bits: float) -> str:
    """Return bits rounded up, all alike, so that the same number reads the same everywhere."""
    number = above(bits)
    return f"{number} {'bit' if number == '1' else 'bits'}"


def _paragraph(text: str, indent: str) -> list[str]:
    whole = text.replace("ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    filled = fill(whole, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return filled.replace("\N{NO-BREAK SPACE}", " ").splitlines()


def _indented(text: str) -> list[str]:
    """Return sentences, which were broken over lines, in a narrower column."""
    sentences = " ".join(text.splitlines()).replace(". ", ".\n").splitlines()
    return [line for each in sentences for line in _paragraph(f"  {each}", "  ")]
