"""Answers as JSON, and its schema."""

import math
from fractions import Fraction
from typing import Any

import msgspec

from leaktight.exact.numbers import rational, to_float
from leaktight.studies.answers import Answers

MOST_BITS = 100
"""The longest numerator or denominator that JSON gets as text."""


def _written(value: Any) -> dict[str, Any]:
    """Return an exact number as JSON has it: as text, if it is not long, and as a float."""
    number = rational(value)
    near = to_float(number)
    return {
        "exact": str(value) if number.height_bits() <= MOST_BITS else None,
        "near": near if math.isfinite(near) else None,
    }


def to_json(answer: Any) -> Any:
    """Return an answer as JSON: texts, numbers, lists and tables."""
    if isinstance(answer, Answers):
        answer = Answers(**{name: getattr(answer, name) for name in Answers.__struct_fields__})
    return msgspec.to_builtins(answer, enc_hook=_written)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of :class:`Answers`, which docs/audit.schema.json has.

    >>> schema()["$defs"]["Skipped"]["properties"]["why"]
    {'type': 'string'}
    """

    def of(kind: type) -> dict[str, Any]:
        assert kind is Fraction
        return {
            "title": "Number",
            "description": "An exact number: as text unless it is long, and as a float.",
            "type": "object",
            "properties": {
                "exact": {"type": ["string", "null"], "pattern": "^-?[0-9]+(/[0-9]+)?$"},
                "near": {"type": ["number", "null"]},
            },
            "required": ["exact", "near"],
        }

    return msgspec.json.schema(Answers, schema_hook=of)


if __name__ == "__main__":
    print(msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode())
