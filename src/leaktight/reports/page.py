"""How does an audit become a page that can be handed to a colleague?

One file with everything in it: no network, no scripts, no fonts. The Markdown page has the same
words and numbers without the pictures.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidInput
from leaktight.files import new_file
from leaktight.reports.charts import CHARTS
from leaktight.reports.figure import colours
from leaktight.reports.person import Guessing, guessing
from leaktight.reports.sections import Section, sections
from leaktight.reports.wording import rounded
from leaktight.studies.answers import Answers

PAGES = (".html", ".htm", ".md")
"""How the name of a page ends."""

UNSEEN = dict.fromkeys(
    [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "�",
)
"""Characters that a page cannot show, or that turn the text around them."""

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
"""What Markdown may take for more than a letter."""


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
    page = markdown(audit) if kind == ".md" else html(audit)
    with new_file(file) as opened:
        opened.write(page)


def html(answers: Answers, *, command: str | None = None) -> str:
    """Return the report on the answers of an audit as one HTML file.

    ``command`` is what reproduces it.
    """
    charts = {name: draw(answers) for name, draw in CHARTS.items()}
    return rendered("report.html", *_parts(answers, command), charts)


def markdown(answers: Answers, *, command: str | None = None) -> str:
    """Return the report as Markdown, with the same words and numbers, without pictures."""
    return rendered("report.md", *_parts(answers, command))


def _parts(answers: Answers, command: str | None) -> tuple[Answers, Guessing, list[Section]]:
    return answers, guessing(answers), list(sections(answers, command))


def rendered(
    template: str,
    answers: Any,
    person: Guessing,
    parts: Sequence[Section],
    charts: Mapping[str, str | None] | None = None,
) -> str:
    """Return a page: its heading and verdict, who guesses what, sections, and charts by section."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    drawn = {name: Markup(svg) for name, svg in (charts or {}).items() if svg is not None}
    pages = Environment(
        loader=PackageLoader("leaktight.reports"), autoescape=template.endswith(".html"),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters |= {"rounded": rounded, "plain": _plain}
    page = pages.get_template(template).render(
        answers=answers, person=person, sections=parts, charts=drawn, colours=Markup(colours())
    )
    if template.endswith(".html"):
        page = page.replace("ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return page.translate(UNSEEN)


def _plain(text: str) -> str:
    """Escape what Markdown would not show as it is."""
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))
