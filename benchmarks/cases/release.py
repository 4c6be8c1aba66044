"""Releasing a column of a CSV file through randomised response.

The other way is what people write today: pandas reads the file, numpy draws for all answers of
a kind together, pandas writes. Its probabilities are rounded, its generator can be predicted, and
it keeps no record. The limit is to copy the file.
"""

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case

COLOURS = ("red", "green", "blue", "yellow", "black")


class File(NamedTuple):
    """A new folder with a file of answers."""

    folder: "TemporaryDirectory[str]"
    source: Path
    target: Path


@cache
def text(n: int) -> str:
    """Lines with a number, a street and a colour, alike many of each."""
    rng = np.random.default_rng(1)
    streets = rng.integers(0, 1000, n).tolist()
    colours = [COLOURS[i % len(COLOURS)] for i in rng.permutation(n).tolist()]
    lines = (f"{i},Street {a},{b}\n" for i, (a, b) in enumerate(zip(streets, colours, strict=True)))
    return "number,street,colour\n" + "".join(lines)


def prepare(n: int) -> File:
    """Write the file."""
    folder = TemporaryDirectory(prefix="leaktight-")
    source = Path(folder.name, "answers.csv")
    source.write_text(text(n), "utf-8")
    return File(folder, source, Path(folder.name, "released.csv"))


def mechanism() -> lt.RandomizedResponse:
    """Tell the truth with probability 1/2."""
    return lt.RandomizedResponse(COLOURS, ratio=4)


def released(file: File) -> tuple[int, ...]:
    """Count the lines, and those of each colour; then remove the folder."""
    found = file.target.read_bytes()
    counts = (found.count(f",{colour}\n".encode()) for colour in COLOURS)
    answer = (found.count(b"\n"), *counts)
    file.folder.cleanup()
    return answer


def ours(file: File) -> tuple[int, ...]:
    """Release exactly, with a record."""
    lt.mechanisms.release_csv(mechanism(), file.source, file.target, "colour")
    return released(file)


def by_hand(file: File) -> tuple[int, ...]:
    """Release with pandas and numpy."""
    import pandas

    rng, chances = np.random.default_rng(), mechanism().channel.to_numpy()
    table = pandas.read_csv(file.source)
    answers = table["colour"].to_numpy(dtype=object)
    drawn = np.empty(len(answers), dtype=object)
    for colour, row in zip(COLOURS, chances, strict=True):
        asked = answers == colour
        drawn[asked] = rng.choice(np.array(COLOURS, dtype=object), int(asked.sum()), p=row)
    table["colour"] = drawn
    table.to_csv(file.target, index=False, lineterminator="\n")
    return released(file)


def copy(file: File) -> tuple[int, ...]:
    """Copy the file as it is."""
    shutil.copyfile(file.source, file.target)
    return released(file)


def alike(answers: Mapping[str, tuple[int, ...]]) -> str:
    """Demand all lines, and about as many of each colour as there were."""
    lines = answers["copy"][0]
    for found in answers.values():
        assert found[0] == lines == sum(found[1:]) + 1, answers
        assert all(abs(count - lines / 5) <= 6 * lines**0.5 for count in found[1:]), answers
    return "all lines; colours as frequent as they should be"


CASES = (
    Case(
        task="release a column of {n} answers in a CSV file",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=prepare,
        ways={"leaktight": ours, "pandas + numpy": by_hand, "copy": copy},
        agree=alike,
        limit="copy",
        scale_name="answers",
        rounds=3,
        note="we check every answer and copy the other columns to the byte, in two passes over "
        "the file",
    ),
)
