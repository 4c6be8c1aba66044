"""How does an audit become a page that can be handed to a colleague?

One file with everything in it: no network, no scripts, no fonts. The Markdown page has the same
words and numbers without the pictures.
"""

import re

from leaktight.reports.charts import CHARTS, Facts
from leaktight.reports.sections import sections
from leaktight.reports.verdict import verdict
from leaktight.reports.wording import Cell, rounded

UNSEEN = dict.fromkeys(
    [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "�",
)
"""Characters that a page cannot show, or that turn the text around them."""

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
"""What Markdown may take for more than a letter."""


def html(facts: Facts, *, command: str) -> str:
    """Return the report on the facts of an audit as one HTML file.

    ``command`` is what reproduces it.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.studies.audit import audit
    >>> from leaktight.studies.answers import facts
    >>> from leaktight.studies.study import read_study
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "vote.toml"
    ...     _ = file.write_text('policy.values = ["no", "yes"]\\nquestion.ratio = 3')
    ...     found = facts(audit(read_study(file)))
    >>> page = html(found, command="leaktight audit vote.toml")
    >>> "<h2>Who must not be told apart</h2>" in page
    True
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    pages = Environment(
        loader=PackageLoader("leaktight.reports"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters["rounded"] = rounded
    charts = {name: draw(facts) for name, draw in CHARTS.items()}
    page = pages.get_template("report.html").render(
        title=facts["title"],
        version=facts["version"],
        verdict=verdict(facts),
        sections=list(sections(facts, command)),
        charts={name: Markup(svg) for name, svg in charts.items() if svg is not None},
    )
    return page.replace("ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}").translate(UNSEEN)


def markdown(facts: Facts, *, command: str) -> str:
    """Return the report on the facts of an audit as Markdown, without pictures.

    ``html`` shows where facts come from; its page has the same words and numbers.
    """
    first = verdict(facts)
    lines = [f"# {_plain(facts['title'])}", "", f"**{_plain(first.title)}**", ""]
    for sentence in first.text:
        lines += [_plain(sentence), ""]
    for title, text in first.persons:
        lines += [f"**{_plain(title)}.** {_plain(text)}", ""]
    for warning in first.warnings:
        lines += [f"> **Take care.** {_plain(warning)}", ""]
    for heading, numbers in first.numbers:
        listed = ", ".join(f"{name} {number}" for name, number in numbers)
        lines.append(f"- {_plain(heading)}: {_plain(listed)}")
    lines.append("")
    for section in sections(facts, command):
        lines += [f"## {section.title}", ""]
        for sentence in section.text:
            lines += [_plain(sentence), ""]
        if section.code:
            lines += [*(f"    {' '.join(line.splitlines())}" for line in section.code), ""]
        if section.table is not None:
            head, rows = section.table.head, section.table.rows
            lines += [_row(head), "|" + " --- |" * len(head), *map(_row, rows), ""]
    return "\n".join(lines).translate(UNSEEN)


def _row(cells: tuple[Cell, ...]) -> str:
    return f"| {' | '.join(_plain(rounded(cell)) for cell in cells)} |"


def _plain(text: str) -> str:
    """Escape what Markdown would not show as it is."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))
