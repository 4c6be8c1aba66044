"""How far apart are vertices if edges have lengths, in whole numbers of a small unit?"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leaktight.policies.graph import FEW, Graph, Indices, all_distances


@dataclass(frozen=True, init=False, eq=False, repr=False)
class LongGraph(Graph):
    """A graph whose edges have whole lengths, and distances along them.

    ``kinds`` has a number for each edge: those of the same kind are of the same length, exactly.
    """

    long: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kinds: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, graph: Graph, long: Indices, kinds: Indices) -> "LongGraph":
        """Give lengths to the edges of a graph."""
        made = cls.from_indices(graph.vertices, graph.edges)
        made._set("long", long)
        made._set("kinds", kinds)
        return made

    @property
    def lengths(self) -> Indices:
        """The length of each edge."""
        return self.long

    @cached_property
    def distances(self) -> npt.NDArray[np.int64]:  # type: ignore[override]
        """All distances, a square array with −1 where there is no path."""
        if self.order <= FEW:
            return all_distances(self.order, self.edges, self.long)
        table = np.array(self._igraph.distances(weights=self.long.tolist()))
        return np.where(np.isinf(table), -1, table).astype(np.int64)

    @cached_property
    def eccentricities(self) -> Indices:
        """For each vertex the distance to the farthest vertex of its component."""
        farthest: Indices = self.distances.max(axis=1)
        return farthest
