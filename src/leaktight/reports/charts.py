"""Charts of an audit, each one SVG element.

A chart shows numbers and computes none. What cannot be drawn is None. No two lines differ by their
colour alone.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.exact.shown import DIGITS, above, percent_above
from leaktight.policies.graph import picture
from leaktight.reports.figure import (
    BLUE,
    GREEN,
    INK,
    PAPER,
    PURPLE,
    VERMILLION,
    figure,
    finished,
    inline,
    short_label,
)
from leaktight.reports.heat import BESIDE, heat_map_svg
from leaktight.studies.answers import Answers

WIDTH, HEIGHT = 4.7, 3.3
"""The usual size in inches: letters stay readable on a telephone."""

LONGEST = 40
"""The most letters of a label in the words about a picture; in it there is room for fewer."""

MOST_NAMED = 24
"""The most bars that all have their names beside them."""

MANY = 24
"""Beyond so many observations their axis is logarithmic."""


def policy_graph(answers: Answers) -> str | None:
    """Draw the values of a record, and a line between those that must not be told apart."""
    policy = answers.policy
    if policy.values > len(policy.secrets):
        return None
    names = [short_label(name, LONGEST) for name in policy.secrets]
    at = {name: k for k, name in enumerate(policy.secrets)}
    pairs = [[at[a], at[b]] for a, b in policy.pairs]
    places = None if policy.places is None else np.array(policy.places)
    drawn = picture.svg(names, np.array(pairs, dtype=np.int64).reshape(-1, 2), places)
    title = (
        f"The secret graph: {len(names)} values and {len(pairs)} lines between values that must "
        "not be told apart"
    )
    if policy.distances is not None and policy.places is not None:
        title = f"A map of {len(names)} values: the nearer, the harder to tell apart"
    return inline(drawn, "policy", title)


def heat_map(answers: Answers) -> str | None:
    """Draw a mechanism: one row per input, darker where an output is likelier.

    The two probabilities that are farthest apart are framed, if they are in the picture.
    """
    mechanism = answers.mechanism
    if mechanism is None or not mechanism.matrix:
        return None
    rows, columns = len(mechanism.inputs), len(mechanism.outputs)
    title = (
        f"Heat map of the mechanism: the probability of each of {columns} outputs for each of "
        f"{rows} inputs, from 0 to {max(map(max, mechanism.matrix)):.4g}"
    )
    return heat_map_svg(
        mechanism.matrix, mechanism.inputs, mechanism.outputs, title, mechanism.marked
    )


def leakage_by_epsilon(answers: Answers) -> str | None:
    """Draw the worst case and the published bounds against ε, and this mechanism as a point."""
    points, asked = answers.by_epsilon, answers.question.epsilon
    if not points:
        return None
    epsilons = [point.epsilon for point in points]
    with figure(WIDTH, HEIGHT + 0.5) as (drawing, axes):
        diameters = [point.diameters for point in points if point.diameters is not None]
        if len(diameters) == len(points):
            axes.plot(
                epsilons, diameters, ":", color=GREEN, lw=1.8, label="Theorem 11 of [Edwards2021]"
            )
        tightest = [point.tightest for point in points]
        axes.plot(
            epsilons, tightest, "--", color=VERMILLION, lw=3, label="tightest published bound"
        )
        worst = [point.worst for point in points]
        axes.plot(epsilons, worst, "o-", color=BLUE, lw=1.5, label="worst of any mechanism")
        if asked is not None:
            axes.axvline(asked, color=INK, ls="-.", lw=1, label="ε that was asked")
        own = answers.privacy.level.epsilon if answers.privacy else None
        bits = answers.leakage.bits if answers.leakage else None
        if own is not None and bits is not None:
            axes.plot(
                own, bits, "D", color=PURPLE, mec=INK, ms=8, ls="none",
                label="this mechanism", zorder=4,
            )  # fmt: skip
        axes.set(xlabel="ε of the mechanism", ylabel="leakage at worst (bits)")
        axes.set_xlim(left=0)
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.10g}")
        near = max(*tightest, *worst, bits or 0)  # bounds far above may leave the picture
        axes.set_ylim(0, min(axes.get_ylim()[1], 1.8 * near) or 1)
        axes.grid(True)
        drawing.legend(loc="outside lower center", ncols=2)
        title = (
            f"Leakage against ε from {epsilons[0]:.4g} to {epsilons[-1]:.4g}: the worst case rises "
            f"from {above(worst[0], DIGITS)} to {above(worst[-1], DIGITS)} bits, the tightest "
            f"published bound from {above(tightest[0], DIGITS)} to {above(tightest[-1], DIGITS)}"
        )
        return finished(drawing, "leakage", title)


def belief(answers: Answers) -> str | None:
    """Draw what is believed of each value before and after the most telling output."""
    known = answers.person.informed
    if not known or known.speaking is None or not known.belief:
        return None
    places = np.arange(len(known.belief))
    before, after = [each.before for each in known.belief], [each.after for each in known.belief]
    with figure(WIDTH, 1.3 + min(0.42, 4.2 / len(places)) * len(places)) as (drawing, axes):
        axes.barh(
            places - 0.2, before, 0.38, color=PAPER, edgecolor=INK, hatch="////", label="before"
        )
        axes.barh(places + 0.2, after, 0.38, color=BLUE, edgecolor=BLUE, label="after")
        if len(places) <= MOST_NAMED // 2:
            for place, old, new in zip(places.tolist(), before, after, strict=True):
                for y, chance in ((place - 0.2, old), (place + 0.2, new)):
                    axes.annotate(
                        f"{100 * chance:.3g}%", (chance, y), (3, 0), va="center", fontsize=7,
                        textcoords="offset points",
                    )  # fmt: skip
        _name_ticks(axes.yaxis, [short_label(each.value, BESIDE) for each in known.belief])
        axes.invert_yaxis()
        axes.set_xlim(0, min(1.0, 1.15 * max(*before, *after)))
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.3g}%")
        axes.set(xlabel="probability", ylabel="value")
        axes.grid(True, axis="x")
        drawing.legend(loc="outside lower center", ncols=2)
        title = (
            f"Bars of what is believed of {len(places)} values before and after the output "
            f"{short_label(known.speaking, LONGEST)}"
        )
        return finished(drawing, "belief", title)


def repetition(answers: Answers) -> str | None:
    """Draw the chance of a right guess against the number of observations."""
    known = answers.person.informed
    if not known or not (curve := known.curve):
        return None
    counts = [point.observations for point in curve]
    low, high = [point.lower for point in curve], [point.upper for point in curve]
    with figure(WIDTH, HEIGHT + 0.3) as (drawing, axes):
        axes.fill_between(counts, low, high, color=BLUE, alpha=0.25, lw=0)
        axes.plot(counts, low, "-", color=BLUE, lw=1)
        axes.plot(counts, high, "o-", color=BLUE, lw=1.5, label="right guess")
        before = float(known.before)
        axes.axhline(before, color=INK, ls=":", lw=1.2, label="before any observation")
        threshold = answers.question.below
        if threshold is not None:
            axes.axhline(
                float(threshold), color=VERMILLION, ls="--", lw=1.5, label="threshold asked for"
            )
        if counts[-1] > MANY:
            axes.set_xscale("log")
            axes.minorticks_off()
        ticks = counts[:: 2 if counts[-1] > 1000 else 1]
        axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.3g}%")
        axes.set(xlabel="number of observations", ylabel="chance of a right guess")
        axes.grid(True)
        drawing.legend(loc="outside lower center", ncols=2)
        title = (
            f"Chance of a right guess against the number of observations: at most "
            f"{percent_above(Fraction(high[0]))} after {counts[0]}, at most "
            f"{percent_above(Fraction(high[-1]))} after {counts[-1]}"
        )
        return finished(drawing, "repetition", title)


CHARTS: dict[str, Callable[[Answers], str | None]] = {
    "policy": policy_graph,
    "mechanism": heat_map,
    "leakage": leakage_by_epsilon,
    "belief": belief,
    "repetition": repetition,
}
"""The charts by the sections of the report that they stand in."""


def _name_ticks(axis: Any, names: Sequence[str]) -> None:
    """Put names beside the bars; if there are too many, only some."""
    step = math.ceil(len(names) / MOST_NAMED)
    size = 9 if len(names) <= MOST_NAMED // 2 else 7
    axis.set_ticks(range(0, len(names), step), names[::step], fontsize=size)
