"""Is the mechanism as private as asked? One line for the terminal, the page and the JSON file."""

import math
from dataclasses import replace

from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import DIGITS, above, apart, below
from leaktight.privacy.level import PrivacyLevel
from leaktight.studies.answers import Verdict
from leaktight.studies.study import Study


def verdict(study: Study, level: PrivacyLevel | None) -> Verdict:
    """Return the answer in a line; an ε that was asked for and the one found never look alike."""
    if level is None or study.name is None:
        return Verdict(None, "No mechanism is given: this is what any may tell.")
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
