"""Documents as a page may send them: those of the examples, and what is like them but wrong."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st

from leaktight.web.document import Document, document_of

STUDIES = Path(__file__).parents[2] / "examples" / "studies"
EXAMPLES = sorted(STUDIES.glob("*.toml"))

KINDS = (
    "best", "randomised response", "truncated geometric", "rounded laplace", "graph exponential",
    "tight constraints", "planar geometric", "planar laplace", "geometric", "matrix", "python",
    "file",
)  # fmt: skip


def sent(document: Document) -> Document:
    """Return a document as it is after a browser had it."""
    return msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode(
        msgspec.json.encode(document)
    )


def example(path: Path) -> Document:
    """Return the document of an example."""
    return sent(document_of(path.read_text("utf-8")))


SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 50) | st.floats(-2, 9) | st.text(max_size=5)
    | st.sampled_from(["1/2", "ln 2", "50%", "uniform", "a", "b", "c", *KINDS])
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "values", "equals"]), inner, max_size=3)
    ),
    max_leaves=8,
)
LABELS = st.sampled_from(["a", "b", "c", "d", 1, 2, 3, 0.5, "x,y", "é∞"])
VALUES = st.lists(LABELS, min_size=2, max_size=5, unique_by=str)
NUMBERS = st.integers(1, 3) | st.sampled_from(["1/2", 0.5, "ln 2"])


COORDINATES = st.integers(-3, 3) | st.sampled_from([0.5, "1/3", 2.25])
PLACES = st.lists(COORDINATES, min_size=2, max_size=2)


@st.composite
def metrics(draw: st.DrawFn) -> Document:
    """Policies with distances that are right, most of them."""
    kind = draw(st.sampled_from(["euclidean", "manhattan", "haversine", "matrix", "edges"]))
    policy: Document = {"metric": kind, "records": draw(st.sampled_from([1, 1, 2]))}
    if kind == "matrix":
        a, b, c = draw(st.lists(NUMBERS, min_size=3, max_size=3))
        policy |= {"values": ["a", "b", "c"], "distances": [[0, a, b], [a, 0, c], [b, c, 0]]}
    elif kind == "edges":
        policy["edges"] = [["a", "b", draw(NUMBERS)], ["b", "c", draw(NUMBERS)]]
    elif draw(st.integers(0, 2)) == 0:
        policy["sides"] = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    else:
        listed = draw(st.lists(PLACES, min_size=2, max_size=5, unique_by=tuple))
        named = dict(zip("abcde", listed, strict=False))
        policy["points"] = draw(st.sampled_from([listed, named]))
    return policy


@st.composite
def policies(draw: st.DrawFn) -> Document:
    """Policies that are right, most of them."""
    if draw(st.integers(0, 3)) == 0:
        return draw(metrics())
    kind = draw(
        st.sampled_from(["complete", "line", "threshold", "edges", "partition", "grid", ""])
    )
    values = draw(VALUES)
    policy: Document = {"secrets": kind, "records": draw(st.sampled_from([1, 1, 2, 3, 10**6]))}
    if kind == "partition":
        policy["groups"] = [values[:2], values[2:]] if len(values) > 2 else [values]
    elif kind == "grid":
        policy["sides"] = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    elif kind == "":
        del policy["secrets"]
        policy["attributes"] = {"sex": ["f", "m"], "age": draw(VALUES)}
        if draw(st.booleans()):
            policy["margins"] = {"sex": {"f": 1, "m": policy["records"] - 1}}
    else:
        policy["values"] = values
    if kind == "threshold":
        policy["distance"] = draw(st.integers(0, 3))
    if kind == "edges":
        policy["edges"] = draw(st.lists(st.permutations(values).map(lambda p: p[:2]), max_size=3))
    if "values" in policy and draw(st.integers(0, 2)) == 0:
        policy["constraints"] = [{"values": values[:1], "equals": draw(st.integers(0, 2))}]
    return policy


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Studies as a page sends them; in some, one thing is anything at all."""
    found: Document = {"title": "A study", "policy": draw(policies())}
    if draw(st.booleans()):
        found["mechanism"] = {"kind": draw(st.sampled_from(KINDS))}
        if draw(st.integers(0, 2)) == 0:
            found["mechanism"]["query"] = draw(st.sampled_from(["sum", "most common", "histogram"]))
    found["question"] = {
        draw(st.sampled_from(["ratio", "epsilon"])): draw(NUMBERS),
        "observations": draw(st.integers(1, 4)),
        "gain": draw(st.sampled_from(["guess", "distance", "difference", "squared"])),
        "below": draw(st.sampled_from(["9/10", 0.5, 0.75])),
    }
    if draw(st.booleans()):
        table: Any = found
        while isinstance(inner := table[key := draw(st.sampled_from(sorted(table)))], dict) and (
            inner and draw(st.booleans())
        ):
            table = inner
        table[key] = draw(ANYTHING)
    return found
