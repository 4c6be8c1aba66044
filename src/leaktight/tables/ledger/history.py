"""What was written into a ledger, and in which order? A history, so that nothing can go missing.

Each entry and each answer has a link, a hash of what it says. The history lists these links as they
were written, and its *state* is the hash of the state before and of the next link. A tip says how
many links there are, and which state the last one led to. So whoever takes out an entry or an
answer, the last one too, or adds one, leaves a file that contradicts itself.

It has no key: whoever writes the whole file can write another history, or bring an older copy of
the file back. Only a state that was noted elsewhere tells then.
"""

import sqlite3
from itertools import accumulate

from leaktight.errors import InvalidFile
from leaktight.tables.ledger.entry import Entry
from leaktight.tables.ledger.file import FORMAT, HISTORY, format_of
from leaktight.tables.writing import digest


def begin(file: sqlite3.Connection, first: str, entries: list[Entry]) -> None:
    """Begin a history with what a ledger holds; one that was made without it has it from now on."""
    for table in HISTORY:
        file.execute(table)
    file.execute("INSERT INTO tip VALUES (0, ?)", (first,))
    for entry in entries:
        append(file, entry.chain)
        if entry.answered:
            append(file, entry.answer)
    file.execute(f"PRAGMA user_version={FORMAT}")


def append(file: sqlite3.Connection, link: str) -> None:
    """Write the link of an entry or of an answer."""
    [(places, state)] = tip_of(file)
    file.execute("INSERT INTO history VALUES (?, ?)", (places + 1, link))
    file.execute("UPDATE tip SET places = ?, digest = ?", (places + 1, digest(state, link)))


def tip_of(file: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return how many links there are, and the last state; one row, unless somebody changed it."""
    return file.execute("SELECT places, digest FROM tip").fetchall()


def verified_states(file: sqlite3.Connection, first: str, entries: list[Entry]) -> list[str]:
    """Return all states so far, or none of a ledger that was made without a history.

    A ledger that has not exactly the entries and the answers of its history is refused.
    """
    if format_of(file) != FORMAT:
        return []
    rows = file.execute("SELECT place, link FROM history ORDER BY place").fetchall()
    tip = tip_of(file)
    links = [link for _, link in rows if isinstance(link, str)]
    states = list(accumulate(links, digest, initial=first))
    if tip != [(len(rows), states[-1])] or rows != list(enumerate(links, 1)):
        raise InvalidFile("the ledger was changed: its history is not what was written")
    missing = set(links)
    for entry in entries:
        for link, what in ((entry.chain, "its entry"), (entry.answer, "the answer")):
            if link and link not in missing:
                raise InvalidFile(f"the ledger was changed at {what} {entry.number}")
            missing.discard(link)
    if missing:
        raise InvalidFile(
            f"the ledger was changed: {len(missing)} of its entries or answers are missing"
        )
    return states
