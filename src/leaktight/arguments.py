"""How are numbers, ratios and gains read from a command line?"""

from typing import Any

import typer


def read_ratio(ratio: str | None, epsilon: str | None) -> tuple[str | None, str | None]:
    """Return what was written, after a look at it."""
    from leaktight.study_table import asked_ratio

    if (ratio is None) == (epsilon is None):
        raise typer.BadParameter("give one of --ratio and --epsilon")
    asked_ratio(ratio, epsilon)
    return ratio, epsilon


def read_numbers(text: str | None) -> Any:
    """Return exact numbers such as 1/2,1/4,1/4."""
    if text is None:
        return None
    from leaktight.exact import fraction, rational

    return [fraction(rational(part)) for part in text.split(",")]


def read_whole(text: str) -> list[int]:
    """Return whole numbers such as 1,10,100."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"expected whole numbers such as 1,10, got {text[:60]!r}"
        ) from None


def read_aim(name: str, values: Any) -> Any:
    """Return what each guess of a value earns or costs."""
    from leaktight.gain import Gain, Loss

    if name == "guess":
        return Gain.binary(values.vertices)
    if name == "distance":
        return Loss.by_distance(values.vertices, values.distance)
    powers = {"difference": 1, "squared": 2}
    if name not in powers:
        raise typer.BadParameter(
            f"--gain must be guess, distance, difference or squared, got {name[:60]!r}"
        )
    return Loss.by_distance(values.vertices, lambda a, b: _apart(a, b, powers[name]))


def _apart(a: Any, b: Any, power: int) -> Any:
    """Return |a − b|^power, for points the sum over their coordinates."""
    if isinstance(a, tuple):
        return sum(_apart(x, y, power) for x, y in zip(a, b, strict=True))
    if isinstance(a, str):
        raise typer.BadParameter("--gain difference needs values that are numbers")
    return abs(a - b) ** power
