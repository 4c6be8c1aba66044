"""Values, policies and questions written so that equal ones read alike."""

import base64
import json
import zlib
from collections.abc import Hashable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

from leaktight.errors import InvalidFile, InvalidPolicy
from leaktight.policies.constraint import Count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import CHANGE, SecretGraph
from leaktight.tables.privacy_unit import PrivacyUnit

_READERS: dict[str, Any] = {
    "text": str,
    "whole": int,
    "truth": lambda text: text == "True",
    "float": float,
    "decimal": Decimal,
    "fraction": Fraction,
    "date": date.fromisoformat,
}


def canonical(content: Any) -> str:
    """Return JSON with sorted keys and no spaces."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(*parts: str) -> str:
    """Return a name that no other texts have."""
    return sha256("\0".join([f"{len(part)}:{part}" for part in parts]).encode()).hexdigest()


def write_value(value: Hashable) -> list[Any]:
    """Return a value as JSON has it, with its type.

    >>> write_value(("Bern", 3)), read_value(write_value(("Bern", 3)))
    (['tuple', [['text', 'Bern'], ['whole', '3']]], ('Bern', 3))
    """
    if isinstance(value, tuple):
        return ["tuple", list(map(write_value, value))]
    kinds: tuple[tuple[str, Any], ...] = (
        ("text", str),
        ("truth", bool | np.bool_),
        ("whole", int | np.integer),
        ("float", float | np.floating),
        ("decimal", Decimal),
        ("fraction", Fraction),
        ("date", date),
    )
    for name, kind in kinds:
        if isinstance(value, kind):
            return [name, str(float(value)) if name == "float" else str(value)]
    raise InvalidPolicy(
        "a value in a ledger must be a text, a number, a date or a tuple of them, got "
        f"{value!r:.60}"
    )


def read_value(written: Any) -> Hashable:
    """Return what :func:`write_value` wrote."""
    try:
        kind, text = written
        return tuple(map(read_value, text)) if kind == "tuple" else _READERS[kind](text)
    except (KeyError, TypeError, ValueError):
        raise InvalidFile("a value of the ledger's policy cannot be read") from None


def write_protection(protection: PrivacyUnit) -> str:
    """Return whose values are protected, as a ledger keeps it; the same for the same policy."""
    edges = zlib.compress(protection.pairs.astype("<i8").tobytes(), 9)
    absent = protection.absent
    return canonical(
        {
            "values": list(map(write_value, protection.values)),
            "pairs": base64.b64encode(edges).decode(),
            "records": protection.policy.records,
            "absent": None if absent is None else write_value(absent),
            "rows per person": protection.rows_per_person,
            "counts": [
                [
                    list(map(write_value, one.values)),
                    one.least,
                    one.most,
                    *[True] * one.is_published,
                ]
                for one in protection.policy.constraints
            ],
            **({"people": CHANGE} if protection.people == CHANGE else {}),
        }
    )


def read_protection(text: str) -> PrivacyUnit:
    """Return what :func:`write_protection` wrote."""
    try:
        content = json.loads(text)
        edges = np.frombuffer(zlib.decompress(base64.b64decode(content["pairs"])), dtype="<i8")
        values = list(map(read_value, content["values"]))
        secrets = SecretGraph.from_indices(values, edges.reshape(-1, 2))
        absent = None if content["absent"] is None else read_value(content["absent"])
        counts = [
            Count(tuple(map(read_value, values)), least, most, is_published=bool(published))
            for values, least, most, *published in content["counts"]
        ]
        policy = Policy(secrets, content["records"], constraints=counts)
        return PrivacyUnit(policy, absent, content["rows per person"], content.get("people"))
    except (KeyError, TypeError, ValueError, zlib.error):
        raise InvalidFile("the policy of the ledger cannot be read") from None
