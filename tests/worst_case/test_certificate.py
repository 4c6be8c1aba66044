import copy
import itertools
import json
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import check as checker
from leaktight.check import Refuted, Unreadable, check, told
from leaktight.errors import InvalidFile
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.certificate import verify_certificate, write_certificate
from leaktight.worst_case.optimum import worst_case_leakage
from tests.second_routes.certificates import change, path_proof

TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
TREE_ASKED = (
    '{"graphs":[[["0","1","2","3","4","5"],[["0","1"],["1","2"],["1","4"],["1","5"],["2","3"]],1]]}'
)
FORK = Graph(5, [(0, 1), (0, 3), (0, 4), (1, 2)])
STORED = sorted((Path(__file__).parent / "certificates").glob("*.json"))


def tree_proof() -> Any:
    """Prices and flows, as on any graph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.worst_case.records.MOST_IN_TREE", 0)
        return json.loads(json.dumps(worst_case_leakage(TREE, ratio=2).certificate))


def steps_proof() -> Any:
    """Steps and weights, as on trees."""
    return json.loads(json.dumps(worst_case_leakage(TREE, ratio=2).certificate))


def test_a_certificate_survives_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    write_certificate(worst_case_leakage(TREE, ratio=2), file)
    assert verify_certificate(file) == [(1, Fraction(7, 3), Fraction(7, 3))]


def test_the_checker_runs_alone_on_the_standard_library(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    write_certificate(worst_case_leakage(TREE, ratio=2), file)
    source = Path(checker.__file__)
    alone = [sys.executable, "-I", "-S", str(source)]
    good = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    asked = f"what is asked: {TREE_ASKED}"
    assert good.stdout.splitlines() == [
        "accepted: the worst case of one secret, at the ratio 2 (ε from 0.693147 to 0.693148)",
        "for 6 vertices, 5 edges",
        *(asked[k : k + 80] for k in range(0, len(asked), 80)),
        f"its digest: {sha256(TREE_ASKED.encode()).hexdigest()}",
        "attained: at least 1.22239 bits, a factor of 7/3",  # log2(7/3) = 1.222392…
        "not exceeded: at most 1.2224 bits, a factor of 7/3",
    ]
    wrong = json.loads(file.read_text(encoding="utf-8"))
    wrong["pieces"][0]["upper"] = "2"
    file.write_text(json.dumps(wrong), encoding="utf-8")
    bad = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert bad.stdout.startswith("refuted: the bound is 7/3, not 2")
    none = subprocess.run([*alone, "nowhere.json"], capture_output=True, text=True, check=False)
    assert (none.returncode, none.stdout) == (2, "there is no file nowhere.json\n")
    bare = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stdout) == (2, "usage: python check.py CERTIFICATE.json\n")
    assert none.stderr == bare.stderr == ""


FORGERIES = {
    "a smaller ratio": lambda: change(tree_proof(), "upper ratio", "3/2"),
    "ratios the wrong way": lambda: change(tree_proof(), "lower ratio", "3"),
    "a larger claim below": lambda: change(tree_proof(), "pieces", 0, "lower", "5/2"),
    "a smaller claim above": lambda: change(tree_proof(), "pieces", 0, "upper", "9/4"),
    "no pieces": lambda: change(tree_proof(), "pieces", []),
    "a missing edge": lambda: change(tree_proof(), "pieces", 0, "edges", [[0, 1], [1, 2], [1, 4]]),
    "another edge": lambda: change(tree_proof(), "pieces", 0, "edges", 0, [0, 3]),
    "a loop": lambda: change(tree_proof(), "pieces", 0, "edges", 0, [0, 0]),
    "half a record": lambda: change(tree_proof(), "pieces", 0, "records", 0),
    "two records without a cover": lambda: change(tree_proof(), "pieces", 0, "records", 2),
    "a row that sums to less": lambda: change(tree_proof(), "pieces", 0, "mechanism", 0, 0, "0"),
    "a missing row": lambda: change(tree_proof(), "pieces", 0, "mechanism", [["1"]] * 5),
    "a mechanism that tells all": lambda: change(
        path_proof(),
        "pieces",
        0,
        "mechanism",
        [[str(int(i == j)) for j in range(4)] for i in range(4)],
    ),
    "a part too few": lambda: change(tree_proof(), "pieces", 0, "parts", []),
    "a vertex twice": lambda: change(tree_proof(), "pieces", 0, "parts", 0, "vertices", 0, 1),
    "a cheaper price": lambda: change(tree_proof(), "pieces", 0, "parts", 0, "prices", 1, "1"),
    "a flow left out": lambda: change(tree_proof(), "pieces", 0, "parts", 0, "flows", 0, []),
    "a negative flow": lambda: change(
        tree_proof(), "pieces", 0, "parts", 0, "flows", 0, 0, 2, "-1"
    ),
    "a flow along no edge": lambda: change(
        tree_proof(), "pieces", 0, "parts", 0, "flows", 0, [[0, 3, "1"]]
    ),
    "a longer step": lambda: change(steps_proof(), "pieces", 0, "steps", 4, ["1/2", "1/3"]),
    "steps that are too short": lambda: change(
        steps_proof(), "pieces", 0, "steps", 4, ["1/4", "1/3"]
    ),
    "a negative step": lambda: change(steps_proof(), "pieces", 0, "steps", 4, ["-1/3", "4/3"]),
    "steps beyond 1": lambda: change(steps_proof(), "pieces", 0, "steps", 4, ["1", "1/2"]),
    "a step too few": lambda: change(steps_proof(), "pieces", 0, "steps", [["1/3", "1/3"]] * 4),
    "steps all alike": lambda: change(steps_proof(), "pieces", 0, "steps", [["1/3", "1/3"]] * 5),
    "another weight": lambda: change(steps_proof(), "pieces", 0, "parts", 0, "weights", 1, "3/2"),
    "a weight below 1": lambda: change(steps_proof(), "pieces", 0, "parts", 0, "weights", 0, "0"),
    "a weight too few": lambda: change(
        steps_proof(), "pieces", 0, "parts", 0, "weights", ["1"] * 5
    ),
    "a tree with a cycle": lambda: change(
        change(steps_proof(), "pieces", 0, "edges", 0, [2, 4]), "pieces", 0, "steps", 0, ["1", "0"]
    ),
    "two records by weights": lambda: change(steps_proof(), "pieces", 0, "records", 2),
    "a smaller cover": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", 0, "1/3"),
    "a negative cover": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", 0, "-1"),
    "a cover of nothing": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", ["0"] * 4),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refuted(forgery: str) -> None:
    with pytest.raises(Refuted):
        check(FORGERIES[forgery]())


def test_the_untouched_certificates_pass() -> None:
    assert check(tree_proof()) == check(steps_proof()) == [(1, Fraction(7, 3), Fraction(7, 3))]
    assert check(path_proof()) == [(1, Fraction(2), Fraction(2))]


def test_different_records_are_pieces_of_one_certificate() -> None:
    policy = Policy(SecretGraph.line(3), records=3, values=[[0, 1], [0, 1], [0, 1, 2]])
    worst = worst_case_leakage(policy, ratio=2)
    assert check(worst.certificate) == [
        (2, Fraction(4, 3), Fraction(4, 3)),
        (1, Fraction(5, 3), Fraction(5, 3)),
    ]
    assert worst.upper == Fraction(4, 3) ** 2 * Fraction(5, 3)


# --- what was written before ---------------------------------------------------------------


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_true_certificates_of_the_first_version_hold_and_false_ones_do_not(file: Path) -> None:
    if file.name.startswith("true-0.1.0-"):
        assert all(lower <= upper for _, lower, upper in verify_certificate(file))
    else:
        with pytest.raises(InvalidFile, match="only one record may have a negative price"):
            verify_certificate(file)


# --- several records -----------------------------------------------------------------------


def kinds(*graphs: Graph) -> Any:
    graph = AdjacencyGraph.of_records(graphs)
    return json.loads(json.dumps(worst_case_leakage(graph, ratio="3/2").certificate))


def relabelled(graph: Graph) -> Graph:
    return Graph.from_indices([f"v{i}" for i in graph.vertices], graph.edges)


@pytest.mark.parametrize(
    "graphs",
    [(FORK, relabelled(FORK)), (FORK, SecretGraph.line(2), FORK), (FORK, FORK)],
    ids=["two kinds", "interleaved", "alike"],
)
def test_one_record_is_proved_by_prices_and_a_second_is_refused(graphs: tuple[Graph, ...]) -> None:
    proof, alone = kinds(*graphs), kinds(FORK)["pieces"][0]
    assert "weights" in alone["parts"][0]
    assert json.dumps(proof).count('"weights"') == 1
    check(proof)
    for piece in proof["pieces"]:  # now every record by weights, as each holds for itself
        if len(piece["vertices"]) == 5:
            piece |= {key: alone[key] for key in ("parts", "upper")}
            piece.pop("once", None)
    with pytest.raises(Refuted, match="only one record may have a negative price"):
        check(proof)


def test_one_of_several_records_is_bounded_once() -> None:
    proof = kinds(FORK, FORK, FORK)
    (piece,) = proof["pieces"]
    (two, lower, cover), (one, _, exact) = check(proof)
    assert (two, one, lower, exact) == (2, 1, Fraction(17, 10), Fraction(17, 10))
    assert cover > exact
    forged = copy.deepcopy(proof)
    forged["pieces"][0]["records"] = 1
    with pytest.raises(Refuted, match="one of several"):
        check(forged)
    forged = copy.deepcopy(proof)
    forged["pieces"][0] |= {"parts": piece["once"]["parts"], "upper": piece["once"]["upper"]}
    with pytest.raises(Refuted, match="only one record"):
        check(forged)
    forged = copy.deepcopy(proof)
    forged["pieces"][0]["once"]["upper"] = "3/2"
    with pytest.raises(Refuted, match="the bound is 17/10, not 3/2"):
        check(forged)


# --- any change ----------------------------------------------------------------------------


def leaves(at: Any, *path: Any) -> list[tuple[Any, ...]]:
    """All places of a certificate."""
    inside = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else []
    return [path, *itertools.chain.from_iterable(leaves(v, *path, k) for k, v in inside)]


ODD: st.SearchStrategy[Any] = st.sampled_from(
    ["", "0", "-1", "1/2", "2", "x", "1/0", [], {}, None, True, 0, -1, 7, 1.5, ["1"], [[0, 1, "1"]]]
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(STORED), st.data())
def test_a_changed_certificate_is_refused_or_proves_what_it_then_says(
    file: Path, data: st.DataObject
) -> None:
    proof = json.loads(file.read_text())
    places = [path for path in leaves(proof) if path]
    for _ in range(data.draw(st.integers(1, 2))):
        change(proof, *data.draw(st.sampled_from(places)), copy.deepcopy(data.draw(ODD)))
        places = [path for path in leaves(proof) if path]
    try:
        found = check(proof)
    except (Refuted, Unreadable):
        return
    assert told(proof, found)[0].startswith("accepted: ")
    if proof["format"] == checker.WORST_CASE and proof["pieces"][0]["records"] == 1:
        (piece, *others), ratio = proof["pieces"], Fraction(proof["upper ratio"])
        if not others:
            graph = Graph.from_indices(piece["vertices"], piece["edges"] or [])
            assert worst_case_leakage(graph, ratio=ratio).upper <= found[0][2]
