"""igraph's graphs without what draws them, which loads matplotlib: 0.3 s and 28 MB."""

import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

INSIDE = "igraph._igraph"
"""The module in C that does igraph's work."""


class _Found(MetaPathFinder, Loader):
    """Hands the module that is already loaded to whoever imports all of igraph later."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the module by its name."""
        return ModuleSpec(INSIDE, self) if fullname == INSIDE else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return it."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: it was run when it was loaded."""


@cache
def bare_graph() -> Any:
    """Return igraph's class of graphs, with what is written in C alone.

    Importing igraph afterwards gives all of it.

    >>> bare_graph()(n=3, edges=[(0, 1), (1, 2)]).distances(0)
    [[0, 1, 2]]
    """
    package = importlib.util.find_spec("igraph")
    spec = package and PathFinder.find_spec(INSIDE, package.submodule_search_locations)
    if "igraph" in sys.modules or spec is None or spec.loader is None:
        from igraph import GraphBase

        return GraphBase
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(INSIDE, None)  # or igraph would not know it as its own
    sys.meta_path.insert(0, _Found(module))
    return module.GraphBase
