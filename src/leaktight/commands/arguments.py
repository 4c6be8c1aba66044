"""How are graphs, numbers, ratios and gains written on a command line?

An option has its text here, how it is read, and how a shell completes it.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
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


RatioOption = Annotated[str | None, typer.Option("--ratio", help="λ = e^ε, such as 2 or 3/2.")]
EpsilonOption = Annotated[str | None, typer.Option("--epsilon", help='ε, such as 1 or "ln 2".')]
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


def read_inputs(text: str) -> list[int] | list[str]:
    """Return the inputs of a program: 0..9999, range:10000, bits:16, or a list of them.

    >>> read_inputs("3..5,9"), read_inputs("bits:2"), read_inputs("no,yes")
    ([3, 4, 5, 9], [0, 1, 2, 3], ['no', 'yes'])
    """
    texts = [part.strip() for part in text.split(",")]
    ranges = [found for found in map(_range, texts) if found is not None]
    if (size := sum(map(len, ranges))) > MOST_INPUTS:
        raise typer.BadParameter(f"--inputs may be {MOST_INPUTS:,} at most, got {size:,}")
    numbers = list(chain(*ranges)) if len(ranges) == len(texts) else []
    given = numbers or texts
    if len(given) < 2 or not all(ranges):
        many = numbers[0] if len(numbers) == 1 and numbers[0] > 1 else 10_000
        raise typer.BadParameter(
            f"--inputs must be two or more, such as no,yes or range:{many} for the whole numbers "
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
