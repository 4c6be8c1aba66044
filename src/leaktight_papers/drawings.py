"""What do the drawings of the papers show? Graphs, channels, a tree and two diagrams, drawn anew.

Each is made of what the library computes: a graph's edges, a channel's entries, a coin's tosses.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from leaktight.channels import Channel
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight_papers.alvim2011a.entropy import EXAMPLE, TREE
from leaktight_papers.alvim2011a.programs import checkers, net_of_two
from leaktight_papers.barthe2011.bit import canonical
from leaktight_papers.edwards2021.blocks import block_graph
from leaktight_papers.evidence import joined

Places = Mapping[Any, tuple[float, float]]
"""Where each vertex is drawn."""


def _graph(axes: Any, graph: Graph, places: Places) -> None:
    for a, b in graph.edge_pairs():
        axes.plot(*zip(places[a], places[b], strict=True), color="#9aa5b1", lw=1, zorder=1)
    for vertex in graph.vertices:
        text = "".join(map(str, vertex)) if isinstance(vertex, tuple) else vertex
        _box(axes, text, places[vertex])


def _box(axes: Any, text: object, place: tuple[float, float]) -> None:
    box = {"boxstyle": "round,pad=0.25", "fc": "white", "ec": "#0072B2"}
    axes.text(*place, str(text), ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    axes.plot(*place)  # texts alone do not set the scale


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], text: str = "") -> None:
    style = {"arrowstyle": "->", "color": "#52606d", "shrinkA": 14, "shrinkB": 14}
    axes.annotate("", end, start, arrowprops=style)
    (x, y), (u, v) = start, end
    axes.text(x + 0.3 * (u - x), y + 0.3 * (v - y), text, fontsize=7, ha="center", va="bottom")


def _ring(vertices: Iterable[Hashable], x: float = 0, y: float = 0, size: float = 1) -> Places:
    names = list(vertices)
    turns = [math.tau * (place / len(names) + 1 / 8) for place in range(len(names))]
    spots = [(x + size * math.cos(turn), y + size * math.sin(turn)) for turn in turns]
    return dict(zip(names, spots, strict=True))


def _channel(axes: Any, channel: Channel, x: float = 0) -> None:
    """Inputs on the left, outputs on the right, an arrow for each entry that is not 0."""
    tall = max(channel.shape)
    left, right = (
        {name: (at, -(place + 0.5) * tall / len(names)) for place, name in enumerate(names)}
        for at, names in ((x, channel.inputs), (x + 3, channel.outputs))
    )
    for i, start in left.items():
        for z, end in right.items():
            if p := channel[i, z]:
                _arrow(axes, start, end, "" if p == 1 else str(p))
    for name, place in [*left.items(), *right.items()]:
        _box(axes, " ".join(map(str, name)) if isinstance(name, tuple) else name, place)


def _thresholds(axes: Any) -> None:
    for column, theta in enumerate((1, 2, 3)):
        graph = SecretGraph.threshold([1, 2, 3, 4], distance=theta)
        _graph(axes, graph, _ring(graph.vertices, 4 * column, 3.4))
        corners = _ring(graph.vertices, size=1.2)
        at = {
            (a, b): (4 * column + x + u / 2.6, y + v / 2.6)
            for a, (x, y) in corners.items()
            for b, (u, v) in corners.items()
        }
        _graph(axes, Policy(graph, 2).adjacency().explicit(), at)
    axes.set_title("Threshold graphs on {1, 2, 3, 4}, θ = 1, 2, 3, and their databases of two")


def _clique_and_pairs(axes: Any) -> None:
    places = dict(_ring((1, 2, 3, 4)))
    places |= {5 + 2 * k + end: (2.2 + k, 0.7 - 1.4 * end) for k in range(3) for end in (0, 1)}
    _graph(axes, block_graph(4), places)
    axes.set_title("A complete graph on four vertices and three pairs")


def _cycle_and_clique(axes: Any) -> None:
    for graph, x in ((SecretGraph.cycle(8), 0), (SecretGraph.complete(8), 3)):
        _graph(axes, graph, _ring(graph.vertices, x))
        axes.text(x, -1.4, f"diameter {graph.diameter}", ha="center")
    axes.set_title("A cycle and a complete graph on m = 8 values")


def _net(axes: Any) -> None:
    """One toss of the coins of a wheel; node 4, in the middle, sends a 1."""
    wheel = joined(range(5), lambda a, b: b == 4 or b - a in (1, 3))
    places = {**_ring(range(4)), 4: (0.0, 0.0)}
    coins = {edge: place % 3 % 2 for place, edge in enumerate(wheel.edge_pairs())}
    for (a, b), coin in coins.items():
        (x, y), (u, v) = places[a], places[b]
        axes.plot([x, u], [y, v], color="#9aa5b1", lw=1, zorder=1)
        axes.text(x + 0.4 * (u - x), y + 0.4 * (v - y), coin, fontsize=8, backgroundcolor="white")
    for node in wheel.vertices:
        declared = (sum(coin for edge, coin in coins.items() if node in edge) + (node == 4)) % 2
        _box(axes, f"declares {declared}", places[node])
    axes.set_title("A dc-net: coins on the edges; the middle sends a 1")


def _leaves(tree: Any) -> list[str]:
    """List the secrets below a question."""
    return [tree] if isinstance(tree, str) else [leaf for part in tree for leaf in _leaves(part)]


def _tree(axes: Any) -> None:
    leaf = 0

    def grow(tree: Any, depth: int) -> tuple[float, float]:
        nonlocal leaf
        if isinstance(tree, str):
            leaf += 1
            _box(axes, f"{tree}: {EXAMPLE[tree]}", (leaf, -depth))
            return leaf, -depth
        ends = [grow(branch, depth + 1) for branch in tree]
        here = (sum(x for x, _ in ends) / len(ends), -depth)
        for end, answer in zip(ends, ("yes", "no"), strict=True):
            _arrow(axes, here, end, answer)
        _box(axes, f"in {{{', '.join(_leaves(tree[0]))}}}?", here)
        return here

    grow(TREE, 0)
    axes.set_title("Questions that halve the probability")


def _boxes(title: str, *steps: tuple[str, str]) -> Callable[[Any], None]:
    """Boxes in a row, each with what goes into it, and what comes out of the last."""

    def draw(axes: Any) -> None:
        for place, (label, box) in enumerate(steps):
            _box(axes, box, (2 * place, 0))
            _arrow(axes, (2 * place - 1.6, 0), (2 * place, 0), label)
        _arrow(axes, (2 * len(steps) - 2, 0), (2 * len(steps) - 0.6, 0), "reported")
        axes.set(xlim=(-2, 2 * len(steps)), ylim=(-1, 1))
        axes.figure.set_size_inches(2.5 * len(steps) + 1, 1.2)
        axes.set_title(title, fontsize=10)

    return draw


def _both_checkers(axes: Any) -> None:
    for channel, x in zip(checkers(), (0, 5), strict=True):
        _channel(axes, channel, x)
    axes.set_title("The password is 110: what is answered, and what time tells, too")


def _eye_colours(axes: Any) -> None:
    """Databases of two people, and their distances: the exponents of Example 1's matrix."""
    graph = Policy(SecretGraph.complete(["a", "b", "c"]), 2).adjacency().explicit()
    vertices: tuple[Any, ...] = graph.vertices
    corners = _ring("abc", size=3.2)
    at = {(d, e): (x + v / 3 - 7, y - u / 3 + 4)
          for d, (x, y) in corners.items() for e, (u, v) in corners.items()}  # fmt: skip
    _graph(axes, graph, at)
    axes.imshow(graph.distances, cmap="Blues_r", vmin=-2)
    for (i, j), distance in np.ndenumerate(graph.distances):
        axes.text(j, i, distance, ha="center", va="center", fontsize=8)
    for k, name in enumerate(map("".join, vertices)):
        axes.text(-0.8, k, name, ha="right", va="center", fontsize=8)
        axes.text(k, -0.8, name, ha="center", fontsize=8)
    axes.set(xlim=(-12, 9), ylim=(9, -1.5))
    axes.set_title("Two people, three colours of eyes; entries of (λ/(2 + λ))²·λ^(−d), by d")


def _canonical_bits(axes: Any) -> None:
    """C1(ε, p) and C2(ε, p) at λ = 2, p = 1/4."""
    for bit, x in ((1, 0), (0, 5)):
        _channel(axes, canonical("1/4", 2, bit), x)
        axes.text(x + 1.5, -0.3, f"C{2 - bit}(ln 2, 1/4)", ha="center")
        axes.plot(x + 1.5, -0.2)  # texts alone do not set the scale
    axes.set_title("The two canonical forms of a channel between bits")


def _pair_of_nodes(axes: Any) -> None:
    _channel(axes, net_of_two("1/2"))
    axes.set_title("A dc-net of two nodes: who sends which bit, and what is declared")


DRAWINGS: dict[str, Callable[[Any], None]] = {
    "E-Fig1": _thresholds,
    "E-Fig3": _clique_and_pairs,
    "E-Fig4": _cycle_and_clique,
    "A-Fig1": _boxes("A randomised function K is a channel", ("database", "K")),
    "A-Fig2": _boxes("An oblivious mechanism", ("database X", "f"), ("answer Y", "H")),
    "A-Fig4": _eye_colours,
    "B-Fig1": _canonical_bits,
    "Q-Fig1": _net,
    "Q-Fig2": _tree,
    "Q-Fig3": _both_checkers,
    "Q-Fig4": _pair_of_nodes,
    "Q-Fig5": _boxes("A query f, then noise H", ("database", "f"), ("answer", "H")),
}
"""How each drawing is drawn; it has no scales."""
