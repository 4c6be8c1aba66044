"""What is a page made from? Files beside this one, in which nothing is missing unnoticed."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from leaktight.reports.wording import rounded

if TYPE_CHECKING:
    from jinja2 import Template

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
"""What Markdown may take for more than a letter."""


def template(name: str) -> "Template":
    """Return a template by its file's name."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("leaktight.reports"), autoescape=name.endswith(".html"),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters |= {"rounded": rounded, "plain": plain}
    return pages.get_template(name)


def plain_file(name: str) -> str:
    """Return a style sheet or a script as it is."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def plain(text: str) -> str:
    """Escape what Markdown would not show as it is."""
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))
