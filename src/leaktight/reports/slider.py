"""The slider for ε: formulas in the page, without a server."""

import json
from typing import Any

from leaktight.exact.shown import percent
from leaktight.reports.figure import ON_HEAT, ON_PALE
from leaktight.reports.heat import STRONG, heat_map_svg
from leaktight.reports.page import template
from leaktight.reports.wording import chance, rounded
from leaktight.studies.every_epsilon import EveryEpsilon

DIGITS = 4
"""How many digits the entries of a mechanism have."""


def slider(every: EveryEpsilon) -> str:
    """Return the part of a page that a slider moves; its script, ``slider.js``, shows it.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.studies import Study
    >>> from leaktight.studies.every_epsilon import every_epsilon
    >>> coin = Study(Policy(SecretGraph.complete(["no", "yes"])), epsilon=1)
    >>> "(2λ)/(λ + 1)" in slider(every_epsilon(coin))
    True
    """
    from markupsafe import Markup

    first, last = every.stops[0].epsilon, every.stops[-1].epsilon
    start = every.asked or 1.0
    middle = min(every.stops, key=lambda stop: abs(stop.epsilon - start))
    best = None
    if middle.best:
        title = "Heat map of the best mechanism at the ε of the slider"
        best = Markup(
            heat_map_svg(middle.best, every.inputs, every.outputs, title, name="best-mechanism")
        )
    after = ["after 1 release"]
    if every.observations > 1:
        after.append(f"after {rounded(every.observations)} releases")
    return template("slider.html").render(
        every=every, least=min(first, 0.01), most=last, start=round(start, 2), best=best,
        moments=["before", *after], known=Markup(_data(every)),
    )  # fmt: skip


def _data(every: EveryEpsilon) -> str:
    """Return what the script reads, as JSON that ends no element of the page."""
    known: dict[str, Any] = {
        "asked": every.asked,
        "before": {"near": float(every.before), "shown": percent(every.before)},
        "strong": STRONG,
        "letters": [ON_PALE, ON_HEAT],
        "pieces": [
            {"upper": p.upper, "numerator": p.numerator, "denominator": p.denominator}
            for p in every.pieces
        ],
        "stops": [
            {
                "epsilon": stop.epsilon,
                "after": [{"near": float(p.value), "shown": chance(p)} for p in stop.after],
                "best": [[float(f"{p:.{DIGITS}g}") for p in row] for row in stop.best],
            }
            for stop in every.stops
        ],
    }
    return json.dumps(known, separators=(",", ":")).replace("<", "\\u003c")
