"""Tables of a study, read so that a mistake is named with its key and the way out."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import Promise, promise_of
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError, TooLarge
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio
from leaktight.studies.keys import keys_of, sections

LARGEST_FILE = 2**20
"""The most bytes of a study."""

MOST_DIGITS = 4000
"""The most digits of a number in a study, and its largest power of ten."""

MOST_CURVE = 1000
"""The most pairs (ε, δ) of a curve."""

PROMISE = ("ratio", "epsilon", "delta", "rho", "mu", "curve")
"""The keys that say what must be kept."""

MOST_BITS = 2**12
"""The most bits of a ratio; with more, answers take minutes."""

NESTED = re.compile(r"(?:\.\s*[\w\"'-]+\s*){40}")
"""Names of tables within tables, whose reading takes the square of their number."""

UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What is no part of a line of text; on a terminal it could do anything."""


def load(file: Path) -> dict[str, Any]:
    """Return what a TOML file says."""
    try:
        if file.exists() and not file.is_file():
            kind = "folder" if file.is_dir() else "device"
            raise InvalidFile(f"{file} is a {kind}; a study is a TOML file")
        if file.stat().st_size > LARGEST_FILE:
            raise InvalidFile(f"{file}: a study must have at most {LARGEST_FILE:,} bytes")
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {file}; a study is a TOML file") from None
    except UnicodeDecodeError:
        raise InvalidFile(f"{file} is not text in UTF-8; a study is a TOML file") from None
    except OSError as wrong:
        raise InvalidFile(f"{file} cannot be read: {wrong.strerror}") from None
    return parsed(text, file)


def parsed(text: str, file: Path) -> dict[str, Any]:
    """Return what the text of a study says; every number is as it was written."""
    try:
        if NESTED.search(text):
            raise RecursionError
        content = tomllib.loads(text, parse_float=Decimal)
        check_content(file, content)
    except tomllib.TOMLDecodeError as wrong:
        raise InvalidFile(f"{file} is not TOML: {str(wrong)[:200]}") from None
    except RecursionError:
        raise InvalidFile(f"{file}: the tables and lists are nested too deeply") from None
    except (InvalidOperation, OverflowError):
        raise InvalidFile(f"{file}: a number is too large to be read") from None
    except ValueError as wrong:
        if isinstance(wrong, InvalidFile):
            raise
        raise InvalidFile(f"{file}: a number may have at most {MOST_DIGITS:,} digits") from None
    return content


def check_content(file: Path, value: Any, path: tuple[str, ...] = ()) -> None:
    """Refuse texts that are no line, and numbers that are not finite or are huge, in any key."""
    place = path[0] if len(path) == 1 else f"[{path[0]}] {'.'.join(path[1:])}" if path else ""
    if isinstance(value, dict):
        for key, each in value.items():
            if UNSEEN.search(key):
                raise InvalidFile(f"{file}: the key {key!r:.60} must be one line of text")
            check_content(file, each, (*path, key))
    elif isinstance(value, list):
        for each in value:
            check_content(file, each, path)
    elif isinstance(value, str):
        if UNSEEN.search(value):
            raise InvalidFile(f"{file}: {place} must be one line of text, got {value!r:.60}")
    elif isinstance(value, Decimal) and not value.is_finite():
        raise InvalidFile(f"{file}: {place} must be a finite number, got {value}")
    elif (isinstance(value, Decimal) and value and abs(value.adjusted()) > MOST_DIGITS) or (
        isinstance(value, int) and value.bit_length() > 3 * MOST_DIGITS
    ):
        raise InvalidFile(f"{file}: {place} may have at most {MOST_DIGITS:,} digits")


def asked_ratio(ratio: Number | None, epsilon: Number | None) -> Ratio:
    """Return the ratio that a person wrote, of a size that can be computed with.

    >>> asked_ratio("3/2", None).lower
    Fraction(3, 2)
    """
    found = Ratio.of(ratio, epsilon)
    if max(found.lower.numerator, found.lower.denominator).bit_length() > MOST_BITS:
        raise TooLarge(f"a ratio may have at most {MOST_BITS:,} bits here; ε is below 2,839")
    return found


def asked_promise(given: Mapping[str, Any]) -> Promise:
    """Return the promise that a person wrote: ratio or epsilon, delta, rho, mu, or a curve.

    A curve is a list of pairs (ε, δ), all of which hold.

    >>> asked_promise({"epsilon": 1, "delta": "0.001"})
    PrivacyCurve(ε = 1, δ = 0.001)
    >>> asked_promise({"curve": [[1, "0.001"], ["0.5", "0.01"]]})
    PrivacyCurve(ε = 1, δ = 0.001; ε = 0.5, δ = 0.01)
    """
    said = {key: value for key, value in given.items() if value is not None}
    if not said.keys() - {"ratio", "epsilon"}:
        return asked_ratio(said.get("ratio"), said.get("epsilon"))
    if "ratio" in said or "epsilon" in said:
        ratio = asked_ratio(said.pop("ratio", None), said.pop("epsilon", None))
        return promise_of(ratio, **said)
    if "curve" in said:
        said["curve"] = _pairs(said["curve"])
    return promise_of(**said)


def _pairs(given: Any) -> PrivacyCurve:
    """Return the curve of pairs (ε, δ)."""
    pairs = given if isinstance(given, list | tuple) else None
    if not pairs or any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        raise InvalidInput(
            "a curve is a list of pairs [ε, δ], as in [[0.5, 0.01], [1, 0.001]], "
            f"got {shortened(given)}"
        )
    if len(pairs) > MOST_CURVE:
        raise TooLarge(f"a curve may have at most {MOST_CURVE:,} pairs, got {len(pairs):,}")
    return PrivacyCurve.pairs(
        (asked_ratio(None, plain_number(epsilon)), plain_number(delta)) for epsilon, delta in pairs
    )


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of a study, whose keys are known ones."""

    file: Path
    name: str
    content: dict[str, Any]

    @classmethod
    def of(cls, file: Path, name: str, content: Any) -> "StudyTable":
        """Return the table with this name, after a look at its keys."""
        table, keys = cls(file, name, content), keys_of(".".join(name.split(".")[:2]))
        if not isinstance(content, dict):
            raise InvalidFile(f"{file}: {name} must be a table, [{name}], got {shortened(content)}")
        for key in content:
            if key not in keys:
                close = get_close_matches(key, keys, n=1)
                hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(keys)}"
                raise table.wrong(key[:60], f"is no key of a study; {hint}")
        return table

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def get(self, key: str) -> Any:
        """Return what a key says; None if it is not there."""
        return self.content.get(key)

    def where(self, key: str) -> str:
        """Return the place of a key, for a message."""
        return " ".join(part for part in (f"[{self.name}]" if self.name else "", key) if part)

    def wrong(self, key: str, what: str) -> InvalidFile:
        """Return the error that something is wrong with a key."""
        return InvalidFile(f"{self.file}: {self.where(key)} {what}")

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """Say of whatever is refused inside that it is because of this key."""
        try:
            yield
        except LeaktightError as wrong:
            kind = TooLarge if isinstance(wrong, TooLarge) else InvalidFile
            named = str(wrong).startswith(f"{self.file}: ")  # it has its place already
            place = "" if named else f"{self.file}: {self.where(key)}: "
            raise kind(f"{place}{wrong}") from None

    def listed(self, key: str) -> list[Any]:
        """Return a list, by default an empty one."""
        found = self.content.get(key, [])
        if not isinstance(found, list):
            raise self.wrong(key, f"must be a list, got {shortened(found)}")
        return found

    def text(self, key: str, usual: str) -> str:
        """Return a text that is not empty."""
        found = self.content.get(key, usual)
        if not isinstance(found, str) or not found.strip():
            raise self.wrong(key, f"must be text in quotes, got {shortened(found)}")
        return found

    def whole(self, key: str, usual: int, most: int) -> int:
        """Return a whole number from 1."""
        found = self.content.get(key, usual)
        if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= most:
            raise self.wrong(
                key, f"must be a whole number from 1 to {most:,}, got {shortened(found)}"
            )
        return found

    def number(self, key: str) -> Number | None:
        """Return a number, as it was written; None if the key is not there."""
        found = self.content.get(key)
        if found is not None:
            with self.at(key):
                rational(plain_number(found))
        return found

    def ratio(self) -> Ratio | None:
        """Return the ratio that ``ratio`` or ``epsilon`` says."""
        if "ratio" not in self and "epsilon" not in self:
            return None
        if "ratio" in self and "epsilon" in self:
            raise self.wrong("", "must have only one of ratio and epsilon, got both")
        with self.at("ratio" if "ratio" in self else "epsilon"):
            given = [plain_number(self.get(key)) for key in ("ratio", "epsilon")]
            return asked_ratio(*given)

    def promise(self) -> Promise | None:
        """Return what ``ratio``, ``epsilon``, ``delta``, ``rho``, ``mu`` or ``curve`` say."""
        said = [key for key in PROMISE if key in self]
        if not {*said} - {"ratio", "epsilon"}:
            return self.ratio()
        with self.at(said[-1]):
            return asked_promise({key: plain_number(self.get(key)) for key in said})

    def one_of(self, key: str, usual: str | None = None, known: Iterable[str] = ()) -> str:
        """Return one of the known texts, those of the schema, in either spelling of English."""
        known = tuple(known) or sections()[".".join(self.name.split(".")[:2])].keys[key].choices
        found = self.content.get(key, usual)
        if found is None:
            raise self.wrong("", f"needs {key}: one of {', '.join(known)}")
        spelt = {_spelling(each): each for each in known}
        if not isinstance(found, str) or _spelling(found) not in spelt:
            close = get_close_matches(str(found)[:60], known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
            raise self.wrong(key, f"cannot be {shortened(found)}; {hint}")
        return spelt[_spelling(found)]

    def labels(self, key: str) -> list[Any]:
        """Return a list of values."""
        return [self.label(key, each) for each in self.listed(key)]

    def label(self, key: str, given: Any) -> Any:
        """Return one value: text, a number, True, False, a date, or a tuple of them."""
        if isinstance(given, list):
            return tuple(self.label(key, each) for each in given)
        if isinstance(given, dict):
            raise self.wrong(key, f"must have texts or numbers in it, got {shortened(given)}")
        if isinstance(given, Decimal):
            return int(given) if given == given.to_integral() else float(given)
        return given


def plain_number(given: Any) -> Any:
    """Return what was given for a number; true and false are none."""
    return repr(given).lower() if isinstance(given, bool) else given


def shortened(given: Any) -> str:
    """Return what was found, as it is written in the file, for a message."""
    if isinstance(given, bool | Decimal):
        return str(given).lower()[:60]
    text = str(given) if isinstance(given, int) else repr(given)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _spelling(text: str) -> str:
    """Return a text as both sides of the Atlantic would read it: randomized, neighbor."""
    return text.replace("iz", "is").replace("our", "or")
