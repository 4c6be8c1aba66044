"""What is said about a whole run: every number of the page comes from it.

``docs/benchmarks.md`` has places between marks, ``<!-- name -->`` and ``<!-- end of name -->``,
that are written anew: on which machine, where others are quicker and why, and all tables. So has
the README, for five of the rows.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.results import Row, by_growth, exponents, machine, shown_ratio, shown_seconds, table

HERE = Path(__file__).parents[1]
PAGE, README, IMAGES = HERE / "docs/benchmarks.md", HERE / "README.md", HERE / "docs/images"

BEHIND = {
    "accounting": "Google's accounting rounds losses to a grid and gives one δ; ours are exact, or "
    "proved on both sides, for every ε at once",
    "adjacency": "for a few dozen databases comparing all pairs is less work than looking for "
    "those that matter",
    "agreement": "tables of a few dozen cells: labels and checks cost more than the counting",
    "automorphisms": "BLISS finds generators; leaktight goes on to the orbits of all pairs, and up "
    "to 32 vertices searches in Python, as loading igraph takes longer than that",
    "capacity": "a few microseconds for labels and checks, which at a hundred entries is more than "
    "the work",
    "composition": "the others write one `einsum`; ours names the pairs of outputs as well",
    "design": "floats without a proof; ours has a certificate, and libqif's are not private at all "
    "for ε = 1 on a line",
    "distances": "C passes once where numpy passes three times, and a proof is more than "
    "an estimate",
    "entropies": "a few microseconds for labels and checks",
    "estimation": "the others return floats without a bound on their error",
    "exact_measures": "a few microseconds for labels and checks of small channels",
    "functions": "numpy counts without labels, in floats",
    "gaussian_noise": "OpenDP draws in compiled code; ours keeps or refuses one draw after the "
    "other in Python",
    "g_vulnerability": "a few microseconds for labels and checks of small channels",
    "noise": "numpy draws rounded noise from a generator that can be predicted; ours takes its "
    "bits from the operating system",
    "places": "floats without a proof, at an ε a little above what was asked for",
    "posterior": "every call of ours allocates the answer and names its rows; the other writes "
    "over what it has, and a column of floats is less work than an allocation",
    "privacy_level": "numpy gives a rounded level without a witness; on a line of floats by slices",
    "programs": "the others do not keep who said what",
    "public_counts": "databases so few that they are listed as quickly",
    "rates": "Chernoff information is enclosed, where the others stop an iteration",
    "refinement": "the other accepts what differs by 10⁻⁵; ours proves or refutes",
    "release": "pandas parses in C; ours copies all other bytes as they are and checks each answer",
    "repair": "floats without a proof",
    "repetition": "an enclosure or an exact sum, where the other adds floats",
    "sampling": "a generator that can be predicted, or rounded chances",
    "shannon": "our ends are proved",
    "scans": "the engine's own query for the same numbers; opening one that reads no other file, "
    "and looking at the first rows, takes some 20 ms more",
    "startup": "others load less; every command of ours names its errors and reads exact numbers",
    "table_risk": "opening a database takes longer than looking at ten thousand rows",
    "worst_case": "a solver's estimate against a proof, on graphs so small that the proof is "
    "the work",
}
"""Why others are quicker, for each case in which they ever were."""

UNKNOWN = "no reason is known: look into it"

GROWTH = {
    "privacy-level": ("privacy_level", ""),
    "worst-case-records": ("worst_case", "records"),
    "repetition": ("repetition", ""),
    "adjacency": ("adjacency", "neighbours"),
    "public-counts": ("public_counts", ""),
}
"""The plots of the page: of which case, and what its tasks have in their names."""

CHOSEN = (
    ("worst case, line of 80", ", exact and proved"),
    ("privacy level, geometric on a line of 300", ""),
    ("design, distance on a line of 100, ε = 1, uniform prior", ", proved"),
    ("Shannon capacity, 100×100 floats", ", both ends proved"),
    ("20,000 draws of geometric noise, scale 1,000,000", ", exact"),
)
"""How the tasks of the README begin, and what is added."""


def write(rows: Sequence[Row], seconds: float) -> None:
    """Write the page, its plots and the table of the README."""
    told = f"This is the run of {machine()}; it took {seconds / 60:.0f} minutes."
    _put(PAGE, {"run": told, "behind": behind(rows), "tables": table(rows).strip()})
    _put(README, {"benchmarks": chosen(rows)})
    for name, (case, part) in GROWTH.items():
        _plot(name, [row for row in rows if row.case == case and part in row.growth])


def _put(path: Path, texts: dict[str, str]) -> None:
    """Write texts between their marks."""
    page = path.read_text("utf-8")
    for name, text in texts.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = page.split(start)
        page = f"{before}{start}{text}\n{end}{rest.split(end)[1]}"
    path.write_text(page, "utf-8")


def behind(rows: Sequence[Row]) -> str:
    """Return every row in which another is quicker, by case, with the reason."""
    lines = [
        "| task | leaktight | who is quicker, and by what part of our time |",
        "| --- | --- | --- |",
    ]
    reasons = []
    for case in dict.fromkeys(row.case for row in rows):
        mine = [row for row in rows if row.case == case and row.ahead()]
        for row in mine:
            others = (f"{way} {shown_ratio(ratio, 2)}×" for way, ratio in row.ahead().items())
            lines.append(f"| {row.task} | {row.cells()[0]} | {', '.join(others)} |")
        if mine:
            reasons.append(
                f"- **{case.replace('_', ' ').capitalize()}**: {BEHIND.get(case, UNKNOWN)}."
            )
    count = sum(bool(row.ahead()) for row in rows)
    said = f"In {count} of {len(rows)} rows another is quicker. By case, why:"
    return "\n".join([said, "", *reasons, "", "All of them:", "", *lines])


def chosen(rows: Sequence[Row]) -> str:
    """Return a few rows as the README has them."""
    return "\n".join(
        [
            "| task | leaktight | others | so many times as quick |",
            "| --- | --- | --- | --- |",
            *_few(rows),
        ]
    )


def _few(rows: Sequence[Row]) -> Iterator[str]:
    for start, more in CHOSEN:
        for row in rows:
            rivals = [
                way for way in row.times if way not in (row.ours, row.limit) and row.ratio(way)
            ]
            if row.task.startswith(start) and rivals:
                took = ", ".join(f"{way} {shown_seconds(row.times[way].seconds)}" for way in rivals)
                ratios = ", ".join(f"{shown_ratio(row.ratio(way) or 0, 2)}×" for way in rivals)
                mine = shown_seconds(row.times[row.ours].seconds)
                yield f"| {row.task}{more} | {mine} | {took} | {ratios} |"
                break


def _plot(name: str, rows: Sequence[Row]) -> None:
    """Draw our seconds over size, a line for each task."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for task, same in by_growth(rows).items():
        ours = same[0].ours
        known = [(row.scale, row.times[ours].seconds) for row in same if row.times[ours].seconds]
        if len(known) > 1:
            grown = exponents(same).get(ours)
            label = task if grown is None else f"{task}: {grown:.2f}"
            axes.loglog(*zip(*known, strict=True), "o-", label=label[:70])
    if axes.lines:
        axes.set(xlabel=rows[0].scale_name, ylabel="seconds")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16)}
        axes.legend(title="task, and the exponent with which its time grows", fontsize=7, **below)
        figure.savefig(IMAGES / f"growth-{name}.png", dpi=120, bbox_inches="tight")
    plt.close(figure)
