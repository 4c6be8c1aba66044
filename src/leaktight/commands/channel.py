"""``repeat`` and ``sample``: what a mechanism tells, and what it says."""

from fractions import Fraction
from math import expm1, isfinite, log
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaktight.commands.arguments import (
    CHANCE,
    COUNT,
    COUNTS,
    GRAPH,
    NUMBER,
    PATH,
    json_option,
    prior_option,
    read_prior,
)
from leaktight.commands.output import print_json, spinner
from leaktight.limits import allowed

if TYPE_CHECKING:
    from leaktight.channels.channel import Channel
    from leaktight.channels.distribution import Distribution
    from leaktight.policies.graph import Graph
    from leaktight.policies.metric import Metric
    from leaktight.repetition.breach_probability import BreachProbability
    from leaktight.repetition.enclosure import EventProbability
    from leaktight.repetition.rates import Rate

MOST_DRAWS = 10**6
"""The most draws for an input on a command line."""

METHODS = {
    "types": "summed exactly over how often each output may be seen, in whatever order",
    "certified floats": "summed likewise in floats, whose rounding is counted in",
    "bounds": "proved not to be exceeded; what may be seen is too much to be summed",
}
"""How a chance after many observations was found, as ``repeat`` says it."""


@click.command()
@click.argument("channel", type=PATH, help="A channel, .csv or .json.")
@click.option(
    "--observations",
    "counts",
    type=COUNTS,
    default="1,2,5,10,20,50",
    help="Such as 10 or 1,10,100.",
)
@prior_option
@click.option("--below", "limit", type=CHANCE, help="A chance that shall not be reached.")
@click.option("--breach", help="Inputs, such as yes: how likely is belief in them to change much?")
@click.option(
    "--factor",
    type=NUMBER,
    default="2",
    help="What is much: a belief grows, or falls, by more than this factor.",
)
@json_option
def repeat(
    channel: Path,
    counts: list[int],
    prior: str | None,
    limit: Fraction | None,
    breach: str | None,
    factor: str,
    as_json: bool,
) -> int:
    """What does an attacker know after n observations of one secret?

    \b
    Example:
      printf 'answer,no,yes\\nno,2/3,1/3\\nyes,1/3,2/3\\n' > coin.csv
      leaktight repeat coin.csv --observations 1,10,100 --below 0.99
      leaktight repeat coin.csv --prior 9/10,1/10 --breach yes --factor 5
    """
    from leaktight.channels.file import read_channel
    from leaktight.errors import TooLarge
    from leaktight.exact.shown import Probability, percent, wrapped
    from leaktight.repetition.attacker import largest_n
    from leaktight.repetition.curve import success_curve
    from leaktight.repetition.explanation import kept_below
    from leaktight.repetition.rates import error_rate
    from leaktight.studies.study import MOST_OBSERVATIONS

    seen = read_channel(channel)
    belief = read_prior(prior, seen.inputs)
    if max(counts) > allowed(MOST_OBSERVATIONS):
        raise TooLarge(f"at most {allowed(MOST_OBSERVATIONS):,} observations are asked for here")
    parts = "success after n observations", "the most observations", "rates"
    with spinner(as_json, *parts) as progress:
        progress("success after n observations")
        curve = success_curve(seen, belief, counts)
        progress("the most observations")
        most = None if limit is None else largest_n(seen, limit, belief)
        progress("rates")
        rate = error_rate(seen, belief)
        chances = None if breach is None else _breaches(seen, belief, breach, factor, counts)
    if as_json:
        points = [
            {"observations": n, "lower": float(p.lower), "upper": float(p.upper), "how": p.method}
            for n, p in curve.items()
        ]
        found = most if most is not None and isfinite(most) else None
        print_json(
            {
                "curve": points,
                "most below": found,
                "error rate": {"lower": rate.lower, "upper": rate.upper, "inputs": _pair(rate)},
                "breaches": [
                    {"observations": n, "raised": _ends(p.raised), "lowered": _ends(p.lowered)}
                    for n, p in (chances or {}).items()
                ],
            }
        )
        return 0
    print("observations  a guess is right")
    for n, p in curve.items():
        chance = (
            percent(Fraction(p.lower)) if p.is_exact else Probability(n, Fraction(p.upper), False)
        )
        print(f"{n:>12,}  {chance}  ({p.method})")
    for method in dict.fromkeys(p.method for p in curve.values()):
        print(wrapped(f"({method}): {METHODS[method]}."))
    if most is not None and limit is not None:
        print(kept_below(limit, most))
    print(wrapped(_rate_in_words(rate)))
    for n, odds in (chances or {}).items():
        print(
            wrapped(
                f"After {n:,}: belief in {breach} grows more than {factor}-fold with a chance of "
                f"{_chance(odds.raised)} if it is true, and falls as much with "
                f"{_chance(odds.lowered)} if not."
            )
        )
    return 0


def _breaches(
    seen: "Channel", belief: "Distribution | None", inputs: str, factor: str, counts: list[int]
) -> "dict[int, BreachProbability]":
    """Return how likely belief in a set changes by a factor, after each number of observations."""
    from leaktight.repetition.breach_probability import breach_probability
    from leaktight.studies.table import asked_ratio

    named = {str(x): x for x in seen.inputs}
    chosen = [named.get(name, name) for name in inputs.split(",")]
    level = asked_ratio(factor, None)
    return {n: breach_probability(seen, chosen, level, None, belief, n) for n in counts}


def _rate_in_words(rate: "Rate") -> str:
    """Say how quickly a wrong guess becomes unlikely, and which inputs are told apart last."""
    from leaktight.exact.shown import above, percent

    if not isfinite(rate.upper):
        return "Inputs with different rows are told apart for certain after one observation."
    beyond = (
        f" beyond {percent(Fraction(rate.limit))}, which equal rows leave," if rate.limit else ""
    )
    more = expm1(rate.upper * log(2))
    factor = f"1 + {above(more, 3)}" if 10**4 * more < 1 else above(1 + more)
    last = "" if (pair := _pair(rate)) is None else f" of {pair[0]} and {pair[1]}"
    return (
        f"In the long run each observation divides the chance of a wrong guess{beyond} by "
        f"{factor}: rate {above(rate.upper)} bits, the least Chernoff "
        f"information{last}."
    )


def _pair(rate: "Rate") -> list[str] | None:
    return None if rate.pair is None else list(map(str, rate.pair))


def _ends(event: "EventProbability") -> dict[str, float]:
    return {"lower": float(event.lower), "upper": float(event.upper)}


def _chance(event: "EventProbability") -> str:
    """Return a chance, or the most that it can be."""
    from leaktight.exact.shown import Probability, percent

    if event.is_exact:
        return percent(Fraction(event.lower))
    return str(Probability(event.observations, Fraction(event.upper), False))


@click.command()
@click.argument("channel", type=PATH, help="A channel, .csv or .json.")
@click.argument("inputs", nargs=-1, help="Inputs to draw for.")
@click.option("--table", type=PATH, help="A CSV file of answers.")
@click.option("--column", help="Its column to be replaced.")
@click.option("--output", type=PATH, help="Where to write the released file.")
@click.option(
    "--policy", type=GRAPH, help="Whose pairs the record's guarantee is about: a study, or a graph."
)
@click.option("--count", type=COUNT, default=1, help="How many draws for each input.")
@json_option
def sample(
    channel: Path,
    inputs: tuple[str, ...],
    table: Path | None,
    column: str | None,
    output: Path | None,
    policy: str | None,
    count: int,
    as_json: bool,
) -> int:
    """Draw from a channel, with exactly its probabilities.

    For inputs, or for a column of a CSV file.

    \b
    Example:
      printf 'answer,no,yes\\nno,2/3,1/3\\nyes,1/3,2/3\\n' > coin.csv
      leaktight sample coin.csv yes no yes
      leaktight sample coin.csv yes --count 10
      printf 'name,answer\\nAda,yes\\nBob,no\\n' > people.csv
      leaktight sample coin.csv --table people.csv --column answer \\
        --output released.csv --policy edges:no-yes
    """
    from leaktight.channels.file import read_channel
    from leaktight.exact.shown import wrapped
    from leaktight.labels import position
    from leaktight.mechanisms.release import release_csv
    from leaktight.mechanisms.release import sample as drawn

    seen = read_channel(channel)
    if not 1 <= count <= MOST_DRAWS:
        raise click.BadParameter(f"--count must be from 1 to {MOST_DRAWS:,}, got {count:,}")
    if inputs and any((table, column, output, policy)):
        raise click.BadParameter(
            f"give inputs or a --table, not both; got the input {inputs[0][:60]!r}"
        )
    if count == 1 and table is not None and column is not None and output is not None:
        record = release_csv(seen, table, output, column, neighbours=_secrets(policy))
        if as_json:
            print_json(record.to_dict())
        else:
            print(wrapped(str(record)))
    elif inputs:
        texts = tuple(map(str, seen.inputs))
        asked = [text for text in inputs for _ in range(count)]
        known = [seen.inputs[position(text, texts, "input")] for text in inputs]
        outputs = list(map(str, drawn(seen, [one for one in known for _ in range(count)])))
        if as_json:
            print_json({"inputs": asked, "outputs": outputs})
        else:
            print("\n".join(outputs))
    else:
        raise click.BadParameter(
            "give inputs, with --count if you like, or all of --table, --column and --output"
        )
    return 0


def _secrets(policy: str | None) -> "Graph | Metric | None":
    """Return the secret graph of a study or its metric, or what is written as such."""
    if policy is None:
        return None
    if policy.lower().endswith(".toml"):
        from leaktight.studies.reading import read_study

        found = read_study(policy).policy
        return found.metric or found.secrets
    from leaktight.policies.text import apart_of

    return apart_of(policy)
