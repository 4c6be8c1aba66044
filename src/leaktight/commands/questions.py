"""``program --questions … --attack n``: what the best attacker learns who chooses what to ask."""

import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import read_prior
from leaktight.commands.output import print_json, spinner

if TYPE_CHECKING:
    from leaktight.repetition.adaptive import Attack

MOST_CALLS = 2**20
"""The most calls of the program, one for each input and question."""

MOST_SHOWN = 8
"""The most answers to the first question after which the next step is shown."""


def attacked(
    name: str,
    function: Callable[..., Any],
    inputs: Sequence[Hashable],
    questions: Sequence[Hashable],
    most: int,
    prior: str | None,
    as_json: bool,
) -> int:
    """Print how often the best attacker is right after 0, 1, …, ``most`` questions."""
    from leaktight.repetition.adaptive import best_attack
    from leaktight.studies.code import called

    if len(inputs) * len(questions) > MOST_CALLS:
        raise click.BadParameter(
            f"--inputs times --questions may be {MOST_CALLS:,} at most, "
            f"got {len(inputs):,} × {len(questions):,}"
        )
    belief = read_prior(prior, tuple(inputs))
    parts = [f"the best {n} questions" for n in range(most + 1)]
    with spinner(as_json, "the answers to each question", *parts) as progress:
        progress("the answers to each question")
        asked = {q: called(name, _about(name, function, q), inputs) for q in questions}
        found = []
        for n, part in enumerate(parts):
            progress(part)
            found.append(best_attack(asked, n, belief))
    if as_json:
        print_json(
            {
                "attacks": [
                    {"questions": each.questions, "lower": str(each.lower)}
                    | {"upper": str(each.upper)}
                    for each in found
                ],
                "first": found[-1].tree.step(),
                "then": {str(z): part.step() for z, part in found[-1].tree.after.items()},
            }
        )
    else:
        _print(found)
    return 0


def _about(name: str, function: Callable[..., Any], question: Hashable) -> Callable[..., Any]:
    """Return the program for one question: a function of the secret, and of chance if need be."""
    needed = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    if len(needed) == 2:
        return lambda secret: function(secret, question)
    if len(needed) == 3:
        return lambda secret, chance: function(secret, question, chance)
    raise click.BadParameter(
        f"with --questions, {name!r:.60} must be a function of the input and the question, and of "
        f"chance if it draws, got one of {len(needed)}"
    )


def _print(found: "list[Attack]") -> None:
    from leaktight.exact.shown import percent, percent_above, shown, wrapped

    print("questions  a guess is right")
    for each in found:
        if each.lower == each.upper:
            chance = f"{percent(each.lower)} ({shown(each.lower)})"
        else:
            chance = f"{percent(each.lower)} or more, proved at most {percent_above(each.upper)}"
        print(f"{each.questions:>9,}  {chance}")
    tree = found[-1].tree
    after = tree.after
    print(f"\nFirst {tree.step()}.")
    for z, part in list(after.items())[:MOST_SHOWN]:
        print(wrapped(f"After {z!r:.40} {part.step()}.", "  "))
    if len(after) > MOST_SHOWN:
        print(f"There are {len(after) - MOST_SHOWN:,} more answers.")
    print(
        wrapped(
            "Each question is chosen after the answers before, and all is exact: nobody does "
            "better who may ask these questions."
            if all(each.lower == each.upper for each in found)
            else "Each question is chosen after the answers before. Where two numbers stand, the "
            "search was cut short: the first is attained."
        )
    )
