"""The risk of a table as a document: the same words on a terminal, a page and in Markdown."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from leaktight.exact.shown import counted, percent
from leaktight.reports.document import (
    Block,
    Chart,
    Document,
    Guesser,
    Guessing,
    Notes,
    Paragraph,
    Section,
    Table,
    Verdict,
    section,
)
from leaktight.reports.figure import BLUE, VERMILLION, figure, finished, short_label
from leaktight.reports.wording import Cell
from leaktight.tables.risk import Changed, Exposure, KnownShare, Risk, Sampled
from leaktight.tables.synthetic import SyntheticRisk

BANDS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
"""Sizes of groups that are shown together."""

MOST_SHOWN, MOST_DRAWN = 20, 12
"""How many combinations a table has, and a picture."""

WIDTH, BAR, LONGEST = 4.7, 0.26, 34
"""The width of a picture in inches, the height of a bar, and the most letters beside it."""


def risk_document(found: Risk, title: str, command: str | None = None) -> Document:
    """Return the risk of a table as a document; ``command`` is what counts it again."""
    blocks: list[Block] = [_verdict(found), _guessing(found), *_sections(found)]
    if command is not None:
        blocks.append(section("check", "How to count it again", code=[command], is_wide=True))
    return Document(title, tuple(blocks))


def synthetic_document(found: SyntheticRisk) -> tuple[Block, ...]:
    """Return what a synthetic table tells of the people it was made from."""
    told = str(found)
    return (
        Paragraph(f"{told[:1].upper()}{told[1:]}."),
        Paragraph(f"Guessed by the most frequent value alone: {found.baseline}."),
        Notes(("This shows harm and cannot show safety: another attack may do better.",)),
    )


# --- words -----------------------------------------------------------------------------------


def _verdict(found: Risk) -> Verdict:
    unique, people = found.exposure.unique, counted(found.rows, "person", "people")
    names, least = _listed(found.quasi_identifiers), found.exposure.smallest
    line = f"None of {people} is unique on {names}: k = {least:,}, so many are alike at least."
    if unique:
        verb = "is" if unique == 1 else "are"
        line = (
            f"{unique:,} of {people} {verb} unique on the quasi-identifiers {names} (k = 1): "
            "whoever knows these finds them for certain."
        )
    if certain := found.exposure.certain:
        many = len(found.sensitive) > 1
        line += (
            f" Of {certain:,}, {_listed(found.sensitive)} {'are' if many else 'is'} certain: "
            f"{'they are' if many else 'it is'} constant in the equivalence class."
        )
    return Verdict(line)


def _guessing(found: Risk) -> Guessing:
    attacks = [("to find a person's row", found.find, found.exposure.find)]
    if found.guess is not None and found.exposure.guess is not None:
        attacks.append((f"to guess {_listed(found.sensitive)}", found.guess, found.exposure.guess))
    return Guessing(
        "The chance",
        ("before", "after"),
        tuple(Guesser(who, (percent(one), percent(two)), ()) for who, one, two in attacks),
    )


def _sections(found: Risk) -> Iterator[Section]:
    yield _alike(found)
    if found.sampled is not None:
        yield _sampled(found, found.sampled)
    if found.combinations:
        yield _combinations(found)
    if found.releases:
        yield _releases(found)
    if found.known_share is not None:
        yield _known_share(found)
    if found.changes:
        yield _changes(found)
    if found.worst:
        yield _worst(found)


def _alike(found: Risk) -> Section:
    groups = counted(found.exposure.groups, "equivalence class", "equivalence classes")
    text = (
        f"People who are alike in {_listed(found.quasi_identifiers)} form {groups}; in a class "
        "of k, the right row is found with 1/k. A missing value is a value of its own."
    )
    certain = found.exposure.certain is not None
    head = ("alike", "people", "share", *(["sensitive certain"] if certain else []))
    rows: list[tuple[Cell, ...]] = []
    for least, most in BANDS:
        if not (people := found.people(least, most)):
            continue
        own = [c for c in found.crowds if least <= c.size and (most is None or c.size <= most)]
        sure = sum(c.size * c.groups for c in own if c.most == c.size)
        share = percent(Fraction(people, found.rows))
        rows.append((_band(least, most), people, share, *([sure] if certain else [])))
    caption = "The smaller the group, the likelier a person is found."
    chart = Chart(partial(_sizes, found), caption)
    table = Table(head, tuple(rows))
    return section("sizes", "How many people are alike", [text], chart=chart, table=table)


def _sampled(found: Risk, sample: Sampled) -> Section:
    text = (
        "Somebody who does not know who is in the sample (journalist) finds less, as others of the "
        f"population may be alike. Estimated by a model, and no bound: {sample.model}."
    )
    rows: tuple[tuple[Cell, ...], ...] = (
        ("people in the population", f"{sample.population:,.0f}"),
        ("unique in the sample", found.exposure.unique),
        ("… and expected to be in the population", f"{float(sample.unique):,.1f}"),
        ("rows expected to be found", f"{sample.found:,.1f}"),
        ("the mean chance of a row", f"{sample.chance:.2%}"),
        ("the highest chance of a row", f"{sample.highest:.1%}"),
    )
    return section("sampled", "If it is a sample", [text], table=Table(("estimated", ""), rows))


def _combinations(found: Risk) -> Section:
    number, many = len(found.combinations), len(found.quasi_identifiers)
    most = max(len(one.quasi_identifiers) for one in found.combinations)
    text = f"All {number:,} combinations of up to {most} of the {many} quasi-identifiers."
    ordered = sorted(found.combinations, key=lambda one: (-one.find, len(one.quasi_identifiers)))
    if number > MOST_SHOWN:
        text += f" The {MOST_SHOWN} by which most rows are found:"
    head = ("known", "row found", *_guessed(found), "unique")
    rows = tuple(
        _row(found, _listed(one.quasi_identifiers), one)
        for one in (*ordered[:MOST_SHOWN], found.exposure)
    )
    chart = Chart(partial(_columns, found))
    return section(
        "columns", "Which columns tell most", [text], chart=chart, table=Table(head, rows)
    )


def _releases(found: Risk) -> Section:
    text = (
        "For somebody who can link the rows of the releases, and knows the same columns each time. "
        "Who is missing in a later release has a value of their own there."
    )
    rows = tuple(
        _row(found, counted(place, "release", "releases"), one)
        for place, one in enumerate((found.exposure, *found.releases), 1)
    )
    head = ("seen", "row found", *_guessed(found), "unique")
    return section("releases", "After several releases", [text], table=Table(head, rows))


def _known_share(found: Risk) -> Section:
    known = found.known_share
    assert known is not None
    told = "; ".join(f"{_listed(names)} of {percent(share)}" for names, share in known.shares)
    rest = " of the people, of the others nothing" if known.shares else "nothing of anybody"
    head = ("known", "row found", *_guessed(found))
    table = Table(head, (_row(found, f"{told}{rest}", known)[: len(head)],))
    return section("known-share", "If some columns of some people are known", table=table)


def _changes(found: Risk) -> Section:
    rows = [_row(found, "as it is", found.exposure)]
    text = []
    for one in found.changes:
        rows.append(_row(found, one.what, one))
        if one.ratio is not None:
            text.append(f"Randomised response has a guarantee, {one.guarantee}.")
        if one.read is not None:
            text.append(
                f"Who has found the row guesses {_listed(found.sensitive)} with "
                f"{percent(one.read)} from the noisy value, knowing how frequent each value is, "
                "instead of reading it."
            )
    if any(one.ratio is None for one in found.changes):
        text.append(
            "A table that is only coarser has no privacy guarantee: these chances are for somebody "
            "who knows just these columns."
        )
    head = ("released", "row found", *_guessed(found), "unique")
    return section("changes", "What would help", text, table=Table(head, tuple(rows)))


def _worst(found: Risk) -> Section:
    fewer = found.worst[0].alone is not None
    rows = tuple(
        (
            f"row {one.row:,}",
            one.size,
            *([one.most] * bool(found.sensitive)),
            *([one.alone] * fewer),
        )
        for one in found.worst
    )
    head = ("the first is 1", "alike", *(["same sensitive"] if found.sensitive else []))
    text = ["These rows are of real people; do not hand this list out."]
    if fewer:
        head += ("alone by fewer",)
        text.append(
            "The riskiest come first: of rows with as many alike, those that are alone by more "
            "combinations of fewer columns."
        )
    return section("rows", "Who is at most risk", text, table=Table(head, rows))


def _guessed(found: Risk) -> list[str]:
    return ["sensitive guessed"] if found.sensitive else []


def _row(found: Risk, what: str, one: Exposure | Changed | KnownShare) -> tuple[Cell, ...]:
    """Return a row of a table: the chances, and how many people are unique."""
    guess = [] if not found.sensitive else ["–" if one.guess is None else percent(one.guess)]
    unique = None if isinstance(one, KnownShare) else one.unique
    return (what, percent(one.find), *guess, unique)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _band(least: int, most: int | None) -> str:
    return f"{least}" if least == most else f"{least}–{most}" if most else f"{least} or more"


# --- pictures --------------------------------------------------------------------------------


def _sizes(found: Risk) -> str:
    """Draw how many people are in groups of which size."""
    people = [found.people(least, most) for least, most in BANDS]
    names = [_band(least, most) for least, most in BANDS]
    colours = [VERMILLION] + [BLUE] * (len(BANDS) - 1)
    title = f"{people[0]:,} of {found.rows:,} people are alone in their group"
    return _bars("sizes", names, people, colours, "people, by how many are alike", title)


def _columns(found: Risk) -> str | None:
    """Draw by which combinations of columns most rows are found."""
    if not found.combinations:
        return None
    ordered = sorted(found.combinations, key=lambda one: (-one.find, len(one.quasi_identifiers)))
    ordered = ordered[:MOST_DRAWN]
    names = [short_label(_listed(one.quasi_identifiers), LONGEST) for one in ordered]
    shares = [100 * float(one.find) for one in ordered]
    title = f"By {names[0]}, {shares[0]:.3g}% of rows are found, more than by any other shown"
    label = "rows that are found, %"
    return _bars("columns", names, shares, [BLUE] * len(names), label, title)


def _bars(
    name: str,
    names: list[str],
    lengths: Sequence[float],
    colours: list[str],
    label: str,
    title: str,
) -> str:
    with figure(WIDTH, 0.7 + BAR * len(names)) as (drawing, axes):
        places = range(len(names))
        axes.barh(places, lengths, color=colours, height=0.7)
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.grid(axis="x")
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.4g}" if x < 1000 else f"{x:,.0f}")
        axes.set_xlabel(label)
        return finished(drawing, name, title)
