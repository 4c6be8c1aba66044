import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight import check as checker
from leaktight.certificate import verify_certificate, write_certificate
from leaktight.check import Refuted, check
from leaktight.errors import InvalidFile
from leaktight.graph import Graph
from leaktight.policy import Policy
from leaktight.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage

TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])


def tree_proof() -> Any:
    return json.loads(json.dumps(worst_case_leakage(TREE, ratio=2).certificate))


def path_proof() -> Any:
    return json.loads(json.dumps(worst_case_leakage(SecretGraph.line(4), ratio=2).certificate))


def test_a_certificate_survives_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    write_certificate(worst_case_leakage(TREE, ratio=2), file)
    assert verify_certificate(file) == [(1, Fraction(7, 3), Fraction(7, 3))]


def test_the_checker_runs_alone_on_the_standard_library(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    write_certificate(worst_case_leakage(TREE, ratio=2), file)
    source = Path(checker.__file__)
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 300
    alone = [sys.executable, "-I", "-S", str(source)]
    good = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    about, attained, _ = good.stdout.splitlines()
    assert about == "for 6 vertices (0, 1, 2, 3, 4, 5), 5 edges, at the ratio 2:"
    assert attained == "attained: 7/3 (about 1.222392 bits)"
    wrong = json.loads(file.read_text(encoding="utf-8"))
    wrong["pieces"][0]["upper"] = "2"
    file.write_text(json.dumps(wrong), encoding="utf-8")
    bad = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert bad.stdout.startswith("refuted: the proof gives 7/3")
    none = subprocess.run([*alone, "nowhere.json"], capture_output=True, text=True, check=False)
    assert none.returncode == 2
    assert "Traceback" not in none.stdout + none.stderr


def change(proof: Any, *steps: Any) -> Any:
    """Set what is found along all steps but the last to the last."""
    *path, last, value = steps
    at = proof
    for step in path:
        at = at[step]
    at[last] = value
    return proof


FORGERIES = {
    "another format": lambda: change(tree_proof(), "format", "something"),
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
    "a smaller cover": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", 0, "1/3"),
    "a negative cover": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", 0, "-1"),
    "a cover of nothing": lambda: change(path_proof(), "pieces", 0, "parts", 0, "cover", ["0"] * 4),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refuted(forgery: str) -> None:
    with pytest.raises(Refuted):
        check(FORGERIES[forgery]())


def test_the_untouched_certificates_pass() -> None:
    assert check(tree_proof()) == [(1, Fraction(7, 3), Fraction(7, 3))]
    assert check(path_proof()) == [(1, Fraction(2), Fraction(2))]


def test_different_records_are_pieces_of_one_certificate() -> None:
    policy = Policy(SecretGraph.line(3), records=3, values=[[0, 1], [0, 1], [0, 1, 2]])
    worst = worst_case_leakage(policy, ratio=2)
    assert check(worst.certificate) == [
        (2, Fraction(4, 3), Fraction(4, 3)),
        (1, Fraction(5, 3), Fraction(5, 3)),
    ]
    assert worst.upper == Fraction(4, 3) ** 2 * Fraction(5, 3)


def test_files_that_are_no_certificates_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    for content in ("{", "[]", '{"format": "leaktight worst case 1"}'):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(InvalidFile, match=r"broken\.json is no certificate"):
            verify_certificate(file)
    file.write_text(json.dumps(change(tree_proof(), "pieces", 0, "upper", "2")), encoding="utf-8")
    with pytest.raises(InvalidFile, match="proves nothing"):
        verify_certificate(file)
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_certificate(worst_case_leakage(TREE, ratio=2), tmp_path / "no" / "folder.json")
