"""What may a file do? Be read, or be refused in one line; and what is read again is the same."""

import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.errors import LeaktightError
from leaktight.policies.text import graph_of
from leaktight.samples import read_observations

ROOT = Path(__file__).parent.parent.parent

STUDIES = (
    *(path.read_text("utf-8") for path in sorted((ROOT / "examples/studies").glob("*.toml"))),
    """title = "x"
[policy]
values = [1, 2.5, "a", [1, 2]]
secrets = "edges"
edges = [[1, 2.5], ["a", [1, 2]]]
absent = "none"
records = 2
databases = [[1, 2.5], ["a", 1]]
[mechanism]
kind = "matrix"
on = "database"
rows = [["1/2", 0.5], [1, 0]]
outputs = ["x", "y"]
[question]
epsilon = "ln 2"
prior = ["1/2", "1/2"]
below = "3/4"
""",
    """[policy]
secrets = "partition"
groups = [["a", "b"], ["c"]]
records = 3
[[policy.constraints]]
values = ["a"]
at_least = 1
at_most = 2
[mechanism]
kind = "truncated geometric"
query = "count"
of = ["a"]
sensitivity = 2
[question]
ratio = "3/2"
gain = "difference"
""",
)
CHANNELS = (
    ".csv:exact,a,b\nx,2/3,1/3\ny,1/3,2/3\n",
    ".csv:float,a,1\nx,0.5,0.5\n2,0.25,0.75\n",
    '.csv:band,"[""flu"", 1]",b\nx,1e-9,0.999999999\n"y,z",1,0\n',
    '.json:{"format": "leaktight channel", "numbers": "exact", "inputs": [1, [2, "a"]], '
    '"outputs": ["x", null], "matrix": [["1/2", "1/2"], ["1", "0"]]}',
    '.json:{"format": "leaktight channel", "numbers": "float", "inputs": ["p"], '
    '"outputs": [true, 2.5], "matrix": [[0.25, 0.75]]}',
)
OBSERVED = (
    "secret,output\na,1\nb,2\na,1\n",
    "output,secret\n1,2\n",
    'secret,more,output\na,x,"3"\nb,y,2\n',
)
PIECES = (
    "", "0", "1", "-1", "1/3", "1e-400", "1e999999999", "nan", "inf", "true", '"', "'", "[", "]",
    "{", "}", "\n", ",", "=", "[policy]", "[question]", "records = 0",
    "records = 99999999999999999999",
    "ε", "\x00", "٣", "ratio = 0.5", "values = []", "values = 0", 'kind = "best"', "\ufeff", "\r",
    "#", '"""', ".", "0x10", "1979-05-27", "edges = [[1]]", "rows = []", "null", "-0.0", "1e5",
    "[[]]", "\t",
)  # fmt: skip


def edits(draw: Draw) -> Any:
    """Some places of a text, what is taken away there and what is put."""
    return [
        [draw.below(5000), draw.pick((0, 0, 1, 1, 5, 30)), draw.pick(PIECES)]
        for _ in range(draw.integer(1, 4))
    ]


def edited(text: str, changes: Any) -> str:
    """Return the text with these changes."""
    for place, length, put in changes:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + length :]
    return text


@cache
def folder() -> Path:
    """A folder for files, as long as the process lives."""
    return Path(tempfile.mkdtemp(prefix="fuzz"))


def one_line(refused: LeaktightError) -> None:
    """What is said fits in a line."""
    assert str(refused)
    assert "\n" not in str(refused)
    assert len(str(refused)) < 2000


@searched(which=lambda d: d.below(len(STUDIES)), changes=edits)
def studies(which: int, changes: Any) -> int:
    """A study that is not right ends in a traceback."""
    path = folder() / "study.toml"
    path.write_bytes(edited(STUDIES[which], changes).encode("utf-8", "surrogatepass"))
    try:
        lt.read_study(path)
    except LeaktightError as refused:
        one_line(refused)
    return 1


@searched(which=lambda d: d.below(len(CHANNELS)), changes=edits)
def channels(which: int, changes: Any) -> int:
    """A channel's file that is not right ends in a traceback, or is read as no channel."""
    kind, _, text = CHANNELS[which].partition(":")
    path = folder() / f"channel{kind}"
    path.write_bytes(edited(text, changes).encode("utf-8", "surrogatepass"))
    try:
        found = lt.read_channel(path)
    except LeaktightError as refused:
        one_line(refused)
        return 1
    rows = direct.rows_of(found)
    assert all(min(row) >= 0 for row in rows)
    if found.is_exact:
        assert all(sum(row) == 1 for row in rows)
    lt.write_channel(found, path)
    assert lt.read_channel(path) == found
    return 2


@searched(which=lambda d: d.below(len(OBSERVED)), changes=edits)
def observations(which: int, changes: Any) -> int:
    """A file of observations that is not right ends in a traceback."""
    path = folder() / "seen.csv"
    path.write_bytes(edited(OBSERVED[which], changes).encode("utf-8", "surrogatepass"))
    try:
        read_observations(path, "secret", "output")
    except LeaktightError as refused:
        one_line(refused)
    return 1


@searched(
    which=lambda d: d.below(3),
    places=lambda d: d.some(lambda e: [e.below(5000), e.below(256)], 1, 4),
)
def bytes_of_files(which: int, places: Any) -> int:
    """Bytes that are no text end in a traceback."""
    from fuzz.properties.certificates import source

    name, text, read = (
        ("study.toml", STUDIES[0], lt.read_study),
        ("channel.csv", CHANNELS[0].partition(":")[2], lt.read_channel),
        ("proof.json", source(0), lt.verify_certificate),
    )[which]
    content = bytearray(text.encode("utf-8"))
    for place, byte in places:
        content[place % len(content)] = byte
    path = folder() / name
    path.write_bytes(bytes(content))
    try:
        read(path)
    except LeaktightError as refused:
        one_line(refused)
    return 1


@searched(
    table=lambda d: drawn.channel(d, drawn.WEIGHTS + drawn.EXTREME),
    labels=lambda d: [
        d.pick((0, 1, True, "1", "a", "a,b", '"', " x", None, 2.5, (1, "a"), "true", "", "\n"))
        for _ in range(8)
    ],
    kind=lambda d: d.pick(("csv", "json")),
    floats=Draw.maybe,
)
def written_and_read(table: Any, labels: Any, kind: str, floats: bool) -> None:
    """A channel is read back with other numbers or other names."""
    rows = direct.normalised(table)
    channel = direct.channel_of(
        rows, inputs=labels[: len(rows)], outputs=labels[4 : 4 + len(rows[0])]
    )
    if floats:
        channel = channel.float()
    path = folder() / f"own.{kind}"
    lt.write_channel(channel, path)
    again = lt.read_channel(path)
    assert again == channel
    assert list(map(repr, again.inputs)) == list(map(repr, channel.inputs))
    assert again.is_exact == channel.is_exact


@searched(
    text=lambda d: "".join(
        d.pick(
            (
                "line:",
                "complete:",
                "3",
                "10",
                "x",
                "grid:",
                "edges:",
                "a-b",
                ",",
                "-",
                "cycle:",
                "threshold:",
                "4",
                ":",
                "2",
                " ",
                "0",
                "999999999",
                "e",
            )
        )
        for _ in range(d.integer(0, 6))
    )
)
def graphs_as_text(text: str) -> int:
    """A graph in a few letters ends in a traceback."""
    try:
        found = graph_of(text)
    except LeaktightError as refused:
        one_line(refused)
        return 1
    assert found.order >= 1
    return 1


@searched(
    table=lambda d: drawn.channel(d, drawn.EXTREME),
    corner=lambda d: d.pick(("exact", "float", "x")),
)
def numbers_in_tables(table: Any, corner: str) -> int:
    """A number in a file becomes another, so that a ratio vanishes."""
    rows = direct.normalised(table)
    lines = [",".join([corner, *map(str, range(len(rows[0])))])]
    lines += [",".join([f"r{i}", *map(str, row)]) for i, row in enumerate(rows)]
    path = folder() / "table.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = lt.privacy_level(
        lt.read_channel(path), lt.SecretGraph.complete([f"r{i}" for i in range(len(rows))])
    )
    true = direct.level(rows, direct.all_pairs(len(rows)))
    if corner == "float" and true != float("inf"):
        assert abs(Fraction(found.ratio) / Fraction(true) - 1) < Fraction(1, 2**45)
    else:
        assert found.ratio == true
    return 1
