"""Several channels: observed one after the other, side by side on different secrets, repeatedly.

libqif and pyqif return matrices; we return channels whose outputs say what was seen. Side by side
nothing is multiplied out, and a repeated channel has a column for each count instead of one for
each sequence. The limit is to copy a matrix of the same size.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case, Way
from benchmarks.libraries import pyqif, qif


@cache
def floats(n: int, seed: int) -> Any:
    """Return a random matrix."""
    return np.random.default_rng(seed).dirichlet(np.ones(n), n)


@cache
def room(entries: int) -> tuple[Any, Any]:
    """Return two arrays of the size of the result."""
    return np.ones(entries), np.ones(entries)


class Pair(NamedTuple):
    """Two channels on the same inputs, their matrices as libqif wants them, and room."""

    channels: tuple[lt.Channel, lt.Channel]
    turned: tuple[Any, Any]
    room: tuple[Any, Any]


def pair_of_floats(n: int) -> Pair:
    """Return two channels of floats."""
    one, other = floats(n, 1), floats(n, 2)
    turned = np.asfortranarray(one), np.asfortranarray(other)
    return Pair((lt.Channel(one), lt.Channel(other)), turned, room(n**3))


@cache
def fractions(n: int, seed: int) -> tuple[lt.Channel, Any]:
    """Return an exact channel, and its matrix in libqif's fractions."""
    channel = lt.Channel.normalised(np.random.default_rng(seed).integers(1, 1000, (n, n)))
    rows = [[qif.rat(int(p.p), int(p.q)) for p in row] for row in channel.matrix]
    return channel, np.array(rows)


def exact_pair(n: int) -> Pair:
    """Return two exact channels."""
    (one, first), (other, second) = fractions(n, 1), fractions(n, 2)
    return Pair((lt.Channel(one), lt.Channel(other)), (first, second), (None, None))


def corners(matrix: Any) -> tuple[str, str, int]:
    """Return two entries, and how many columns there are."""
    return str(matrix[0, 0]), str(matrix[-1, -1]), matrix.shape[1]


def close(answers: Mapping[str, Any]) -> str:
    """Demand the same entries up to the last digits."""
    *entries, columns = answers["leaktight"]
    for *others, count in filter(None, answers.values()):
        assert count == columns, answers
        for entry, other in zip(map(Fraction, entries), map(Fraction, others), strict=True):
            assert abs(other - entry) <= 1e-12 * entry, answers
    return f"the same entries in {columns:,} columns"


# --- side by side, and repeatedly ----------------------------------------------------------


def side_by_side(n: int) -> Any:
    """Return a channel on each of n secrets."""
    return lt.parallel(*[lt.Channel(floats(3, 1))] * n)


def bits(channel: Any) -> float:
    """Return our capacity."""
    return lt.min_capacity(channel).bits


def bits_by_pyqif(n: int) -> float:
    """Multiply out with pyqif first."""
    whole = pyqif.compose.kroneckerN(floats(3, 1), n)
    return float(np.log2(pyqif.measure.bayes.capacity(whole)))


def bits_by_qif(n: int) -> float:
    """Return the capacity of all sequences."""
    whole = qif.channel.compose.repeated_independent(np.asfortranarray(floats(2, 1)), n)
    return float(np.log2(qif.measure.bayes_vuln.mult_capacity(whole)))


def coin() -> lt.Channel:
    """Return a new channel of one bit."""
    return lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])


def same_bits(answers: Mapping[str, float]) -> str:
    """Demand the same number of bits up to the last digits."""
    bits = answers["leaktight"]
    assert all(abs(found - bits) <= 1e-10 for found in answers.values()), answers
    return f"{bits:.6g} bits"


IN_TURN: dict[str, Way] = {
    "leaktight": lambda pair: corners(lt.sequential(*pair.channels).matrix),
    "qif": lambda pair: corners(qif.channel.compose.parallel(*pair.turned)),
}
"""To observe both is what libqif and pyqif call parallel."""

CASES = (
    Case(
        task="two channels in turn, {n}×{n} floats",
        sizes=(10, 40, 160),
        prepare=pair_of_floats,
        ways={
            **IN_TURN,
            "pyqif": lambda pair: corners(
                pyqif.compose.parallel(*(channel.matrix for channel in pair.channels))
            ),
            "memory": lambda pair: np.copyto(*pair.room),
        },
        agree=close,
        limit="memory",
        scale=lambda n: n**3,
        scale_name="entries",
        note="we name each output, and refuse products that are too small for a float",
    ),
    Case(
        task="two channels in turn, {n}×{n} fractions",
        sizes=(5, 20, 60),
        prepare=exact_pair,
        ways=IN_TURN,
        agree=close,
        scale=lambda n: n**3,
        scale_name="entries",
    ),
    Case(
        task="{n} channels side by side, 3×3 floats each, multiplied out",
        sizes=(2, 5, 7),
        prepare=lambda n: (n, room(9**n)),
        ways={
            "leaktight": lambda given: corners(side_by_side(given[0]).expand().matrix),
            "pyqif": lambda given: corners(pyqif.compose.kroneckerN(floats(3, 1), given[0])),
            "memory": lambda given: np.copyto(*given[1]),
        },
        agree=close,
        limit="memory",
        scale=lambda n: 9.0**n,
        scale_name="entries",
        note="we name each input and output",
    ),
    Case(
        task="capacity of {n} channels side by side, 3×3 floats each",
        sizes=(2, 5, 7),
        prepare=int,
        ways={"leaktight": lambda n: bits(side_by_side(n)), "pyqif": bits_by_pyqif},
        agree=same_bits,
        scale_name="channels",
    ),
    Case(
        task="capacity of {n} channels side by side, 2×2 fractions each",
        sizes=(100, 10_000, 1_000_000),
        prepare=int,
        ways={"leaktight": lambda n: bits(lt.parallel(*[coin()] * n))},
        agree=same_bits,
        scale_name="channels",
    ),
    Case(
        task="capacity of {n} observations, 2×2 floats",
        sizes=(4, 8, 16, 22),
        prepare=int,
        ways={
            "leaktight": lambda n: bits(lt.repeated(lt.Channel(floats(2, 1)), n)),
            "qif": bits_by_qif,
        },
        agree=same_bits,
        quick=3,
        scale_name="observations",
    ),
)
