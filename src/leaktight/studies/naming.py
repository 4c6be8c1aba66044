"""Labels as a person reads them: as they are, and in quotes where two would read alike."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from leaktight.studies.study import Study

MOST_NAMED = 2
"""The most records that are named one by one."""


@dataclass(frozen=True, slots=True)
class Names:
    """Labels of inputs and outputs as a person reads them."""

    inputs: Mapping[Hashable, str]
    outputs: Mapping[Hashable, str]

    @classmethod
    def of(cls, study: Study) -> "Names":
        """Return the names of what a study is about."""
        seen = () if study.channel is None else study.graph.vertices
        outputs = () if study.channel is None else study.channel.outputs
        return cls(_told_apart([*study.policy.secrets.vertices, *seen]), _told_apart(outputs))

    def input(self, label: Hashable) -> str:
        """Return the name of a value, a database or an answer."""
        return self.inputs.get(label) or _name(label)

    def output(self, label: Hashable) -> str:
        """Return the name of an output."""
        return self.outputs.get(label) or _name(label)

    def some(self, records: Any) -> str:
        """Return the names of several records, of the first ones if they are many."""
        if not isinstance(records, tuple):
            return self.input(records)
        names = [self.input(value) for value in records]
        if len(names) > MOST_NAMED + 1:
            names[MOST_NAMED:] = [f"{len(names) - MOST_NAMED} more"]
        return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _told_apart(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    names = {label: _name(label) for label in labels}
    counts = Counter(names.values())
    return {label: name if counts[name] == 1 else repr(label) for label, name in names.items()}


def _name(label: Any) -> str:
    """Return a label as a person reads it; a database is the list of its records."""
    return f"({', '.join(map(_name, label))})" if isinstance(label, tuple) else str(label)
