"""What is compared? One task, several ways to do it, and a check of what they answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Way = Callable[[Any], Any]
"""Does the task once for what ``Case.prepare`` made. What it returns must be picklable."""


class NotTried(Exception):
    """A way is not asked for this size; the text says why."""


def same(answers: Mapping[str, Any]) -> str:
    """Demand that all answers are equal."""
    first, *others = answers.values()
    assert all(other == first for other in others), answers
    return "the same answer"


@dataclass(frozen=True)
class Case:
    """A task for several contenders; the first of ``ways`` is ours.

    Every contender works in a process of its own. ``prepare`` is called there before each run,
    while the clock stands still, so that nothing is remembered from the run before; what is costly
    and cannot be remembered by anyone (a random matrix) may be cached by the case.
    """

    task: str
    """What is done, with ``{n}`` for the size."""

    sizes: Sequence[int]
    """From small to large. A contender that fails at one size is not asked for the larger ones."""

    prepare: Callable[[int], Any]
    ways: Mapping[str, Way]

    agree: Callable[[Mapping[str, Any]], str] = same
    """Told the answers of all that gave one, says in a few words how they compare.

    It raises AssertionError if ours is wrong. Where a peer differs, exact arithmetic says who is
    right, and the words say so.
    """

    limit: str = ""
    """Which of the ways is no rival but the least that the task can cost."""

    quick: int = 2
    """How many of the sizes are enough for a first look (``--quick``)."""

    rounds: int = 7
    patience: float = 30.0
    """After how many seconds a run is given up."""

    scale: Callable[[int], float] = field(default=float)
    """What the time should grow with, for the plot over size."""

    scale_name: str = "n"
    note: str = ""
    """Why a peer is ahead, or what is not alike in the two tasks."""
