"""What does a report say, section by section?

The words and tables are the same on every page, HTML or Markdown. They show the facts and compute
nothing; a number is only rounded.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from leaktight.exact.shown import counted
from leaktight.reports.charts import Facts, marked_pair
from leaktight.reports.figure import short_label
from leaktight.reports.wording import (
    LONGEST,
    AtLeast,
    AtMost,
    Cell,
    as_private,
    bits,
    exactly,
    quoted,
    rounded,
)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading; numbers are rounded when they are shown."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


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


def sections(facts: Facts, command: str) -> Iterator[Section]:
    """Return what the facts say, part by part, without the parts that were not computed."""
    yield _policy(facts)
    if facts["mechanism"] is not None:
        yield _mechanism(facts)
    if facts["leakage"] is not None or facts["worst case"] is not None or facts["by epsilon"]:
        yield _leakage(facts)
    if facts["posterior"] is not None:
        yield _belief(facts)
    if facts["attacker"]["curve"]:
        yield _repetition(facts)
    if facts["usefulness"] is not None:
        yield _usefulness(facts)
    if facts["published bounds"]:
        yield _bounds(facts)
    if facts["not computed"]:
        rows = tuple(facts["not computed"].items())
        yield Section("missing", "What was not computed", (), Table(("what", "why"), rows))
    yield _check(facts, command)


# --- the sections --------------------------------------------------------------------------


def _policy(facts: Facts) -> Section:
    policy = facts["policy"]
    sees = {
        "record": "The mechanism is applied to each record on its own.",
        "database": "The mechanism sees everything that is secret.",
        "answer": f"The mechanism sees one of {policy['inputs']} answers to a query.",
    }
    text = [
        f"{policy['text']}.",
        "The two values of a secret pair must be hard to tell apart. Values that are several pairs "
        "apart are protected less, by one factor for each pair.",
        sees[policy["on"]],
    ]
    if policy["constrained"]:
        text.append("What is public ties records together: neighbours may differ in several.")
    if policy["values"] > len(policy["secrets"]):
        text.append("There are too many values to draw.")
    caption = "A line joins each secret pair."
    return Section("policy", "Who must not be told apart", tuple(text), caption=caption)


def _mechanism(facts: Facts) -> Section:
    mechanism = facts["mechanism"]
    rows, columns = mechanism["shape"]
    kind = "exact fractions" if mechanism["exact"] else "floating-point numbers"
    text = [
        f"Mechanism: {mechanism['name']}; {counted(rows, 'input', 'inputs')}, "
        f"{counted(columns, 'output', 'outputs')}, {kind}."
    ]
    if mechanism["matrix"] is None:
        return Section("mechanism", "What is released", (*text, "It is too large to show."))
    caption = "The darker, the likelier an output is for an input."
    marked = marked_pair(facts)
    if marked is not None:
        row, other, column = marked
        one, two = (quoted(mechanism["inputs"][k]) for k in (row, other))
        caption += (
            f" Framed is where it is worst{_alone(facts, row)}: the output "
            f"{quoted(mechanism['outputs'][column])}, for {one} and for {two}."
        )
    inputs, outputs = (_labels(mechanism[side]) for side in ("inputs", "outputs"))
    rows_of = zip(inputs, mechanism["matrix"], strict=True)
    table = Table(("input", *outputs), tuple((name, *entries) for name, entries in rows_of))
    return Section("mechanism", "What is released", tuple(text), table, caption)


def _alone(facts: Facts, row: int) -> str:
    level = facts["privacy"]
    worst = None if level is None else level["worst"]
    same = worst is not None and worst["input"] == facts["mechanism"]["inputs"][row]
    return "" if same else " for one record alone"


def _leakage(facts: Facts) -> Section:
    leakage, worst, about = facts["leakage"], facts["worst case"], facts["policy"]["about"]
    text = []
    if leakage is not None:
        seen = about["seen"]
        text += [
            f"A guess of {seen} is right with probability {exactly(leakage['before'])} before and "
            f"{exactly(leakage['after'])} after one release: {bits(AtMost(leakage['bits']))}.",
            f"Whatever was believed before, the chance of guessing {seen} grows at most by a "
            "factor of "
            f"{exactly(leakage['at worst']['factor'], AtMost)}: "
            f"{bits(AtMost(leakage['at worst']['bits']))}.",
        ]
        if leakage["all records"] is not None:
            text.append(
                f"All {facts['policy']['records']:,} records together leak at worst "
                f"{bits(AtMost(leakage['all records']['bits']))}."
            )
    if worst is not None:
        attained = (
            "and one leaks as much"
            if worst["exact"]
            else f"and one leaks at least {rounded(AtLeast(worst['lower bits']))}"
        )
        text.append(
            f"No mechanism {as_private(facts)} leaks more than "
            f"{bits(AtMost(worst['upper bits']))} ({rounded(AtMost(worst['nats']))} nats) about "
            f"{about['all']}, {attained}."
        )
    points = tuple(
        (point["epsilon"], *(_at_most(point[key]) for key in ("worst", "tightest", "diameters")))
        for point in facts["by epsilon"]
    )
    head = ("ε", "worst case (bits)", "tightest published bound", "Theorem 11 of [Edwards2021]")
    return Section(
        "leakage", "How much can leak", tuple(text), Table(head, points) if points else None
    )


def _belief(facts: Facts) -> Section:
    posterior = facts["posterior"]
    rows = zip(_labels(posterior["values"]), posterior["before"], posterior["after"], strict=True)
    output = quoted(posterior["output"])
    return Section(
        "belief",
        "What one output tells",
        (f"What is believed before and after the most telling output, {output}.", *_one(facts)),
        Table(("value", "before", "after"), tuple(rows)),
    )


def _one(facts: Facts) -> Iterator[str]:
    if facts["policy"]["tied"]:
        yield (
            "This is what one record's answer alone tells. What is public ties records together: "
            "all answers together can tell more."
        )


def _repetition(facts: Facts) -> Section:
    curve = facts["attacker"]["curve"]
    text = [
        f"How likely the best guess of {facts['question']['what']} is right, if the same secret "
        "is released again and again with fresh noise.",
        *_one(facts),
    ]
    wide = any(point["lower"] < point["upper"] for point in curve)
    caption = "Where there is a band, only its ends are known." if wide else ""
    below = facts["question"]["below"]
    if below is not None:
        text.append(f"The threshold that was asked for is {exactly(below)}.")
    rows = tuple(
        (p["observations"], AtLeast(p["lower"]), AtMost(p["upper"]), p.get("exact")) for p in curve
    )
    head = ("observations", "at least", "at most", "exactly")
    return Section("repetition", "What repetition tells", tuple(text), Table(head, rows), caption)


def _bounds(facts: Facts) -> Section:
    bounds = [(b["source"], b["form"], b, b["assumes"]) for b in facts["published bounds"]]
    worst = facts["worst case"]
    if worst is not None:
        kind = "exact worst case" if worst["exact"] else "worst case, upper end"
        found = {"bits": worst["upper bits"], "nats": worst["nats"], "factor": worst["factor"]}
        bounds.insert(0, ("leaktight", kind, found, f"nothing; found by {worst['route']}"))
    rows = tuple(
        (source, form, AtMost(b["bits"]), b["nats"], _if_short(b["factor"]), assumes)
        for source, form, b, assumes in bounds
    )
    return Section(
        "bounds",
        "What the papers promise",
        (f"Each is an upper bound for every mechanism that is {as_private(facts)}.",),
        Table(("source", "form", "bits", "nats", "factor", "assumes"), rows),
    )


def _usefulness(facts: Facts) -> Section:
    useful = facts["usefulness"]
    better = "smaller" if useful["kind"] == "expected loss" else "larger"
    text = [f"The {useful['kind']} of someone who makes the best of an output; {better} is better."]
    names = {"this mechanism": "this mechanism", "best": "best possible", "bound": "proved limit"}
    rows = tuple(
        (name, _if_short(useful[key]["exact"]), useful[key]["float"])
        for key, name in names.items()
        if key in useful
    )
    if "gap" in useful:
        text.append(
            "The best possible one is proved to be best."
            if useful["gap"] == 0
            else "The best one that was found is within "
            f"{rounded(AtMost(useful['gap']))} of the limit."
        )
    return Section(
        "usefulness",
        "How useful it is",
        tuple(text),
        Table(("mechanism", "exactly", "rounded"), rows),
    )


def _check(facts: Facts, command: str) -> Section:
    asked, question = facts["asked"], facts["question"]
    text = ["The command gives the same numbers again."]
    code = [command]
    if (certificate := facts["certificate"]) is None:
        text.append("No certificate was written; --certificate writes one.")
    else:
        name = PurePath(certificate["file"]).name
        text.append(f"{name} proves {certificate['proves']}; the second command checks it.")
        code.append(shlex.join(["leaktight", "verify", name]))
    rows = (
        ("version", f"leaktight {facts['version']}"),
        ("policy", facts["policy"]["text"]),
        ("mechanism", None if facts["mechanism"] is None else facts["mechanism"]["name"]),
        ("asked ratio", None if asked is None else asked["text"]),
        ("guessed", question["what"]),
        ("observations", question["observations"]),
        ("threshold", None if question["below"] is None else exactly(question["below"])),
        *((file["name"], f"sha256 {file['sha256']}") for file in facts["files"]),
    )
    return Section(
        "check", "How to check it", tuple(text), Table(("what", "value"), rows), code=tuple(code)
    )


def _at_most(value: float | None) -> AtMost | None:
    return None if value is None else AtMost(value)


def _if_short(exact: str | None) -> str | None:
    return exact if exact is None or len(exact) <= LONGEST // 2 else None


def _labels(labels: list[str]) -> list[str]:
    return [short_label(label, LONGEST // 2) for label in labels]
