"""Graphs, numbers, ratios and gains as they are written on a command line.

An option has its text here, how it is read, and how a shell completes it.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from leaktight.curves.promise import Promise
    from leaktight.exact.ratio import Ratio


def graph_forms(incomplete: str) -> Iterator[str]:
    """Complete a graph: one of each kind, to be changed."""
    from leaktight.policies.text import FORMS

    return (form for form in FORMS.split(", ") if form.startswith(incomplete))


def gain_names(incomplete: str) -> Iterator[str]:
    """Complete a gain; a shell would take two words for two."""
    from leaktight.channels.aim import GAINS

    return (name for name in GAINS if name.startswith(incomplete) and " " not in name)


def claim_ids(incomplete: str) -> Iterator[str]:
    """Complete a claim of the papers."""
    from leaktight_papers.register import REGISTER

    return (name for name in REGISTER if name.startswith(incomplete))


def promise_names(incomplete: str) -> Iterator[str]:
    """Complete a kind of promise."""
    return (name for name in ("epsilon", "rho", "mu") if name.startswith(incomplete))


def deployment_names(incomplete: str) -> Iterator[str]:
    """Complete a published deployment."""
    from leaktight.adapters.deployments import deployments

    return (name for name in deployments() if name.startswith(incomplete))


RatioOption = Annotated[str | None, typer.Option("--ratio", help="λ = e^ε, such as 2 or 3/2.")]
EpsilonOption = Annotated[str | None, typer.Option("--epsilon", help='ε, such as 1 or "ln 2".')]
DeltaOption = Annotated[
    str | None, typer.Option("--delta", help="δ beside an ε or ratio, such as 0.00001.")
]
RhoOption = Annotated[str | None, typer.Option("--rho", help="ρ of zCDP, such as 2.63.")]
MuOption = Annotated[str | None, typer.Option("--mu", help="μ of Gaussian privacy, such as 1.")]
CurveOption = Annotated[
    Path | None,
    typer.Option("--curve", help="A .csv of pairs epsilon,delta, all of which hold."),
]
NeighboursOption = Annotated[
    str | None,
    typer.Option(
        "--neighbours", help="replace or add/remove; both are answered if it is not given."
    ),
]
PriorOption = Annotated[
    str | None,
    typer.Option(
        help="Such as 1/2,1/4,1/4 or 50%,25%,25% or counts 20,10,10; uniform if not given."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
CertificateOption = Annotated[Path | None, typer.Option(help="Write the proof, as JSON.")]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="complete:6, line:4, cycle:7, threshold:10:2, grid:3x4, edges:a-b,b-c.",
        autocompletion=graph_forms,
    ),
]
GainOption = Annotated[
    str,
    typer.Option(help="guess, distance, difference or squared.", autocompletion=gain_names),
]


def read_ratio(ratio: str | None, epsilon: str | None) -> "Ratio":
    """Return the ratio that was written, one way or the other."""
    from leaktight.studies.table import asked_ratio

    if (ratio is None) == (epsilon is None):
        raise typer.BadParameter("give one of --ratio and --epsilon")
    return asked_ratio(ratio, epsilon)


def read_promise(
    ratio: str | None,
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    mu: str | None,
    curve: Path | None = None,
) -> "Promise":
    """Return the promise that was written: pure ε, (ε, δ), ρ, μ, or a file of pairs."""
    from leaktight.studies.table import asked_promise

    if (delta, rho, mu, curve) == (None,) * 4:
        return read_ratio(ratio, epsilon)
    said: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    named = [key for key, value in said.items() if value is not None]
    others = {"rho": rho, "mu": mu, "curve": curve}
    more = [key for key, value in others.items() if value is not None]
    if len(more) + bool(named) > 1:
        both = " and ".join(f"--{key}" for key in (*named, *more))
        raise typer.BadParameter(
            f"give one promise: --ratio or --epsilon (with --delta), --rho, --mu or --curve; "
            f"got {both}"
        )
    if (ratio is None) == (epsilon is None) and delta is not None:
        raise typer.BadParameter("--delta goes with one of --ratio and --epsilon")
    pairs = None if curve is None else read_pairs(curve)
    return asked_promise(said | {"rho": rho, "mu": mu, "curve": pairs})


def named(promise: "Promise | None") -> dict[str, Any]:
    """Return a promise as the argument that takes one of its kind."""
    from leaktight.exact.ratio import Ratio

    if promise is None:
        return {}
    return {"ratio" if isinstance(promise, Ratio) else "curve": promise}


def float_up(value: Fraction) -> float:
    """Return the least float that is not below a number."""
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above

    return float_above(rational(value))


def float_down(value: Fraction) -> float:
    """Return the largest float that is not above a number."""
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_below

    return float_below(rational(value))


def read_pairs(path: Path) -> list[list[str]]:
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


def read_count(given: str | int) -> int:
    """Return a whole number such as 100."""
    try:
        return int(given)
    except ValueError:
        raise typer.BadParameter(
            f"expected a whole number such as 100, got {str(given)[:60]!r}"
        ) from None


def read_numbers(text: str) -> list[Fraction]:
    """Return exact numbers such as 1/2,1/4,1/4."""
    from leaktight.exact.numbers import fraction, rational

    return [fraction(rational(part)) for part in text.split(",")]


def read_chance(text: str) -> Fraction:
    """Return a chance such as 1/2, 0.5 or 50%."""
    number, percent, rest = text.strip().partition("%")
    if "," in number or rest:
        raise typer.BadParameter(f"expected one chance such as 1/2 or 50%, got {text[:60]!r}")
    return read_numbers(number)[0] / (100 if percent else 1)


def read_prior(text: str | None, values: Any) -> Any:
    """Return what is believed of some values: chances, percentages or counts."""
    from leaktight.studies.beliefs import record_prior

    parts = None if text is None else [part.strip() for part in text.split(",")]
    return record_prior(parts and [int(p) if p.isdecimal() else p for p in parts], values)


def read_whole(text: str) -> list[int]:
    """Return whole numbers such as 1,10,100."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"expected whole numbers such as 1,10, got {text[:60]!r}"
        ) from None


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
        raise typer.BadParameter(f"{option} may be {MOST_INPUTS:,} at most, got {size:,}")
    numbers = list(chain(*ranges)) if len(ranges) == len(texts) else []
    given = numbers or texts
    if len(given) < 2 or not all(ranges):
        many = numbers[0] if len(numbers) == 1 and numbers[0] > 1 else 10_000
        raise typer.BadParameter(
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


def read_aim(name: str, values: Any) -> Any:
    """Return what each guess of a value earns or costs."""
    from leaktight.channels.aim import GAINS, aim_of
    from leaktight.errors import InvalidInput

    if name not in GAINS:
        raise typer.BadParameter(
            f"--gain must be guess, distance, difference or squared, got {name[:60]!r}"
        )
    try:
        return aim_of(name, values)
    except InvalidInput as wrong:
        raise InvalidInput(f"--gain {name}: {wrong}") from None
