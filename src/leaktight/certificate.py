"""How does a stranger check a worst case, or a mechanism? A file that says what is claimed and why.

The file is written here and checked by ``check.py``, which knows nothing of how it was found.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from leaktight.check import MECHANISM, UNREADABLE, WORST_CASE, Refuted, check
from leaktight.errors import InvalidFile, InvalidInput
from leaktight.exact import rational
from leaktight.gain import Loss
from leaktight.mechanisms.design import BestMechanism
from leaktight.worst_case.covering import Cover
from leaktight.worst_case.optimum import Part, RecordKind, WorstCase


def certificate(proved: WorstCase | BestMechanism) -> dict[str, Any]:
    """Return everything that proves a worst case, or that a mechanism is the best, as plain JSON.

    >>> from leaktight.secrets import SecretGraph
    >>> from leaktight.worst_case.optimum import worst_case_leakage
    >>> proof = certificate(worst_case_leakage(SecretGraph.line(2), ratio=2))
    >>> proof["pieces"][0]["mechanism"], proof["pieces"][0]["parts"]
    ([['2/3', '1/3'], ['1/3', '2/3']], [{'vertices': [0, 1], 'cover': ['2/3', '2/3']}])
    >>> check(proof)
    [(1, Fraction(4, 3), Fraction(4, 3))]
    """
    if not isinstance(proved, WorstCase | BestMechanism):
        raise InvalidInput(f"expected a WorstCase or a BestMechanism, got {proved!r:.60}")
    ratios = {
        "lower ratio": str(rational(proved.ratio.lower)),
        "upper ratio": str(rational(proved.ratio.upper)),
    }
    if isinstance(proved, BestMechanism):
        return {"format": MECHANISM} | ratios | _mechanism(proved)
    return {"format": WORST_CASE} | ratios | {"pieces": [_piece(piece) for piece in proved.pieces]}


def write_certificate(proved: WorstCase | BestMechanism, path: str | Path) -> None:
    """Write the certificate of a worst case or of a mechanism to a JSON file."""
    try:
        Path(path).write_text(json.dumps(certificate(proved), indent=1) + "\n", encoding="utf-8")
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be written: {wrong.strerror}") from None


def verify_certificate(path: str | Path) -> list[tuple[int, Any, Any]]:
    """Check a certificate; return (records, lower, upper) for each kind of record.

    What is attained by some private channel is the product of lower^records, and what none
    exceeds the product of upper^records. Of a mechanism it is what it earns, and what none exceeds.
    """
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        return check(content)
    except Refuted as wrong:
        raise InvalidFile(f"{path} proves nothing: {wrong}") from None
    except UNREADABLE as wrong:
        found = f"{type(wrong).__name__}: {str(wrong)[:200]}"
        raise InvalidFile(f"{path} is no certificate: {found}") from None
    finally:
        sys.set_int_max_str_digits(most)


def _mechanism(best: BestMechanism) -> dict[str, Any]:
    sign = -1 if isinstance(best.aim, Loss) else 1
    where = {guess: w for w, guess in enumerate(best.aim.guesses)}
    return {
        "vertices": [str(vertex) for vertex in best.graph.vertices],
        "edges": best.graph.edges.tolist(),
        "prior": [str(p) for p in best.prior.array],
        "guesses": [str(guess) for guess in best.aim.guesses],
        "gain": [[str(sign * rational(g)) for g in row] for row in best.aim.matrix],
        "outputs": [where[guess] for guess in best.channel.outputs],
        "mechanism": [[str(p) for p in row] for row in best.channel.matrix],
        "utility": str(rational(best.utility)),
        "prices": [str(y) for y in best.prices],
        "flows": [[[i, h, str(amount)] for i, h, amount in flow] for flow in best.flows],
        "upper": str(rational(best.upper)),
    }


def _piece(piece: RecordKind) -> dict[str, Any]:
    return {
        "records": piece.records,
        "vertices": [str(vertex) for vertex in piece.graph.vertices],
        "edges": piece.graph.edges.tolist(),
        "mechanism": [[str(p) for p in row] for row in piece.channel().matrix],
        "lower": str(rational(piece.lower)),
        "parts": [_part(part, piece) for part in piece.above],
        "upper": str(rational(piece.upper)),
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
