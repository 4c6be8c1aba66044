"""Processes that release the same rows from one ledger, and are killed.

``python -m tests.tables.killed_rows FOLDER KILLS`` kills at random moments, and without KILLS
before every step of a release; it says what was found after each. It is a program of its own so
that what is forked has no threads.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pandas
import pyarrow

from leaktight import Policy, RandomizedResponse, SecretGraph
from leaktight.tables import Ledger, draw, per_row, release_rows

VALUES = ["no", "yes"]
ROWS = 4000
POLICY = Policy(SecretGraph.complete(VALUES), records=ROWS)
ANSWER = RandomizedResponse(VALUES, ratio=3)
WORKERS = 3

IMPORTED = (duckdb, nw, pandas, pyarrow)
"""What a release needs, once for all that are forked."""


def released(place: Path) -> None:
    """Release the rows into a folder of their own, under its name."""
    per_row.BATCH = 500
    release_rows(
        place.with_name("votes.csv"), POLICY, ANSWER, place / "out.csv",
        name=place.name, ledger=place.with_name("l"), column="vote",
    )  # fmt: skip


def started(work: Callable[[], object]) -> int:
    """Begin some work in a process, and return its number; it ends with 0 if all went well."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as wrong:
            os.write(2, f"{type(wrong).__name__}: {wrong}\n".encode())
            os._exit(1)
    return child


def ended(child: int) -> int:
    return os.waitpid(child, 0)[1]


# --- what is found -------------------------------------------------------------------------


def found(place: Path) -> str:
    """Return what a kill has left of a release."""
    left = {file.name: file for file in place.rglob("*") if file.is_file()}
    note = any(place.parent.glob(".*.draw"))
    rows = left.get("rows.csv")
    told = ["a note"] * note
    if rows is not None:
        whole = len(rows.read_text().splitlines()) == ROWS + 1
        told.append("a draw" if whole else "a part of a draw")
    return ", ".join(told + ["the output"] * ("out.csv" in left)) or "nothing"


def wrong_in(place: Path) -> list[str]:
    """Return what must not be: several draws of one payment, or one that others may read."""
    told = []
    files = [file for file in sorted(place.rglob("*")) if file.is_file()]
    rows = [file.read_text().splitlines() for file in files]
    for one in rows:
        for other in rows:
            size = min(len(one), len(other)) - 1  # the last line may not be whole
            if size > 0 and one[:size] != other[:size]:
                told.append(f"several draws: {list(map(str, files))}")
    for file in files:
        if file.name not in ("rows.csv", "out.csv"):
            told.append(f"{file} is neither a draw nor an output")
        if file.stat().st_mode & 0o077:
            told.append(f"{file} may be read by others")
    return told


def wrong_after(place: Path, before: bytes | None) -> list[str]:
    """Release once more, undisturbed, and return what is wrong then."""
    if ended(started(partial(released, place))) != 0:
        return [f"{place} could not be released after a kill"]
    out = place / "out.csv"
    told = wrong_in(place)
    if before is not None and out.read_bytes() != before:
        told.append(f"{place} was drawn again")
    if len(out.read_text().splitlines()) != ROWS + 1:
        told.append(f"{out} is not whole")
    if os.listdir(place) != ["out.csv"] or any(place.parent.glob(".*")):
        told.append(f"{os.listdir(place)}, {os.listdir(place.parent)} are left")
    return told


# --- at random moments ---------------------------------------------------------------------


def randomly(folder: Path, kills: int) -> dict[str, Any]:
    """Kill three processes that release the same rows, until a release is there, and so on."""
    chance = random.Random(7)
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    begun = time.monotonic()
    wrong += wrong_after(made(folder, "first"), None)
    long = time.monotonic() - begun
    place, done = made(folder, "r0"), 0
    while done < kills:
        workers = [started(partial(released, place)) for _ in range(WORKERS)]
        if chance.random() < 0.7:  # some time after one of them has begun to draw
            while os.path.exists(f"/proc/{workers[0]}/fd") and not any(place.iterdir()):
                if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    break
            time.sleep(chance.uniform(0, 0.1 * long))
        else:
            time.sleep(chance.uniform(0, long))
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        ends = [ended(worker) for worker in workers]
        done += sum(end == signal.SIGKILL for end in ends)
        wrong += [f"{place}: a process ended with {end}" for end in ends if end not in (0, 9)]
        seen[found(place)] += 1
        wrong += wrong_in(place)
        out = place / "out.csv"
        if out.exists() or chance.random() < 0.5:
            wrong += wrong_after(place, out.read_bytes() if out.exists() else None)
            place = made(folder, f"r{int(place.name[1:]) + 1}")
    wrong += wrong_after(place, None)
    return {"kills": done, "found": dict(seen), "wrong": wrong}


# --- at every step -------------------------------------------------------------------------

STEPS: list[tuple[Any, str]] = [
    (Ledger, "spend"), (os, "ftruncate"), (os, "pwrite"), (Path, "mkdir"), (Path, "touch"),
    (per_row, "answer_rows"), (per_row, "settled"), (Ledger, "store"), (draw, "take"),
    (shutil, "rmtree"), (os, "rmdir"), (Path, "unlink"),
]  # fmt: skip


def stopped(step: int, place: Path) -> None:
    """Release, and be killed before a step."""
    left = [step]

    def dying(call: Any) -> Any:
        def stepped(*given: Any, **named: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*given, **named)

        return stepped

    for place_of, name in STEPS:
        setattr(place_of, name, dying(getattr(place_of, name)))
    released(place)


def stepwise(folder: Path) -> dict[str, Any]:
    """Kill a release at every step, and say what was found."""
    wrong, seen, step = [], [], 0
    while True:
        place = made(folder, f"s{step}")
        if ended(started(partial(stopped, step, place))) != signal.SIGKILL:
            break
        seen.append(found(place))
        out = place / "out.csv"
        wrong += wrong_in(place)
        wrong += wrong_after(place, out.read_bytes() if out.exists() else None)
        step += 1
    return {"kills": step, "found": dict(Counter(seen)), "wrong": wrong}


def made(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "votes.csv").write_text("vote\n" + "no\nyes\n" * (ROWS // 2))
    Ledger.create(folder / "l", POLICY, ratio=3**2000)
    told = randomly(folder, int(sys.argv[2])) if len(sys.argv) > 2 else stepwise(folder)
    names = sorted(entry.name for entry in Ledger.open(folder / "l").entries())
    outputs = sorted(file.parent.name for file in folder.glob("*/out.csv"))
    if names != outputs:
        told["wrong"].append(f"paid for {names}, and there are {outputs}")
    print(json.dumps({**told, "payments": len(names)}))


if __name__ == "__main__":
    main()
