"""Which output does a random word select, so that each comes up with exactly its probability?

A row of m probabilities is cut up and laid into 2^k ≥ m cells of mass 2^−k each, so that a cell
holds at most two outputs: one that has the cell's number and one other (Walker's alias method, in
exact integers). The first k bits of a word select the cell. The other bits are the beginning of
a uniform number; the cell's own output is selected if that is below its share of the cell.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq_mat

from leaktight.exact.numbers import Array
from leaktight.mechanisms.release.random_bits import (
    BLOCK,
    RandomBytes,
    is_below,
    random_words,
    rational_chance,
)


@dataclass(frozen=True, slots=True, eq=False)
class AliasTable:
    """Some rows of exact probabilities, ready to be drawn from; the proof is in sampling.md."""

    word: str
    """The numpy type of a word."""
    low_bits: int
    """How many bits of a word do not select the cell."""
    others: npt.NDArray[np.intp]
    """For each cell of each row in turn, the output that is not the cell's own."""
    bounds: npt.NDArray[Any]
    """A word below it selects the cell's own output, one above it the other; for an equal one,
    more bits decide."""
    shares: list[int]
    """How much of each cell is its own output's, …"""
    wholes: list[int]
    """… of how much: the common denominator of each row."""

    @classmethod
    def of(cls, rows: Array, word: str | None = None) -> "AliasTable":
        """Cut up the rows of an exact matrix; a word is 32 bits unless there are many outputs."""
        cell_bits = max(1, (rows.shape[1] - 1).bit_length())
        word = word or ("<u4" if cell_bits <= 16 else "<u8")
        low_bits = 8 * np.dtype(word).itemsize - cell_bits
        shares, others, bounds, wholes = list[int](), list[int](), list[int](), list[int]()
        for row in rows:
            whole, parts, rest = _cut(row, 1 << cell_bits)
            bounds += [
                (cell << low_bits) + ((part << low_bits) // whole if part < whole else 0)
                for cell, part in enumerate(parts)
            ]
            shares += parts
            others += rest
            wholes.append(whole)
        table = np.array(others, dtype=np.intp), np.array(bounds, dtype=word)
        return cls(word, low_bits, *table, shares, wholes)

    def draw(self, rows: npt.NDArray[np.intp], source: RandomBytes) -> npt.NDArray[np.intp]:
        """Draw an output from each of the ``rows``, which may repeat, independently."""
        cell_bits = 8 * np.dtype(self.word).itemsize - self.low_bits
        drawn = np.empty(len(rows), dtype=np.intp)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            words = random_words(source, len(block), self.word)
            cells = (words >> self.low_bits).astype(np.intp)
            at = (block << cell_bits) + cells
            bounds = self.bounds[at]
            drawn[start : start + BLOCK] = np.where(words < bounds, cells, self.others[at])
            for i in np.flatnonzero(words == bounds):
                whole = self.wholes[block[i]]
                low = int(words[i]) - (int(cells[i]) << self.low_bits)
                own = rational_chance(self.shares[at[i]], whole)
                if is_below(own, low, self.low_bits, source):
                    drawn[start + i] = cells[i]
        return drawn


def _cut(row: Array, cells: int) -> tuple[int, list[int], list[int]]:
    """Lay a row into cells: the size of a cell, each one's own share and the other output.

    Output j has the mass p_j·cells·size, a cell holds the mass size. A cell with too little is
    filled up from an output with too much, and is then settled. What is over and what is missing
    in the unsettled cells is the same, exactly; so while one has too little, another has too much.
    """
    numerators, denominator = fmpq_mat(1, len(row), row.tolist()).numer_denom()
    size = int(denominator)
    masses = [cells * int(part) for part in numerators.entries()] + [0] * (cells - len(row))
    others = list(range(cells))
    poor = [cell for cell, mass in enumerate(masses) if mass < size]
    rich = [cell for cell, mass in enumerate(masses) if mass > size]
    while poor:
        taker, giver = poor.pop(), rich[-1]
        others[taker] = giver
        masses[giver] = left = masses[giver] - size + masses[taker]
        if left <= size:
            rich.pop()
        if left < size:
            poor.append(giver)
    return size, masses, others
