"""The facts of studies: those in ``examples/studies``, and others that tests write."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from leaktight.reports.charts import CHARTS
from leaktight.studies.answers import facts
from leaktight.studies.audit import audit
from leaktight.studies.study import read_study

STUDIES = Path(__file__).parents[2] / "examples" / "studies"
EXAMPLES = sorted(path.stem for path in STUDIES.glob("*.toml"))


@cache
def example(name: str) -> dict[str, Any]:
    """Return the facts of an example; they are not to be changed."""
    return facts(audit(read_study(STUDIES / f"{name}.toml")))


@cache
def drawn(name: str, chart: str) -> str:
    """Return a chart of an example; each is drawn once for all tests."""
    svg = CHARTS[chart](example(name))
    assert svg is not None
    return svg


@cache
def written(text: str) -> dict[str, Any]:
    """Return the facts of a study that is given as text; they are not to be changed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(text, encoding="utf-8")
        return facts(audit(read_study(file)))


NO_MECHANISM = """
policy.values = ["no", "yes"]
question.ratio = 3
"""

NOTHING_ASKED = """
title = "What a coin tells"
policy.values = ["no", "yes"]
mechanism.kind = "randomised response"
mechanism.ratio = 3
"""

TELLS_ALL = """
policy.values = ["no", "yes"]
mechanism.kind = "matrix"
mechanism.rows = [[1, 0], [0, 1]]
question.ratio = 3
"""

TELLS_NOTHING = """
policy.values = ["no", "yes"]
mechanism.kind = "matrix"
mechanism.rows = [["1/2", "1/2"], ["1/2", "1/2"]]
question.ratio = 3
"""

LABELS = [
    "<script>alert('x')</script>",
    '"><img src=x onerror="alert(1)">',
    "$x^2$ {{ 7*7 }} {% raw %}",
    "a|b`c`*d*_e_[f](g)~h~#&amp;\\\\",
    "東京都新宿区西新宿二丁目八番一号",
    "long " * 50,
    "http://example.org/?a=1&b=2",
    "plain",
]
"""Labels that a page must show as they are, or shortened, and nothing else; as TOML writes them."""

HOSTILE = "\n".join(
    [
        f"title = '''{LABELS[0]} </title> {LABELS[1]}'''",
        "[policy]",
        "secrets = 'line'",
        "values = [" + ", ".join('"' + label.replace('"', '\\"') + '"' for label in LABELS) + "]",
        "[mechanism]",
        "kind = 'truncated geometric'",
        "[question]",
        "ratio = 2",
        "observations = 2",
        "what = '<b>who</b> it is'",
    ]
)


def hostile() -> dict[str, Any]:
    """Return facts in whose labels there is everything that a page could stumble over."""
    odd = json.dumps("\u202eturned\x00 and\nbroken\t")[1:-1]
    text = json.dumps(written(HOSTILE)).replace("plain", odd)
    return json.loads(text)
