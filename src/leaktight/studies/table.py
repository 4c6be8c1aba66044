"""Tables of a study, read so that a mistake is named with its key and the way out."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import PROMISE, Promise, pure_of, read_promise
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError, TooLarge
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.studies.keys import chosen, keys_of, sections
from leaktight.studies.kinds import MOST_DIGITS, TABLE, shortened

LARGEST_FILE = 2**20
"""The most bytes of a study."""

MOST_CURVE = 1000
"""The most pairs (ε, δ) of a curve."""

MOST_BITS = 2**12
"""The most bits of a ratio; with more, answers take minutes."""

NESTED = re.compile(r"(?:\.\s*[\w\"'-]+\s*){40}")
"""Names of tables within tables, whose reading takes the square of their number."""


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
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as wrong:
        raise InvalidFile(f"{file} is not TOML: {str(wrong)[:200]}") from None
    except RecursionError:
        raise InvalidFile(f"{file}: the tables and lists are nested too deeply") from None
    except (InvalidOperation, OverflowError):
        raise InvalidFile(f"{file}: a number is too large to be read") from None
    except ValueError:
        raise InvalidFile(f"{file}: a number may have at most {MOST_DIGITS:,} digits") from None


def asked_ratio(ratio: RatioLike, epsilon: Number | None) -> Ratio:
    """Return the ratio that a person wrote, of a size that can be computed with.

    >>> asked_ratio("3/2", None).lower
    Fraction(3, 2)
    """
    found = Ratio.of(ratio, epsilon)
    if max(found.lower.numerator, found.lower.denominator).bit_length() > MOST_BITS:
        raise TooLarge(f"a ratio may have at most {MOST_BITS:,} bits here; ε is below 2,839")
    return found


def asked_promise(given: Mapping[str, Any], spelled: str = "{}") -> Promise:
    """Return the promise that a person wrote: ratio or epsilon, delta, rho, mu, or a curve.

    A curve is a list of pairs (ε, δ), all of which hold.

    >>> asked_promise({"epsilon": 1, "delta": "0.001"})
    PrivacyCurve(ε = 1, δ = 0.001)
    >>> asked_promise({"curve": [[1, "0.001"], ["0.5", "0.01"]]})
    PrivacyCurve(ε = 1, δ = 0.001; ε = 0.5, δ = 0.01)
    """
    curve = given.get("curve")
    said = given if curve is None else {**given, "curve": _pairs(curve)}
    return read_promise(said, spelled, asked_ratio)


def _pairs(pairs: Sequence[Sequence[Number]]) -> PrivacyCurve:
    """Return the curve of pairs (ε, δ)."""
    if not pairs:
        raise InvalidInput(
            "a curve is a list of pairs [ε, δ], as in [[0.5, 0.01], [1, 0.001]], got none"
        )
    if len(pairs) > MOST_CURVE:
        raise TooLarge(f"a curve may have at most {MOST_CURVE:,} pairs, got {len(pairs):,}")
    return PrivacyCurve.pairs((asked_ratio(None, epsilon), delta) for epsilon, delta in pairs)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of a study, whose keys are known ones, and say what is of their kinds."""

    file: Path
    name: str
    content: dict[str, Any]

    @classmethod
    def of(cls, file: Path, name: str, content: Any) -> "StudyTable":
        """Return the table with this name, read by the kinds of its keys."""
        place, kind = cls(file, name, {}), ".".join(name.split(".")[:2])
        if type(content) not in TABLE.readers:
            raise InvalidFile(f"{file}: {name} must be a table, [{name}], got {shortened(content)}")
        declared, keys = sections()[kind].keys, keys_of(kind)
        for key in content:
            if key not in keys:
                close = get_close_matches(key, keys, n=1)
                hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(keys)}"
                raise place.wrong(repr(key)[1:61].rstrip("'"), f"is no key of a study; {hint}")
        try:
            read = {key: declared[key].read(content[key], key, place.wrong)
                    for key in content if key in declared}  # fmt: skip
        except RecursionError:
            raise InvalidFile(f"{file}: the tables and lists are nested too deeply") from None
        return cls(file, name, {**content, **read})

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def get(self, key: str, usual: Any = None) -> Any:
        """Return what a key says, or what it usually does."""
        return self.content.get(key, usual)

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

    def needed(self, key: str, known: Iterable[str] = ()) -> str:
        """Return one of the known texts, which must be given."""
        known = tuple(known) or sections()[self.name].keys[key].choices
        if key not in self:
            raise self.wrong("", f"needs {key}: one of {', '.join(known)}")
        return chosen(self.get(key), known, key, self.wrong)

    def whole(self, key: str, usual: int, most: int) -> int:
        """Return a whole number from 1."""
        found: int = self.get(key, usual)
        if not 1 <= found <= most:
            raise self.wrong(
                key, f"must be a whole number from 1 to {most:,}, got {shortened(found)}"
            )
        return found

    def ratio(self) -> Ratio | None:
        """Return the ratio that ``ratio`` or ``epsilon`` says."""
        return pure_of(self.promise(PROMISE[:2]))

    def promise(self, keys: Iterable[str] = PROMISE) -> Promise | None:
        """Return what ``ratio``, ``epsilon``, ``delta``, ``rho``, ``mu`` or ``curve`` say."""
        given = {key: self.get(key) for key in keys}
        said = [key for key in given if key in self]
        if not said:
            return None
        with self.at(said[-1]):
            return asked_promise(given)
