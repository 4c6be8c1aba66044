"""The automorphisms of a small graph, by plain search.

Loading a library takes longer. What is searched is a table of kinds of pairs, such as distances: a
permutation that keeps it keeps the graph. Each vertex in turn is fixed after it was tried to be
taken to every other one that looks alike, so that what is found generates all, and the sizes of
the orbits multiply to their number.
"""

from collections.abc import Sequence

MOST = 32
"""The most vertices of a graph that is searched."""

MOST_TRIED = 4000
"""How many images are tried before the search is given up."""

Table = Sequence[Sequence[int]]


def automorphisms(table: Table, colours: Sequence[int]) -> tuple[list[list[int]], int] | None:
    """Return generators of the permutations that keep a table and colours, and how many they are.

    The table has a number for each pair, the same both ways. None if the search takes too long.

    >>> automorphisms([[0, 1, 2], [1, 0, 1], [2, 1, 0]], [0, 0, 0])
    ([[2, 1, 0]], 2)
    """
    n = len(table)
    colours = _refined(table, colours)
    generators, order, tried = list[list[int]](), 1, [0]
    for fixed in reversed(range(n)):
        # All generators so far leave what comes before in its place.
        orbit = _orbit(fixed, generators)
        for other in range(fixed + 1, n):
            if other in orbit or colours[other] != colours[fixed]:
                continue
            found = _extended([*range(fixed), other], table, colours, tried)
            if tried[0] > MOST_TRIED:
                return None
            if found is not None:
                generators.append(found)
                orbit = _orbit(fixed, generators)
        order *= len(orbit)
    return generators, order


def _refined(table: Table, colours: Sequence[int]) -> list[int]:
    """Tell vertices apart by the colours that they see and how, as long as that tells more."""
    now, count = list(colours), 0
    while len(set(now)) > count:
        count = len(set(now))
        names: dict[object, int] = {}
        seen = [(now[v], tuple(sorted(zip(row, now, strict=True)))) for v, row in enumerate(table)]
        now = [names.setdefault(each, len(names)) for each in seen]
    return now


def _orbit(start: int, generators: list[list[int]]) -> set[int]:
    found, queue = {start}, [start]
    for at in queue:
        for generator in generators:
            if (image := generator[at]) not in found:
                found.add(image)
                queue.append(image)
    return found


def _extended(
    images: list[int], table: Table, colours: list[int], tried: list[int]
) -> list[int] | None:
    """Return a permutation that begins with some images and keeps the table, if there is one."""
    n, begun = len(table), len(images) - 1
    images, candidates = images[:-1], [iter(images[-1:])]
    while candidates:
        at = len(images)
        for image in candidates[-1]:
            tried[0] += 1
            row, beside = table[at], table[image]
            if (
                colours[image] == colours[at]
                and image not in images
                and all(beside[images[k]] == row[k] for k in range(at))
            ):
                images.append(image)
                if len(images) == n:
                    return images
                candidates.append(iter(range(n)))
                break
        else:
            candidates.pop()
            if len(images) > begun:
                images.pop()
        if tried[0] > MOST_TRIED:
            return None
    return None
