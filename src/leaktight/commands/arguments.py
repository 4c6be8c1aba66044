"""What is written on a command line: numbers, chances, graphs, gains and promises.

A kind of argument has its name in the help, how it is read, and what a shell offers for it.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, astuple, dataclass
from fractions import Fraction
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from leaktight.curves.promise import Promise


class Kind(click.ParamType[Any]):
    """A kind of argument.

    :param name: its name in the help, in capitals there
    :param read: what its text stands for
    :param words: what a shell offers
    """

    def __init__(
        self,
        name: str,
        read: Callable[[str], Any] = str,
        words: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.name, self.read, self.words = name, read, words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what a text stands for."""
        return self.read(value) if isinstance(value, str) else value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return the words that begin so; a shell would take two words for two."""
        from click.shell_completion import CompletionItem

        fit = (word for word in self.words() if word.startswith(incomplete) and " " not in word)
        return [CompletionItem(word) for word in fit]


def read_count(text: str) -> int:
    """Return a whole number such as 100."""
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(
            f"expected a whole number such as 100, got {text[:60]!r}"
        ) from None


def read_whole(text: str) -> list[int]:
    """Return whole numbers such as 1,10,100."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"expected whole numbers such as 1,10, got {text[:60]!r}"
        ) from None


def read_numbers(text: str) -> list[Fraction]:
    """Return exact numbers such as 1/2,1/4,1/4."""
    from leaktight.exact.numbers import fraction, rational

    return [fraction(rational(part)) for part in text.split(",")]


def read_chance(text: str) -> Fraction:
    """Return a chance such as 1/2, 0.5 or 50%."""
    number, percent, rest = text.strip().partition("%")
    if "," in number or rest:
        raise click.BadParameter(f"expected one chance such as 1/2 or 50%, got {text[:60]!r}")
    return read_numbers(number)[0] / (100 if percent else 1)


def read_names(text: str) -> list[str]:
    """Return names of columns such as zip,age."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _graphs() -> list[str]:
    from leaktight.policies.text import FORMS

    return FORMS.split(", ")


def _gains() -> Iterable[str]:
    from leaktight.channels.aim import GAINS

    return GAINS


def _claims() -> Iterable[str]:
    from leaktight_papers.register import REGISTER

    return REGISTER


def _deployments() -> Iterable[str]:
    from leaktight.adapters.deployments import deployments

    return deployments()


PATH = click.Path(path_type=Path)
NUMBER, CHANCE, CHANCES = Kind("number"), Kind("chance", read_chance), Kind("chances")
COUNT, COUNTS = Kind("integer", read_count), Kind("integers", read_whole)
NUMBERS, NAMES = Kind("numbers", read_numbers), Kind("names", read_names)
GRAPH, GAIN = Kind("graph", words=_graphs), Kind("gain", words=_gains)
CLAIM, DEPLOYMENT = Kind("claim", words=_claims), Kind("name", words=_deployments)
"""Kinds of arguments; a graph and a gain are read where their values are known."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
certificate_option = click.option("--certificate", type=PATH, help="Write the proof, as JSON.")
report_option = click.option("--report", type=PATH, help="Write a page, .html or .md.")
prior_option = click.option(
    "--prior",
    type=CHANCES,
    help="Such as 1/2,1/4,1/4 or 50%,25%,25% or counts 20,10,10; uniform if not given.",
)
neighbours_option = click.option(
    "--neighbours", help="replace or add/remove; both are answered if it is not given."
)
"""Options that several commands have."""


# --- a promise -------------------------------------------------------------------------------

PROMISE = {
    "ratio": click.option("--ratio", type=NUMBER, help="λ = e^ε, such as 2 or 3/2."),
    "epsilon": click.option("--epsilon", type=NUMBER, help='ε, such as 1 or "ln 2".'),
    "delta": click.option("--delta", type=NUMBER, help="δ beside an ε or ratio, such as 0.00001."),
    "rho": click.option("--rho", type=NUMBER, help="ρ of zCDP, such as 2.63."),
    "mu": click.option("--mu", type=NUMBER, help="μ of Gaussian privacy, such as 1."),
    "curve": click.option(
        "--curve", type=PATH, help="A .csv of pairs epsilon,delta, all of which hold."
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A promise as it was written, in one of its ways, or in none."""

    ratio: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    rho: str | None = None
    mu: str | None = None
    curve: Path | None = None

    def __bool__(self) -> bool:
        return astuple(self) != (None,) * len(PROMISE)

    def promise(self) -> "Promise":
        """Return the promise that was written: pure ε, (ε, δ), ρ, μ, or a file of pairs."""
        from leaktight.errors import InvalidInput
        from leaktight.studies.table import asked_promise

        pairs = None if self.curve is None else _read_pairs(self.curve)
        try:
            return asked_promise(asdict(self) | {"curve": pairs}, "--{}")
        except InvalidInput as wrong:
            raise click.BadParameter(str(wrong)) from None


def promise_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a promise, which it gets as one argument, ``asked``."""

    @wraps(function)
    def called(**given: Any) -> Any:
        return function(asked=Asked(**{key: given.pop(key) for key in PROMISE}), **given)

    for option in reversed(PROMISE.values()):
        option(called)
    return called


def named(promise: "Promise | None") -> dict[str, Any]:
    """Return a promise as the argument that takes one of its kind."""
    from leaktight.exact.ratio import Ratio

    if promise is None:
        return {}
    return {"ratio" if isinstance(promise, Ratio) else "curve": promise}


def _read_pairs(path: Path) -> list[list[str]]:
    """Return the pairs epsilon,delta of a CSV file, which may have a header."""
    import csv

    from leaktight.errors import InvalidFile

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InvalidFile(f"{path} cannot be read; --curve is a CSV of epsilon,delta") from None
    rows = rows[1:] if rows and rows[0][:2] == ["epsilon", "delta"] else rows
    if not rows or any(len(row) != 2 for row in rows):
        raise InvalidFile(f"{path}: each line must have two numbers, epsilon,delta")
    return rows


# --- what is guessed -------------------------------------------------------------------------


def read_prior(text: str | None, values: Any) -> Any:
    """Return what is believed of some values: chances, percentages or counts."""
    from leaktight.studies.beliefs import record_prior

    parts = None if text is None else [part.strip() for part in text.split(",")]
    return record_prior(parts and [int(p) if p.isdecimal() else p for p in parts], values)


def read_aim(name: str, values: Any) -> Any:
    """Return what each guess of a value earns or costs."""
    from leaktight.channels.aim import GAINS, aim_of
    from leaktight.errors import InvalidInput

    if name not in GAINS:
        raise click.BadParameter(
            f"--gain must be guess, distance, difference or squared, got {name[:60]!r}"
        )
    try:
        return aim_of(name, values)
    except InvalidInput as wrong:
        raise InvalidInput(f"--gain {name}: {wrong}") from None


# --- inputs of a program ---------------------------------------------------------------------

MOST_INPUTS = 2**20
"""The most inputs that a range may stand for."""


def read_inputs(text: str, option: str = "--inputs") -> list[int] | list[str]:
    """Return the inputs of a program: 0..9999, range:10000, bits:16, or a list of them.

    >>> read_inputs("3..5,9"), read_inputs("bits:2"), read_inputs("no,yes")
    ([3, 4, 5, 9], [0, 1, 2, 3], ['no', 'yes'])
    """
    texts = [part.strip() for part in text.split(",")]
    ranges = [found for found in map(_range, texts) if found is not None]
    if (size := sum(map(len, ranges))) > MOST_INPUTS:
        raise click.BadParameter(f"{option} may be {MOST_INPUTS:,} at most, got {size:,}")
    numbers = list(chain(*ranges)) if len(ranges) == len(texts) else []
    given = numbers or texts
    if len(given) < 2 or not all(ranges):
        many = numbers[0] if len(numbers) == 1 and numbers[0] > 1 else 10_000
        raise click.BadParameter(
            f"{option} must be two or more, such as no,yes or range:{many} for the whole numbers "
            f"below {many:,}; got {text[:60]!r}"
        )
    return given


def _range(text: str) -> range | None:
    """Return the whole numbers that a part of the inputs stands for, if it is of that kind."""
    kind, colon, size = text.partition(":")
    if colon and kind in ("range", "bits") and size.isdecimal() and len(size) < 10:
        return range(int(size)) if kind == "range" else range(2 ** min(int(size), 60))
    first, dots, last = text.partition("..")
    ends = [first, last] if dots else [first, first]
    if not all(end.removeprefix("-").isdecimal() and len(end) < 20 for end in ends):
        return None
    return range(int(ends[0]), int(ends[1]) + 1)
