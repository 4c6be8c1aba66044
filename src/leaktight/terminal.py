"""How does an audit read on a terminal? A summary of 80 columns: words first, then numbers."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context
from textwrap import fill
from typing import Any

WIDTH = 80


def summary(facts: dict[str, Any]) -> str:
    """Return the answers as text; see :func:`leaktight.facts.facts`."""
    title = _paragraph(facts["title"], "")
    lines = [*title, "=" * max(map(len, title)), *_paragraph(verdict(facts), ""), *_worst(facts)]
    for told in facts["warnings"]:
        lines += _paragraph(f"! {told}", "  ")
    attacker = facts["attacker"]
    for name in ("of this mechanism", "of any mechanism"):
        if attacker[name]:
            lines += [
                "",
                f"What an attacker learns {_whose(name)}",
                *_indented(attacker[name]["text"]),
            ]
    lines += [""]
    rows = list(_rows(facts))
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        lines += _paragraph(f"{name:<{wide}}  {value}", " " * (wide + 2))
    for what, why in facts["not computed"].items():
        lines += _paragraph(f"not computed: {what}: {why}", "  ")
    return "\n".join(lines)


def verdict(facts: dict[str, Any]) -> str:
    """Return the answer in one line."""
    level, asked = facts["privacy"], facts["asked"]
    if level is None:
        return "No mechanism is given: this is what any may tell."
    name = facts["mechanism"]["name"]
    if asked is None:
        has = "at no ε" if level["epsilon"] is None else f"at ε = {level['epsilon']:.4g}"
        return f"{name[:1].upper()}{name[1:]} is private {has}."
    if level["epsilon"] is None:
        return f"NOT PRIVATE as asked: {name} is private at no ε."
    has, most = _apart(level["epsilon"], asked["epsilon"])
    if facts["holds"]:
        return f"PRIVATE as asked: {name} has ε = {has}, at most ε = {most}."
    if has == most:
        return f"NOT PRIVATE as asked: {name} has an ε above {most}, if only by a hair."
    return f"NOT PRIVATE as asked: {name} has ε = {has}, more than ε = {most}."


def _apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with four digits, or as many as tell them apart."""
    for digits in (4, 8, 12):
        pair = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if pair[0] != pair[1]:
            return pair
    return f"{one:.4g}", f"{other:.4g}"


def _whose(name: str) -> str:
    return "from this mechanism" if "this" in name else "at most, from any mechanism as private"


def _worst(facts: dict[str, Any]) -> list[str]:
    worst = facts["privacy"] and facts["privacy"]["worst"]
    if not worst:
        return []
    told = f"Worst: output {worst['output']} of {worst['input']} against {worst['neighbour']}."
    return _paragraph(told, "")


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "policy", facts["policy"]["text"]
    if leak := facts["leakage"]:
        before, after = (leak[when]["percent"] for when in ("before", "after"))
        yield "leakage", f"{_bits(leak['bits'])}: a guess is right {before} → {after}"
        yield "at worst", f"{_bits(leak['at worst']['bits'])}, under any prior"
        if leak["all records"]:
            yield "all records", f"{_bits(leak['all records']['bits'])} at worst, together"
    if worst := facts["worst case"]:
        some = ", and some leaks as much" if worst["exact"] else ""
        yield "as private", f"no mechanism leaks more than {_above(worst['upper bits'])}{some}"
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
    return number["exact"] or "beyond floats" if near is None else f"{near:.6g}"


def _above(bits: float) -> str:
    """Return a bound with six digits, rounded up.

    >>> _above(1.0000001), _above(100.0)
    ('1.00001 bits', '100 bits')
    """
    near = Context(prec=12).create_decimal(repr(bits))  # 1.0000000000000002 is 1, rounded outward
    up = Context(prec=6, rounding=ROUND_CEILING).create_decimal(near)
    return _bits(float(up))


def _bits(bits: float) -> str:
    return f"{bits:.6g} {'bit' if bits == 1 else 'bits'}"


def _paragraph(text: str, indent: str) -> list[str]:
    return fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False).splitlines()


def _indented(text: str) -> list[str]:
    """Return sentences, which were broken over lines, in a narrower column."""
    sentences = " ".join(text.splitlines()).replace(". ", ".\n").splitlines()
    return [line for each in sentences for line in _paragraph(f"  {each}", "  ")]
