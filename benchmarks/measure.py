"""How are the contenders of a case timed? In turns, until each has had its rounds."""

import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from benchmarks.case import Case
from benchmarks.contender import Contender, Failed, Run
from benchmarks.results import Row, Time

SECONDS_A_WAY, QUICKLY = 3.0, 1.0
"""How long one way is repeated at one size, at most, and how long for a first look."""

WRONG = "**our answer is wrong**"

SECONDS_ONCE = 10.0
"""A way whose first run takes longer has had its turn."""


def measure(module: str, number: int, case: Case, quick: bool) -> Iterator[Row]:
    """Time all contenders of one case, at one size after the other."""
    failed: dict[str, str] = {}
    asked: set[str] = set()
    most = QUICKLY if quick else SECONDS_A_WAY
    with ExitStack() as stack:
        contenders: dict[str, Contender] = {}
        for way in case.ways:
            contenders[way] = Contender(module, number, way, case.patience)
            stack.callback(contenders[way].stop)
        for size in case.sizes[: case.quick] if quick else case.sizes:
            runs: dict[str, list[Run]] = {way: [] for way in case.ways if way not in failed}
            first = {way for way in runs if way not in asked}
            asked |= first
            for _ in range(case.rounds + 1):
                for way, done in list(runs.items()):
                    if _time_for_another(done, most):
                        try:
                            done.append(contenders[way].run(size))
                        except Failed as why:
                            contenders[way].stop()
                            failed[way] = f"{why} at {size:,}"
                            del runs[way]
            yield Row(
                case=module.rpartition(".")[2],
                growth=case.task.format(n="n"),
                task=case.task.format(n=f"{size:,}"),
                size=size,
                scale=case.scale(size),
                scale_name=case.scale_name,
                ours=next(iter(case.ways)),
                limit=case.limit,
                times={
                    way: _time(runs[way], way in first)
                    if way in runs
                    else Time(None, failure=failed[way])
                    for way in case.ways
                },
                agreement=_compared(case, {way: done[0].answer for way, done in runs.items()}),
                note=case.note,
            )


def _time_for_another(done: list[Run], most: float) -> bool:
    """The first run also loads libraries; it is set aside if there is another."""
    if len(done) < 2:
        return sum(run.seconds for run in done) < SECONDS_ONCE
    return sum(run.seconds for run in done[1:]) < most


def _compared(case: Case, answers: Mapping[str, Any]) -> str:
    """Say how the answers compare; without ours there is nothing to compare.

    If ours is wrong, the row says so, and those after it are measured all the same.
    """
    if next(iter(case.ways)) not in answers:
        return ""
    try:
        return case.agree(answers)
    except AssertionError as wrong:
        return f"{WRONG}: {wrong!s:.80}".replace("\n", " ").replace("|", "/")


def _time(runs: list[Run], is_new: bool) -> Time:
    """Return the median; the first run counts only if it is the only one.

    If the process ``is_new``, what that took is kept by itself.
    """
    timed = runs[1:] or runs
    taken = [run.megabytes for run in timed if run.megabytes is not None]
    return Time(
        statistics.median(run.seconds for run in timed),
        len(timed),
        max(taken) if taken else None,
        cold=runs[0].seconds if is_new else None,
    )
