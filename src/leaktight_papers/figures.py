"""What do the papers' figures look like? Curves have the exact optimum added."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.files import new_file
from leaktight.policies import Policy, SecretGraph
from leaktight.worst_case import leakage_bounds, worst_case_leakage
from leaktight_papers.drawings import DRAWINGS

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
"""Colours that everyone can tell apart (Okabe and Ito)."""


def draw_figures(folder: Path, chosen: Iterable[str]) -> list[Path]:
    """Draw those of the chosen claims that are figures into a folder, as SVG."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise InvalidFile(f"there can be no folder {folder}: {wrong.strerror}") from None
    wanted = {**FIGURES, **DRAWINGS}.keys() & set(chosen)
    if not wanted:
        raise InvalidInput(f"only claims that are figures are drawn, such as {next(iter(FIGURES))}")
    drawn = []
    for name, draw in {**FIGURES, **DRAWINGS}.items():
        if name not in wanted:
            continue
        path = folder / f"{name}.svg"
        with new_file(path) as file:
            _save(draw, file, scales=name in FIGURES)
        drawn.append(path)
    return drawn


def _save(draw: Callable[[Any], None], file: TextIO, scales: bool) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4) if scales else (9, 6))
    draw(axes)
    if scales:
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    else:
        axes.set_axis_off()
        axes.margins(0.08)
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def _edwards_2(axes: Any) -> None:
    """The bound for databases of n records with thresholds θ on four values, at ε = 1/2."""
    records = range(1, 11)
    for theta, colour in zip((1, 2, 3), COLOURS, strict=False):
        secrets = SecretGraph.threshold([1, 2, 3, 4], distance=theta)
        policies = [Policy(secrets, n) for n in records]
        bounds = [_bound(policy, "diameters", epsilon="1/2") * NATS for policy in policies]
        exact = [worst_case_leakage(policy, epsilon="1/2").bits * NATS for policy in policies]
        axes.plot(records, bounds, "--", color=colour, label=f"Theorem 11, θ = {theta}")
        axes.plot(records, exact, "-o", ms=3, color=colour, label=f"exactly, θ = {theta}")
    axes.set(xlabel="records", ylabel="leakage in nats", title="[Edwards2021], Figure 2, ε = 1/2")


def _alvim_3(axes: Any) -> None:
    """The closed form for 100 records of v values, which is attained."""
    ratios = [k / 4 for k in range(1, 25)]
    for values, colour in zip((2, 10, 100), COLOURS, strict=False):
        policy = Policy(SecretGraph.complete(values), 100)
        bits = [worst_case_leakage(policy, epsilon=epsilon).bits for epsilon in ratios]
        axes.plot(ratios, bits, color=colour, label=f"v = {values}")
    axes.set(xlabel="ε", ylabel="leakage in bits", title="[Alvim2011b], Figure 3: 100 records")


def _barthe(bits: int) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        steps = [k / 10 for k in range(1, 11)]
        policy = Policy(SecretGraph.complete(2), bits)
        forms = {
            "Corollary 2": "code of one word",
            "Corollary 3": "repetition code",
            "Corollary 4": "least |X|",
        }
        for (source, form), colour in zip(forms.items(), COLOURS, strict=False):
            values = [_bound(policy, form, source, epsilon=epsilon) for epsilon in steps]
            axes.plot(steps, values, "--", color=colour, label=source)
        exact = [worst_case_leakage(policy, epsilon=epsilon).bits for epsilon in steps]
        axes.plot(steps, exact, color=COLOURS[4], label="exactly (Theorem 5)")
        title = f"[Barthe2011], Figure {2 if bits == 10 else 3}: {bits} bits"
        axes.set(xlabel="ε", ylabel="leakage in bits", title=title)

    return draw


NATS = math.log(2)
"""Nats in a bit."""

FIGURES: dict[str, Callable[[Any], None]] = {
    "E-Fig2": _edwards_2,
    "A-Fig3": _alvim_3,
    "B-Fig2": _barthe(10),
    "B-Fig3": _barthe(100),
}
"""How each figure is drawn."""


def _bound(policy: Policy, form: str, source: str = "", **at: Any) -> float:
    """Return a published bound in bits."""
    table = leakage_bounds(policy, **at)
    return next(b.bits for b in table if form in b.form and source in b.source)
