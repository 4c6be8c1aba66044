"""Is the mechanism as private as asked? One line for the terminal, the page and the JSON file."""

import math
from dataclasses import replace
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.keeping import Kept, channel_keeps, keeps
from leaktight.curves.renyi import Orders
from leaktight.errors import LeaktightError, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import DIGITS, above, apart, below
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import PrivacyLevel
from leaktight.studies.answers import Verdict
from leaktight.studies.study import Study


def verdict(study: Study, level: PrivacyLevel | None) -> Verdict:
    """Return the answer in a line; an ε that was asked for and the one found never look alike."""
    if level is None or study.name is None:
        return Verdict(None, "No mechanism is given: this is what any may tell.")
    if study.curve is not None:
        return _of_curve(study, study.curve, study.name, level)
    name, asked = study.name, study.ratio
    found, per = epsilon_of(level, asked), study.per
    if asked is None:
        has = "at no ε" if found == math.inf else f"at ε = {above(found, DIGITS)}{per}"
        return Verdict(None, f"{name[:1].upper()}{name[1:]} is private {has}.")
    if found == math.inf:
        return Verdict(False, f"NOT PRIVATE as asked: {name} is private at no ε.")
    has, most = apart(found, _epsilon(asked))
    has, most = f"{has}{per}", f"{most}{per}"
    if level.holds(asked):
        no_more = "" if level.is_exact else "at most "
        return Verdict(
            True, f"PRIVATE as asked: {name} has {no_more}ε = {has}, at most ε = {most}."
        )
    if replace(level, ratio=level.attained).holds(asked):
        bound = f"{name} has at most ε = {has}, and it is not known whether at most ε = {most}"
        return Verdict(False, f"NOT PROVED PRIVATE as asked: {bound}.")
    if has == most:
        hair = "has a larger ε than asked, if only by a hair"
        return Verdict(False, f"NOT PRIVATE as asked: {name} {hair}.")
    if not level.is_exact:
        least = below(ln_interval(level.attained)[0], DIGITS)
        has = f"{least}{per}, or more"
    return Verdict(False, f"NOT PRIVATE as asked: {name} has ε = {has}, more than ε = {most}.")


def _of_curve(study: Study, curve: PrivacyCurve, name: str, level: PrivacyLevel) -> Verdict:
    """Return whether the mechanism keeps a curve; where that is not decided, it is not proved."""
    try:
        found = _kept(study, curve, level)
    except LeaktightError as wrong:
        found = Kept(None, f"it was not decided: {wrong}")
    if found.holds:
        return Verdict(True, f"PRIVATE as asked: {name} keeps {curve}.")
    if found.holds is None:
        return Verdict(
            False, f"NOT PROVED PRIVATE as asked: whether {name} keeps {curve} is open: {found}."
        )
    return Verdict(False, f"NOT PRIVATE as asked: {name} does not keep {curve}: {found}.")


def _kept(study: Study, curve: PrivacyCurve, level: PrivacyLevel) -> Kept:
    """Decide it from the mechanism's matrix; from its ratio alone if that is not listed."""
    if study.channel is None or study.is_tied:
        if level.ratio == math.inf:
            raise TooLarge("the mechanism is private at no ε, and too large to be listed")
        pure = PrivacyCurve.epsilon(ratio=level.ratio)
        found = _pure_keeps(pure, level.ratio, curve)
        if found.holds:
            return found
        raise TooLarge("the mechanism is too large to be listed, and its ε alone is not enough")
    return channel_keeps(study.channel, study.graph, curve)


def _pure_keeps(pure: PrivacyCurve, ratio: Any, curve: PrivacyCurve) -> Kept:
    """Decide whether everything that is private at a ratio keeps a curve.

    For Rényi divergences the two-valued pair of this ratio is the worst of all: it is what every
    other pair comes from.
    """
    if not isinstance(curve.shape, Orders):
        return keeps(pure, curve)
    share = rational(ratio)
    coin = Channel([[share / (1 + share), 1 / (1 + share)], [1 / (1 + share), share / (1 + share)]])
    return channel_keeps(coin, SecretGraph.complete(2), curve)


def epsilon_of(level: PrivacyLevel, asked: Ratio | None = None) -> float:
    """Return the ε of a level, for a distance of 1 if it has some: a float that is not below it.

    If what was asked holds, it is no larger than that: 0.3, and not the next float.
    """
    found = level.epsilon
    if level.ratio != math.inf and level.distance == 1:
        found = ln_interval(level.ratio)[1]
    return found if asked is None or not level.holds(asked) else min(found, _epsilon(asked))


def _epsilon(asked: Ratio) -> float:
    return ln_interval(asked.lower)[1] if asked.is_exact else asked.epsilon
