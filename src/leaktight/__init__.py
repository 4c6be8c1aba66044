"""leaktight: how much does a release of data leak?

A policy says which databases must not be told apart; a channel says what is seen of each.

>>> import leaktight as lt
>>> policy = lt.Policy(lt.SecretGraph.complete(["no", "yes"]), records=2)
>>> answer = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"])
>>> survey = lt.parallel(answer, answer)
>>> lt.privacy_level(survey, policy).ratio             # λ = e^ε: how private is it?
Fraction(2, 1)
>>> lt.min_capacity(survey).factor                     # how much better does anyone guess?
Fraction(16, 9)
>>> lt.worst_case_leakage(policy, ratio=2).upper       # and after any mechanism as private?
Fraction(16, 9)

The names of daily use stand here; all others in their rooms, as ``lt.leakage.renyi_capacity``:
``policies``, ``channels``, ``leakage``, ``privacy``, ``worst_case``, ``curves``, ``mechanisms``,
``samples``, ``testing``, ``adapters``, ``repetition``, ``tables``, ``studies``, ``reports``, and
``exact``, ``limits`` and ``errors`` below them all. ``leaktight_papers`` beside it has every claim
of the five papers.
"""

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import lazy_loader

# The names are in __init__.pyi; each is loaded when it is first used.
_load, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [name for name in _names if not find_spec(f"{__name__}.{name}")]


def __getattr__(name: str) -> Any:
    if name in _names or name.startswith("_"):
        return _load(name)
    from leaktight.errors import NEW_NAMES

    places = {own: [f"leaktight.{own}"] for own in __all__}
    for room in (own for own in _names if own not in __all__):
        for own in getattr(import_module(f"leaktight.{room}"), "__all__", ()):
            places.setdefault(own, []).append(f"leaktight.{room}.{own}")
    name_now = NEW_NAMES.get(name, name)
    near = [name_now] if name_now in places else get_close_matches(name, places, n=2)
    found = [place for own in near or [name] for place in places.get(own, ())]
    hint = f"; did you mean {' or '.join(found)}?" if found else ""
    raise AttributeError(f"leaktight has no attribute {name!r}{hint}", name=name)


__version__ = "0.2.0"
