import json
import math
import subprocess
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight import check as checker
from leaktight.check import Refuted, check, rounded, told
from leaktight.errors import InvalidFile
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.certificate import verify_certificate, write_certificate
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
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 350
    alone = [sys.executable, "-I", "-S", str(source)]
    good = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    assert good.stdout.splitlines() == [
        "accepted: the worst case of one secret, at the ratio 2 (ε about 0.693148)",
        "for 6 vertices (0, 1, 2, 3, 4, 5), 5 edges",
        "attained: at least 1.22239 bits, a factor of 7/3",  # log2(7/3) = 1.222392…
        "not exceeded: at most 1.2224 bits, a factor of 7/3",
    ]
    wrong = json.loads(file.read_text(encoding="utf-8"))
    wrong["pieces"][0]["upper"] = "2"
    file.write_text(json.dumps(wrong), encoding="utf-8")
    bad = subprocess.run([*alone, str(file)], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert bad.stdout.startswith("refuted: the proof gives 7/3")
    none = subprocess.run([*alone, "nowhere.json"], capture_output=True, text=True, check=False)
    assert (none.returncode, none.stdout) == (2, "there is no file nowhere.json\n")
    bare = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stdout) == (2, "usage: python check.py CERTIFICATE.json\n")
    assert none.stderr == bare.stderr == ""


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


def said_of(proof: Any) -> list[str]:
    return told(proof, check(proof))


def test_what_is_accepted_is_said_in_few_digits() -> None:
    policy = Policy(SecretGraph.complete(3), records=200)
    first, graph, attained, not_exceeded = said_of(
        worst_case_leakage(policy, epsilon=1).certificate
    )
    assert (
        first == "accepted: the worst case of 200 records, at the ratio about 2.71828 (ε about 1)"
    )
    assert graph == "for 200 × 3 vertices (0, 1, 2), 3 edges"
    bits = 200 * math.log2(3 * math.e / (math.e + 2))  # (nλ/(λ + n − 1))^200
    below, above = (float(line.split()[-2]) for line in (attained, not_exceeded))
    assert below < bits < above < below + 2 / 1000
    assert (attained.split()[:3], not_exceeded.split()[:4]) == (
        ["attained:", "at", "least"],
        ["not", "exceeded:", "at", "most"],
    )


def test_a_mechanism_is_said_to_be_the_best_or_how_near_it_is() -> None:
    best = optimal_mechanism(SecretGraph.complete(3), ratio=2)
    first, _, earned, most = said_of(best.certificate)
    assert first == "accepted: the best mechanism, at the ratio 2 (ε about 0.693148)"
    assert (earned, most) == ("earned on average: 1/2", "not exceeded: 1/2")  # λ/(λ + n − 1)
    dear = change(json.loads(json.dumps(best.certificate)), "upper", "1001/2000")
    dear["prices"][0] = str(Fraction(dear["prices"][0]) + Fraction(1, 2000))
    assert said_of(dear)[0].startswith("accepted: a mechanism within 0.0005 of the best, at")


@pytest.mark.parametrize(
    ("number", "digits", "below", "above"),
    [
        (Fraction(2, 3), 3, "0.666", "0.667"),
        (Fraction(-2, 3), 3, "-0.667", "-0.666"),
        (Fraction(100), 3, "100", "100"),
        (Fraction(1234567), 3, "1,230,000", "1,240,000"),
        (Fraction(10**400 + 1), 2, "1e+400", "1.1e+400"),
        (Fraction(0), 2, "0", "0"),
    ],
)
def test_a_number_is_rounded_to_its_side(
    number: Fraction, digits: int, below: str, above: str
) -> None:
    assert rounded(number, digits, ROUND_FLOOR) == below
    assert rounded(number, digits, ROUND_CEILING) == above


def test_names_and_records_are_the_claim_and_not_the_proof() -> None:
    renamed = change(path_proof(), "pieces", 0, "vertices", 0, "anything")
    assert "(anything, 1, 2, 3)" in said_of(renamed)[1]
    more = change(path_proof(), "pieces", 0, "records", 300)
    assert check(more) == [(300, Fraction(2), Fraction(2))]
    assert said_of(more)[0].startswith("accepted: the worst case of 300 records, at")
    assert said_of(more)[3] == "not exceeded: at most 300 bits, a factor of (2)^300"


def test_a_name_cannot_add_a_line() -> None:
    sly = change(path_proof(), "pieces", 0, "vertices", 0, "0\naccepted: all\x1b[2J")
    assert all(line.isprintable() for line in said_of(sly))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a,b\n1,2\n", "it is not a JSON file"),
        (b"\xff\xfe", "it is not a JSON file"),
        (b"[" * 100_000, "its lists are nested too deeply"),
        (b'{"format": "leaktight worst case 1"}', "it has no 'lower ratio'"),
        (b"[]", "something in it is not as it must be: "),
    ],
)
def test_what_is_no_certificate_is_said_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, why: str
) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(InvalidFile) as caught:
        verify_certificate(file)
    assert str(caught.value).startswith(f"{file} is no certificate: {why}")
    assert checker.main([str(file)]) == 2
    assert capsys.readouterr().out == f"{caught.value}\n"
    assert "Error" not in str(caught.value)
    with pytest.raises(InvalidFile, match=r"^there is no file nope\.json$"):
        verify_certificate("nope.json")


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
