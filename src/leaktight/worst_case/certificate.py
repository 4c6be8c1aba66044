"""How does a stranger check the worst case? A file that says all that is claimed, and why.

The file is written here and checked by ``check.py``, which knows nothing of how it was found.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from leaktight.errors import InvalidFile
from leaktight.worst_case.check import Refuted, check
from leaktight.worst_case.covering import Cover
from leaktight.worst_case.optimum import Part, RecordKind, WorstCase


def certificate(worst: WorstCase) -> dict[str, Any]:
    """Return everything that proves a worst case, as plain JSON.

    >>> from leaktight.secrets import SecretGraph
    >>> from leaktight.worst_case.optimum import worst_case_leakage
    >>> proof = certificate(worst_case_leakage(SecretGraph.line(2), ratio=2))
    >>> proof["pieces"][0]["mechanism"], proof["pieces"][0]["parts"]
    ([['2/3', '1/3'], ['1/3', '2/3']], [{'vertices': [0, 1], 'cover': ['2/3', '2/3']}])
    >>> check(proof)
    [(1, Fraction(4, 3), Fraction(4, 3))]
    """
    return {
        "format": "leaktight worst case 1",
        "lower ratio": str(worst.ratio.lower),
        "upper ratio": str(worst.ratio.upper),
        "pieces": [_piece(piece) for piece in worst.pieces],
    }


def write_certificate(worst: WorstCase, path: str | Path) -> None:
    """Write the certificate of a worst case to a JSON file."""
    try:
        Path(path).write_text(json.dumps(certificate(worst), indent=1) + "\n", encoding="utf-8")
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be written: {wrong.strerror}") from None


def verify_certificate(path: str | Path) -> list[tuple[int, Any, Any]]:
    """Check a certificate; return (records, lower, upper) for each kind of record.

    What is attained by some private channel is the product of lower^records, and what none
    exceeds the product of upper^records.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        return check(content)
    except Refuted as wrong:
        raise InvalidFile(f"{path} proves nothing: {wrong}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as wrong:
        raise InvalidFile(f"{path} is no certificate: {type(wrong).__name__}: {wrong}") from None


def _piece(piece: RecordKind) -> dict[str, Any]:
    return {
        "records": piece.records,
        "vertices": [str(vertex) for vertex in piece.graph.vertices],
        "edges": piece.graph.edges.tolist(),
        "mechanism": [[str(p) for p in row] for row in piece.channel().matrix],
        "lower": str(piece.lower),
        "parts": [_part(part, piece) for part in piece.above],
        "upper": str(piece.upper),
    }


def _part(part: Part, piece: RecordKind) -> dict[str, Any]:
    at = np.array([piece.graph.index(vertex) for vertex in part.graph.vertices])
    if isinstance(part.proof, Cover):
        return {"vertices": at.tolist(), "cover": [str(b) for b in part.proof.weights]}
    flows = [
        [
            [int(at[i]), int(at[h]), str(amount)]
            for (i, h), amount in zip(flow.arcs, flow.values, strict=True)
        ]
        for flow in sorted(part.proof.flows, key=lambda flow: flow.root)
    ]
    prices = [str(y) for y in part.proof.dual]
    return {"vertices": at.tolist(), "prices": prices, "flows": flows}
