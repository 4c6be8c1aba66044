"""Which libraries are compared? Each is imported by the process that asks it for something."""

from importlib import import_module
from typing import Any


class Library:
    """A package that need not be there until something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, part: str) -> Any:
        found = getattr(import_module(self._name), part)
        setattr(self, part, found)  # so that the next time costs nothing
        return found


dit, pyqif, qif = Library("dit"), Library("pyqif"), Library("qif")
