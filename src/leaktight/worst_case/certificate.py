"""How does a stranger check a worst case, or a mechanism? A file that says what is claimed and why.

It is checked by ``check.py``, which knows nothing of how it was found.
"""

import json
import sys
from pathlib import Path
from typing import Any, Protocol

from leaktight.check import UNREADABLE, Refuted, check, complaint
from leaktight.errors import InvalidFile, InvalidInput


class Proved(Protocol):
    """An answer that proves itself: a worst case, or a best mechanism."""

    @property
    def certificate(self) -> dict[str, Any]:
        """What is claimed and why, as plain JSON."""


def write_certificate(proved: Proved, path: str | Path) -> None:
    """Write the certificate of a worst case or of a mechanism to a JSON file."""
    certificate = getattr(proved, "certificate", None)
    if not isinstance(certificate, dict):
        raise InvalidInput(f"expected a WorstCase or a BestMechanism, got {proved!r:.60}")
    try:
        Path(path).write_text(json.dumps(certificate, indent=1) + "\n", encoding="utf-8")
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
        raise InvalidFile(complaint(path, wrong)) from None
    finally:
        sys.set_int_max_str_digits(most)
