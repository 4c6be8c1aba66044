"""Certificates: files by which a stranger checks a worst case, or a mechanism.

It is checked by ``check.py``, which knows nothing of how it was found. The digest of what was asked
ties the file to the question.
"""

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidFile, InvalidInput, TooLarge, Undecided
from leaktight.exact.numbers import Array, rational
from leaktight.exact.ratio import Ratio
from leaktight.files import new_file
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, metric_of, record_spaces

_OF_OTHERS = re.compile(
    r"""[('"].*|\d{4}-\d\d-\d\d.*|True|False|None|-?(inf|nan|Infinity|s?NaN\d*)"""
    r"""|-?\d+(\.\d+)?([eE][+-]?\d+)?|-?\d+/\d+""",
    re.ASCII | re.DOTALL,
)
"""How numbers, dates, tuples and nothing are written, and texts in quotes."""


class Proved(Protocol):
    """An answer that proves itself: a worst case, or a best mechanism."""

    @property
    def certificate(self) -> dict[str, Any]:
        """What is claimed and why, as plain JSON."""


def write_certificate(proved: Proved, path: str | Path) -> None:
    """Check the certificate of a worst case or a mechanism and write it to a JSON file."""
    certificate = getattr(proved, "certificate", None)
    if not isinstance(certificate, dict):
        raise InvalidInput(f"expected a WorstCase or a BestMechanism, got {proved!r:.60}")
    from leaktight.check import MOST_BYTES, Refuted, Unreadable, check

    text = json.dumps(certificate, indent=1) + "\n"
    try:
        if len(text) > MOST_BYTES:
            raise Unreadable(f"it has {len(text):,} bytes, more than {MOST_BYTES:,}")
        check(certificate)
    except Refuted as wrong:
        raise Undecided(f"the certificate does not prove what it claims: {wrong}") from None
    except Unreadable as wrong:
        raise TooLarge(
            f"a certificate is not written, as it would not be checked: {wrong}; "
            "it is shorter for a ratio of few digits, or for fewer values"
        ) from None
    with new_file(path) as file:
        file.write(text)


def verify_certificate(path: str | Path) -> list[tuple[int, Any, Any]]:
    """Check a certificate; return (records, lower, upper) for each kind of record.

    What is attained by some private channel is the product of lower^records, and what none
    exceeds the product of upper^records. Of a mechanism it is what it earns, and what none exceeds.
    """
    from leaktight.check import Refuted, Unreadable, check, complaint, loaded

    try:
        return check(loaded(str(path)))
    except Refuted as wrong:
        raise InvalidFile(f"{path} proves nothing: {wrong}") from None
    except (Unreadable, OSError) as wrong:
        raise InvalidFile(complaint(path, wrong)) from None


def channel_claim(channel: Channel, lower: Fraction) -> dict[str, Any]:
    """Return a mechanism that is written out, and the sum of its column maxima."""
    rows = [[str(p) for p in row] for row in channel.matrix]
    return {"mechanism": rows, "lower": str(rational(lower))}


def digest_of(
    neighbours: Space,
    prior: Distribution | None = None,
    gain: Gain | Loss | None = None,
) -> str:
    """Return the digest of a question, as ``leaktight verify`` shows it of a certificate.

    The question of a worst case is who must not be told apart; that of the best mechanism has a
    prior and a gain or loss as well. The ratio is no part of it.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> digest_of(SecretGraph.line(2))[:16]
    '5647d9a26ec5f9e2'
    """
    if prior is not None and gain is not None:
        from leaktight.check import digest

        return digest(mechanism_claim(metric_of(neighbours), prior, gain))
    return digest_of_records(record_spaces(neighbours))


def digest_of_records(kinds: Iterable[tuple[Graph | Metric, int]]) -> str:
    """Return the digest of the worst case of independent records, given the space of each kind."""
    from leaktight.check import digest

    return digest({"pieces": [graph_claim(space) | {"records": n} for space, n in kinds]})


def graph_claim(graph: Graph | Metric, ratio: Ratio | None = None) -> dict[str, Any]:
    """Return a graph as a certificate has it, a metric with lengths and the ratios across edges."""
    metric, joined = graph.measured, graph.graph
    claim = {"vertices": names(joined.vertices), "edges": joined.edges.tolist()}
    if metric is None or metric.unit == 1:
        return claim
    claim["lengths"] = _written(metric.lower, metric.upper)
    return claim | ({} if ratio is None else {"ratios": _written(*metric.ratios(ratio))})


def _written(*ends: Array) -> list[list[str]]:
    return [[str(low), str(high)] for low, high in zip(*ends, strict=True)]


def mechanism_claim(
    metric: Metric, prior: Distribution, gain: Gain | Loss, ratio: Ratio | None = None
) -> dict[str, Any]:
    """Return a metric, a prior and a gain as a certificate has them: a loss is a negative gain."""
    return graph_claim(metric, ratio) | {
        "prior": [str(rational(p)) for p in prior.array],
        "guesses": names(gain.guesses),
        "gain": [[str(gain.sign * rational(g)) for g in row] for row in gain.matrix],
    }


def names(labels: Sequence[Hashable]) -> list[str]:
    """Return labels as texts that differ, also from those of labels of another type.

    >>> names([1, 2]), names(["1", "2"]), names(["low", "high"])
    (['1', '2'], ["'1'", "'2'"], ['low', 'high'])
    """
    found = list(map(_name, labels))
    if len(set(found)) == len(found):
        return found
    return [f"{place}: {label!r}" for place, label in enumerate(labels)]


def _name(label: Hashable) -> str:
    """Return a text that no label of another type has: a text has quotes if it might be one."""
    if isinstance(label, str):
        return repr(str(label)) if _OF_OTHERS.fullmatch(label) else str(label)
    if isinstance(label, frozenset):
        return f"({', '.join(sorted(map(repr, label)))}) as a set"
    said = str(label)
    return said if _OF_OTHERS.fullmatch(said) else f"({type(label).__qualname__}) {said}"
