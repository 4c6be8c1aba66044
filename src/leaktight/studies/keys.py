"""Schema of a study: the keys of its tables, for the reader, the documentation and editors."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, reduce
from importlib import resources
from operator import or_
from typing import Any

from leaktight.channels.aim import GAINS
from leaktight.errors import spelling
from leaktight.mechanisms.registry import Key, constructions
from leaktight.studies.kinds import KINDS, Kind, Wrong, shortened

BEST = "best"
"""The mechanism that is designed for the study."""

GIVEN = {"matrix": "rows", "file": "file", "python": "function"}
"""The mechanisms that are given, and the key that gives them."""


def mechanism_kinds() -> tuple[str, ...]:
    """Return the mechanisms that a study names; all are loaded for it.

    >>> mechanism_kinds()[0]
    'best'
    """
    return (BEST, *constructions(), *GIVEN)


CHOICES: Mapping[str, Callable[[], tuple[str, ...]]] = {
    "mechanism.kind": mechanism_kinds,
    "question.gain": lambda: GAINS,
}
"""What some keys may say, where the library has words of its own for it."""


@dataclass(frozen=True, slots=True)
class StudyKey:
    """A key of a table of a study."""

    type: str
    """One of :data:`KINDS`, or several: "text, list or table"."""
    means: str
    """What it says; ``{choices}`` stands for these."""
    usual: str = "–"
    """What holds if it is left out, in words."""
    choices: tuple[str, ...] = ()
    """All that it may say, if that is known."""

    @property
    def kind(self) -> Kind:
        """The kind, or the kinds, of what it may say."""
        return reduce(or_, (KINDS[each] for each in self.type.replace(" or ", ", ").split(", ")))

    def read(self, given: Any, name: str, wrong: Wrong) -> Any:
        """Return what it says, of the declared kind, or one of the choices."""
        if self.choices:
            return chosen(given, self.choices, name, wrong)
        return self.kind.read(given, name, wrong)

    @property
    def text(self) -> str:
        """What it says, in words."""
        return self.means.replace("{choices}", _quoted(self.choices))

    @property
    def schema(self) -> dict[str, Any]:
        """What it may say, as JSON schema."""
        if self.choices:
            return {"enum": list(self.choices), "description": self.text}
        return {**self.kind.schema, "description": self.text}


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a study, and its keys in the order in which they are documented."""

    name: str
    means: str
    usual: str
    keys: Mapping[str, StudyKey]

    @property
    def schema(self) -> dict[str, Any]:
        """The table as JSON schema, without the tables within it."""
        return {
            "type": "object",
            "description": self.means,
            "properties": {name: key.schema for name, key in self.keys.items()},
            "additionalProperties": False,
        }


@cache
def sections() -> Mapping[str, Section]:
    """Return all tables of a study by name; the top of the file is "".

    >>> sections()["policy"].keys["differ"].choices
    ('one', 'all')
    """
    text = resources.files("leaktight.studies").joinpath("keys.toml").read_text(encoding="utf-8")
    found = {}
    for table in tomllib.loads(text)["table"]:
        name = table["name"]
        keys = {
            key: StudyKey(**_choices(f"{name}.{key}", said)) for key, said in table["keys"].items()
        }
        if name == "mechanism":
            keys |= dict(_own_keys())
        found[name] = Section(name, table["means"], table.get("usual", ""), keys)
    return found


def chosen(given: Any, known: Iterable[str], key: str, wrong: Wrong) -> str:
    """Return one of the known texts, in either spelling of English: randomized, neighbor."""
    known = tuple(known)
    spelt = {spelling(each): each for each in known}
    if spelling(str(given)) not in spelt:
        close = get_close_matches(str(given)[:60], known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
        raise wrong(key, f"cannot be {shortened(given)}; {hint}")
    return spelt[spelling(str(given))]


def keys_of(name: str) -> tuple[str, ...]:
    """Return the keys of a table; the top of the file has the other tables, too."""
    own = tuple(sections()[name].keys)
    return own if name else (*own, *(each for each in sections() if each and "." not in each))


def _choices(path: str, said: dict[str, Any]) -> dict[str, Any]:
    return said | {"choices": tuple(said.get("choices") or CHOICES.get(path, tuple)())}


def _own_keys() -> Iterator[tuple[str, StudyKey]]:
    """Yield the keys that only some mechanisms have, as they register them."""
    whose: dict[str, list[str]] = {}
    keys: dict[str, Key] = {}
    for one in constructions().values():
        for key in one.keys:
            whose.setdefault(key.name, []).append(one.name)
            keys.setdefault(key.name, key)
    for name, key in keys.items():
        usual = "`false`" if key.kind == "truth" else "–"
        yield name, StudyKey(key.kind, f"for {_quoted(whose[name])}: {key.means}", usual)


def _quoted(words: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f'`"{word}"`' for word in words)


def documented() -> str:
    """Return the table of all keys that docs/study.md has."""
    rows = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for section in _with_queries().values():
        title = f"[{section.name}]" if section.name else "study"
        kind = "" if not section.name else "tables" if "." in section.name else "table"
        rows.append(f"| **`{title}`** | {kind} | {section.usual} | {section.means} |")
        for name, key in section.keys.items():
            kinds = key.type.replace("truth", "`true`").replace("value", "a declared value")
            rows.append(f"| `{name}` | {kinds} | {key.usual} | {key.text} |")
    return "\n".join(rows) + "\n"


def study_schema() -> dict[str, Any]:
    """Return the JSON schema of a study, for editors that check TOML as it is written.

    >>> study_schema()["properties"]["policy"]["properties"]["records"]["type"]
    'integer'
    """
    tables = _with_queries()
    properties = dict(tables[""].schema["properties"])
    for name, section in tables.items():
        parent, _, inner = name.partition(".")
        if inner == "attributes":
            each = {"anyOf": [{"type": "array"}, section.schema]}
            properties[parent]["properties"][inner] |= {"additionalProperties": each}
        elif inner:
            properties[parent]["properties"][inner]["items"] = section.schema
        elif name:
            properties[name] = section.schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study",
        "type": "object",
        "properties": properties,
        "required": ["policy"],
        "additionalProperties": False,
    }


def _with_queries() -> dict[str, Section]:
    """Return all tables, with the kinds of queries, which take a while to load."""
    from leaktight.tables.queries import KINDS as QUERIES

    found = dict(sections())
    asked = found["release.queries"]
    kind = replace(asked.keys["kind"], choices=tuple(QUERIES))
    found[asked.name] = replace(asked, keys={**asked.keys, "kind": kind})
    return found


if __name__ == "__main__":
    import json
    import sys

    print(documented() if "--table" in sys.argv else json.dumps(study_schema(), indent=1))
