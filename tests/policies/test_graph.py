"""Graphs: what may be one, and distances by a second route."""

import itertools
import math
import pickle
import subprocess
import sys
from xml.etree import ElementTree

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, TooLarge
from leaktight.exact.shown import counted
from leaktight.policies.graph import Graph, product_edges
from leaktight.policies.graph.search import PROBED, bounded_eccentricities
from leaktight.policies.secrets import SecretGraph
from tests.strategies.graphs import secret_graphs

PATH = Graph(["a", "b", "c", "d"], [("b", "a"), ("b", "c"), ("c", "b")])


def test_edges_are_kept_once_sorted_and_read_only() -> None:
    assert PATH.edges.tolist() == [[0, 1], [1, 2]]
    assert PATH.edge_pairs() == (("a", "b"), ("b", "c"))
    with pytest.raises(ValueError, match="read-only"):
        PATH.edges[0, 0] = 3


def test_a_graph_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        PATH.vertices = ("x",)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("vertices", "edges", "message"),
    [
        ([], [], "at least one vertex"),
        (0, [], "at least one vertex"),
        (["a", "a"], [], "'a' twice"),
        ([["a"], ["b"]], [], r"hashable, got the vertex \['a'\]"),
        ("ab", [], "got the text 'ab'"),
        (2.5, [], "how many there are, got 2.5"),
        (np.eye(2), [], "hashable"),
        (["a", "b"], [("a", "a")], "two different vertices, got a loop at 'a'"),
        (["blue", "green"], [("blue", "gren")], "'gren' is not a vertex.*did you mean 'green'"),
        (["a", "b"], [("a", ["b"])], r"\['b'\] is not a vertex"),
        (["a", "b"], [("a", "b", "a")], "an edge must be a pair"),
        ([1, 2], [3], "an edge must be a pair"),
    ],
)
def test_what_is_no_simple_graph_is_refused(vertices: object, edges: object, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        Graph(vertices, edges)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "pairs", [[(0, 2)], [(-1, 0)], [(0, 0)], [(0.0, 1.0)], [0, 1], [[0, 1, 1]]]
)
def test_wrong_positions_are_refused(pairs: object) -> None:
    with pytest.raises(InvalidGraph):
        Graph.from_indices(2, pairs)  # type: ignore[arg-type]


def test_a_number_stands_for_the_numbers_below_it() -> None:
    assert Graph(np.int64(3)).vertices == Graph(3).vertices == (0, 1, 2)
    assert Graph(np.array([5, 7])).vertices == (5, 7)


def test_equality_is_that_of_vertices_in_order_and_edges() -> None:
    same = Graph.from_indices(["a", "b", "c", "d"], np.array([[2, 1], [0, 1]], dtype=np.uint8))
    assert same == PATH
    assert hash(same) == hash(PATH)
    assert Graph(["b", "a", "c", "d"], PATH.edge_pairs()) != PATH
    assert Graph(PATH.vertices) != PATH
    assert PATH != "graph"


@given(secret_graphs(most=8))
def test_distances_and_components_are_those_of_networkx(graph: Graph) -> None:
    peer = graph.to_networkx()
    lengths = dict(nx.all_pairs_shortest_path_length(peer))
    for i, u in enumerate(graph.vertices):
        row = [lengths[u].get(v, -1) for v in graph.vertices]
        assert graph.distances[i].tolist() == graph.distances_from(u).tolist() == row
        assert graph.eccentricities[i] == max(row)
        assert graph.degrees[i] == peer.degree(u)
        assert set(graph.neighbours(u)) == set(peer[u])
        counts = graph.distance_counts[i].tolist()
        assert counts == [row.count(d) for d in range(len(counts))]
        for v in graph.vertices:
            assert graph.distance(u, v) == lengths[u].get(v, math.inf)
    assert {frozenset(part) for part in graph.components} == set(
        map(frozenset, nx.connected_components(peer))
    )
    parts = [peer.subgraph(part) for part in graph.components]
    assert graph.component_diameters == tuple(map(nx.diameter, parts))
    assert graph.component_radii == tuple(map(nx.radius, parts))
    assert graph.is_connected == nx.is_connected(peer)
    assert graph.diameter == (nx.diameter(peer) if nx.is_connected(peer) else math.inf)
    assert graph.radius == (nx.radius(peer) if nx.is_connected(peer) else math.inf)


@given(secret_graphs(), secret_graphs(most=4), secret_graphs(most=3))
def test_products_are_those_of_networkx(a: Graph, b: Graph, c: Graph) -> None:
    peer = nx.cartesian_product(
        nx.cartesian_product(a.to_networkx(), b.to_networkx()), c.to_networkx()
    )
    tuples = list(itertools.product(a.vertices, b.vertices, c.vertices))
    named = {
        frozenset(((tuples[i][:2], tuples[i][2]), (tuples[j][:2], tuples[j][2])))
        for i, j in product_edges([a, b, c]).tolist()
    }
    assert named == set(map(frozenset, peer.edges))


@given(secret_graphs(most=8))
def test_blocks_are_those_of_networkx(graph: Graph) -> None:
    ours = {frozenset(graph.vertices[i] for i in block) for block in graph.blocks()}
    theirs = nx.biconnected_components(graph.to_networkx())
    assert ours == set(map(frozenset, theirs))


@given(secret_graphs(most=6), st.data())
def test_a_subgraph_has_the_edges_between_its_vertices(graph: Graph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(graph.vertices), min_size=1, unique=True))
    part = graph.subgraph(chosen)
    assert set(part.vertices) == set(chosen)
    peer = graph.to_networkx().subgraph(chosen)
    assert {frozenset(e) for e in part.edge_pairs()} == {frozenset(e) for e in peer.edges}


@given(secret_graphs(most=6))
def test_networkx_igraph_and_pickle_bring_it_back(graph: SecretGraph) -> None:
    assert SecretGraph.from_networkx(graph.to_networkx()) == graph
    assert SecretGraph.from_igraph(graph.to_igraph()) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_igraph_without_names_gives_numbers() -> None:
    assert Graph.from_igraph(igraph.Graph.Ring(4)).vertices == (0, 1, 2, 3)


def test_directed_graphs_and_loops_of_other_libraries_are_refused() -> None:
    with pytest.raises(InvalidGraph, match="to_undirected"):
        Graph.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(InvalidGraph, match="as_undirected"):
        Graph.from_igraph(igraph.Graph(2, [(0, 1)], directed=True))
    with pytest.raises(InvalidGraph, match="a loop at 0"):
        Graph.from_networkx(nx.Graph([(0, 0)]))


def test_all_distances_of_a_large_graph_are_refused_and_those_of_one_vertex_are_not() -> None:
    line = SecretGraph.line(40_000)
    with pytest.raises(TooLarge, match=r"40000 vertices.*distances_from"):
        _ = line.distances
    assert line.distances_from(0)[[0, 1, 30_000]].tolist() == [0, 1, 30_000]
    assert line.distance(0, 39_999) == 39_999


def test_long_paths_do_not_overflow_a_row_of_distances() -> None:
    assert SecretGraph.line(40_000).distances_from(0).max() == 39_999


def test_a_picture_names_each_vertex_and_draws_each_edge() -> None:
    graph = Graph(["<20k", ("a", 1), "c"], [("<20k", "c"), (("a", 1), "c")])
    picture = graph._repr_svg_()
    assert picture is not None
    root = ElementTree.fromstring(picture)
    svg = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in root.iter(f"{svg}text")] == ["<20k", "a 1", "c"]
    assert len(list(root.iter(f"{svg}line"))) == 2
    assert Graph(1)._repr_svg_() is not None
    assert Graph(1000)._repr_svg_() is None


def test_the_repr_of_a_large_graph_is_short() -> None:
    assert repr(SecretGraph.complete(100)) == (
        "SecretGraph(100 vertices, 4,950 edges: 0-1, 0-2, 0-3, 0-4, 0-5, 0-6, 0-7, 0-8,…)"
    )
    for values in ([f"a value with a long name {i}" for i in range(9)], ["x" * 300, "y" * 300]):
        assert len(repr(SecretGraph.complete(values))) == 80
    assert repr(Graph(1)) == "Graph(1 vertex, 0 edges)"


def test_numbers_are_written_as_people_read_them() -> None:
    assert counted(10**15 - 1, "edge", "edges") == "999,999,999,999,999 edges"
    assert counted(10**15, "edge", "edges") == "about 10^15 edges"


def test_making_a_graph_loads_neither_igraph_nor_networkx() -> None:
    program = (
        "import sys; from leaktight.policies.graph.graph import Graph; Graph(3, [(0, 1)]);"
        "print(*{'igraph', 'networkx', 'scipy'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == ""


@given(secret_graphs(most=8))
def test_bounds_from_a_few_sources_agree_with_a_search_from_every_vertex(graph: Graph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.policies.graph.search.PROBED", 1)
        bounded, unsettled = bounded_eccentricities(graph.component_labels, graph._steps_from)
        assert not len(unsettled)
        assert bounded.tolist() == graph.bare_igraph.eccentricity()
        patch.setattr("leaktight.policies.graph.search.PROBED", 4)
        assert graph.eccentricities.tolist() == bounded.tolist()


def test_long_graphs_have_their_eccentricities() -> None:
    assert SecretGraph.line(100_001).diameter == 100_000
    assert SecretGraph.cycle(100_000).radius == 50_000
    assert SecretGraph.threshold(20_001, 10).diameter == 2_000
    paths = Graph.from_indices(10**5, [(i, i + 1) for i in range(10**5 - 1) if i % 1000 != 999])
    assert paths.component_diameters == (999,) * 100


def test_a_few_sources_settle_a_path() -> None:
    path = Graph(PROBED * 8, [(i, i + 1) for i in range(PROBED * 8 - 1)])
    bounded, unsettled = bounded_eccentricities(path.component_labels, path._steps_from)
    assert not len(unsettled)
    assert bounded.tolist() == path.bare_igraph.eccentricity()


def test_a_complete_graph_of_two_million_edges() -> None:
    graph = SecretGraph.complete(2000)
    assert graph.is_connected
    assert graph.diameter == graph.radius == 1


class Listed(Graph):
    """A graph that does not notice that all of its vertices are joined."""

    is_complete = False


@pytest.mark.parametrize("order", [1, 2, 3, 5, 6, 7, 8, 130])
def test_a_complete_graph_knows_what_a_search_finds(order: int) -> None:
    names = [f"v{i}" for i in range(order)]
    graph = Graph.all_joined(names)
    searched = Listed(names, itertools.combinations(names, 2))
    for known in ("component_labels", "degrees", "distances", "eccentricities"):
        mine, theirs = getattr(graph, known), getattr(searched, known)
        assert np.array_equal(mine, theirs), known
        assert mine.dtype == theirs.dtype, known
    assert [*map(list, graph.blocks())] == [*map(list, searched.blocks())]
    assert np.array_equal(graph.distances_from("v0"), searched.distances_from("v0"))
    assert (graph.size, graph.components) == (searched.size, searched.components)
    assert graph == searched
    assert pickle.loads(pickle.dumps(graph)) == searched


@pytest.mark.parametrize("first", ["import igraph", ""])
def test_all_of_igraph_is_there_after_and_before_our_part_of_it(first: str) -> None:
    program = (
        f"import sys; {first or 'pass'}\n"
        "from leaktight.policies.graph import bare_graph\n"
        "bare = bare_graph()(n=3, edges=[(0, 1), (1, 2)])\n"
        "print(bare.distances(0), 'matplotlib' in sys.modules)\n"
        "import igraph, igraph._igraph\n"
        "assert bare_graph() is igraph.GraphBase is igraph._igraph.GraphBase\n"
        "ring = igraph.Graph.Ring(4)\n"
        "print(igraph.split_join_distance([0, 0, 1, 1], [0, 1, 1, 1]), ring.maxflow(0, 2).value)\n"
        "try:\n    ring.get_eid(0, 2)\nexcept igraph.InternalError:\n    print('refused')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    drawing = str(bool(first))
    assert run.stdout.splitlines() == [f"[[0, 1, 2]] {drawing}", "(1, 1) 2.0", "refused"]
