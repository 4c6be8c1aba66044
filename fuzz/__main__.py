"""Search for wrong guarantees.

    python -m fuzz [--seconds 60] [--property NAME] [--seed N] [--case CASE]

Every property is tried for its share of the time, on all cores. A case in which one fails is made
small, printed as a command that tries it again, and kept in ``fuzz/corpus``, which is tried with
every ``make test``. NAME may be the beginning of several.
"""

import argparse
import ast
import importlib
import multiprocessing
import os
import pkgutil
import random
import sys
import time
import warnings
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess

import leaktight
from fuzz.combinations.cells import number_of_cells
from fuzz.combinations.settings import VARIANTS
from fuzz.property import Property, all_properties
from fuzz.search import PATIENCE, SHRINKING, Failure, Tally, quiet, search, timed, try_some

SLICE = 5.0
"""So many seconds at most is a property tried before the next has its turn."""

ROUTES = ("__main__", "commands", "papers", "reports", "tables", "web")
"""What of leaktight no property needs."""

BUSY = 10
"""So many times as long as its own time may a turn last on a busy machine."""

fork = multiprocessing.get_context("fork")


def main() -> int:
    """Search, and say what was tried; 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--property", default="", metavar="NAME")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--case", help="try just this one, as it was printed")
    asked = parser.parse_args()
    quiet()
    load()
    warnings.simplefilter("error")
    chosen = [p for p in all_properties() if p.name.startswith(asked.property)]
    if not chosen:
        parser.error(f"there is no property {asked.property}")
    if asked.case is not None:
        print(timed(chosen[0], ast.literal_eval(asked.case)), "checked")
        return 0
    print(f"{len(chosen)} properties, seed {asked.seed}", flush=True)
    tallies = search_all(chosen, asked.seconds, asked.seed)
    for name, tally in sorted(tallies.items()):
        print(line(name, tally))
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    if walked := [t for name, t in tallies.items() if name.startswith("combinations.")]:
        print(combinations(walked))
    failed = sum(tally.failure is not None for tally in tallies.values())
    print(line("in all", total))
    print(f"{failed} wrong" if failed else "none wrong")
    return 1 if failed else 0


def load() -> None:
    """Import everything once, and what Hypothesis reads first, for all processes together."""
    for _, name, _ in pkgutil.walk_packages(leaktight.__path__, "leaktight."):
        if name.split(".")[1] not in ROUTES:
            importlib.import_module(name)
    for name in ("flint", "highspy", "igraph", "scipy.optimize", "scipy.signal", "scipy.special"):
        importlib.import_module(name)
    try_some(Property("nothing", int, {}), draws=1, seed=0, tally=Tally())


def line(name: str, tally: Tally) -> str:
    """Say what was tried of a property."""
    wrong = "  WRONG" if tally.failure else ""
    return (
        f"{name:50} {tally.checks:>10,} checks {tally.cases:>9,} cases "
        f"{tally.refused:>8,} refused {tally.seconds:>7.1f} s{wrong}"
    )


def combinations(walked: list[Tally]) -> str:
    """Say how much of the table of combinations was tried."""
    tried = Tally()
    for tally in walked:
        tried.add(tally)
    return (
        f"{number_of_cells():,} cells in the table of combinations, {VARIANTS} times each: "
        f"{tried.cases:,} tried, {tried.cases - tried.refused:,} answered, "
        f"{tried.refused:,} refused or not tried for their size"
    )


def search_all(chosen: list[Property], seconds: float, seed: int) -> dict[str, Tally]:
    """Give every property its turns until the time is over; each turn is a process."""
    tallies = {what.name: Tally() for what in chosen}
    cores = min(os.cpu_count() or 1, len(chosen))
    end = time.monotonic() + seconds
    turn = min(SLICE, 0.9 * seconds * cores / len(chosen))
    waiting = turns(chosen, seed, tallies)
    running: dict[Connection, tuple[Property, ForkProcess, float]] = {}
    while True:
        while len(running) < cores and time.monotonic() < end and (next_one := next(waiting, None)):
            what, own_seed = next_one
            ours, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=one_turn, args=(what, turn, own_seed, theirs))
            process.start()
            theirs.close()
            running[ours] = what, process, time.monotonic()
        if not running:
            return tallies
        for ready in wait(list(running), timeout=1.0):
            assert isinstance(ready, Connection)
            what, process, _ = running.pop(ready)
            try:
                found: Tally = ready.recv()
            except EOFError:
                process.join()
                crash = f"the process ended with exit code {process.exitcode}"
                found = Tally(failure=Failure({}, crash))
            process.join()
            tallies[what.name].add(found)
            if found.failure:
                report(what, found.failure, seed)
        for pipe, (what, process, begun) in list(running.items()):
            if hangs(process, begun, turn + PATIENCE + 3 * SHRINKING):
                process.kill()
                del running[pipe]
                hung = Failure({}, "no answer: a case hangs where nothing stops it")
                tallies[what.name].failure = hung
                report(what, hung, seed)


def hangs(process: ForkProcess, begun: float, most: float) -> bool:
    """Has a turn taken more than these seconds of its own, or many times as long in all?"""
    assert process.pid is not None
    try:
        own = time.clock_gettime(~process.pid << 3 | 2)  # the clock of another process, on Linux
    except OSError:
        own = time.monotonic() - begun
    return own > most or time.monotonic() - begun > BUSY * most


def turns(
    chosen: list[Property], seed: int, tallies: dict[str, Tally]
) -> Iterator[tuple[Property, int]]:
    """Yield the properties again and again, each with a new seed, but not what is known wrong."""
    order = random.Random(seed)
    while left := [what for what in chosen if tallies[what.name].failure is None]:
        for what in order.sample(left, len(left)):
            seed += 10**6
            yield what, seed


def one_turn(what: Property, seconds: float, seed: int, answer: Connection) -> None:
    """Search in a process of its own, and send what was tried."""
    answer.send(search(what, seconds, seed))


def report(what: Property, failure: Failure, seed: int) -> None:
    """Print a failure and how to see it again, and keep the case."""
    print(f"\nWRONG {what.name}: {what.wrong}\n{failure.seen}", flush=True)
    if failure.case:
        what.keep(failure.case)
        print(f"python -m fuzz --property {what.name} --case {str(failure.case)!r}\n", flush=True)
    else:
        print(f"python -m fuzz --property {what.name} --seed {seed}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
