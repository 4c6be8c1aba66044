"""Certificates of what a promise lets anyone learn, as ``check.py`` reads them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from flint import fmpq

from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.check import ABSENT, CURVE, DIVERGENCE, EDGES, EVERYONE, PRESENCE, TRIES
from leaktight.curves.polygon import Line
from leaktight.curves.renyi import Orders, Tangent
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.worst_case.certificate import mechanism_claim

Rows: TypeAlias = Sequence[Sequence[fmpq]]
Ends: TypeAlias = tuple[fmpq, fmpq]
Sides: TypeAlias = tuple[Iterable[Line], Iterable[Line]]


def claim(
    graph: Graph,
    prior: Distribution,
    gain: Gain | Loss,
    *,
    mechanism: Rows,
    pairs: Sides,
    ends: Ends,
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return a certificate; ``proof`` has weights or multipliers, ``pairs`` those of both ends."""
    return (
        {"format": CURVE, "lower pairs": _listed(pairs[0]), "upper pairs": _listed(pairs[1])}
        | _asked(graph, prior, gain, mechanism)
        | proof
        | _between(ends)
    )


def claim_of_edges(
    graph: Graph,
    prior: Distribution,
    gain: Gain | Loss,
    *,
    mechanism: Rows,
    pairs: Sequence[Mapping[tuple[int, int], Iterable[Line]]],
    ends: Ends,
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return one where each edge has its own pairs, by the places of its ends."""
    asked = _asked(graph, prior, gain, mechanism)
    lower, upper = ([_listed(side[i, h]) for i, h in asked["edges"]] for side in pairs)
    return (
        {"format": EDGES, "lower pairs": lower, "upper pairs": upper}
        | asked
        | proof
        | _between(ends)
    )


def claim_of_absent(
    graph: Graph,
    prior: Distribution,
    gain: Gain | Loss,
    *,
    absent: int,
    mechanism: Rows,
    lines: Sides,
    ends: Ends,
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return one where who is present is bounded against who is absent, in this order only."""
    return (
        {"format": ABSENT, "absent": absent}
        | of_lines(*lines)
        | _asked(graph, prior, gain, mechanism)
        | proof
        | _between(ends)
    )


def claim_of_divergences(
    orders: Orders,
    graph: Graph,
    prior: Distribution,
    gain: Gain | Loss,
    *,
    mechanism: Rows,
    lines: Iterable[tuple[Line, Tangent]] = (),
    ends: Ends,
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return one of Rényi divergences; each pair of the proof has the tangent it follows from."""
    tangents = of_tangents(lines)
    return (
        {"format": DIVERGENCE}
        | orders.to_dict()
        | _asked(graph, prior, gain, mechanism)
        | (tangents if tangents["tangents"] else {})
        | proof
        | _between(ends)
    )


def claim_of_tries(values: int, tries: int, *, ends: Ends, proof: dict[str, Any]) -> dict[str, Any]:
    """Return one of equally likely values; ``proof`` has pairs, or divergences and an order."""
    return {"format": TRIES, "values": values, "tries": tries} | proof | _between(ends)


def claim_of_presence(
    prior: Sequence[fmpq],
    tries: int,
    *,
    promise: dict[str, Any],
    places: Sequence[fmpq],
    price: fmpq,
    ends: Ends,
) -> dict[str, Any]:
    """Return one of who is present, whose chances may sum to less than 1.

    ``promise`` has lines of both ends, or divergences with powers, pairs and tangents.
    """
    return (
        {
            "format": PRESENCE,
            "prior": [str(p) for p in prior],
            "tries": tries,
            "places": [str(a) for a in places],
            "price": str(price),
        }
        | promise
        | _between(ends)
    )


def claim_of_everyone(
    kinds: Iterable[tuple[Sequence[fmpq], int]],
    *,
    promise: dict[str, Any],
    ends: Ends,
    proof: dict[str, Any],
) -> dict[str, Any]:
    """Return one of all records: their priors and how many have each.

    ``promise`` has the pairs of both ends, or divergences with pairs and tangents.
    """
    listed = [{"prior": [str(p) for p in prior], "records": n} for prior, n in kinds]
    return {"format": EVERYONE, "kinds": listed} | promise | proof | _between(ends)


def of_tangents(lines: Iterable[tuple[Line, Tangent]]) -> dict[str, Any]:
    """Return pairs that follow from divergences, and what each follows from."""
    listed = list(lines)
    tangents = [[str(each) for each in tangent] for _, tangent in listed]
    return {"upper pairs": _listed(line for line, _ in listed), "tangents": tangents}


def of_lines(lower: Iterable[Line], upper: Iterable[Line]) -> dict[str, Any]:
    """Return the lines of both ends, for one order of neighbours."""
    return {"lower lines": _listed(lower), "upper lines": _listed(upper)}


def of_pairs(lower: Iterable[Line], upper: Iterable[Line]) -> dict[str, Any]:
    """Return the pairs of both ends."""
    return {"lower pairs": _listed(lower), "upper pairs": _listed(upper)}


def _asked(graph: Graph, prior: Distribution, gain: Gain | Loss, mechanism: Rows) -> dict[str, Any]:
    return mechanism_claim(Metric.of(graph), prior, gain) | {
        "mechanism": [[str(entry) for entry in row] for row in mechanism]
    }


def _listed(lines: Iterable[Line]) -> list[list[str]]:
    return [[str(slope), str(height)] for slope, height in lines]


def _between(ends: Ends) -> dict[str, str]:
    return {"lower": str(ends[0]), "upper": str(ends[1])}
