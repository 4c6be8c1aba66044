"""What does a mechanism tell, and what does it say? ``repeat`` and ``sample``."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from leaktight.arguments import JsonOption, PriorOption, read_numbers, read_whole
from leaktight.commands.output import print_json, spinner


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
      leaktight repeat coin.csv --observations 1,10,100 --below 0.99
    """
    from leaktight.attacker import largest_n
    from leaktight.channel_file import read_channel
    from leaktight.errors import TooLarge
    from leaktight.exact import shown
    from leaktight.percent import percent, percent_above
    from leaktight.repetition.curve import success_curve
    from leaktight.study import MOST_OBSERVATIONS

    seen, belief, counts = read_channel(channel), read_numbers(prior), read_whole(observations)
    if max(counts) > MOST_OBSERVATIONS:
        raise TooLarge(f"at most {MOST_OBSERVATIONS:,} observations are asked for here")
    with spinner(as_json) as progress:
        progress("success after n observations")
        curve = success_curve(seen, belief, counts)
        progress("the most observations")
        most = None if below is None else largest_n(seen, below, belief)
    if as_json:
        points = [
            {"observations": n, "lower": float(p.lower), "upper": float(p.upper), "how": p.method}
            for n, p in curve.items()
        ]
        print_json({"curve": points, "most below": None if most is None else str(most)})
        return 0
    print("observations  a guess is right")
    for n, p in curve.items():
        low, high = Fraction(p.lower), Fraction(p.upper)
        chance = percent(low) if p.is_exact else f"at most {percent_above(high)}"
        print(f"{n:>12,}  {chance}  ({p.method})")
    if most is not None:
        print(f"at most {most} observations keep it below {shown(read_numbers(below)[0])}")
    return 0


def sample(
    channel: Annotated[Path, typer.Argument(help="A channel, .csv or .json.")],
    inputs: Annotated[list[str] | None, typer.Argument(help="Inputs to draw for.")] = None,
    table: Annotated[Path | None, typer.Option(help="A CSV file of answers.")] = None,
    column: Annotated[str | None, typer.Option(help="Its column to be replaced.")] = None,
    output: Annotated[Path | None, typer.Option(help="Where to write the released file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Draw from a channel, with exactly its probabilities.

    For inputs, or for a column of a CSV file.

    \b
    Example:
      leaktight sample coin.csv yes no yes
    """
    from leaktight.channel_file import read_channel
    from leaktight.release import release_csv
    from leaktight.sampling import sample as drawn

    seen = read_channel(channel)
    if table is not None and column is not None and output is not None:
        record = release_csv(seen, table, output, column)
        if as_json:
            print_json(record.to_dict())
        else:
            print(record)
    elif inputs and table is None:
        named = {str(x): x for x in seen.inputs}
        outputs = list(map(str, drawn(seen, [named.get(text, text) for text in inputs])))
        if as_json:
            print_json({"inputs": inputs, "outputs": outputs})
        else:
            print("\n".join(outputs))
    else:
        raise typer.BadParameter("give inputs, or all of --table, --column and --output")
    return 0
