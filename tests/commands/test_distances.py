"""Distances on the command line: points of a grid or a file, and lengths of edges."""

import json
from pathlib import Path

import pytest

from leaktight.channels.file import read_channel
from leaktight.policies.metric import Metric
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.optimum import worst_case_leakage
from tests.commands.conftest import Run

GRID = Metric.euclidean([(x, y) for x in range(3) for y in range(2)])
PLACES = {"a": (0, 0), "b": (3, 4), "c": (0, 1)}


def test_a_bound_is_that_of_the_library_and_is_proved(run: Run) -> None:
    said = run("bound", "euclidean:3x2", "--epsilon", "1", "--json", "--certificate", "c.json")
    worst = worst_case_leakage(GRID, epsilon=1)
    assert (said.code, json.loads(said.out)["worst case"]["bits"]) == (0, worst.bits)
    assert "6 vertices" in run("verify", "c.json").out
    many = run("bound", "edges:a-b=2,b-c=1/2", "--epsilon", "1", "--records", "1000", "--json")
    roads = Metric.from_edges(["a", "b", "c"], [("a", "b", 2), ("b", "c", "1/2")])
    bits = json.loads(many.out)["worst case"]["bits"]
    assert bits == pytest.approx(1000 * worst_case_leakage(roads, epsilon=1).bits)


def test_a_design_is_private_for_the_distances_of_a_file(run: Run) -> None:
    lines = [f"{name},{x},{y}" for name, (x, y) in PLACES.items()]
    Path("places.csv").write_text("\n".join(["place,x,y", *lines]))
    asked = ("--epsilon", "1/2", "--gain", "distance", "--output", "m.csv")
    assert run("design", "manhattan:places.csv", *asked).code == 0
    level = privacy_level(read_channel("m.csv"), Metric.manhattan(PLACES))
    assert level.holds(epsilon="1/2")
    assert not level.holds(epsilon="0.499")
    told = run("explain", "haversine:places.csv", "--epsilon", "0.01").out
    assert told.startswith("Guessing the secret: 33.3% before")
    chosen = run("choose", "euclidean:places.csv", "--below", "1/2", "--json")
    assert json.loads(chosen.out)["epsilon"] > 0


WRONG = {
    "bound haversine:3x3 --epsilon 1": "distances are written like euclidean:10x10",
    "bound euclidean:3y3 --epsilon 1": "distances are written like euclidean:10x10",
    "bound euclidean:99x99 --epsilon 1": "at most 1,000 values here, got 9,801",
    "bound euclidean:none.csv --epsilon 1": "there is no file none.csv",
    "bound euclidean:short.csv --epsilon 1": "short.csv, line 3 must have 3 cells like line 1",
    "bound euclidean:twice.csv --epsilon 1": "twice.csv, line 3: every place must be named once",
    "bound euclidean:bare.csv --epsilon 1": "the first line names the columns",
    "bound edges:a-b=0 --epsilon 1": "must be a number above 0, got '0'",
    "bound edges:a-b=2,c --epsilon 1": "edges with lengths are written a-b=2,b-c=1/2, got 'c'",
    "decide euclidean:3x3 1 1": "here all edges must count alike",
}


@pytest.mark.parametrize("command", WRONG)
def test_what_is_wrong_is_said_in_one_line(run: Run, command: str) -> None:
    for name, text in {"short": "a,0,0\nb,1", "twice": "a,0,0\na,1,1", "bare": ""}.items():
        Path(f"{name}.csv").write_text(f"place,x,y\n{text}\n" if text else "place\n")
    said = run(*command.split())
    assert said.code == 2
    assert WRONG[command] in said.err
    assert said.err.count("\n") == 1
