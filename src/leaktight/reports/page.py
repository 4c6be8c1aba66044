"""The writer for pages: a document as one HTML file that can be handed to a colleague.

Everything is in it: no network, no fonts, and one script of its own, which moves a slider and which
the page does without. Nothing else may run or be loaded: the page's own policy forbids it.
"""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from leaktight.reports.document import Document
from leaktight.reports.figure import colours
from leaktight.reports.wording import UNSEEN, rounded

if TYPE_CHECKING:
    from jinja2 import Template

HEAD = ("verdict", "advice", "notes", "guessing")
"""The blocks that stand above the others on a page."""


def to_html(document: Document) -> str:
    """Return a document as one HTML file.

    >>> from leaktight.reports.document import Verdict
    >>> "<h1>A vote</h1>" in to_html(Document("A vote", (Verdict("PASS: all is well."),)))
    True
    """
    from markupsafe import Markup

    script, style = Markup(plain_file("slider.js")), Markup(colours() + plain_file("report.css"))
    made = template("report.html").render(
        document=document,
        head=[block for block in document.blocks if block.kind in HEAD],
        body=[block for block in document.blocks if block.kind not in HEAD],
        has_script=any(block.kind == "slider" for block in document.blocks),
        markup=Markup,
        script=script,
        style=style,
        allowed=f"style-src {_digest(style)}; script-src {_digest(script)}",
    )
    return made.replace("ε = ", "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}").translate(UNSEEN)


def _digest(text: str) -> str:
    """Return what a page's policy lets pass, and nothing else."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def template(name: str) -> "Template":
    """Return a template by its file's name; nothing is missing in it unnoticed."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("leaktight.reports"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters["rounded"] = rounded
    return pages.get_template(name)


def plain_file(name: str) -> str:
    """Return a style sheet or a script as it is."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
