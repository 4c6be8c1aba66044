"""How does an audit become a page that can be handed to a colleague?

One file with everything in it: no network, no fonts, and one script of its own, which moves a
slider and which the page does without. Nothing else may run or be loaded: the page's own policy
forbids it. The Markdown page has the same words and numbers without the pictures.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidInput
from leaktight.files import new_file
from leaktight.reports.charts import CHARTS
from leaktight.reports.figure import colours
from leaktight.reports.person import Guessing, guessing
from leaktight.reports.sections import Section, sections
from leaktight.reports.slider import slider
from leaktight.reports.template import plain_file, template
from leaktight.studies import Audit
from leaktight.studies.answers import NOT_ASKED, Answers, Skipped
from leaktight.studies.every_epsilon import EveryEpsilon, every_epsilon

PAGES = (".html", ".htm", ".md")
"""How the name of a page ends."""

UNSEEN = dict.fromkeys(
    [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "�",
)
"""Characters that a page cannot show, or that turn the text around them."""


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

    ``command`` is what reproduces it. What another ε would do is worked out for it, if that takes
    no more than a few seconds.
    """
    charts = {name: draw(answers) for name, draw in CHARTS.items()}
    every = every_epsilon(answers.study) if isinstance(answers, Audit) else NOT_ASKED[0]
    parts = list(sections(answers, command, every))
    return rendered("report.html", answers, guessing(answers), parts, charts, every)


def markdown(answers: Answers, *, command: str | None = None) -> str:
    """Return the report as Markdown, with the same words and numbers, without pictures."""
    return rendered("report.md", answers, guessing(answers), list(sections(answers, command)))


def rendered(
    name: str,
    answers: Any,
    person: Guessing,
    parts: Sequence[Section],
    charts: Mapping[str, str | None] | None = None,
    every: EveryEpsilon | Skipped = NOT_ASKED[0],
) -> str:
    """Return a page: its heading and verdict, who guesses what, sections, and charts by section."""
    from markupsafe import Markup

    moved = None if isinstance(every, Skipped) else Markup(slider(every))
    script, style = Markup(plain_file("slider.js")), Markup(colours() + plain_file("report.css"))
    page = template(name).render(
        answers=answers,
        person=person,
        sections=parts,
        charts={name: Markup(svg) for name, svg in (charts or {}).items() if svg is not None},
        slider=moved,
        script=script,
        style=style,
        allowed=f"style-src {_digest(style)}; script-src {_digest(script)}",
    )
    if name.endswith(".html"):
        page = page.replace("ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return page.translate(UNSEEN)


def _digest(text: str) -> str:
    """Return what a page's policy lets pass, and nothing else."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
