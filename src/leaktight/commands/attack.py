"""``attack``: calls that refute what a function of your own promises."""

import sys
from ast import literal_eval
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import COUNT, NUMBER, json_option
from leaktight.commands.output import print_json, spinner

if TYPE_CHECKING:
    from leaktight.testing import Attack


@click.command()
@click.argument("function", help="module:function of a .py file; it is run.")
@click.option(
    "--inputs",
    nargs=2,
    required=True,
    help="Two neighbouring inputs: Python literals, other words are texts.",
)
@click.option("--epsilon", type=NUMBER, help='ε, such as 1 or "ln 2".')
@click.option("--delta", type=NUMBER, help="δ, with --epsilon.")
@click.option("--rho", type=NUMBER, help="ρ of zero-concentrated privacy.")
@click.option("--mu", type=NUMBER, help="μ of Gaussian privacy.")
@click.option("--confidence", type=NUMBER, default="0.999", help="Such as 0.999.")
@click.option("--samples", type=COUNT, help="How many calls there are.")
@click.option("--budget", help='About how long it may take, such as "30 s".')
@click.option(
    "--low-bits/--no-low-bits", default=True, help="Whether to look at the lowest bits of floats."
)
@click.option("--seed", type=int, help="Of the order of the calls.")
@json_option
def attack(
    function: str,
    inputs: tuple[str, str],
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    mu: str | None,
    confidence: str,
    samples: int | None,
    budget: str | None,
    low_bits: bool,
    seed: int | None,
    as_json: bool,
) -> int:
    """Refute what a function of your own promises, by calling it.

    The promise is (ε, δ), ρ or μ, and the function is called on two neighbouring inputs.

    An event is learnt from half of the calls and counted in the other half. Exits with 1 if its
    counts are proved to break the promise, with the confidence that is asked for, and with 0 if
    not: which does not prove it.

    \b
    Example:
      printf 'from random import random\\ndef coin(truth):\\n    ' > survey.py
      printf 'return truth if random() < 0.75 else not truth\\n' >> survey.py
      leaktight attack survey:coin --inputs True False --epsilon 1.1
      leaktight attack survey:coin --inputs True False --epsilon 0.9
    """
    from leaktight.errors import InvalidInput
    from leaktight.studies.code import load_function
    from leaktight.testing import attack as attacked

    found, _ = load_function(Path(function).name, Path(function).parent, allow_code=True)
    try:
        with spinner(as_json) as progress, redirect_stdout(sys.stderr):
            result = attacked(
                _Named(function, found),
                *map(_read_input, inputs),
                epsilon=epsilon,
                delta=delta,
                rho=rho,
                mu=mu,
                confidence=confidence,
                samples=samples,
                budget=budget,
                low_bits=low_bits,
                seed=seed,
                progress=progress,
            )
    except _Raised as wrong:
        raise InvalidInput(str(wrong)) from None
    if as_json:
        print_json(_listed(result))
    else:
        _print(result)
    return int(result.refuted)


class _Raised(Exception):
    """The function that is attacked has raised something."""


class _Named:
    """The function, of which a mistake is said in one line."""

    def __init__(self, name: str, function: Any) -> None:
        self.name, self.function = name, function

    def __call__(self, value: Any) -> Any:
        try:
            return self.function(value)
        except (Exception, SystemExit) as wrong:
            raise _Raised(f"{self.name!r} raised {type(wrong).__name__}: {wrong}") from None


def _read_input(text: str) -> Any:
    """Return what a literal stands for; any other word is a text.

    >>> _read_input("[1, 2]"), _read_input("blue")
    ([1, 2], 'blue')
    """
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _print(result: "Attack") -> None:
    from leaktight.exact.shown import wrapped

    print(wrapped(result.verdict, "  "))
    for name, text in result.evidence:
        print(wrapped(text, " " * 11, start=f"  {name:8} "))


def _listed(result: "Attack") -> dict[str, Any]:
    return {
        "promise": str(result.promise),
        "refuted": result.refuted,
        "confidence": str(result.confidence),
        "event": str(result.event),
        "likelier for": result.order[0],
        "counts": list(result.counts),
        "trials": result.trials,
        "chance at least": float(result.likely),
        "other chance at most": float(result.rare),
        "chance allowed": float(result.allowed),
        "proved": {"parameter": result.proved.unit, "at least": result.proved.value},
    }
