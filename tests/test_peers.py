"""The page on other tools names what is there, and has every row of the comparison."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.peers import TABLES
from benchmarks.peers.inputs import inputs

import leaktight as lt

PAGE = (Path(__file__).parents[1] / "docs" / "peers.md").read_text(encoding="utf-8")
ROOMS = [
    "channels",
    "leakage",
    "mechanisms",
    "policies",
    "privacy",
    "repetition",
    "samples",
    "tables",
]


def cells() -> Iterator[list[str]]:
    """The cells of each row of each table."""
    for line in PAGE.splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def exists(name: str) -> bool:
    """Whether a dotted name is public, or a field of something that is."""
    places: list[Any] = [lt, *(importlib.import_module(f"leaktight.{room}") for room in ROOMS)]
    first, *rest = name.split(".")
    for place in places:
        found = getattr(place, first, None)
        for part in rest:
            found = getattr(found, part, None)
        if found is not None:
            return True
    kinds = [getattr(place, kind) for place in places for kind in dir(place) if kind[0].isupper()]
    return not rest and any(hasattr(kind, first) for kind in kinds)


def test_every_name_on_the_page_exists() -> None:
    ours = [cell[-1] if "tool" in cell[0] else cell[1] for cell in cells()]
    ours += [row.ours for rows in TABLES.values() for row in rows]
    names = {name for cell in ours for name in re.findall(r"`([\w.]+)`", cell)}
    assert len(names) > 80
    assert [name for name in sorted(names) if not exists(name)] == []
    assert not exists("no_such_thing")
    assert not exists("Channel.no_such_thing")


@pytest.mark.parametrize("peer", TABLES)
def test_the_page_has_every_row_with_its_result(peer: str) -> None:
    inside = PAGE.split(f"<!-- {peer} -->")[1].split(f"<!-- end of {peer} -->")[0]
    shown = [line.split(" | ") for line in inside.splitlines() if line.startswith("| `")]
    assert [(cell[0].strip("| `"), cell[1]) for cell in shown] == [
        (row.theirs, row.ours) for row in TABLES[peer]
    ]
    for cell, row in zip(shown, TABLES[peer], strict=True):
        assert (" of 500" in cell[2]) == bool(row.us)


def test_every_function_has_a_counterpart_or_a_reason() -> None:
    for rows in TABLES.values():
        assert len({row.theirs for row in rows}) == len(rows)
        assert all(row.ours and bool(row.us) == bool(row.them) for row in rows)


def test_every_row_can_be_answered() -> None:
    given = next(inputs())
    asked = [row for rows in TABLES.values() for row in rows if row.us]
    assert all(row.answer(given) for row in asked)
    for row in asked:
        compile(row.them, row.theirs, "eval")
