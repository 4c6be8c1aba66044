"""How is an output drawn from a channel with exactly the probabilities that it prints?

The probabilities are rationals and the random bits are compared with them digit by digit, as many
digits as it takes (``random_bits.py``). So no probability is ever rounded: an output of 1/10^30
comes up once in 10^30 draws, one of probability 0 never, and what is proved about the channel's
privacy holds for what is drawn, given fair random bits. The proof is in docs/proofs/sampling.md.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.channels.all_or_nothing import NO_ANSWER, AllOrNothing, Answering
from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel
from leaktight.channels.deterministic import Deterministic
from leaktight.errors import InvalidChannel, Mismatch, without_data
from leaktight.exact.numbers import rational
from leaktight.labels import Labels, first_few
from leaktight.mechanisms.release.alias import AliasTable
from leaktight.mechanisms.release.random_bits import RandomBytes, random_bytes


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
    if isinstance(database, str) or not isinstance(database, Iterable):
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
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
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
    if isinstance(channel, Deterministic):
        return channel.seen[rows]
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
