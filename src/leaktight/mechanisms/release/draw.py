"""Draws from a channel with exactly the probabilities that it prints.

The probabilities are rationals and the random bits are compared with them digit by digit, as many
digits as it takes (``random_bits.py``). So no probability is ever rounded: an output of 1/10^30
comes up once in 10^30 draws, one of probability 0 never, and what is proved about the channel's
privacy holds for what is drawn, given fair random bits. The proof is in docs/proofs/sampling.md.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq_mat

from leaktight.channels.all_or_nothing import NO_ANSWER, AllOrNothing, Answering
from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel
from leaktight.errors import InvalidChannel, Mismatch, is_list, without_data
from leaktight.exact.numbers import Array, rational
from leaktight.labels import Labels, first_few
from leaktight.mechanisms.release.random_bits import (
    BLOCK,
    RandomBytes,
    is_below,
    random_bytes,
    random_words,
    rational_chance,
)


@without_data()
def sample(
    channel: Channel | Parallel | AllOrNothing, inputs: Any, rng: np.random.Generator | None = None
) -> Any:
    """Draw an output of an exact channel for one input, or for each of many, independently.

    One input gives one output. A numpy array gives an array of the same shape, a pandas series a
    series with the same index and name, any other sequence a list. What is itself a label of an
    input, such as a text or a tuple, counts as one input. Of channels on several records the input
    is one database, a value for each record, and the output a tuple.

    Random bits come from the operating system. For tests, ``rng`` may be a numpy generator, whose
    bits anyone can repeat who knows its seed.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["no", "yes"])
    >>> sample(coin, "yes") in ("no", "yes")
    True
    >>> sample(Channel.identity(["no", "yes"]), ["yes", "no", "yes"])
    ['yes', 'no', 'yes']
    >>> sample(coin, ["yes"] * 10_000, np.random.default_rng(7)).count("yes") // 1000
    6
    """
    source = random_bytes(rng)
    if isinstance(channel, Parallel | AllOrNothing):
        return _sample_records(channel, inputs, source)
    channel = _exact(channel)
    where = {label: row for row, label in enumerate(channel.inputs)}
    if _is_label(inputs, where):
        return channel.outputs[_draw(channel, np.array([where[inputs]]), source)[0]]
    rows = _rows(inputs, where, channel.inputs)
    drawn = _draw(channel, rows, source)
    if isinstance(inputs, np.ndarray):
        return _label_array(channel.outputs)[drawn].reshape(inputs.shape)
    labels = np.fromiter(channel.outputs, object, len(channel.outputs))[drawn].tolist()
    if hasattr(inputs, "index") and hasattr(inputs, "items"):  # a pandas series
        return type(inputs)(labels, index=inputs.index, name=inputs.name)
    return labels


def _sample_records(
    records: Parallel | AllOrNothing, database: Any, source: RandomBytes
) -> tuple[Hashable, ...]:
    """Draw an answer for each record; by all or nothing, all of them are kept or none."""
    if not is_list(database):
        raise Mismatch(
            f"a database has a value for each record, got one of the type {type(database).__name__}"
        )
    values = database.tolist() if hasattr(database, "tolist") else list(database)
    if len(values) != len(records):
        raise Mismatch(f"the database must have {len(records):,} records, got {len(values):,}")
    answers, instead, first = list[Hashable](), list[Hashable](), 0
    for one, times in records.factors:
        channel = _exact(one.channel if isinstance(one, Answering) else one)
        where = {label: row for row, label in enumerate(channel.inputs)}
        rows = _rows(values[first : first + times], where, channel.inputs)
        answers += [channel.outputs[z] for z in _draw(channel, rows, source).tolist()]
        if isinstance(one, Answering):
            instead += [one.instead[row] for row in rows.tolist()]
        first += times
    if isinstance(records, AllOrNothing):
        kept = rational(records.kept)
        chances = AliasTable.of(np.array([[kept, 1 - kept]], dtype=object))
        if NO_ANSWER in answers or chances.draw(np.zeros(1, dtype=np.intp), source)[0]:
            return tuple(instead)
    return tuple(answers)


def _exact(channel: Channel) -> Channel:
    if not expect_channel(channel).is_exact:
        raise InvalidChannel(
            "only exact probabilities can be drawn exactly, and this is a float channel: "
            "channel.exact() makes it exact; measure privacy_level after that, not before"
        )
    return channel


def _is_label(value: Any, where: Mapping[Hashable, int]) -> bool:
    try:
        return value in where
    except TypeError:
        return False


def _rows(inputs: Any, where: Mapping[Hashable, int], labels: Labels) -> npt.NDArray[np.intp]:
    """Return the row of each input."""
    if not is_list(inputs):
        raise Mismatch(f"what is given is no input of the channel; {first_few(labels)}")
    if isinstance(inputs, np.ndarray):
        inputs = inputs.ravel()
        if (rows := _rows_of_integers(inputs, labels)) is not None:
            return rows
    wanted = inputs.tolist() if hasattr(inputs, "tolist") else list(inputs)
    try:
        return np.fromiter(map(where.__getitem__, wanted), np.intp, len(wanted))
    except (KeyError, TypeError):  # a label that is unknown, or cannot be one
        at = next(i for i, label in enumerate(wanted) if not _is_label(label, where))
        raise Mismatch(f"inputs[{at}] is no input of the channel; {first_few(labels)}") from None


def _rows_of_integers(wanted: npt.NDArray[Any], labels: Labels) -> npt.NDArray[np.intp] | None:
    """Look an array of integers up in a table, which is quick; None if that does not do."""
    if wanted.dtype.kind not in "iu" or not wanted.size:
        return None
    known = [label for label in labels if type(label) is int]
    least, most = min(known, default=0), max(known, default=0)
    if len(known) < len(labels) or not -(2**20) <= least <= most <= 2**20:
        return None
    if wanted.min() < least or wanted.max() > most:
        return None
    table = np.full(most - least + 1, -1, dtype=np.intp)
    table[np.array(known) - least] = np.arange(len(known))
    rows = table[wanted.astype(np.intp) - least]
    return rows if rows.min() >= 0 else None


def _draw(
    channel: Channel, rows: npt.NDArray[np.intp], source: RandomBytes
) -> npt.NDArray[np.intp]:
    """Draw an output for each row; only the rows that occur are made ready."""
    if channel.function is not None:
        return channel.function.seen[rows]
    occurs = np.bincount(rows, minlength=len(channel.inputs)) > 0
    table = AliasTable.of(channel.matrix[occurs])
    return table.draw((np.cumsum(occurs) - 1)[rows], source)


def _label_array(labels: Labels) -> npt.NDArray[Any]:
    """Return labels as a numpy array: of numbers or text if that loses nothing, else of objects."""
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], int | float | str):
        plain = np.array(labels)
        if plain.tolist() == list(labels):
            return plain
    return np.fromiter(labels, dtype=object, count=len(labels))


# --- which output a random word selects -----------------------------------------------------
# A row of m probabilities is cut up and laid into 2^k ≥ m cells of mass 2^−k each, so that a cell
# holds at most two outputs: one that has the cell's number and one other (Walker's alias method, in
# exact integers). The first k bits of a word select the cell. The other bits are the beginning of
# a uniform number; the cell's own output is selected if that is below its share of the cell.


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
