"""Studies on their way between a page, its address and a TOML file.

A document is a study's tables as JSON has them, so that everything on the page can be saved, mailed
and answered by ``leaktight audit``. It names no file and runs no code.
"""

from base64 import urlsafe_b64encode
from decimal import Decimal
from math import prod
from pathlib import Path
from typing import Any

import msgspec

from leaktight.errors import InvalidFile, TooLarge
from leaktight.studies.reading import study_of
from leaktight.studies.study import Study
from leaktight.studies.table import parsed

Document = dict[str, Any]

STUDY = Path("study.toml")
"""What a document is called where something is said of it."""

MOST_VALUES = 2000
"""The most values that a page answers for."""

MOST_POINTS = 25
"""The most values with distances: there each pair counts by itself, and takes its time."""

MOST_WHOLE = 2**53
"""The largest whole number that a browser keeps as it is."""

ELSEWHERE = {
    "python": ('runs code, which the page does not: save the study, "leaktight audit study.toml '
               '--allow-code" does'),
    "file": ('names a file, and the page reads none: "leaktight audit" does, or write the rows '
             'into the study, kind = "matrix"'),
}  # fmt: skip
"""The mechanisms that a page refuses, and why."""


def document_of(text: str) -> Document:
    """Return the document of a study in TOML.

    >>> document_of('[policy]\\nvalues = ["no", "yes"]\\n[question]\\nepsilon = 0.50')
    {'policy': {'values': ['no', 'yes']}, 'question': {'epsilon': 0.5}}
    """
    return kept(parsed(text, STUDY), STUDY)


def kept(content: dict[str, Any], file: Path) -> Document:
    """Return what a file says as a browser can keep it, if a page may ask it."""
    found: Document = _plain(content)
    answerable(found, file)
    for key in ("points", "attributes"):
        if isinstance(named := found.get("policy", {}).get(key), dict):
            _expect_order(key, list(named))
    return found


def toml_of(document: Document) -> str:
    """Return the study in TOML, as ``leaktight audit`` reads it.

    >>> print(toml_of({"policy": {"values": 3}, "question": {"epsilon": Decimal("0.5")}}))
    [policy]
    values = 3
    <BLANKLINE>
    [question]
    epsilon = 0.5
    <BLANKLINE>
    """
    import tomli_w

    try:
        return tomli_w.dumps(document)
    except TypeError as wrong:  # a null, for which TOML has no word
        raise InvalidFile(f"a study has texts, numbers, lists and tables only: {wrong}") from None


def address_of(document: Document) -> str:
    """Return the part of an address that carries a study; a browser sends it to nobody."""
    return urlsafe_b64encode(msgspec.json.encode(document)).decode().rstrip("=")


def answerable(document: Document, file: Path = STUDY) -> Study:
    """Return the study of a document, if a page may ask it and it is answered while one waits."""
    mechanism = document.get("mechanism")
    kind = mechanism.get("kind") if isinstance(mechanism, dict) else None
    if isinstance(kind, str) and kind in ELSEWHERE:
        raise InvalidFile(f'[mechanism] kind = "{kind}" {ELSEWHERE[kind]}')
    policy = document.get("policy", {})
    most, what = MOST_VALUES, "values"
    if isinstance(policy, dict) and "metric" in policy:
        most, what = MOST_POINTS, "values with distances"
        if isinstance(policy.get("points"), str):
            raise InvalidFile(
                '[policy] points names a file, and the page reads none: "leaktight audit" does, '
                "or write the points into the study"
            )
    found = _listed(policy) or study_of({"policy": policy}, file).policy.secrets.order
    if found > most:
        raise TooLarge(
            f"the page answers for at most {most} {what}, got {found:,}; save the study: "
            '"leaktight audit study.toml" takes more'
        )
    _expect_quick(document, found)
    return study_of(document, file)


MOST_DESIGNED = 40
"""The most values for which the best mechanism is designed while somebody moves a slider."""


def _expect_quick(document: Document, found: int) -> None:
    """Refuse a mechanism that is not designed while one waits."""
    mechanism = document.get("mechanism")
    best = isinstance(mechanism, dict) and mechanism.get("kind") == "best"
    if best and found > MOST_DESIGNED:
        raise TooLarge(
            f"the page designs the best mechanism for at most {MOST_DESIGNED} values, got "
            f'{found:,}; choose another one, or none: "leaktight audit study.toml" takes more'
        )


def _listed(policy: Any) -> int:
    """Return how many points there are, if they can be counted before distances are measured."""
    if not isinstance(policy, dict) or "metric" not in policy:
        return 0
    sides = policy.get("sides", [])
    if isinstance(sides, list) and sides and all(isinstance(side, int) for side in sides):
        return prod(sides)
    given = policy.get("points", policy.get("distances", ()))
    return len(given) if isinstance(given, list | dict) else 0


def _expect_order(key: str, names: list[str]) -> None:
    """Refuse names that a browser puts into another order: it has whole numbers first."""
    whole = [name for name in names if name.isdecimal() and str(int(name)) == name]
    if whole != sorted(whole, key=int) or names[: len(whole)] != whole:
        raise InvalidFile(
            f"[policy] {key}: a browser puts names that are whole numbers first, and in order; "
            f'name {whole[0]} otherwise, or use "leaktight audit"'
        )


def _plain(value: Any) -> Any:
    """Return what a browser can keep: a number that it would round becomes a text."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, Decimal):
        near = float(value)
        return near if Decimal(repr(near)) == value else str(value)
    if isinstance(value, int) and abs(value) > MOST_WHOLE:
        raise TooLarge(f"the page keeps whole numbers up to 2^53, got {str(value)[:60]}")
    if not isinstance(value, str | int):
        raise InvalidFile(f'the page takes texts and numbers, got {value}; "leaktight audit" does')
    return value
