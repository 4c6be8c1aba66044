"""How does a study travel between a page, its address and a TOML file?

A document is a study's tables as JSON has them, so that everything on the page can be saved, mailed
and answered by ``leaktight audit``. It names no file and runs no code.
"""

from base64 import urlsafe_b64encode
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from leaktight.errors import InvalidFile, TooLarge
from leaktight.studies.reading import study_of
from leaktight.studies.study import Study
from leaktight.studies.table import check_content, parsed

Document = dict[str, Any]

STUDY = Path("study.toml")
"""What a document is called where something is said of it."""

MOST_VALUES = 40
"""The most values that are answered while somebody moves a slider."""

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
    policy = document.get("policy")
    if isinstance(policy, dict) and "metric" in policy:
        raise InvalidFile(
            "[policy] metric gives distances, and the page takes secret pairs only: save the "
            'study, "leaktight audit study.toml" answers it'
        )
    check_content(file, document)
    found = study_of({"policy": document.get("policy", {})}, file).policy.secrets.order
    if found > MOST_VALUES:
        raise TooLarge(
            f"the page answers for at most {MOST_VALUES} values, got {found:,}; save the study: "
            '"leaktight audit study.toml" takes more'
        )
    return study_of(document, file)


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
