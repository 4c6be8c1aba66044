"""Covering arrays: few rows in which all pairs, or triples, of options meet.

A greedy generator in the manner of AETG: each row starts with options that have not met yet, and
gets of each other axis the option with which most meet for the first time. Options that exclude
each other are named by rules, and no row has them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

Row = dict[str, Any]
Met = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """Which options of some axes go together."""

    axes: tuple[str, ...]
    fit: Callable[..., bool]

    def allows(self, row: Mapping[str, Any]) -> bool:
        """Say whether a row, as far as it is filled, keeps the rule."""
        if any(axis not in row for axis in self.axes):
            return True
        return self.fit(*(row[axis] for axis in self.axes))


def covering(
    axes: Mapping[str, Sequence[Any]], strength: int, rules: Sequence[Rule] = (), seed: int = 0
) -> list[Row]:
    """Return rows in which any options of so many axes meet, unless a rule keeps them apart.

    >>> rows = covering({"a": [0, 1, 2], "b": "xy", "c": "pq", "d": "st"}, strength=2)
    >>> {(row["a"], row["d"]) for row in rows} == set(product([0, 1, 2], "st"))
    True
    >>> len(rows) < 3 * 2 * 2 * 2 / 2
    True
    """
    order = random.Random(seed)
    open_ones: dict[Met, None] = {}
    for some in combinations(axes, strength):
        for options in product(*(axes[axis] for axis in some)):
            row = dict(zip(some, options, strict=True))
            if all(rule.allows(row) for rule in rules):
                open_ones[tuple(row.items())] = None
    waiting = list(open_ones)
    order.shuffle(waiting)
    rows = []
    for first in waiting:
        if first not in open_ones:
            continue
        found = filled(dict(first), axes, strength, rules, open_ones, order)
        if found is None:  # no row has them, by several rules together
            del open_ones[first]
            continue
        row = {axis: found[axis] for axis in axes}
        for met in combinations(row.items(), strength):
            open_ones.pop(met, None)
        rows.append(row)
    return rows


def filled(
    row: Row,
    axes: Mapping[str, Sequence[Any]],
    strength: int,
    rules: Sequence[Rule],
    open_ones: Mapping[Met, None],
    order: random.Random,
) -> Row | None:
    """Return the row with an option of every axis, the ones first that make most meet.

    None if there is no such row, which is seen as soon as some axis has no option left.
    """
    left = {axis: _fitting(row, axis, axes[axis], rules) for axis in axes if axis not in row}
    if not left:
        return row
    if not all(left.values()):
        return None
    axis = max(left, key=lambda each: len(left[each]))

    def new(option: Any) -> int:
        tried = row | {axis: option}
        others = [(each, tried[each]) for each in axes if each in row]
        place = list(axes).index(axis)
        met = 0
        for some in combinations(others, strength - 1):
            before = [each for each in some if list(axes).index(each[0]) < place]
            after = some[len(before) :]
            met += (*before, (axis, option), *after) in open_ones
        return met

    options = left[axis]
    order.shuffle(options)
    for option in sorted(options, key=new, reverse=True):
        found = filled(row | {axis: option}, axes, strength, rules, open_ones, order)
        if found is not None:
            return found
    return None


def _fitting(row: Row, axis: str, options: Sequence[Any], rules: Sequence[Rule]) -> list[Any]:
    """Return the options of an axis that the rules about it allow in a row."""
    about = [r for r in rules if axis in r.axes and all(a in row or a == axis for a in r.axes)]
    return [o for o in options if all(rule.allows(row | {axis: o}) for rule in about)]
