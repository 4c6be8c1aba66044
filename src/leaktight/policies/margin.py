"""The counts that a published table makes public.

A *margin* of several attributes says how many records have each category of one of them, or each
combination of categories of some: a cross table.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from leaktight.errors import InvalidPolicy, expect
from leaktight.labels import suggestion
from leaktight.policies.constraint import Count, count, read_values


def margin(
    values: Iterable[Hashable],
    attributes: int | Sequence[int],
    numbers: Mapping[Any, int] | None = None,
    names: Sequence[str] = (),
) -> tuple[Count, ...]:
    """Return the counts of a published margin.

    ``values`` are tuples, one part for each attribute. ``attributes`` says which part is tabulated,
    counted from 0, or which parts together; ``numbers`` has the records of each category, or of
    each tuple of categories. Categories that are not named are not public. Without ``numbers`` the
    whole margin is public, whatever it says. ``names`` of all attributes make the counts read
    better.

    >>> from itertools import product
    >>> people = list(product(["f", "m"], ["young", "old"]))
    >>> for one in margin(people, 0, {"f": 51_000, "m": 49_000}, ["sex", "age"]):
    ...     print(one)
    exactly 51,000 with sex = f
    exactly 49,000 with sex = m
    >>> print(*margin(people, [0, 1], {("f", "old"): 30_000}))
    exactly 30,000 in {('f', 'old')}
    """
    if not isinstance(attributes, int):
        expect(attributes, Sequence, "one part is tabulated, or a list of them")
    if numbers is not None:
        expect(numbers, Mapping, "a number for each category")
    places = (attributes,) if isinstance(attributes, int) else tuple(attributes)
    parts: dict[Hashable, list[Hashable]] = {}
    for value in read_values(values, "the values of a margin"):
        if not isinstance(value, tuple) or not all(place in range(len(value)) for place in places):
            raise InvalidPolicy(
                f"the values of a margin must be tuples with the parts {places}, got {value!r:.60}"
            )
        parts.setdefault(_category(value, attributes, places), []).append(value)
    found = []
    for category in parts if numbers is None else numbers:
        if category not in parts:
            raise InvalidPolicy(
                f"a margin must count categories of its attributes, got {category!r:.60}; "
                f"{suggestion(category, tuple(parts))}"
            )
        told: Any = (category,) if isinstance(attributes, int) else category
        name = ", ".join(
            f"{names[place]} = {each}" for place, each in zip(places, told, strict=True)
        ) if names else ""  # fmt: skip
        number = None if numbers is None else numbers[category]
        found.append(count(parts[category], equals=number, published=numbers is None, name=name))
    return tuple(found)


def _category(value: tuple[Hashable, ...], attributes: Any, places: tuple[int, ...]) -> Hashable:
    if isinstance(attributes, int):
        return value[attributes]
    return tuple(value[place] for place in places)
