"""Whatever is given to a public function, it answers or refuses in one line of our own errors."""

import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leaktight as lt

ROOMS = [
    *("channels", "exact", "leakage", "mechanisms", "policies", "privacy", "repetition"),
    *("samples", "studies", "tables", "worst_case"),
]

MAKERS = {
    *("Channel", "Distribution", "Gain", "Graph", "Loss", "Metric", "Observations", "Policy"),
    *("Change", "Ledger", "Ratio", "SecretGraph", "Study", "Tries"),
}
"""The classes of what users make; the others are answers."""

PAIR = lt.SecretGraph.complete(2)
COIN = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])
RIGHT = [COIN, PAIR, lt.Policy(PAIR), lt.Distribution.uniform(2), lt.Gain.binary([0, 1])]
WRONG = [
    *(None, 3, 2.5, -1, math.nan, 10**400, True, "text", b"x"),
    *([], [1], {"a": 1}, (0, 1), object(), np.ones(2), len),
]


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, and every way to make what users make."""
    for room in ROOMS:
        module = importlib.import_module(f"leaktight.{room}")
        for name in dir(module):
            found = getattr(module, name)
            if inspect.isfunction(found):
                yield f"{room}.{name}", found
            elif inspect.isclass(found) and name in MAKERS:
                yield f"{room}.{name}", found
                for way, made in vars(found).items():
                    if isinstance(made, classmethod) and way[0] != "_" and way != "trusted":
                        yield f"{room}.{name}.{way}", getattr(found, way)


def calls(function: Callable[..., Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Wrong arguments alone, and beside right ones."""
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    named = [p.name for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY]
    ratio = {"ratio": 2} if any(p.name == "ratio" and p.default is None for p in parameters) else {}
    for wrong in WRONG:
        beside = ratio | dict.fromkeys(named, wrong)
        yield (wrong,) * len(needed), beside
        for right in RIGHT if len(needed) > 1 else ():
            yield (right, *[wrong] * (len(needed) - 1)), beside
    for right in RIGHT:
        for other in RIGHT:
            yield (
                (right, *[other] * (len(needed) - 1))[: len(needed)],
                ratio | dict.fromkeys(named, 2),
            )


@pytest.mark.parametrize(("name", "function"), list(public()), ids=[name for name, _ in public()])
def test_what_is_wrong_is_refused_in_one_line(name: str, function: Callable[..., Any]) -> None:
    bare: list[Any] = []
    for arguments, named in calls(function):
        try:
            function(*arguments, **named)
        except lt.LeaktightError as refused:
            if "\n" in str(refused):
                bare.append((arguments, refused))
        except Exception as wrong:
            if len not in arguments:  # what calls a function cannot know what its caller meant
                bare.append((arguments, wrong))
    assert bare == []


def test_the_examples_of_the_past_are_refused() -> None:
    for wrong, said in (
        (lambda: lt.channels.symmetrise(COIN, PAIR), "automorphism_group"),  # type: ignore[arg-type]
        (lambda: lt.decide_bound(PAIR, [math.nan], [1, 1]), "expected a number"),
        (lambda: lt.worst_case.hamming_code(2.5), "whole number"),  # type: ignore[arg-type]
        (lambda: lt.worst_case.repetition_code(3.5), "whole number"),  # type: ignore[arg-type]
        (lambda: lt.Metric.from_edges(2, [(0, 1, 10**400)]), "2\\^-500 to 2\\^500"),
        (lambda: lt.Metric.from_table([[0, 10**400], [10**400, 0]]), "use another unit"),
    ):
        with pytest.raises(lt.LeaktightError, match=said):
            wrong()
    assert str(lt.worst_case_function(lt.Policy(PAIR))) == str(lt.worst_case_function(PAIR))
    assert lt.decide_bound(lt.Policy(PAIR), [0, 2], [1, 1]).is_tight


def test_a_level_beyond_all_ratios_is_shown() -> None:
    tiny = Fraction(1, 2**2_000_000)
    level = lt.privacy_level(lt.Channel([["1/2", "1/2"], [tiny, 1 - tiny]]), PAIR)
    assert level.epsilon > 10**6
    assert "ε ≤" in repr(level)
