"""What does it mean for one person, and which ε is small enough? ``explain`` and ``choose``."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from leaktight.commands.arguments import (
    EpsilonOption,
    GainOption,
    JsonOption,
    PriorOption,
    RatioOption,
    read_aim,
    read_count,
    read_numbers,
    read_ratio,
)
from leaktight.commands.output import print_json, spinner

STEPS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
"""Which parts, and multiples, of the chosen ε are shown beside it."""

ObservationsOption = Annotated[str, typer.Option(help="How often it is looked at.")]


def explain(
    secret: Annotated[
        str, typer.Argument(help="A graph such as line:4, or a channel, .csv or .json.")
    ],
    ratio: RatioOption = None,
    epsilon: EpsilonOption = None,
    prior: PriorOption = None,
    observations: ObservationsOption = "2",
    below: Annotated[str | None, typer.Option(help="A chance that shall not be reached.")] = None,
    what: Annotated[str, typer.Option(help="What is guessed, in words.")] = "the secret",
    as_json: JsonOption = False,
) -> int:
    """How likely does anyone guess right, before and after, in words?

    \b
    Example:
      leaktight explain complete:4 --epsilon 1 --what "one person's salary band"
    """
    from leaktight.channels.file import read_channel
    from leaktight.policies.text import graph_of
    from leaktight.repetition.explanation import explain as explained

    is_file = secret.endswith((".csv", ".json"))
    level = None if is_file and ratio is epsilon is None else read_ratio(ratio, epsilon)
    with spinner(as_json) as progress:
        progress("chances")
        found = explained(
            read_channel(Path(secret)) if is_file else graph_of(secret),
            read_numbers(prior),
            ratio=level,
            observations=read_count(observations),
            below=None if below is None else read_numbers(below)[0],
            what=what,
        )
    if as_json:
        chances = [
            {"observations": p.observations, "chance": float(p.value), "exact": p.is_exact}
            for p in (found.before, *found.after)
        ]
        print_json({"what": what, "chances": chances, "text": str(found)})
    else:
        print(found)
    return 0


def choose(
    secret: Annotated[str, typer.Argument(help="A graph such as line:4, or a study, .toml.")],
    below: Annotated[str, typer.Option(help="The chance that a guess shall not exceed.")],
    prior: PriorOption = None,
    observations: ObservationsOption = "1",
    gain: GainOption = "guess",
    as_json: JsonOption = False,
) -> int:
    """Which ε keeps every guess below a chance?

    \b
    Example:
      leaktight choose complete:4 --below 1/2
    """
    from leaktight.exact.shown import below as written_below
    from leaktight.repetition.choosing import largest_ratio_below

    values, belief = _asked(secret, prior)
    times = read_count(observations)
    with spinner(as_json) as progress:
        progress("the largest ε")
        chosen = largest_ratio_below(values, read_numbers(below)[0], belief, times)
        progress("what it costs")
        rows = [
            _row(values, belief, gain, chosen.epsilon * float(step), times, step == 1 and chosen)
            for step in STEPS
        ]
    if as_json:
        print_json(
            {
                "ratio": str(chosen.ratio),
                "epsilon": chosen.epsilon,
                "exact": chosen.is_exact,
                "table": rows,
            }
        )
        return 0
    print(f"{chosen}.\n")
    looks = "1 look" if times == 1 else f"{times:,} looks"
    print(f"{'ε':>10}  a guess after {looks:<9}  {_cost(gain)}")
    for step, row in zip(STEPS, rows, strict=True):
        mark = "  ←" if step == 1 else ""
        told = written_below(row["epsilon"], 4)
        print(f"{told:>10}  at most {row['percent']:<15}  {row['error']:.4g}{mark}")
    return 0


def _asked(secret: str, prior: str | None) -> tuple[Any, Any]:
    """Return the values of one record, and what is believed of them."""
    from leaktight.policies.text import graph_of

    belief = read_numbers(prior)
    if not secret.endswith(".toml"):
        return graph_of(secret), belief
    from leaktight.studies import read_study

    study = read_study(Path(secret))
    return study.policy.secrets, study.prior if belief is None else belief


def _row(
    values: Any, prior: Any, gain: str, epsilon: float, times: int, chosen: Any
) -> dict[str, Any]:
    """Return what is guessed at most at an ε, and what the best mechanism costs there."""
    from leaktight.channels.gain import Loss
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above
    from leaktight.exact.shown import percent_above
    from leaktight.mechanisms.best import optimal_mechanism
    from leaktight.repetition.explanation import explain as explained

    level = {"ratio": chosen.ratio} if chosen else {"epsilon": epsilon}
    if chosen:
        chance = chosen.chance
    else:
        chance = explained(values, prior, observations=times, **level).after[-1].value
    best = optimal_mechanism(values, prior, read_aim(gain, values), **level)
    error = best.loss if isinstance(best.aim, Loss) else 1 - best.utility
    return {
        "epsilon": epsilon,
        "chance": float_above(rational(chance)),
        "percent": percent_above(chance),
        "error": float(error),
    }


def _cost(gain: str) -> str:
    """Say what the best mechanism costs."""
    if gain == "guess":
        return "the best mechanism is wrong"
    return f"error of the best mechanism ({gain})"
