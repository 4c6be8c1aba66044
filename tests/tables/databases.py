"""The exact output channel of a release on a few records, by listing all databases."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from leaktight import Channel
from leaktight.tables.calibration import Noise
from leaktight.tables.noise import GeometricStep


def seen(step: Fraction | None, answer: int, least: int, most: int) -> list[Fraction]:
    """Return the chances of the noisy answers from ``least`` to ``most``.

    What falls beyond an end is collected there: beyond both answers all outputs have the same
    ratios. Without noise the answer itself is seen.
    """
    if step is None or least == most:
        return [Fraction(int(z == answer)) for z in range(least, most + 1)]
    c = 1 / step
    inside = [(1 - c) / (1 + c) * c ** abs(z - answer) for z in range(least, most + 1)]
    inside[0] = c ** (answer - least) / (1 + c)
    inside[-1] = c ** (most - answer) / (1 + c)
    return inside


def output_channel(noise: Noise) -> Channel:
    """Return what is seen of each database of a policy."""
    policy = noise.protection.policy
    values = policy.secrets.vertices
    listed = policy.databases()
    databases: list[tuple[Any, ...]]
    databases = [d if policy.records > 1 else (d,) for d in listed]  # type: ignore[misc]
    answers = {}
    for database in databases:
        counts = np.array([database.count(v) for v in values])
        answers[database] = [z for b in noise.blocks for z in b.weights.answers(counts)]
    noises = [own for block in noise.blocks for own in noise.of(block)]
    steps = [own.step if isinstance(own, GeometricStep) else None for own in noises]
    columns = list(zip(*answers.values(), strict=True))
    rows = []
    for database in databases:
        parts = [
            seen(step, answer, min(column), max(column))
            for step, answer, column in zip(steps, answers[database], columns, strict=True)
        ]
        rows.append([prod(cells, start=Fraction(1)) for cells in product(*parts)])
    return Channel(rows, inputs=listed)


def entries(noise: Noise) -> int:
    """Return how many entries the channel would have."""
    policy = noise.protection.policy
    widths = (
        policy.records * int(column.max() - column.min())
        for block in noise.blocks
        for column in block.weights.matrix().T
    )
    return policy.secrets.order**policy.records * prod(width + 1 for width in widths)
