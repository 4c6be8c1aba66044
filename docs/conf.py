"""How the site is built: ``make docs``, or ``sphinx-build -W docs site``."""

import re
from typing import Any

import leaktight

project = "leaktight"
author = "the leaktight authors"
version = release = leaktight.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
exclude_patterns = ["conf.py"]
html_theme = "furo"
html_title = f"leaktight {version}"
html_show_copyright = html_show_sourcelink = html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"
myst_heading_anchors = 3

autodoc_typehints = "none"  # the sentences say what is taken and returned
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
add_module_names = False

CITATION = r"\[([A-Z]\w+\d{4}\w?)\]"


def epsilon_slider() -> str:
    """Return the slider of a report, for one person's yes or no, with its style and script."""
    from leaktight.reports.figure import SHEET, colours
    from leaktight.reports.page import plain_file
    from leaktight.reports.slider import slider
    from leaktight.studies.every_epsilon import EveryEpsilon, every_epsilon

    policy = leaktight.Policy(leaktight.SecretGraph.complete(["no", "yes"]))
    every = every_epsilon(leaktight.Study(policy, epsilon=1, what="one person's yes or no"))
    assert isinstance(every, EveryEpsilon)
    chosen = [  # what the reader has chosen goes before what the screen prefers
        f"body[data-theme={theme}] {{ "
        + " ".join(f"--{name}: {shades[side]};" for name, shades in SHEET.items())
        + " }"
        for side, theme in enumerate(("light", "dark"))
    ]
    rules = [line for line in plain_file("report.css").splitlines() if SLIDER.match(line)]
    style = colours() + "\n".join([*chosen, *rules])
    return f"<style>{style}</style>{slider(every)}<script>{plain_file('slider.js')}</script>"


SLIDER = re.compile(r"[.]epsilon-slider|[.]bar|[.]formula|[.]small")
"""The rules of the report's style that are about the slider."""


def end_examples_early(app: Any, page: str, source: list[str]) -> None:
    """Leave out the empty line that ends an example for doctest."""
    source[0] = re.sub(r"(?s)(```python\n.*?)\n+```", r"\1\n```", source[0])


def plain_docstring(
    app: Any, what: str, name: str, object: Any, options: Any, lines: list[str]
) -> None:
    """Write ``[Edwards2021]_`` as on the other pages, and let ``|x|`` be an absolute value."""
    example = False
    for number, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            line = re.sub(CITATION + "_", r"[\1]", line)
            lines[number] = re.sub(r"(``.*?``)|\|", lambda found: found[1] or r"\|", line)


def link_citations(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make every key of the bibliography a link to it, and a target there."""
    if "body" in context:
        target = context["pathto"]("bibliography")
        link = rf'<a href="{target}#\1">[\1]</a>'
        if page == "bibliography":
            link = r'<span id="\1">[\1]</span>'
        context["body"] = re.sub(CITATION, link, context["body"])


def setup(app: Any) -> None:
    """Connect the functions above."""
    from docutils import nodes  # which only the site needs
    from docutils.parsers.rst import Directive

    class EpsilonSlider(Directive):
        """Where the slider stands on a page."""

        def run(self) -> list[nodes.Node]:
            return [nodes.raw("", epsilon_slider(), format="html")]

    app.add_directive("epsilon-slider", EpsilonSlider)
    app.connect("source-read", end_examples_early)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("html-page-context", link_citations)
