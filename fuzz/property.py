"""What must hold of every case: a strategy, our answer, an independent route, what would be wrong.

A case consists of literals only (numbers, texts, lists), so that a found one can be printed, kept
in ``fuzz/corpus`` and tried again, whatever draws cases by then.
"""

import ast
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz import properties
from fuzz.drawn import Draw
from leaktight.errors import LeaktightError

CORPUS = Path(__file__).parent / "corpus"

Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Property:
    """Something that holds of every case, or is refused in one line; its text says what is wrong.

    ``check`` raises if it does not hold, and returns how many answers it compared if not just one.
    """

    name: str
    check: Callable[..., int | None]
    draws: dict[str, Callable[[Draw], Any]]

    def case(self, source: bytes) -> Case:
        """Return the case that these bytes say."""
        draw = Draw(source)
        return {name: drawn(draw) for name, drawn in self.draws.items()}

    def try_case(self, case: Case) -> int:
        """Return how many answers were compared: none if the case is refused."""
        try:
            compared = self.check(**case)
        except LeaktightError as refused:
            assert "\n" not in str(refused), f"refused in several lines: {refused}"
            assert str(refused), "refused without a word"
            return 0
        return 1 if compared is None else compared

    @property
    def wrong(self) -> str:
        """What is wrong if it does not hold."""
        return (self.check.__doc__ or "").strip()

    @property
    def file(self) -> Path:
        """Where its cases are kept."""
        return CORPUS / f"{self.name}.txt"

    def kept(self) -> list[Case]:
        """Return the cases that were found before, a literal in each line."""
        if not self.file.exists():
            return []
        lines = self.file.read_text("utf-8").splitlines()
        return [ast.literal_eval(line) for line in lines if line and not line.startswith("#")]

    def keep(self, case: Case) -> None:
        """Keep a case, to be tried with every test."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(f"{case!r}\n")


def searched(
    **draws: Callable[[Draw], Any],
) -> Callable[[Callable[..., int | None]], Property]:
    """Make a property of a function of these draws."""

    def made(check: Callable[..., int | None]) -> Property:
        name = f"{check.__module__.rpartition('.')[2]}.{check.__name__}"
        return Property(name, check, draws)

    return made


def all_properties() -> list[Property]:
    """Return the properties of all files in ``fuzz/properties``, one by one or in tuples."""
    names = sorted(name for _, name, _ in pkgutil.iter_modules(properties.__path__))
    modules = [importlib.import_module(f"fuzz.properties.{name}") for name in names]
    named = [v for m in modules for v in vars(m).values()]
    each = [one for v in named for one in (v if isinstance(v, tuple) else (v,))]
    return list({id(one): one for one in each if isinstance(one, Property)}.values())
