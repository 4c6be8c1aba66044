"""Is rounding enough? One count of 30 people, released in four ways of (nearly) equal error.

Rounded to the nearest 5, rounded at random to base 4, perturbed by a cell key of up to ±2, and with
geometric noise: on average each is off by about 1.2. What do they tell of one person? Only noise
has a privacy level, and only noise does not care what else is known or published.

``python examples/is_rounding_enough.py picture.svg`` draws it.
"""

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from leaktight.mechanisms import (
    CellKey,
    CountOdds,
    CountPerturbation,
    LinkedCounts,
    Rounding,
    count_odds,
)

PEOPLE = 30
UNIFORM = {change: Fraction(1, 5) for change in range(-2, 3)}


@dataclass(frozen=True, repr=False)
class GeometricCount(CountPerturbation):
    """A perturbation of one's own: geometric noise, cut off at −10 and 40."""

    fall: Fraction
    name = "geometric noise"
    repeats_from = PEOPLE  # each count is looked at
    period = 1

    def row(self, count: int) -> dict[Hashable, Fraction]:
        """Return what is shown of a count; what falls beyond an end is collected there."""
        centre, end = (1 - self.fall) / (1 + self.fall), 1 / (1 + self.fall)
        row: dict[Hashable, Fraction] = {-10: end * self.fall ** (count + 10)}
        row |= {z: centre * self.fall ** abs(z - count) for z in range(-9, 40)}
        return row | {40: end * self.fall ** (40 - count)}


RELEASES: dict[str, CountPerturbation] = {
    "rounded to the nearest 5": Rounding(5),
    "rounded at random to base 4": Rounding(4, random=True),
    "cell key, up to ±2": CellKey([{0: 1}, {-1: "1/2", 1: "1/2"}, UNIFORM]),
    "geometric noise": GeometricCount(Fraction(7, 15)),
}


def linked(mechanism: CountPerturbation) -> CountOdds:
    """Return what two tables tell of somebody: one with, one without a house of one person."""
    areas = {"town": PEOPLE - 1, "house": 1}
    return LinkedCounts(areas, [["town"], ["town", "house"]], mechanism).odds("house")


def main() -> None:
    """Print the odds about one person, 50% before, and draw them if there is a file to draw to."""
    found = {}
    for name, mechanism in RELEASES.items():
        error = sum(mechanism.mean_error(count) for count in range(5, 25)) / 20
        alone, both = count_odds(mechanism, PEOPLE), linked(mechanism)
        found[name] = [alone.uninformed.upper, alone.informed, both.uninformed.upper]
        chances = ", ".join(f"{float(chance):.1%}" for chance in found[name])
        print(f"{name} (off by {float(error):.2f}): {chances}; ε = {alone.level.epsilon:.3g}")
    for path in sys.argv[1:]:
        if path.endswith(".svg"):
            draw({name: [float(x) for x in chances] for name, chances in found.items()}, path)


def draw(found: dict[str, list[float]], path: str) -> None:
    """Draw the odds, a group of bars for each release."""
    import matplotlib.pyplot as plt

    told = (
        "nobody else known",
        "all others known",
        "nobody known, but a second table is without their house",
    )
    colours = ("#56b4e9", "#e69f00", "#d55e00")
    plt.rcParams["svg.hashsalt"] = "leaktight"
    drawing, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for at, (label, colour) in enumerate(zip(told, colours, strict=True)):
        heights = [100 * chances[at] - 50 for chances in found.values()]
        places = [k + 0.27 * (at - 1) for k in range(len(found))]
        bars = axes.bar(places, heights, width=0.25, bottom=50, color=colour, label=label)
        axes.bar_label(bars, [f"{50 + height:.1f}" for height in heights], fontsize=8)
    axes.set_xticks(range(len(found)), [name.replace(" to ", "\nto ") for name in found])
    axes.set_ylim(50, 115)
    axes.set_yticks(range(50, 101, 10))
    axes.set_ylabel("a guess about one person is right, %;\nbefore: 50")
    axes.set_title("One count of 30 people, off by about 1.2 in each way", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    drawing.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
