"""The history of a ledger, in its order, from which nothing can go missing.

Each entry and each answer has a link, a hash of what it says. The history lists these links as they
were written, and its *state* is the hash of the state before and of the next link. A tip says how
many links there are, and which state the last one led to. So whoever takes out an entry or an
answer, the last one too, or adds one, leaves a file that contradicts itself.

It has no key: whoever writes the whole file can write another history, or bring an older copy of
the file back. Only a state that was noted elsewhere tells then.
"""

from dataclasses import dataclass
from itertools import accumulate

from leaktight.errors import InvalidFile
from leaktight.tables.ledger.entry import Entry
from leaktight.tables.ledger.store import Tables
from leaktight.tables.writing import digest


def begin(file: Tables, first: str, entries: list[Entry]) -> None:
    """Begin a history with what a ledger holds; one that was made without it has it from now on."""
    file.execute("INSERT INTO tip VALUES (0, ?)", (first,))
    for entry in entries:
        append(file, entry.chain)
        if entry.answered:
            append(file, entry.answer)


def append(file: Tables, link: str) -> None:
    """Write the link of an entry or of an answer."""
    [(places, state)] = tip_of(file)
    file.execute("INSERT INTO history VALUES (?, ?)", (places + 1, link))
    file.execute("UPDATE tip SET places = ?, digest = ?", (places + 1, digest(state, link)))


def tip_of(file: Tables) -> list[tuple[int, str]]:
    """Return how many links there are, and the last state; one row, unless somebody changed it."""
    return file.execute("SELECT places, digest FROM tip").fetchall()


def verified_states(file: Tables, first: str, entries: list[Entry]) -> list[str]:
    """Return all states so far, from a ledger's history.

    A ledger that has not exactly the entries and the answers of its history is refused.
    """
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


@dataclass(slots=True, eq=False)
class Contents:
    """The entries of a ledger, each by its name, and its states; none of a file without history."""

    entries: list[Entry]
    names: dict[str, Entry]
    states: list[str]
    terms: int
    """How many terms their costs may be sums of: for each block one, of sums two."""

    @classmethod
    def of(cls, entries: list[Entry], states: list[str]) -> "Contents":
        """Gather what was verified."""
        terms = sum(2 * len(entry.blocks) for entry in entries)
        return cls(entries, {entry.name: entry for entry in entries}, states, terms)

    def put(self, entry: Entry, link: str) -> None:
        """Add a new entry, or one that is answered now, whose link was written."""
        if entry.number > len(self.entries):
            self.terms += 2 * len(entry.blocks)
        self.entries[entry.number - 1 : entry.number] = [entry]
        self.names[entry.name] = entry
        self.states.append(digest(self.states[-1], link))
