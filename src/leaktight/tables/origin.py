"""What a release was drawn from, as its ledger remembers it: a file, and when it was written.

Neither the size of a file nor a hash of it is kept. Both depend on the data, and a ledger in the
wrong hands must tell no more than the releases do.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Origin:
    """A source of rows; one frame is not known from another."""

    name: str
    """The file's name; empty for a frame."""
    changed: int | None = None
    """When the file was last written, in nanoseconds since 1970; None if it is none."""

    @classmethod
    def of(cls, source: Any) -> "Origin":
        """Return what is known of a source."""
        if not isinstance(source, str | Path):
            return cls("")
        try:
            return cls(Path(source).name, Path(source).stat().st_mtime_ns)
        except (OSError, ValueError):
            return cls(Path(source).name)

    def __str__(self) -> str:
        if self.changed is None:
            return self.name or "a frame"
        written = datetime.fromtimestamp(self.changed // 10**9, UTC)
        return f"{self.name}, written {written.isoformat()}"

    def to_list(self) -> list[Any]:
        """Return it as the ledger keeps it."""
        return [self.name, self.changed]

    def expect(self, other: "Origin", name: str, time: str) -> None:
        """Refuse to show what was drawn from here as if it were of another source.

        >>> january = Origin("people.csv", 10**18)
        >>> january.expect(Origin("people.csv", 10**18), "monthly", "2026-01-31")
        """
        if self != other:
            raise InvalidInput(
                f"the release {name!r} was drawn on {time} from {self}, and this is {other}: "
                "choose another name for new numbers, or ask for those again (--again)"
            )
