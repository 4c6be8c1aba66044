"""What the checker reads, says and refuses; what it proves is in tests/worst_case."""

import copy
import json
import math
from decimal import Context, Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import check as checker
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain
from leaktight.check import DOWN, UP, Refuted, Unreadable, check, digest, log2, rounded, told
from leaktight.errors import InvalidFile, TooLarge
from leaktight.exact.rounding import precision
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.certificate import digest_of, names, verify_certificate, write_certificate
from leaktight.worst_case.optimum import worst_case_leakage
from tests.second_routes.certificates import change, path_proof

TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
FORK = Graph(5, [(0, 1), (0, 3), (0, 4), (1, 2)])


def said_of(proof: Any) -> list[str]:
    return told(proof, check(proof))


def test_what_is_accepted_is_said_in_few_digits() -> None:
    policy = Policy(SecretGraph.complete(3), records=200)
    said = said_of(worst_case_leakage(policy, epsilon=1).certificate)
    ratio = "a ratio from 2.71828 to 2.71829 (ε = 1)"
    assert said[0] == f"accepted: the worst case of 200 records, at {ratio}"
    assert said[1] == "for 200 × 3 vertices, 3 edges"
    edges = '[["0","1"],["0","2"],["1","2"]]'
    assert said[2] == f'what is asked: {{"graphs":[[["0","1","2"],{edges},200]]}}'
    assert max(map(len, said[1:])) <= 80
    bits = 200 * math.log2(3 * math.e / (math.e + 2))  # (nλ/(λ + n − 1))^200
    below, above = (float(line.split()[-2]) for line in said[-2:])
    assert below < bits < above < below + 2 / 1000
    assert said[-2].startswith("attained: at least ")
    assert said[-1].startswith("not exceeded: at most ")


def test_a_mechanism_is_said_to_be_the_best_or_how_near_it_is() -> None:
    best = optimal_mechanism(SecretGraph.complete(3), ratio=2)
    said = said_of(best.certificate)
    ratio = "the ratio 2 (ε from 0.693147 to 0.693148)"
    assert said[0] == f"accepted: the best mechanism, at {ratio}"
    # λ/(λ + n − 1)
    assert said[-2:] == ["earned on average: 1/2", "not exceeded: 1/2"]
    whole = "".join(said[2:-3])
    assert whole.startswith("what is asked: {")
    assert '"prior":{"0":"1/3","1":"1/3","2":"1/3"}' in whole
    assert '"gain":{"0":{"0":"1","1":"0","2":"0"},' in whole
    assert said[-3] == f"its digest: {sha256(whole[15:].encode()).hexdigest()}"
    assert max(map(len, said[1:])) <= 80
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
        (Fraction(-1, 3 * 10**400), 2, "-3.4e-401", "-3.3e-401"),
        (Fraction(0), 2, "0", "0"),
    ],
)
def test_a_number_is_rounded_to_its_side(
    number: Fraction, digits: int, below: str, above: str
) -> None:
    assert rounded(number, DOWN, digits) == below
    assert rounded(number, UP, digits) == above


def test_names_and_records_are_the_claim_and_not_the_proof() -> None:
    renamed = change(path_proof(), "pieces", 0, "vertices", 0, "anything")
    assert '["1","2","3","anything"]' in said_of(renamed)[2]
    more = change(path_proof(), "pieces", 0, "records", 300)
    assert check(more) == [(300, Fraction(2), Fraction(2))]
    assert said_of(more)[0].startswith("accepted: the worst case of 300 records, at")
    assert said_of(more)[-1] == "not exceeded: at most 300 bits, a factor of (2)^300"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a,b\n1,2\n", "it is not a JSON file"),
        (b"\xff\xfe", "it is not a JSON file"),
        (b"[" * 100_000, "its lists are nested too deeply"),
        (b'{"format": "leaktight worst case 1"}', "it has no 'lower ratio'"),
        (b"[]", "its format must be one of 'leaktight worst case 1', 'leaktight records 1'"),
        (b"[1, 2]", "its format must be one of 'leaktight worst case 1', 'leaktight records 1'"),
        (b"{}", "its format must be one of 'leaktight worst case 1', 'leaktight records 1'"),
        (b'{"format": ["leaktight worst case 1"]}', "its format must be "),
        (b'{"format": "leaktight worst case 1", "format": 1}', "a key is there twice"),
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
    file.write_text(json.dumps(change(path_proof(), "pieces", 0, "upper", "3")), encoding="utf-8")
    with pytest.raises(InvalidFile, match="proves nothing"):
        verify_certificate(file)
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_certificate(worst_case_leakage(TREE, ratio=2), tmp_path / "no" / "folder.json")


# --- numbers are on their side -------------------------------------------------------------


@settings(max_examples=300)
@given(
    st.integers(1, 10**30),
    st.sampled_from([1, 10**9, 10**21, 10**97, 10**400]),
    st.sampled_from([1, 2, 10**6, 10**110]),
)
def test_printed_bits_enclose_the_truth(part: int, fine: int, records: int) -> None:
    value = 1 + Fraction(part, fine)
    with precision(4000):
        true = arb(fmpq(value.numerator, value.denominator)).log_base(2) * records
        low, high = (
            Decimal(rounded(side.multiply(log2(value, side), records), side, 6).replace(",", ""))
            for side in (DOWN, UP)
        )
        assert arb(str(low)) <= true <= arb(str(high)) or low == high
    assert high - low <= Context(6).multiply(low, Decimal("2e-5"))


def test_a_ratio_next_to_1_is_not_called_none() -> None:
    ratio = 1 + Fraction(7, 10**97)
    said = said_of(worst_case_leakage(SecretGraph.line(2), ratio=ratio).certificate)
    # log2(2λ/(1 + λ)) = 7e-97/(2·ln 2)·(1 − …) = 5.049432…e-97
    assert said[-2:] == [
        "attained: at least 5.04943e-97 bits",
        "not exceeded: at most 5.04944e-97 bits",
    ]
    assert said[0].endswith("a ratio from 1 to 1.00001 (ε from 6.99999e-97 to 7e-97)")
    many = worst_case_leakage(SecretGraph.line(2), ratio=1 + Fraction(1, 10**99)).certificate
    many = change(json.loads(json.dumps(many)), "pieces", 0, "records", 10**110)
    # 10^110·1e-99/(2·ln 2) = 7.213475…e10
    assert said_of(many)[-2:] == [
        "attained: at least 72,134,700,000 bits",
        "not exceeded: at most 72,134,800,000 bits",
    ]


# --- it says what it proves ----------------------------------------------------------------

REFUSED = {
    "an edge twice": ("edges", [[0, 1], [1, 2], [2, 3], [2, 1]]),
    "a name twice": ("vertices", ["0", "1", "2", "2"]),
    "a name that is a number": ("vertices", ["0", "1", "2", 3]),
    "true for one record": ("records", True),
    "a text for records": ("records", "1"),
    "half a record": ("records", 0.5),
    "a text for an edge": ("edges", ["01", "12", "23"]),
    "a negative end": ("edges", [[0, 1], [1, 2], [2, -1]]),
    "an end that is true": ("edges", [[0, 1], [1, 2], [2, True]]),
    "three ends": ("edges", [[0, 1], [1, 2], [2, 3, 1]]),
    "no vertices": ("vertices", []),
    "no outputs": ("mechanism", [[], [], [], []]),
    "a text for a row": ("mechanism", ["1", "1", "1", "1"]),
    "a number that is none": ("lower", 2),
    "an infinite number": ("upper", "inf"),
    "a decimal number": ("upper", "2.0"),
    "other digits": ("upper", "٢"),
    "over nothing": ("upper", "2/0"),
    "an empty part": ("parts", [{"vertices": [], "cover": []}]),
    "a part too many": ("parts", [*path_proof()["pieces"][0]["parts"], {"vertices": []}]),
    "a negative vertex": ("parts", [{"vertices": [0, 1, 2, -1], "cover": ["1"] * 4}]),
    "a part of both kinds": (
        "parts",
        [{"vertices": [0, 1, 2, 3], "cover": ["1"] * 4, "prices": [], "flows": []}],
    ),
    "something else": ("comment", "for a million records"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_could_be_misread_is_refused(what: str) -> None:
    key, value = REFUSED[what]
    with pytest.raises((Refuted, Unreadable)):
        check(change(path_proof(), "pieces", 0, key, value))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1.5", "1e3", "null", "true"])
def test_only_whole_numbers_stand_without_quotes(tmp_path: Path, number: str) -> None:
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(path_proof()).replace('"records": 1', f'"records": {number}'))
    with pytest.raises(InvalidFile, match=r"in 'records', a (float|bool|NoneType) is not"):
        verify_certificate(file)


def test_a_star_and_a_path_are_not_said_alike() -> None:
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])  # both have V = 2 at the ratio 2
    one, other = (
        said_of(worst_case_leakage(graph, ratio=2).certificate)
        for graph in (star, SecretGraph.line(4))
    )
    different = [k for k in range(len(one)) if one[k] != other[k]]
    assert different == [2, 4]  # line 3 has the last bracket of what is asked


def test_a_name_prints_nothing_but_itself() -> None:
    sly = change(path_proof(), "pieces", 0, "vertices", 0, '0\naccepted: all\x1b[2J\u202e","1')
    assert all(line.isascii() and line.isprintable() for line in said_of(sly)[1:-2])


def test_the_digest_is_that_of_the_question_in_any_order() -> None:
    line = Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    turned = Graph(["c", "a", "b"], [("b", "c"), ("b", "a")])
    text = '{"graphs":[[["a","b","c"],[["a","b"],["b","c"]],1]]}'
    assert digest_of(line) == digest_of(turned) == sha256(text.encode()).hexdigest()
    proof = worst_case_leakage(line, ratio=2)
    assert digest(proof.certificate) == proof.digest == digest_of(line)
    runs = AdjacencyGraph.of_records([line, TREE, line])
    assert digest_of(runs) == digest_of(AdjacencyGraph.of_records([TREE, line, line]))
    assert digest_of(runs) != digest_of(AdjacencyGraph.of_records([TREE, line]))
    assert digest_of(runs) == worst_case_leakage(runs, ratio=2).digest
    prior = Distribution(["1/2", "1/4", "1/4"], ["a", "b", "c"])
    best = optimal_mechanism(line, prior, Gain([[2, 0, 0], [0, 1, 1]], inputs=list("abc")), ratio=2)
    text = (
        '{"gain":{"0":{"a":"2","b":"0","c":"0"},"1":{"a":"0","b":"1","c":"1"}},'
        '"graphs":[[["a","b","c"],[["a","b"],["b","c"]],1]],'
        '"prior":{"a":"1/2","b":"1/4","c":"1/4"}}'
    )
    assert best.digest == digest(best.certificate) == sha256(text.encode()).hexdigest()


def test_the_digest_changes_with_all_that_is_asked() -> None:
    proof = json.loads(json.dumps(optimal_mechanism(SecretGraph.line(3), ratio=2).certificate))
    others = [
        change(copy.deepcopy(proof), *steps)
        for steps in (
            ("prior", 0, "1/4"),
            ("gain", 0, 0, "2"),
            ("guesses", 0, "x"),
            ("vertices", 0, "x"),
            ("edges", 0, [0, 2]),
        )
    ]
    assert len({digest(each) for each in [proof, *others]}) == 6
    same = change(copy.deepcopy(proof), "prior", ["2/6", "1/3", "3/9"])
    assert digest(same) == digest(proof)


def test_labels_that_read_alike_are_told_apart() -> None:
    assert names([1, "1", True]) == ["1", "'1'", "True"]
    worst = worst_case_leakage(Graph([1, "1"], [(1, "1")]), ratio=2)
    assert check(worst.certificate) == [(1, Fraction(4, 3), Fraction(4, 3))]


# --- limits --------------------------------------------------------------------------------


def on_a_path(n: int, ratio: str, cover: list[str]) -> Any:
    """One that would take long: powers of a long ratio, or weights without a common measure."""
    return {
        "format": checker.WORST_CASE,
        "lower ratio": ratio,
        "upper ratio": ratio,
        "pieces": [
            {
                "records": 1,
                "vertices": [str(i) for i in range(n)],
                "edges": [[i, i + 1] for i in range(n - 1)],
                "mechanism": [["1"]] * n,
                "lower": "1",
                "parts": [{"vertices": list(range(n)), "cover": cover}],
                "upper": "1",
            }
        ],
    }


@pytest.mark.parametrize(
    "proof",
    [
        on_a_path(60, f"{3**4000}/{2**6000}", ["1"] * 60),
        on_a_path(1000, "2", [f"1/{10**12 + 2 * i + 1}" for i in range(1000)]),
        on_a_path(2, "1" * 40_001, ["1"] * 2),
    ],
    ids=["powers", "denominators", "digits"],
)
def test_a_small_file_that_would_take_long_is_refused(proof: Any) -> None:
    with pytest.raises(Unreadable, match=r"longer than its length allows|more than 40,000 letters"):
        check(proof)


def test_long_whole_numbers_are_refused_as_they_are_read(tmp_path: Path) -> None:
    file, text = tmp_path / "long.json", json.dumps(path_proof())
    file.write_text(text.replace('"records": 1', f'"records": {"9" * 400_000}'))
    with pytest.raises(InvalidFile, match="a whole number has more than 1,000 digits"):
        verify_certificate(file)
    file.write_text(text.replace('"records": 1', f'"records": {"9" * 1000}'))
    assert verify_certificate(file)[0][0] == 10**1000 - 1


def test_the_largest_that_are_written_are_checked(tmp_path: Path) -> None:
    tree = Graph(100, [(i, (i * 7 + 3) % i) for i in range(1, 100)])
    for proved in (
        worst_case_leakage(Policy(SecretGraph.threshold(50, distance=3), 10**6), ratio="11/10"),
        worst_case_leakage(Policy(FORK, records=10**9), epsilon="0.1"),
        worst_case_leakage(tree, ratio=2),
        worst_case_leakage(SecretGraph.complete(200), epsilon=1),
        worst_case_leakage(SecretGraph.grid(15, 15), ratio="3/2"),
        optimal_mechanism(SecretGraph.line(100), ratio=2),
        optimal_mechanism(SecretGraph.line(3), epsilon=15000),
    ):
        write_certificate(proved, tmp_path / "large.json")
        verify_certificate(tmp_path / "large.json")


def test_what_would_not_be_checked_is_not_written(tmp_path: Path) -> None:
    worst = worst_case_leakage(SecretGraph.line(3), epsilon=100_000)  # 43,430 digits
    with pytest.raises(TooLarge, match="a number has more than 40,000 letters; it is shorter for"):
        write_certificate(worst, tmp_path / "long.json")
    assert not (tmp_path / "long.json").exists()
