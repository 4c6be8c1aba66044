"""What does it mean for one person, and which ε is small enough? ``explain`` and ``choose``."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaktight.commands.arguments import (
    EpsilonOption,
    JsonOption,
    PriorOption,
    RatioOption,
    gain_names,
    read_aim,
    read_chance,
    read_count,
    read_prior,
    read_ratio,
)
from leaktight.commands.output import print_json, spinner

if TYPE_CHECKING:
    from leaktight.exact.shown import Probability
    from leaktight.repetition.choosing import ChosenRatio

STEPS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
"""Which parts, and multiples, of the chosen ε are shown beside it."""

ObservationsOption = Annotated[str, typer.Option(help="How often it is looked at.")]


def explain(
    secret: Annotated[
        str,
        typer.Argument(
            help="A graph such as line:4, distances such as euclidean:4x4, or a channel's file."
        ),
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
    from leaktight.channels.channel import Channel
    from leaktight.channels.file import read_channel
    from leaktight.policies.neighbours import metric_of
    from leaktight.policies.text import apart_of
    from leaktight.repetition.explanation import explain as explained

    is_file = secret.endswith((".csv", ".json")) and ":" not in secret
    told = read_channel(Path(secret)) if is_file else metric_of(apart_of(secret))
    level = None if is_file and ratio is epsilon is None else read_ratio(ratio, epsilon)
    belief = read_prior(prior, told.inputs if isinstance(told, Channel) else told.values)
    with spinner(as_json) as progress:
        progress("chances")
        found = explained(
            told,
            belief,
            ratio=level,
            observations=read_count(observations),
            below=None if below is None else read_chance(below),
            what=what,
        )
    if as_json:
        chances = [
            {"observations": p.observations, "chance": _told(p), "exact": p.is_exact}
            for p in (found.before, *found.after)
        ]
        print_json({"what": what, "chances": chances, "text": str(found)})
    else:
        print(found)
    return 0


def _told(chance: "Probability") -> float:
    """Return a chance as a float that is not below it, if it is a bound."""
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above

    return float(chance.value) if chance.is_exact else float_above(rational(chance.value))


def choose(
    secret: Annotated[
        str,
        typer.Argument(help="A graph such as line:4, euclidean:4x4, or a study, .toml."),
    ],
    below: Annotated[str, typer.Option(help="The chance that a guess shall not exceed.")],
    prior: PriorOption = None,
    observations: ObservationsOption = "1",
    gain: Annotated[
        str | None,
        typer.Option(
            help="guess, distance, difference or squared; as in the study, or guess.",
            autocompletion=gain_names,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Which ε keeps every guess below a chance?

    A table has the odds at smaller and larger ε, and the error of the best mechanism there.

    \b
    Example:
      leaktight choose complete:4 --below 1/2
    """
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above
    from leaktight.exact.shown import below as written_below
    from leaktight.exact.shown import wrapped
    from leaktight.policies.policy import Policy
    from leaktight.repetition.choosing import largest_ratio_below

    who, belief, usual = _asked(secret, prior)
    values = (who.metric or who.secrets) if isinstance(who, Policy) else who
    gain = gain or usual
    limit, times, aim = read_chance(below), read_count(observations), read_aim(gain, values)
    with spinner(as_json) as progress:
        progress("the largest ε")
        chosen = largest_ratio_below(who, limit, belief, times)
        rows = list(_around(chosen, values, belief, times, aim, progress))
    if as_json:
        table = [
            {"epsilon": epsilon, "chance": float_above(rational(p.value)), "error": error}
            for epsilon, p, error in rows
        ]
        found = {"ratio": str(chosen.ratio), "epsilon": chosen.epsilon, "exact": chosen.is_exact}
        print_json(found | {"table": table})
        return 0
    print(wrapped(f"{chosen}."))
    looks = "1 look" if times == 1 else f"{times:,} looks"
    print(f"\n{'ε':>8} {f'a guess after {looks}':<24}  error")
    for step, (epsilon, chance, error) in zip(STEPS, rows, strict=True):
        mark, told = ">" if step == 1 else " ", written_below(epsilon, 4)
        print(f"{mark}{told:>7} {chance!s:<24}  {error:.3g}")
    what = "how often it is wrong" if gain == "guess" else f"its expected loss by {gain}"
    print(wrapped(f"The error is that of the best mechanism for each ε: {what}."))
    return 0


def _around(
    chosen: "ChosenRatio", values: Any, belief: Any, times: int, aim: Any, progress: Any
) -> "Iterator[tuple[float, Probability, float]]":
    """Yield some ε around the chosen one, the chance of a guess, and the best mechanism's error."""
    from leaktight.channels.gain import Loss
    from leaktight.exact.ratio import Ratio
    from leaktight.exact.shown import Probability
    from leaktight.mechanisms.best import optimal_mechanism
    from leaktight.repetition.explanation import explain as explained

    for step in STEPS:
        progress(f"what {float(step):g} times this ε costs")
        epsilon = chosen.epsilon * float(step)
        level = Ratio.of(chosen.ratio) if step == 1 else Ratio.of(epsilon=epsilon)
        odds = explained(values, belief, ratio=level, observations=times).after[-1].value
        best = optimal_mechanism(values, belief, aim, level)
        error = float(best.loss if isinstance(aim, Loss) else 1 - best.utility)
        yield epsilon, Probability(times, chosen.chance if step == 1 else odds, False), error


def _asked(secret: str, prior: str | None) -> tuple[Any, Any, str]:
    """Return whose values are guessed, what is believed of them, and what a guess earns."""
    from leaktight.policies.neighbours import metric_of
    from leaktight.policies.text import apart_of

    if not secret.endswith(".toml"):
        values = metric_of(apart_of(secret))
        return values, read_prior(prior, values.values), "guess"
    from leaktight.studies import read_study

    study = read_study(Path(secret))
    belief = study.prior if prior is None else read_prior(prior, study.policy.secrets.vertices)
    usual = "guess" if study.scope == "answer" else str(study.gain)
    return study.policy, belief, usual
