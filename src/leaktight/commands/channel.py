"""What does a mechanism tell, and what does it say? ``repeat`` and ``sample``."""

from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaktight.commands.arguments import (
    JsonOption,
    PriorOption,
    read_chance,
    read_count,
    read_prior,
    read_whole,
)
from leaktight.commands.output import print_json, spinner

if TYPE_CHECKING:
    from leaktight.policies.graph import Graph
    from leaktight.policies.metric import Metric

MOST_DRAWS = 10**6
"""The most draws for an input on a command line."""


def repeat(
    channel: Annotated[Path, typer.Argument(help="A channel, .csv or .json.")],
    observations: Annotated[str, typer.Option(help="Such as 10 or 1,10,100.")] = "1,2,5,10,20,50",
    prior: PriorOption = None,
    below: Annotated[str | None, typer.Option(help="A chance that shall not be reached.")] = None,
    as_json: JsonOption = False,
) -> int:
    """What does an attacker know after n observations of one secret?

    \b
    Example:
      printf 'answer,no,yes\\nno,2/3,1/3\\nyes,1/3,2/3\\n' > coin.csv
      leaktight repeat coin.csv --observations 1,10,100 --below 0.99
    """
    from leaktight.channels.file import read_channel
    from leaktight.errors import TooLarge
    from leaktight.exact.shown import Probability, percent
    from leaktight.repetition.attacker import largest_n
    from leaktight.repetition.curve import success_curve
    from leaktight.repetition.explanation import kept_below
    from leaktight.studies.study import MOST_OBSERVATIONS

    seen, counts = read_channel(channel), read_whole(observations)
    belief, limit = read_prior(prior, seen.inputs), None if below is None else read_chance(below)
    if max(counts) > MOST_OBSERVATIONS:
        raise TooLarge(f"at most {MOST_OBSERVATIONS:,} observations are asked for here")
    with spinner(as_json) as progress:
        progress("success after n observations")
        curve = success_curve(seen, belief, counts)
        progress("the most observations")
        most = None if limit is None else largest_n(seen, limit, belief)
    if as_json:
        points = [
            {"observations": n, "lower": float(p.lower), "upper": float(p.upper), "how": p.method}
            for n, p in curve.items()
        ]
        found = most if most is not None and isfinite(most) else None
        print_json({"curve": points, "most below": found})
        return 0
    print("observations  a guess is right")
    for n, p in curve.items():
        chance = (
            percent(Fraction(p.lower)) if p.is_exact else Probability(n, Fraction(p.upper), False)
        )
        print(f"{n:>12,}  {chance}  ({p.method})")
    if most is not None and limit is not None:
        print(kept_below(limit, most))
    return 0


def sample(
    channel: Annotated[Path, typer.Argument(help="A channel, .csv or .json.")],
    inputs: Annotated[list[str] | None, typer.Argument(help="Inputs to draw for.")] = None,
    table: Annotated[Path | None, typer.Option(help="A CSV file of answers.")] = None,
    column: Annotated[str | None, typer.Option(help="Its column to be replaced.")] = None,
    output: Annotated[Path | None, typer.Option(help="Where to write the released file.")] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Whose pairs the record's guarantee is about: a study, or a graph."),
    ] = None,
    count: Annotated[
        int,
        typer.Option(help="How many draws for each input.", parser=read_count, metavar="<int>"),
    ] = 1,
    as_json: JsonOption = False,
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
    from leaktight.mechanisms.release import release_csv
    from leaktight.mechanisms.release import sample as drawn

    seen = read_channel(channel)
    if not 1 <= count <= MOST_DRAWS:
        raise typer.BadParameter(f"--count must be from 1 to {MOST_DRAWS:,}, got {count:,}")
    if inputs and any((table, column, output, policy)):
        raise typer.BadParameter(
            f"give inputs or a --table, not both; got the input {inputs[0][:60]!r}"
        )
    if count == 1 and table is not None and column is not None and output is not None:
        record = release_csv(seen, table, output, column, neighbours=_secrets(policy))
        if as_json:
            print_json(record.to_dict())
        else:
            print(wrapped(str(record)))
    elif inputs:
        named = {str(x): x for x in seen.inputs}
        asked = [text for text in inputs for _ in range(count)]
        outputs = list(map(str, drawn(seen, [named.get(text, text) for text in asked])))
        if as_json:
            print_json({"inputs": asked, "outputs": outputs})
        else:
            print("\n".join(outputs))
    else:
        raise typer.BadParameter(
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
