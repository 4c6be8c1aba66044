"""Registry of the mechanisms that a study names: what each is built on, and its keys.

A mechanism registers itself where it is defined, with :func:`construction`; the reader of studies,
the code of the page and the tests of all combinations find it here.
"""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar

BuiltOn = Literal["values", "graph", "plane", "line", "numbers"]
"""What a construction takes first: the values, the graph, the rows and columns of a grid, the
answers in a line, or nothing, if it is noise on all whole numbers."""

NOISE = ("line", "numbers")
"""What noise is built on."""

RATIO = ("ratio", "epsilon")


@dataclass(frozen=True, slots=True)
class Construction:
    """A mechanism that a study names."""

    name: str
    make: Callable[..., Any]
    built_on: BuiltOn
    keys: tuple[str, ...]
    """What says how private it is: ``ratio`` or ``epsilon``, or what it takes instead."""
    has_distances: bool
    """Whether it fits a policy with a metric."""

    @property
    def is_noise(self) -> bool:
        """Whether it adds noise to a number, and so has a sensitivity."""
        return self.built_on in NOISE


_REGISTERED: dict[str, Construction] = {}

Made = TypeVar("Made", bound=type)


def construction(
    name: str, built_on: BuiltOn, *, keys: tuple[str, ...] = RATIO, has_distances: bool = False
) -> Callable[[Made], Made]:
    """Register a class of mechanisms under the name that a study has for it."""

    def register(cls: Made) -> Made:
        _REGISTERED[name] = Construction(name, cls, built_on, keys, has_distances)
        return cls

    return register


@cache
def constructions() -> Mapping[str, Construction]:
    """Return all constructions by name, in alphabetical order.

    >>> constructions()["geometric"].built_on
    'numbers'
    """
    room = import_module("leaktight.mechanisms")
    for module in pkgutil.iter_modules(room.__path__):
        if not module.ispkg:
            import_module(f"leaktight.mechanisms.{module.name}")
    return dict(sorted(_REGISTERED.items()))
