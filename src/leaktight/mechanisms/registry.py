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

BuiltOn = Literal["values", "graph", "plane", "line", "numbers", "counts", "beliefs"]
"""What a construction takes first: the values, the graph, the rows and columns of a grid, the
answers in a line, nothing, if it is noise on all whole numbers or made of counts, or the values and
what is believed of them."""

NOISE = ("line", "numbers")
"""What noise is built on."""

RATIO = ("ratio", "epsilon")

KeyKind = Literal["number", "whole number", "truth", "list of tables"]
"""What a key may say."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a study that some mechanisms have, and an argument of theirs."""

    name: str
    kind: KeyKind
    means: str
    """What it says, for the documentation."""
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class Construction:
    """A mechanism that a study names."""

    name: str
    make: Callable[..., Any]
    built_on: BuiltOn
    keys: tuple[Key, ...] = ()
    """Its own keys; one that is noise needs one of them."""
    has_distances: bool = False
    """Whether it fits a policy with a metric."""
    called: str | None = None
    """What it is called, if what it makes is a channel, which has no name."""
    note: str | None = None
    """What its numbers take for granted."""

    @property
    def is_noise(self) -> bool:
        """Whether it adds noise to a number, and so has a sensitivity."""
        return self.built_on in NOISE

    @property
    def has_ratio(self) -> bool:
        """Whether ``ratio`` or ``epsilon`` says how private it is."""
        return not self.keys


ROOMS = ("leaktight.mechanisms", "leaktight.mechanisms.disclosure")
"""Where constructions stand, each in a file that registers it."""

_REGISTERED: dict[str, Construction] = {}

Made = TypeVar("Made", bound=Callable[..., Any])


def construction(
    name: str, built_on: BuiltOn, *keys: Key, has_distances: bool = False, **said: str
) -> Callable[[Made], Made]:
    """Register a class of mechanisms, or what makes one, under the name that a study has for it.

    Without ``keys`` of its own it is made of ``ratio``; ``said`` are ``called`` and ``note``.
    """

    def register(make: Made) -> Made:
        _REGISTERED[name] = Construction(name, make, built_on, keys, has_distances, **said)
        return make

    return register


@cache
def constructions() -> Mapping[str, Construction]:
    """Return all constructions by name, in alphabetical order.

    >>> constructions()["geometric"].built_on
    'numbers'
    """
    for room in ROOMS:
        for module in pkgutil.iter_modules(import_module(room).__path__):
            import_module(f"{room}.{module.name}")
    return dict(sorted(_REGISTERED.items()))
