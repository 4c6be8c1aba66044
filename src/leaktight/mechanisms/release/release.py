"""Answers released through a mechanism, with a record of what was promised.

Each answer is drawn by itself, so the guarantee holds for each answer **separately**: of someone
whom n of the answers are about, n outputs are seen, and the ε of each adds up.
"""

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidChannel, Mismatch, is_list
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import counted
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.release.draw import sample
from leaktight.policies.neighbours import Space
from leaktight.privacy.level import privacy_level


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """What was applied to how many answers, when, and what that promises; it prints as text."""

    mechanism: str
    guarantee: Guarantee | None
    """What holds for each answer separately; None if nothing was stated."""
    answers: int
    seeded: bool
    """Whether the random bits came from a generator for tests."""
    version: str
    time: datetime
    column: str | None = None
    """The column of the file that was replaced."""

    def __str__(self) -> str:
        told = [f"{counted(self.answers, 'answer', 'answers')} released by {self.mechanism}."]
        if self.guarantee is None:
            told.append("No guarantee was stated.")
        else:
            pure = isinstance(self.guarantee.promise, Fraction)
            several = "n times this ε" if pure else "that of n releases together"
            told.append(
                f"For each answer separately: {self.guarantee}. "
                f"Someone whom n of the answers are about has {several}."
            )
        if self.column is not None:
            told.append(
                f"Only the column {self.column!r} was changed; the others were copied as they "
                "were, and nothing is promised about them."
            )
        if self.seeded:
            told.append(
                "The random bits came from a generator for tests: nothing is promised against "
                "anyone who knows or guesses its seed."
            )
        return " ".join(told)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it; the ratio is an exact fraction as text."""
        stated = self.guarantee
        promised = stated and {**stated.to_dict(), "holds for": "each answer separately"}
        return {
            "format": "leaktight release",
            "version": self.version,
            "time": self.time.isoformat(timespec="seconds"),
            "mechanism": self.mechanism,
            "guarantee": promised,
            "answers": self.answers,
            "column": self.column,
            "randomness": "a generator for tests" if self.seeded else "the operating system",
            "text": str(self),
        }

    def to_json(self) -> str:
        """The record as one JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Released ``answers``, of the same kind and in the same order as those given, and a record."""

    answers: Any
    record: ReleaseRecord


def release(
    mechanism: Mechanism | Channel,
    answers: Iterable[Hashable],
    *,
    neighbours: Space | None = None,
    rng: np.random.Generator | None = None,
) -> Release:
    """Draw an output for each of a column of answers, exactly, and record what that promises.

    A pandas series gives a series with the same index and name, a numpy array an array, any other
    column a list. The guarantee is the mechanism's; for a plain channel there is none, unless
    ``neighbours`` says who must not be told apart: then the privacy level is measured, exactly.

    The guarantee holds for each answer separately. If several answers are about the same person,
    or one follows from another, then what that person has is the product of the ratios.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["no", "yes"])
    >>> done = release(coin, ["no", "yes", "yes"], neighbours=SecretGraph.complete(["no", "yes"]))
    >>> len(done.answers), done.record.guarantee.ratio
    (3, Fraction(2, 1))
    >>> print(release(coin, ["no", "yes", "yes"]).record)
    3 answers released by a channel with 2 inputs and 2 outputs. No guarantee was stated.
    """
    if not is_list(answers):
        kind = type(answers).__name__
        raise Mismatch(f"expected a column of answers, got one of the type {kind}: write [answer]")
    column: Any = answers if hasattr(answers, "tolist") else list(answers)
    name, channel, guarantee = applied(mechanism, neighbours)
    count = len(column) if isinstance(column, list) else int(column.size)
    return Release(sample(channel, column, rng), recorded(name, guarantee, count, rng))


def applied(
    mechanism: Mechanism | Channel, neighbours: Space | None
) -> tuple[str, Channel, Guarantee | None]:
    """Return the name and the channel of what is applied, and what it promises."""
    if isinstance(mechanism, Channel):
        channel, guarantee = mechanism, None
        rows, columns = channel.shape
        inputs, outputs = counted(rows, "input", "inputs"), counted(columns, "output", "outputs")
        name = f"a channel with {inputs} and {outputs}"
    else:
        try:
            name, channel, guarantee = mechanism.name, mechanism.channel, mechanism.guarantee
        except AttributeError:
            raise InvalidChannel(
                f"expected a Mechanism or a Channel, got {mechanism!r:.60}"
            ) from None
    if neighbours is None:
        return name, channel, guarantee
    level = privacy_level(channel, neighbours)
    if not isinstance(level.ratio, Fraction):  # infinite
        raise InvalidChannel(
            f"the channel is private at no ε for these neighbours ({level.witness}); "
            "without neighbours= it is released with no guarantee stated"
        )
    ratio, whose = level.ratio, "inputs"
    if level.distance != 1:
        ratio, whose = Ratio.of(epsilon=level.epsilon).upper, "inputs at a distance of 1"
    return name, channel, Guarantee(ratio, f"{whose} of {neighbours!r}", lambda: neighbours)


def recorded(
    name: str,
    guarantee: Guarantee | None,
    answers: int,
    rng: np.random.Generator | None,
    column: str | None = None,
) -> ReleaseRecord:
    """Return the record of answers that are released now."""
    from leaktight import __version__

    now = datetime.now(UTC)
    return ReleaseRecord(name, guarantee, answers, rng is not None, __version__, now, column)
