"""Ordinary Python code as a channel.

A program is a function of an input, or of an input and a :class:`leaktight.Chance` from which it
takes its random choices. All their outcomes are gone through, so the channel is exact.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import LARGEST
from leaktight.channels.program.chance import Chance, playing
from leaktight.channels.program.paths import (
    Budget,
    Outcome,
    Program,
    Stop,
    every_path,
    likely_paths,
    merged,
)
from leaktight.errors import InvalidChannel, InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import fraction
from leaktight.exact.shown import counted, shown
from leaktight.labels import Labels, listed_labels, read_labels
from leaktight.limits import allowed
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy

AnyProgram: TypeAlias = Callable[[Any], Hashable] | Callable[[Any, Chance], Hashable]
"""A function of an input, or of an input and chance."""

Inputs: TypeAlias = Iterable[Hashable] | int | Policy | AdjacencyGraph | Graph
"""The inputs one by one, n for 0, …, n−1, or what has them as its databases or vertices."""

MOST_PATHS = 2**20
"""The most paths that are followed for one input, some ten seconds."""

MOST_CHOICES = 1000
"""The most random choices on one path: more are likely a loop that never ends."""


def channel_of(
    program: AnyProgram,
    inputs: Inputs,
    *,
    most_paths: int = MOST_PATHS,
    most_choices: int = MOST_CHOICES,
) -> Channel:
    """Return the exact channel from a program's inputs to what is seen of it.

    The program is run for every input and every outcome of its random choices, which it takes from
    its second argument, see :class:`leaktight.Chance`; one with a single argument makes none.
    The output is what it returns. If it observes anything, on any input, each output is a pair:
    the tuple of what was observed, in order, and what was returned. They are sorted if they can be.

    Outputs that are equal in Python are one output: an observer who can tell 1, True and 1.0
    apart is served by a program that returns texts.

    A program must depend on nothing but its arguments; where another run with the same choices
    shows that it does not, it is refused. There is a run for each path. Where many paths come to
    the same state, ``chance.loop`` and ``chance.merge`` make them one; so does ``Channel.then``,
    if one program needs only what another returned.

    >>> def check(typed, chance):
    ...     for digit, right in zip(typed, "110"):
    ...         chance.observe("compared")
    ...         if digit != right:
    ...             return "Fail"
    ...     return "OK"
    >>> channel = channel_of(check, ["110", "111", "000"])
    >>> [(len(seen), answer) for seen, answer in channel.outputs]
    [(1, 'Fail'), (3, 'Fail'), (3, 'OK')]

    >>> def survey(answers, chance):
    ...     return sum(answer != chance.flip("1/4") for answer in answers)
    >>> from leaktight.policies.secrets import SecretGraph
    >>> channel_of(survey, Policy(SecretGraph.complete([False, True]), records=2))
    exact channel, 4 inputs × 3 outputs
                       0    1     2
    (False, False)  9/16  3/8  1/16
     (False, True)  3/16  5/8  3/16
     (True, False)  3/16  5/8  3/16
      (True, True)  1/16  3/8  9/16
    """
    rows = _rows(program, _read_inputs(inputs), every_path, most_paths, most_choices)
    return _channel(rows)


# --- programs that are cut off -------------------------------------------------------------


class Unfinished(Enum):
    """The type of :data:`UNFINISHED`."""

    UNFINISHED = "unfinished"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


UNFINISHED: Final = Unfinished.UNFINISHED
"""The output of a program that was cut off."""


@dataclass(frozen=True, slots=True)
class TruncatedChannel:
    """What is seen of a program on the paths that were followed, and what is left.

    ``channel`` is exact for the program that is cut off there: its other paths have the output
    :data:`UNFINISHED`. Of the channel K of the whole program it shows the part S(z|x) ≤ K(z|x) of
    the other outputs z; the probability m(x) that is ``unaccounted`` for may belong to any
    outputs, seen or not. Hence

    - Σ_z max_x K(z|x) is at least Σ_z max_x S(z|x), and at most Σ_x m(x) more;
    - under a prior π, the posterior vulnerability is at least Σ_z max_x π(x)S(z|x), and at most
      Σ_x π(x)m(x) more;
    - the ratio of K for neighbours x, y is at least S(z|x)/(S(z|y) + m(y)) for every z. It has no
      upper bound: a part of its paths never shows that a program is private.
    """

    channel: Channel

    @property
    def unaccounted(self) -> dict[Hashable, Fraction]:
        """For each input x, the probability m(x) of the paths that were not followed to the end."""
        if UNFINISHED not in self.channel.outputs:
            return dict.fromkeys(self.channel.inputs, Fraction(0))
        left = self.channel.matrix[:, self.channel.outputs.index(UNFINISHED)]
        return dict(zip(self.channel.inputs, map(fraction, left), strict=True))

    def min_capacity(self) -> tuple[Fraction, Fraction]:
        """Return bounds on Σ_z max_x K(z|x), the factor of :func:`leaktight.min_capacity`."""
        ends = [j for j, z in enumerate(self.channel.outputs) if z is not UNFINISHED]
        seen = fraction(column_maxima(self.channel.matrix[:, ends]).sum()) if ends else Fraction(0)
        most = seen + sum(self.unaccounted.values())
        return max(seen, Fraction(1)), min(most, Fraction(len(self.channel.inputs)))


def truncated_channel_of(
    program: AnyProgram, inputs: Inputs, *, most_paths: int, most_choices: int = MOST_CHOICES
) -> TruncatedChannel:
    """Return what is seen of a program on its likeliest paths, so many for each input.

    Programs are as for :func:`leaktight.channel_of`. A path is left as soon as another is likelier,
    and taken up again in its turn; each time counts. One that makes too many choices is left out,
    as is one on which a ``chance.loop`` takes too many paths.

    >>> def tosses(p, chance):
    ...     count = 1
    ...     while not chance.flip(p):
    ...         count += 1
    ...     return count
    >>> cut = truncated_channel_of(tosses, ["1/2", "1/4"], most_paths=6)
    >>> cut.channel
    exact channel, 2 inputs × 4 outputs
           1     2     3  UNFINISHED
    1/2  1/2   1/4   1/8         1/8
    1/4  1/4  3/16  9/64       27/64
    >>> cut.min_capacity()
    (Fraction(1, 1), Fraction(23, 16))
    """
    rows = _rows(program, _read_inputs(inputs), likely_paths, most_paths, most_choices)
    left = {x: 1 - sum(row.values(), fmpq(0)) for x, row in rows.items()}
    return TruncatedChannel(_channel(rows, left))


# --- running and reading -------------------------------------------------------------------


Rows: TypeAlias = dict[Hashable, dict[Outcome, fmpq]]
Paths: TypeAlias = Callable[[Program, Budget], Iterable[tuple[Outcome, fmpq]]]


def _rows(
    program: AnyProgram, inputs: Labels, paths: Paths, most_paths: int, most_choices: int
) -> Rows:
    """Return the probability of each outcome of each input."""
    takes_chance = _takes_chance(program)
    for name, limit in (("most_paths", most_paths), ("most_choices", most_choices)):
        if not isinstance(limit, int | np.integer) or limit < 1:
            raise InvalidNumber(f"{name}= must be a whole number from 1 up, got {limit!r:.60}")
    rows: Rows = {}
    for x in inputs:
        budget = Budget(most_paths, most_choices)
        chance = Chance(budget)
        call = playing(chance, program, *((x, chance) if takes_chance else (x,)))
        try:
            rows[x] = merged(paths(call, budget))
        except Stop as stop:
            way_out = ""
            if stop.error is TooLarge:
                way_out = (
                    f"; the paths before have probability {shown(stop.covered)}. "
                    "chance.loop merges equal states and ends loops without a bound, most_paths= "
                    "and most_choices= allow more, and truncated_channel_of stops early"
                )
            raise stop.error(f"on input {x!r:.60}, the program {stop.text}{way_out}") from None
        except Exception as error:
            error.add_note(f"on input {x!r:.60}")
            raise
    return rows


def _channel(rows: Rows, left: Mapping[Hashable, fmpq] | None = None) -> Channel:
    """Return the channel of the outcomes, with what is left of each input as the last output."""
    observed = any(trace for row in rows.values() for trace, _ in row)

    def seen(outcome: Outcome) -> Hashable:
        return outcome if observed else outcome[1]

    names = list(dict.fromkeys(seen(outcome) for row in rows.values() for outcome in row))
    with suppress(TypeError):  # they have no order
        names = sorted(names)  # type: ignore[type-var]
    if left is not None and any(left.values()):
        names.append(UNFINISHED)
    outputs = read_labels(names, len(names), "output", InvalidChannel)
    if left is None and all(len(row) == 1 for row in rows.values()):
        column = {z: j for j, z in enumerate(outputs)}
        shows = (column[seen(outcome)] for row in rows.values() for outcome in row)
        return Deterministic(tuple(rows), outputs, np.fromiter(shows, np.intp, len(rows)))
    if len(rows) * len(outputs) > allowed(LARGEST):
        raise TooLarge(
            f"{counted(len(rows), 'input', 'inputs')} and "
            f"{counted(len(outputs), 'output', 'outputs')} are more than {allowed(LARGEST):,} "
            "entries"
        )
    column = {z: j for j, z in enumerate(outputs)}
    matrix = np.full((len(rows), len(outputs)), fmpq(0), dtype=object)
    for i, (x, row) in enumerate(rows.items()):
        for outcome, probability in row.items():
            matrix[i, column[seen(outcome)]] += probability
        if left is not None and left[x]:
            matrix[i, -1] = left[x]
    return Channel.trusted(tuple(rows), outputs, matrix)


def _takes_chance(program: AnyProgram) -> bool:
    """Say whether a program has a second argument, and refuse what is not a program."""
    if not callable(program):
        raise InvalidInput(
            "a program must be a function of an input, or of an input and chance, "
            f"got {program!r:.60}"
        )
    try:
        parameters = inspect.signature(program).parameters.values()
    except ValueError:  # some built-in functions do not tell
        return False
    needed = [
        one
        for one in parameters
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if len(needed) in (1, 2) and all(one.kind is not one.KEYWORD_ONLY for one in needed):
        return len(needed) == 2
    raise InvalidInput(
        "a program must be a function of an input, or of an input and chance, got one that needs "
        f"({', '.join(one.name for one in needed)}); give others a default"
    )


def _read_inputs(inputs: Inputs) -> Labels:
    if isinstance(inputs, Policy):
        return inputs.databases()
    if isinstance(inputs, AdjacencyGraph | Graph):
        return inputs.vertices
    return listed_labels(inputs, "input", InvalidChannel)
