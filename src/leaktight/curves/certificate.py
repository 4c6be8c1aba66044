"""Certificates of what a curve lets anyone learn, as ``check.py`` reads them."""

from collections.abc import Iterable, Sequence
from typing import Any

from flint import fmpq

from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.check import CURVE
from leaktight.curves.polygon import Line
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.worst_case.certificate import mechanism_claim


def claim(
    graph: Graph,
    prior: Distribution,
    gain: Gain | Loss,
    *,
    mechanism: Sequence[Sequence[fmpq]],
    pairs: tuple[Iterable[Line], Iterable[Line]],
    ends: tuple[fmpq, fmpq],
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return a certificate; ``proof`` has weights or multipliers, ``pairs`` those of both ends."""
    lower, upper = ([[str(ratio), str(delta)] for ratio, delta in side] for side in pairs)
    return (
        {"format": CURVE, "lower pairs": lower, "upper pairs": upper}
        | mechanism_claim(Metric.of(graph), prior, gain)
        | {"mechanism": [[str(entry) for entry in row] for row in mechanism]}
        | proof
        | {"lower": str(ends[0]), "upper": str(ends[1])}
    )
