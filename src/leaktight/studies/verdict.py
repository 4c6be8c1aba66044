"""The verdict: one line for the terminal, the page and the JSON file."""

import math
from dataclasses import replace
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.keeping import Kept, channel_keeps, keeps
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
        limit = above(_epsilon(asked), DIGITS)
        return Verdict(False, f"FAIL: private at no ε (limit {limit}{per}), {name}.")
    has, most = apart(found, _epsilon(asked))
    equals = "=" if level.is_exact else "≤"
    if level.holds(asked):
        return Verdict(True, f"PASS: ε {equals} {has}{per} (limit {most}), {name}.")
    if replace(level, ratio=level.attained).holds(asked):
        return Verdict(
            False,
            f"NOT PROVED: ε ≤ {has}{per}, and whether it is in the limit {most} is open, {name}.",
        )
    if has == most:
        return Verdict(False, f"FAIL: ε above {most}{per}, the limit, if only by a hair, {name}.")
    if not level.is_exact:
        equals, has = "≥", below(ln_interval(level.attained)[0], DIGITS)
    return Verdict(False, f"FAIL: ε {equals} {has}{per} (limit {most}), {name}.")


def _of_curve(study: Study, curve: PrivacyCurve, name: str, level: PrivacyLevel) -> Verdict:
    """Return whether the mechanism keeps a curve; where that is not decided, it is not proved."""
    try:
        found = _kept(study, curve, level)
    except LeaktightError as wrong:
        found = Kept(None, f"it was not decided: {wrong}")
    if found.holds:
        return Verdict(True, f"PASS: {name} keeps {curve}.")
    if found.holds is None:
        return Verdict(False, f"NOT PROVED: whether {name} keeps {curve} is open: {found}.")
    return Verdict(False, f"FAIL: {name} does not keep {curve}: {found}.")


def _kept(study: Study, curve: PrivacyCurve, level: PrivacyLevel) -> Kept:
    """Decide it from the mechanism's matrix; from its ratio alone if that is not listed."""
    if study.channel is None or study.is_tied:
        if level.ratio == math.inf and study.release is not None:
            return study.release.keeps(curve)
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
    if curve.divergences is None:
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
