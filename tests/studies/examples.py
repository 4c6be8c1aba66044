"""The audits of studies: those in ``examples/studies``, and others that tests write."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.reports.charts import CHARTS
from leaktight.studies import Audit, Study, audit, read_study

STUDIES = Path(__file__).parents[2] / "examples" / "studies"
EXAMPLES = sorted(path.stem for path in STUDIES.glob("*.toml"))


@cache
def example(name: str) -> Audit:
    """Return the answers to an example."""
    return audit(read_study(STUDIES / f"{name}.toml"))


@cache
def drawn(name: str, chart: str) -> str | None:
    """Return a chart of an example; each is drawn once for all tests."""
    return CHARTS[chart](example(name))


@cache
def written(text: str) -> Audit:
    """Return the answers to a study that is given as text."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(text, encoding="utf-8")
        return audit(read_study(file))


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

RANGE = """
policy.values = 2
policy.records = 1000
policy.constraints = [{ values = [1], at_least = 10 }]
mechanism.kind = "randomised response"
question.ratio = 2
"""

LABELS = [
    "<script>alert('x')</script>",
    '"><img src=x onerror="alert(1)">',
    "$x^2$ {{ 7*7 }} {% raw %}",
    "a|b`c`*d*_e_[f](g)~h~#&amp;\\",
    "東京都新宿区西新宿二丁目八番一号",
    "long " * 50,
    "http://example.org/?a=1&b=2",
    "\u202eturned\x00 and\nbroken\t",
]
"""Labels that a page must show as they are, or shortened, and nothing else."""


@cache
def hostile() -> Audit:
    """Return answers in whose labels there is everything that a page could stumble over."""
    return audit(
        Study(
            Policy(SecretGraph.line(LABELS)),
            TruncatedGeometric(LABELS, ratio=2),
            ratio=2,
            observations=2,
            what="<b>who</b> it is",
            title=f"{LABELS[0]} </title> {LABELS[1]}",
        )
    )
