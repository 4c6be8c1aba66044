"""Which cases are drawn? Small ones, and numbers where arithmetic goes wrong if it can.

Hypothesis draws bytes, which is quick, and makes them small; a :class:`Draw` reads choices from
them, the simplest for 0. All that is drawn is literals: a weight is a text that ``Fraction`` reads,
a graph its number of vertices and its edges.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, TypeVar

T = TypeVar("T")

WEIGHTS = ("1", "0", "2", "3", "5", "7", "1/3", "10", "99", "100", "1000000")
"""What rows are made of: small numbers, and zeros."""

EXTREME = (
    "1", "0", "2", "1e-9", "1e-97", "1e-300", "1e-310", "1e-400", "1e-500", "1e100",
    "1000000000001", "1000000000000", "4503599627370497", "4503599627370496",
)  # fmt: skip
"""Numbers that floats lose, or hardly tell apart."""

RATIOS = ("2", "1", "3", "3/2", "5/4", "10", "100", "10001/10000", "7/5", "1000000", "13/11")

NEAR_ONE = tuple(f"{10**k + d}/{10**k}" for k in (9, 20, 50, 97) for d in (1, 7))
"""Ratios as near to 1 as anybody may ask."""

EPSILONS = (
    "1",
    "0",
    "ln 2",
    "ln(3/2)",
    "0.1",
    "1/3",
    "0.01",
    "2",
    "5",
    "50",
    "1e-6",
    "1e-97",
    "700",
)

CHANCES = ("1", "0", "2", "3", "7", "100", "1e-9")


class Draw:
    """Reads choices from bytes; when they are at an end, every choice is the simplest."""

    def __init__(self, source: bytes) -> None:
        self.left = list(reversed(source))

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to below a limit."""
        found, width = 0, 1
        while width < limit and self.left:
            found, width = 256 * found + self.left.pop(), 256 * width
        return found % limit

    def integer(self, least: int, most: int) -> int:
        """Return a whole number between two others, both included."""
        return least + self.below(most - least + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of these; the first is the simplest."""
        return options[self.below(len(options))]

    def maybe(self) -> bool:
        """Return False or True."""
        return bool(self.below(2))

    def some(self, one: Callable[["Draw"], T], least: int, most: int) -> list[T]:
        """Return several, each drawn by itself."""
        return [one(self) for _ in range(self.integer(least, most))]

    def subset(self, size: int, least: int = 1) -> list[int]:
        """Return some of the numbers below a size, in order."""
        found = [i for i in range(size) if self.maybe()]
        return found if len(found) >= least else list(range(least))


def table(draw: Draw, rows: int, columns: int, entries: Sequence[str] = WEIGHTS) -> Any:
    """Return weights with something positive in each row."""
    found = [[draw.pick(entries) for _ in range(columns)] for _ in range(rows)]
    return [row if set(row) != {"0"} else ["1", *row[1:]] for row in found]


def channel(draw: Draw, entries: Sequence[str] = WEIGHTS, least: int = 1, most: int = 4) -> Any:
    """Return the weights of a channel; now and then a row is there twice."""
    n, m = draw.integer(least, most), draw.integer(1, most)
    twice = n > 1 and draw.below(4) == 3
    rows = table(draw, n, m, entries)
    return [*rows[:-1], list(rows[0])] if twice else rows


def graph(draw: Draw, least: int = 1, most: int = 5) -> Any:
    """Return a number of vertices and some edges: any, and paths and trees more often."""
    n = draw.integer(least, most)
    pairs = list(combinations(range(n), 2))
    match draw.pick(("path", "all", "tree", "any", "any", "any")):
        case "path":
            return [n, [[i, i + 1] for i in range(n - 1)]]
        case "tree":
            return [n, [[draw.below(i), i] for i in range(1, n)]]
        case "all":
            return [n, [list(pair) for pair in pairs]]
    return [n, [list(pair) for pair in pairs if draw.maybe()]]


def channel_on_graph(draw: Draw, entries: Sequence[str] = WEIGHTS, most: int = 5) -> Any:
    """Return a graph and a table with a row for each vertex."""
    on = graph(draw, 1, most)
    return [on, table(draw, on[0], draw.integer(1, 4), entries)]


def prior(draw: Draw, size: int) -> list[str]:
    """Return weights of so many values, not all 0."""
    return table(draw, 1, size, CHANCES)[0]


def ratio(draw: Draw) -> str:
    """Return a ratio: a common one, or any of three digits."""
    return draw.pick(RATIOS) if draw.maybe() else f"{1000 + draw.below(9000)}/1000"


def epsilon(draw: Draw) -> str:
    """Return an ε: a common one, or any of four digits."""
    return draw.pick(EPSILONS) if draw.maybe() else f"{draw.integer(1, 5000)}/1000"


def policy(draw: Draw, most: int = 81) -> Any:
    """Return a secret graph, a number of records, and what is public.

    ``[graph, records, public]`` with ``public`` None, ``["counts", [[values, least, most], …]]``,
    ``["values", [values of each record]]`` or ``["databases", [database, …]]``.
    """
    on = graph(draw, 1, 4)
    records = draw.integer(1, max(k for k in range(1, 5) if on[0] ** k <= most))
    match draw.pick(("none", "counts", "values", "databases")):
        case "counts":
            bounds = [sorted(draw.below(records + 1) for _ in range(2)) for _ in range(2)]
            counts = [[draw.subset(on[0]), *each] for each in bounds[: draw.integer(1, 2)]]
            return [on, records, ["counts", counts]]
        case "values":
            return [on, records, ["values", [draw.subset(on[0]) for _ in range(records)]]]
        case "databases":
            rows = [[draw.below(on[0]) for _ in range(records)] for _ in range(draw.integer(1, 7))]
            unique = [list(row) for row in dict.fromkeys(map(tuple, rows))]
            return [on, records, ["databases", unique]]
    return [on, records, None]
