"""Registry of measures of leakage: prior, posterior, leakage and capacity, by the same names."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Protocol, TypeVar

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike, known
from leaktight.exact.numbers import Value


class Change(Protocol):
    """A number before and after an observation."""

    @property
    def before(self) -> Value:
        """The number before."""

    @property
    def after(self) -> Value:
        """The number after, on average over what is seen."""

    @property
    def bits(self) -> float | None:
        """How many bits leak; None of what is not counted in bits."""


class Worst(Protocol):
    """The most that leaks under any prior."""

    @property
    def bits(self) -> float:
        """How many bits leak, rounded up."""


@dataclass(frozen=True, slots=True)
class LeakageMeasure:
    """A measure of leakage; all have the same methods.

    >>> shannon = leakage_measures()["Shannon entropy"]
    >>> coin = Channel([[1, 0], ["1/2", "1/2"]])
    >>> shannon.prior(["1/2", "1/2"]), round(shannon.posterior(coin), 6)
    (1.0, 0.688722)
    >>> round(shannon.leakage(coin, None).bits, 6), round(shannon.capacity(coin).bits, 6)
    (0.311278, 0.321928)
    """

    name: str
    leakage: Callable[[Channel, PriorLike], Change]
    """What it is before and after an observation, of a channel and a prior."""
    capacity: Callable[[Channel], Worst] | None = None
    """The most under any prior; None if no way is known to find it."""
    capacity_name: str = ""
    is_factor: bool = True
    """Whether its capacity is a factor."""

    def prior(self, prior: PriorLike) -> Value:
        """Return it before anything is seen."""
        belief = known(prior)
        silent = Channel([[1]] * len(belief.values), belief.values)
        return self.leakage(silent, belief).before

    def posterior(self, channel: Channel, prior: PriorLike = None) -> Value:
        """Return it after an observation, on average."""
        return self.leakage(channel, prior).after


_REGISTERED: dict[str, LeakageMeasure] = {}

Leaks = TypeVar("Leaks", bound=Callable[..., Change])


def leakage_measure(
    name: str,
    capacity: Callable[[Channel], Worst] | None = None,
    capacity_name: str = "",
    *,
    is_factor: bool = True,
) -> Callable[[Leaks], Leaks]:
    """Register what a channel leaks under a prior as a measure."""

    def register(leaks: Leaks) -> Leaks:
        _REGISTERED[name] = LeakageMeasure(name, leaks, capacity, capacity_name, is_factor)
        return leaks

    return register


@cache
def leakage_measures() -> Mapping[str, LeakageMeasure]:
    """Return all measures by name: those of ``measures.py``, and what else the room registers."""
    room = import_module("leaktight.leakage")
    names = sorted(module.name for module in pkgutil.iter_modules(room.__path__))
    for name in ("measures", *names):
        import_module(f"leaktight.leakage.{name}")
    return dict(_REGISTERED)
