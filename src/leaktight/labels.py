"""Names of rows and columns."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from functools import lru_cache
from typing import Any

import numpy as np

from leaktight.errors import InvalidInput, Mismatch, is_list

Labels = tuple[Hashable, ...]

MOST_LISTED = 2**27
"""How many labels may be listed at most."""

MOST_KEPT = 2**20
"""How many numbers at most are kept to be labels again."""


def read_labels(
    labels: Iterable[Hashable] | None, count: int, what: str, error: type[InvalidInput]
) -> Labels:
    """Return ``labels`` as a tuple of ``count`` distinct ones; 0, 1, … if there are none."""
    if labels is None or (isinstance(labels, range) and labels == range(count)):
        return _numbers(count) if count <= MOST_KEPT else tuple(range(count))
    if isinstance(labels, np.ndarray) or hasattr(labels, "tolist"):
        labels = labels.tolist()
    elif isinstance(labels, str):
        raise error(f"expected a list with a label for each {what}, got the text {labels!r}")
    try:
        names = tuple(labels)
    except TypeError:
        raise error(f"expected a list with a label for each {what}, got {labels!r}") from None
    if len(names) != count:
        raise error(f"there must be one label for each {what}, got {len(names)} for {count}")
    seen: set[Hashable] = set()
    for name in names:
        try:
            known = name in seen
        except TypeError:
            raise error(f"a label must be hashable, got the {what} {name!r}") from None
        if known or name != name:
            problem = "twice" if known else "which does not equal itself"
            raise error(f"each {what} must have a label of its own, got {name!r} {problem}")
        seen.add(name)
    return names


def listed_labels(values: object, what: str, error: type[InvalidInput]) -> Labels:
    """Return values that are listed, or 0, …, n−1 for a number n; at least one.

    >>> listed_labels(3, "input", InvalidInput)
    (0, 1, 2)
    >>> listed_labels(2.5, "input", InvalidInput)
    Traceback (most recent call last):
    leaktight.errors.InvalidInput: expected a label for each input, or how many there are, got 2.5
    """
    listed: Iterable[Hashable]
    if isinstance(values, int | np.integer):
        if values > MOST_LISTED:
            raise error(f"every {what} is listed, so there may be at most {MOST_LISTED:,}")
        listed = range(int(values))
    elif not is_list(values):
        found = f"{'the text ' * isinstance(values, str)}{values!r:.60}"
        raise error(f"expected a label for each {what}, or how many there are, got {found}")
    else:
        listed = values if isinstance(values, Sized) else tuple(values)
    labels = read_labels(listed, len(listed), what, error)
    if not labels:
        raise error(f"there must be at least one {what}, got none")
    return labels


@lru_cache(maxsize=2)
def _numbers(count: int) -> Labels:
    """Return 0, 1, …: the same object, which is quick to compare, for a channel and its prior."""
    return tuple(range(count))


def position(label: Hashable, labels: Labels, what: str) -> int:
    """Return where ``label`` stands, or say which labels there are."""
    try:
        return labels.index(label)
    except ValueError:
        raise Mismatch(f"there is no {what} {label!r}; {suggestion(label, labels)}") from None


def positions(wanted: Iterable[Hashable], labels: Labels, what: str) -> list[int]:
    """Return where each of ``wanted`` stands in ``labels``."""
    where = {label: i for i, label in enumerate(labels)}
    if isinstance(wanted, str) and wanted in where:
        raise Mismatch(f"expected a list of {what}s, got the text {wanted!r}: write [{wanted!r}]")
    try:
        found = list(wanted)
    except TypeError:
        raise Mismatch(f"expected a list of {what}s, got {wanted!r}") from None
    for label in found:
        if label not in where:
            raise Mismatch(f"there is no {what} {label!r}; {suggestion(label, labels)}")
    return [where[label] for label in found]


def alignment(ours: Labels, theirs: Labels, what: str) -> list[int] | None:
    """Return how to reorder ``theirs``, which are distinct, into ``ours``; None if they agree."""
    if ours is theirs or ours == theirs:
        return None
    if len(set(ours)) < len(ours):
        raise Mismatch(f"{what} must have distinct labels, got {len(set(ours))} for {len(ours)}")
    where = {label: i for i, label in enumerate(theirs)}
    for label in ours:
        if label not in where:
            raise Mismatch(f"{what} must have the same labels, but {label!r} is only in one")
    if len(ours) != len(theirs):
        extra = next(label for label in theirs if label not in set(ours))
        raise Mismatch(f"{what} must have the same labels, but {extra!r} is only in one")
    return [where[label] for label in ours]


def suggestion(label: Hashable, labels: Sequence[Hashable]) -> str:
    """Return the way out of a wrong label: the nearest one, or the first few."""
    if near := nearest(label, labels):
        return near
    return first_few(labels)


def parts(label: Any) -> tuple[Any, ...]:
    """Return what a label is of: the attributes of a tuple, or itself.

    >>> parts(("female", 3)), parts("flu")
    (('female', 3), ('flu',))
    """
    return label if isinstance(label, tuple) else (label,)


def in_words(label: Any) -> str:
    """Return a label as text, that of several attributes with commas, however long.

    >>> in_words(("female", "65-74")), in_words(3)
    ('(female, 65-74)', '3')
    """
    return f"({', '.join(map(str, label))})" if isinstance(label, tuple) else str(label)


def named(label: Hashable, most: int = 40) -> str:
    """Return a label as a person writes it: that of several attributes with commas.

    >>> named(("female", "65-74")), named("x" * 50, 8)
    ('(female, 65-74)', 'xxxxxxx…')
    """
    text = in_words(label)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def pair_named(labels: Iterable[Hashable]) -> str:
    """Return labels that stand against each other, as a person writes them.

    >>> pair_named(["flu", ("female", "65-74")])
    'flu – (female, 65-74)'
    """
    return " – ".join(map(named, labels))


def first_few(labels: Sequence[Hashable]) -> str:
    """Return which labels there are, whatever was found instead of them.

    >>> first_few(range(9))
    'there are 0, 1, 2, 3, 4, …'
    """
    shown = ", ".join(map(repr, labels[:5]))
    return f"there are {shown}" + (", …" if len(labels) > 5 else "")


def nearest(label: Hashable, labels: Sequence[Hashable]) -> str:
    """Return which label was meant, if one is near; nothing if none is."""
    from difflib import get_close_matches

    texts = {str(known): known for known in labels}
    close = get_close_matches(str(label), texts, n=1)
    return f"did you mean {texts[close[0]]!r}?" if close else ""


def renamed(
    function: Callable[[Any], Hashable] | Mapping[Any, Hashable],
    labels: Labels,
    what: str,
    error: type[InvalidInput],
    *,
    complete: bool,
) -> list[Hashable]:
    """Return the new name of each label; a mapping that need not be complete keeps the rest."""
    if isinstance(function, Mapping):
        missing = [label for label in labels if label not in function]
        if complete and missing:
            raise error(f"the mapping must name every {what}, but not {missing[0]!r}")
        names = [function.get(label, label) for label in labels]
    elif callable(function):
        names = [function(label) for label in labels]
    else:
        raise error(f"expected a function or a mapping of {what}s, got {function!r}")
    for label, name in zip(labels, names, strict=True):
        try:
            hash(name)
        except TypeError:
            raise error(f"the name of {label!r} must be hashable, got {name!r}") from None
    return names
