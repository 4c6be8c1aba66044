"""Kinds of what a key of a study may say: how each is checked, read, and described to editors.

A table is read by the kinds that ``keys.toml`` declares, once, so that nothing behind it asks what
it was given: a text is a line, a number is finite and as it was written.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TypeAlias

from leaktight.errors import InvalidFile

MOST_DIGITS = 4000
"""The most digits of a number in a study, and its largest power of ten."""

UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What is no part of a line of text; on a terminal it could do anything."""

Wrong: TypeAlias = Callable[[str, str], InvalidFile]
"""Makes the error that something is wrong with a key."""
Reader: TypeAlias = Callable[[Any, str, Wrong], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a key may say, by the types that TOML and JSON have for it."""

    words: str
    """What it must be, in a message."""
    schema: Mapping[str, Any]
    """The same as JSON schema."""
    readers: Mapping[type, Reader]

    def read(self, given: Any, key: str, wrong: Wrong) -> Any:
        """Return what a key says, or say what it must be."""
        if type(given) not in self.readers:
            raise wrong(key, f"must be {self.words}, got {shortened(given)}")
        return self.readers[type(given)](given, key, wrong)

    def __or__(self, other: "Kind") -> "Kind":
        either = [*self.schema.get("anyOf", [self.schema]), other.schema]
        words = f"{self.words.replace(' or ', ', ')} or {other.words}"
        return Kind(words, {"anyOf": either}, {**self.readers, **other.readers})


def shortened(given: Any) -> str:
    """Return what was found, as it is written in the file, for a message."""
    text = repr(given) if type(given) in (str, list, tuple, dict) else str(given).lower()
    return text if len(text) <= 60 else f"{text[:59]}…"


def _line(given: str, key: str, wrong: Wrong) -> str:
    if UNSEEN.search(given):
        raise wrong(key, f"must be one line of text, got {given!r:.60}")
    return given


def _text(given: str, key: str, wrong: Wrong) -> str:
    if not given.strip():
        raise wrong(key, f"must be text in quotes, got {shortened(given)}")
    return _line(given, key, wrong)


def _whole(given: int, key: str, wrong: Wrong) -> int:
    if given.bit_length() > 3 * MOST_DIGITS:
        raise wrong(key, f"may have at most {MOST_DIGITS:,} digits")
    return given


def _number(given: Decimal | float, key: str, wrong: Wrong) -> Decimal | float:
    if not math.isfinite(given):
        raise wrong(key, f"must be a finite number, got {given}")
    if given and abs(Decimal(given).adjusted()) > MOST_DIGITS:
        raise wrong(key, f"may have at most {MOST_DIGITS:,} digits")
    return given


def _near(given: Decimal | float, key: str, wrong: Wrong) -> int | float:
    """Return a number as the name of a value."""
    number = _number(given, key, wrong)
    return int(number) if number == int(number) else float(number)


def _as_it_is(given: Any, key: str, wrong: Wrong) -> Any:
    return given


def list_of(each: Kind, many: str, made: Callable[[Any], Any] = list) -> Kind:
    """Return the kind of lists of something, which is called so if there are many."""
    named = Kind(many, each.schema, each.readers)

    def read(given: list[Any], key: str, wrong: Wrong) -> Any:
        return made(named.read(one, key, wrong) for one in given)

    inner = {"items": each.schema} if each.schema else {}
    return Kind("a list", {"type": "array", **inner}, {list: read})


def table_of(each: Kind) -> Kind:
    """Return the kind of tables of something."""

    def read(given: dict[str, Any], key: str, wrong: Wrong) -> dict[str, Any]:
        for name in given:
            _line(name, f"{key}: a name", wrong)
        return {name: each.read(one, f"{key}.{name:.40}", wrong) for name, one in given.items()}

    inner = {"additionalProperties": each.schema} if each.schema else {}
    return Kind("a table", {"type": "object", **inner}, {dict: read})


def _two(each: Kind) -> Kind:
    """Return the kind of lists of two."""

    def read(given: list[Any], key: str, wrong: Wrong) -> Any:
        if len(given) != 2:
            raise wrong(key, f"must be pairs, got {shortened(given)}")
        return each.read(given, key, wrong)

    return Kind(each.words, {**each.schema, "minItems": 2, "maxItems": 2}, {list: read})


TEXT = Kind("text in quotes", {"type": "string"}, {str: _text})
WHOLE = Kind("a whole number", {"type": "integer"}, {int: _whole})
NUMBER = Kind(
    "a number",
    {"type": ["number", "string"]},
    {int: _whole, float: _number, Decimal: _number, str: _line},
)
TRUTH = Kind("true or false", {"type": "boolean"}, {bool: _as_it_is})
TABLE = Kind("a table", {"type": "object"}, {dict: _as_it_is})
"""A table whose keys are declared, too."""
VALUE = Kind(
    "a text or a number",
    {},
    {
        **NUMBER.readers, **TRUTH.readers, float: _near, Decimal: _near,
        **dict.fromkeys((date, datetime, time), _as_it_is),
        list: lambda given, key, wrong: tuple(LIST.read(given, key, wrong)),
    },
)  # fmt: skip
"""The name of a value: text, a number, true, false, a date, or a tuple of them."""
LIST: Kind = list_of(VALUE, "texts or numbers")
VALUES = list_of(VALUE, "texts or numbers", tuple)
NUMBERS = list_of(NUMBER, "numbers")
COUNTS = table_of(NUMBER)
HOW_MANY = Kind("a table that says how many records there are", COUNTS.schema, COUNTS.readers)

KINDS: Mapping[str, Kind] = {
    "text": TEXT,
    "number": NUMBER,
    "whole number": WHOLE,
    "truth": TRUTH,
    "value": VALUE,
    "list": LIST,
    "table": TABLE,
    "list of texts": list_of(TEXT, "texts"),
    "list of names": list_of(TEXT, "tables of numbers, or a list of names"),
    "list of numbers": NUMBERS,
    "list of lists": list_of(VALUES, "lists"),
    "list of sides": list_of(LIST | WHOLE, "a list, or how many there are"),
    "list of edges": list_of(VALUES, "pairs"),
    "list of pairs": list_of(_two(VALUES), "pairs"),
    "list of pairs of numbers": list_of(_two(NUMBERS), "pairs of numbers"),
    "list of rows": list_of(NUMBERS, "rows of numbers"),
    "list of tables": list_of(TABLE, "tables"),
    "table of attributes": table_of(
        Kind("a list or a table", {}, {list: _as_it_is, dict: _as_it_is})
    ),
    "table of lists": table_of(LIST),
    "table of numbers": COUNTS,
    "table of rows": table_of(NUMBERS | COUNTS),
    "table of tables": table_of(HOW_MANY),
    "table of values": table_of(VALUE),
}
"""The kinds by the names that ``keys.toml`` has for them; several are joined by commas and "or"."""
