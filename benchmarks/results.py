"""How are the results shown? As JSON, as a table, and as plots of the growth over size."""

import json
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "results"
PEERS = (
    "qif", "dit", "qiflib", "pyqif", "opendp", "dp-accounting", "scipy", "highspy", "igraph",
    "numpy",
)  # fmt: skip


@dataclass(frozen=True)
class Time:
    """The median of some runs of one way, or why there is none."""

    seconds: float | None
    runs: int = 0
    megabytes: float | None = None
    failure: str = ""
    cold: float | None = None
    """How long the very first call in a new process took, which loads what it needs."""


@dataclass(frozen=True)
class Row:
    """One task at one size: what each contender took, and how the answers compare."""

    case: str
    growth: str
    task: str
    size: int
    scale: float
    scale_name: str
    ours: str
    limit: str
    times: Mapping[str, Time]
    agreement: str
    note: str

    def ratio(self, way: str) -> float | None:
        """How many times as long as we did another way take?"""
        ours, other = self.times[self.ours].seconds, self.times[way].seconds
        return None if ours is None or other is None else other / ours

    def cells(self) -> tuple[str, str, str, str, str]:
        """Our time and memory, the peers', the limit's, all first calls, and the answers."""
        ours = self.times[self.ours]
        mine = ours.failure or shown_seconds(ours.seconds) + _memory(ours.megabytes)
        peers = [self._beside(way) for way in self.times if way not in (self.ours, self.limit)]
        limit = self._beside(self.limit) if self.limit else ""
        first = [
            f"{way} {shown_seconds(t.cold)}" for way, t in self.times.items() if t.cold is not None
        ]
        return mine, "; ".join(peers), limit, "; ".join(first), self.agreement

    def ahead(self) -> dict[str, float]:
        """Which others are quicker, and what part of our time they take?"""
        rivals = {way: self.ratio(way) for way in self.times if way not in (self.ours, self.limit)}
        return {way: ratio for way, ratio in rivals.items() if ratio is not None and ratio < 1}

    def _beside(self, way: str) -> str:
        time, ratio = self.times[way], self.ratio(way)
        if time.seconds is None or ratio is None:
            return f"{way}: {time.failure}"
        took = shown_seconds(time.seconds) + _memory(time.megabytes)
        return f"{way} {took}, **{shown_ratio(ratio)}×**"


def shown_ratio(ratio: float, digits: int = 3) -> str:
    """Return a ratio to so many digits, written out.

    >>> shown_ratio(15_678.9), shown_ratio(0.012345), shown_ratio(234.5, digits=2)
    ('15,700', '0.0123', '230')
    """
    return f"{float(f'{ratio:.{digits}g}'):,.10g}"


def shown_seconds(seconds: float | None) -> str:
    """Return a time in the unit that suits it."""
    if seconds is None:
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _memory(megabytes: float | None) -> str:
    return f" ({megabytes:.0f} MB)" if megabytes is not None and megabytes >= 1 else ""


def exponents(rows: Sequence[Row]) -> dict[str, float]:
    """Fit seconds ~ scale^k for each contender that did three sizes or more."""
    fitted = {}
    for way in rows[0].times:
        known = [(row.scale, row.times[way].seconds) for row in rows if row.times[way].seconds]
        if len({scale for scale, _ in known}) >= 3:
            scales, seconds = np.log(np.array(known, dtype=float)).T
            fitted[way] = float(np.polyfit(scales, seconds, 1)[0])
    return fitted


def machine() -> str:
    """Say what this was run on."""
    versions = []
    for name in ("leaktight", *PEERS):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} not installed")
    return (
        f"{date.today():%-d %B %Y}, {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {platform.python_version()}; {', '.join(versions)}"
    )


def table(rows: Sequence[Row]) -> str:
    """Return all rows as Markdown: for each case a table, how its time grows, and its notes."""
    sections = []
    for case in dict.fromkeys(row.case for row in rows):
        mine = [row for row in rows if row.case == case]
        sections.append(
            "\n".join([f"## {case.replace('_', ' ').capitalize()}", "", *_section(mine)])
        )
    return "\n\n".join(sections) + "\n"


def _section(rows: Sequence[Row]) -> Iterator[str]:
    yield "| task | leaktight | others | limit | first calls | answers |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows:
        yield "| " + " | ".join((row.task, *row.cells())) + " |"
    told = []
    for name, same in by_growth(rows).items():
        if grown := ", ".join(f"{way} {k:.2f}" for way, k in exponents(same).items()):
            told.append(f"- {name}: time grows like ({same[0].scale_name})^k, k = {grown}.")
    told += [f"- {note.rstrip('.')}." for note in dict.fromkeys(row.note for row in rows) if note]
    yield from ["", *told] if told else []


def by_growth(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of one case together, by its task with the size left open."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.growth, []).append(row)
    return found


def plot(name: str, rows: Sequence[Row]) -> None:
    """Draw seconds over size on logarithmic axes, with the fitted exponents."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for way, exponent in exponents(rows).items():
        known = [(row.scale, row.times[way].seconds) for row in rows if row.times[way].seconds]
        width = 2.5 if way == rows[0].ours else 1
        axes.loglog(*zip(*known, strict=True), "o-", lw=width, label=f"{way}: {exponent:.2f}")
    axes.set(xlabel=rows[0].scale_name, ylabel="seconds", title=name)
    axes.legend(title="exponent")
    slug = re.sub(r"\W+", "-", name).strip("-")
    figure.savefig(FOLDER / f"{slug}.png", dpi=120, bbox_inches="tight")
    plt.close(figure)


def write(rows: Sequence[Row]) -> None:
    """Write everything into ``benchmarks/results``."""
    FOLDER.mkdir(exist_ok=True)
    content = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    (FOLDER / "results.json").write_text(json.dumps(content, indent=1, ensure_ascii=False), "utf-8")
    (FOLDER / "table.md").write_text(f"{machine()}\n\n{table(rows)}", "utf-8")
    for name, same in by_growth(rows).items():
        if exponents(same):
            plot(name, same)
