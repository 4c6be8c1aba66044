"""Commands answer rightly, with the right exit code, and refuse what is wrong in one line."""

import csv
import json
import math
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from leaktight import Channel, read_channel, write_channel
from leaktight.policies.text import graph_of
from leaktight.studies import audit, read_study
from leaktight.studies.schema import to_json
from leaktight_papers.claim import Claim, Outcome, Verdict
from leaktight_papers.register import claims_named
from leaktight_papers.show import line, summary
from tests.commands.conftest import Run

COMMANDS = (
    "audit", "explore", "explain", "choose", "bound", "design", "decide", "repeat", "leak",
    "program", "compare", "estimate", "attack", "release", "ledger", "risk", "protect", "verify",
    "sample", "reproduce",
)  # fmt: skip
STUDIES = Path(__file__).parents[2] / "examples" / "studies"


# --- bad input -----------------------------------------------------------------------------

BEST = "--ratio 2 --output m.csv"
MISTAKES = {
    "unknown": r"No such command 'unknown'.* \(leaktight --help\)$",
    "--unknown": r"No such option.* \(leaktight --help\)$",
    "audit": r"Missing argument.* \(leaktight audit --help\)$",
    "audit no.toml": "there is no file no.toml",
    "audit folder": "folder is a folder",
    f"audit {'x' * 5000}": "x … x.* cannot be read: File name too long",
    "audit junk.json": "junk.json is not text",
    "audit deep.json": "deep.json is not TOML",
    "audit empty.toml": r"empty.toml: \[policy\] is missing",
    "audit policy.toml --report no/such/page.html": "no/such/page.html cannot be written",
    "audit policy.toml --report folder/page.pdf": "must end in .html or .md, got folder/page.pdf",
    "audit policy.toml --unknown": "No such option '--unknown'",
    "explore no.toml": "there is no file no.toml",
    "explore empty.toml": r"empty.toml: \[policy\] is missing",
    "explore http://127.0.0.1:8440/": "the address must carry a study",
    "explore policy.toml --port 99999999": "--port 99999999 cannot be used",
    "audit policy.toml extra": "extra",
    "audit policy.toml --certificate folder": "folder cannot be written: it is a folder",
    "audit policy.toml --certificate no/c.json": "no/c.json cannot be written: there is no folder",
    "audit policy.toml --certificate policy.toml": "policy.toml of the study and --certificate",
    "audit policy.toml --report p.md --certificate p.md": "must be two files, got p.md for both",
    "audit policy.toml --certificate c.json": "a certificate has nothing to prove: no ε",
    "bound": "Missing argument",
    "bound line:4": r"give one promise: .*, got none \(leaktight bound --help\)$",
    "bound line:4 --ratio 2 --epsilon 1": "got --ratio and --epsilon",
    "bound line:4 --ratio 1/2": "at least 1",
    "bound line:4 --ratio abc": "expected a number .* got 'abc'",
    "bound line:4 --ratio 1/0": "denominator",
    "bound line:4 --ratio nan": "expected a number",
    "bound line:4 --ratio 1e999999": "at most 4,096 bits",
    "bound line:4 --epsilon -1": "ε must be at least 0, got -1",
    "bound line:4 --epsilon ln": "expected a number",
    "bound line:4 --ratio 2 --records 0": "records must be a whole number from 1 .* got 0",
    "bound line:4 --ratio 2 --records x": "'--records': expected a whole number .* got 'x'",
    "bound lines:4 --ratio 2": r"got 'lines:4'; did you mean line:4\?$",
    "bound line:4 --ratio 2 --records 99999999999": "records must be .* to 1,000,000,000, got",
    "bound line:4 --ratio 2 --certificate no/such/c.json": "no/such/c.json cannot be written",
    "bound line: --ratio 2": "whole number from 1, got line:; write complete:6",
    "bound line:0 --ratio 2": "whole number from 1, got line:0",
    "bound line:-3 --ratio 2": "whole number from 1, got line:-3",
    "bound line:99999999 --ratio 2": "at most 10,000 values here, got 99,999,999",
    f"bound line:{'9' * 5000} --ratio 2": "whole number from 1",
    "bound complete:9999 --ratio 2": "at most 2,000 values here, got 9,999",
    "bound cycle:2 --ratio 2": "a cycle needs at least 3",
    "bound grid:3x --ratio 2": "whole number from 1, got grid:",
    "bound grid:999x999x999 --ratio 2": "at most 10,000 values",
    "bound threshold:5:x --ratio 2": "whole number from 1, got threshold:x",
    "bound edges:a --ratio 2": "edges are written a-b,b-c, got 'a'",
    "bound edges:a-a --ratio 2": "'a'",
    "bound edges: --ratio 2": "edges are written",
    "bound foo:3 --ratio 2": "written like complete:6, .* got 'foo:3'",
    "bound 4 --ratio 2": "written like complete:6, .* got '4'",
    "design line:3 --ratio 2": "Missing option '--output'",
    "design line:3 --output m.csv": "give one promise",
    "design line:3 --ratio 2 --output m.txt": "must end in .csv or .json, got m.txt",
    "design line:3 --ratio 2 --output no/such/m.csv": "no/such/m.csv cannot be written",
    "design line:3 --ratio 2 --output m.json --certificate m.json": "must be two files",
    "design line:500 --ratio 2 --output m": "must end in .csv or .json, got m",
    "design line:500 --ratio 2 --output m.csv": "at most 400 values have a design, got 500",
    f"design line:3 --gain best {BEST}": "--gain must be guess, .* got 'best'",
    f"design edges:a-b --gain difference {BEST}": "needs values that are numbers",
    f"design edges:a-b,c-d --gain distance {BEST}": "--gain distance: .* 'a' and 'c' is infinite",
    f"design line:3 --prior 1/2,1/4,1/8 {BEST}": "sum to 1, got 7/8",
    f"design line:3 --prior 1/2,1/2 {BEST}": "got 2 for 3",
    f"design line:3 --prior x {BEST}": "expected a number .* got 'x'",
    "decide complete:2": "Missing argument",
    "decide complete:2 0,x 1,1": "number such as '1/3' or '0.25', got 'x'",
    "decide complete:2 0,2 0": "denominator|zero|0",
    "decide complete:2 , 1": "number such as '1/3' or '0.25', got ''",
    f"decide complete:2 {'1,' * 2000}1 1": "at most 100 coefficients, got 2,001",
    "repeat no.csv": "there is no file no.csv",
    "repeat folder": "must end in .csv or .json, got folder",
    "repeat junk.json": "junk.json must be a readable text file",
    "repeat deep.json": "deep.json: lists are nested too deeply",
    "repeat coin.csv --observations -1": "a whole number of times, got n = -1",
    f"repeat coin.csv --observations {'9' * 30}": "at most 1,000,000 observations",
    "repeat coin.csv --observations x": "whole numbers such as 1,10, got 'x'",
    "repeat coin.csv --prior 1/2,1/3": "sum to 1, got 5/6",
    "repeat coin.csv --below 2": "2",
    "repeat coin.csv --below x": "expected a number .* got 'x'",
    "verify": "Missing argument",
    "verify no.json": "leaktight: there is no file no.json$",
    "verify /dev/zero": "/dev/zero is a device",
    "verify folder": "leaktight: folder cannot be read: Is a directory$",
    "verify junk.json": "junk.json is no certificate: it is not a JSON file$",
    "verify deep.json": "deep.json is no certificate: its lists are nested too deeply$",
    "verify coin.csv": "coin.csv is no certificate: it is not a JSON file$",
    "sample coin.csv": "give inputs, .* or all of --table, --column and --output",
    "sample coin.csv yes --count 0": "--count must be from 1 to 1,000,000, got 0",
    "sample coin.csv yes --count ten": "expected a whole number such as 100, got 'ten'",
    "sample coin.csv --table people.csv --column answer --output o.csv --count 2": "give inputs",
    "sample coin.csv maybe": "no input 'maybe'",
    "sample no.csv yes": "there is no file no.csv",
    "sample coin.csv yes --table people.csv": "give inputs or a --table, not both",
    "sample coin.csv no --table people.csv --column answer --output o.csv": "got the input 'no'",
    "sample coin.csv no --output o.csv": "not both",
    "sample coin.csv --table people.csv --column answer": "give inputs, .* or all of",
    "sample coin.csv --table no.csv --column answer --output o.csv": "no.csv",
    "sample coin.csv --table people.csv --column anwser --output o.csv": "'anwser'",
    "sample coin.csv --table people.csv --column name --output o.csv": "line 2, column 'name'",
    "sample coin.csv --table people.csv --column answer --output o.csv --policy line:2": "in one",
    "sample coin.csv --table people.csv --column answer --output o.csv --policy x": "written like",
    "sample coin.csv no --policy edges:no-yes": "not both",
    "sample coin.csv --table people.csv --column answer --output no/such/o.csv": "no/such/o.csv",
    "reproduce E-T99": "there is no claim 'E-T99'",
    "reproduce E-T11 --figures coin.csv": "coin.csv",
}


@pytest.mark.parametrize("words", MISTAKES, ids=lambda words: words[:60])
def test_a_mistake_is_one_line_and_exit_code_2(run: Run, words: str) -> None:
    said = run(*words.split(" "))
    assert said.code == 2, said
    assert re.search(MISTAKES[words], said.err), said.err
    assert said.err.startswith("leaktight: ")
    assert said.err.count("\n") == 1
    assert said.err.endswith("\n")
    assert "Traceback" not in said.err
    assert len(said.err) < 500
    if not words.startswith("reproduce"):
        assert said.out == ""


def test_a_path_of_every_kind_is_refused_as_a_study(run: Run) -> None:
    for path in ("coin.csv", "people.csv", ".", "/dev/null", "x" * 300):
        said = run("audit", path)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), path


def test_a_file_that_will_be_replaced_is_named_before_the_work(run: Run) -> None:
    for words in ("bound line:3 --certificate c.json", "design line:3 --output m.csv"):
        name = words.split(" ")[-1]
        assert run(*words.split(" "), "--ratio", "2").err == ""
        said = run(*words.split(" "), "--ratio", "2")
        assert (said.code, said.err) == (
            0, f"leaktight: {name} is there already and will be replaced\n",
        )  # fmt: skip
        assert not list(Path().glob(".*"))


# --- right answers -------------------------------------------------------------------------


def test_the_worst_case_of_a_hundred_records_is_exact(run: Run) -> None:
    said = run(*["bound", "line:4", "--records", "100", "--ratio", "2", "--json"])
    found = json.loads(said.out)
    assert (said.code, said.err) == (0, "")
    worst = found["worst case"]
    assert (worst["factor"], worst["bits"], worst["is_exact"]) == ("2^100", 100.0, True)
    by_form = {bound["form"]: bound for bound in found["bounds"]}
    # Theorem 11: the diameter of 100 lines of 4 is 300, their radius 200; |X| = 4^100.
    diameters = by_form["diameters"]
    assert diameters["source"] == "Theorem 11 of [Edwards2021]"
    assert diameters["nats"] == pytest.approx(300 * math.log(2), rel=2.0**-50)
    assert by_form["radii (ours)"]["bits"] == 200
    assert by_form["|X|"]["factor"] == "4^100"


def test_one_record_has_its_own_worst_case(run: Run) -> None:
    words = ["bound", "complete:2", "--ratio", "3", "--records"]
    said = " ".join(run(*words, "200").out.split())
    alone = said.split("About one record, if the others are known, it leaks exactly ")[1]
    assert alone.startswith("0.584963 bits at worst: Σ max = 3/2 ")  # 2λ/(λ+1), log2 = 0.5849625…
    assert "About one record" not in run(*words, "1").out
    found = json.loads(run(*words, "200", "--json").out)
    assert found["worst case of one record"]["factor"] == "3/2"
    assert found["worst case"]["factor"] == "(3/2)^200"


def test_a_bound_reads_as_a_table(run: Run) -> None:
    said = run(*["bound", "complete:2", "--ratio", "3"])
    assert "leaks exactly" in said.out
    assert "Σ max = 3/2" in said.out  # 2λ/(λ+1)


@pytest.mark.parametrize("output", ["best.csv", "channel.json"])
def test_a_design_is_verified_and_a_forged_one_rejected(run: Run, output: str) -> None:
    words = f"design line:4 --ratio 2 --gain distance --output {output} --certificate proof.json"
    said = run(*words.split())
    assert said.code == 0
    assert "leaktight verify proof.json" in said.out
    assert read_channel(output).shape[0] == 4
    assert run("verify", "proof.json").code == 0
    proof = json.loads(Path("proof.json").read_text())
    for key, at in (("mechanism", (0, 0)), ("prices", (0,))):
        forged = json.loads(json.dumps(proof))
        place = forged[key]
        for step in at[:-1]:
            place = place[step]
        place[at[-1]] = str(Fraction(place[at[-1]]) + Fraction(1, 1000))
        Path("forged.json").write_text(json.dumps(forged))
        said = run("verify", "forged.json")
        assert said.code == 1
        assert said.out.startswith("refuted: ")
        assert len(said.out) > len("refuted: ") + 10
        assert said.err == ""
        said = run("verify", "forged.json", "--json")
        assert (said.code, json.loads(said.out)["accepted"]) == (1, False)
    assert json.loads(run("verify", "proof.json", "--json").out)["accepted"] is True


def test_a_worst_case_is_verified(run: Run) -> None:
    run(*["bound", "cycle:5", "--records", "3", "--ratio", "2", "--certificate", "proof.json"])
    said = run("verify", "proof.json")
    assert said.code == 0
    assert said.out.startswith("accepted: the worst case of 3 records, at the ratio 2 (ε from 0.69")
    # Σ_d n_d λ^−d = 1 + 2/2 + 2/4 = 5/2 on the ring of five, so the factor is 5/(5/2) = 2.
    assert "attained: at least 3 bits, a factor of (2)^3\n" in said.out


def test_a_certificate_is_compared_with_a_study(run: Run) -> None:
    study = '[policy]\nvalues = ["a", "b", "c"]\nsecrets = "line"\nrecords = 2\n[question]\n'
    Path("study.toml").write_text(f"{study}epsilon = 1\n")
    run("audit", "study.toml", "--certificate", "proof.json")
    said = run("verify", "proof.json", "--study", "study.toml")
    assert (said.code, said.out.splitlines()[-1]) == (0, "the study study.toml: it is about this")
    others = {
        f"{study}epsilon = 2\n": "it asks for another ratio",
        f"{study}epsilon = 1\n".replace("line", "complete"): "it asks something else",
        f"{study}epsilon = 1\n".replace("records = 2", "records = 3"): "it asks something else",
    }
    for text, why in others.items():
        Path("other.toml").write_text(text)
        said = run("verify", "proof.json", "--study", "other.toml", "--json")
        found = json.loads(said.out)
        assert (said.code, found["accepted"], found["fits"]) == (1, True, False)
        assert why in found["says"][-1]
    Path("forged.json").write_text(
        Path("proof.json").read_text().replace('"upper": "', '"upper": "1')
    )
    said = run("verify", "forged.json", "--study", "study.toml", "--json")
    assert (said.code, json.loads(said.out)["fits"]) == (1, False)
    assert run("verify", "proof.json", "--study", "no.toml").code == 2
    Path("best.toml").write_text(
        f'{study}epsilon = 1\nprior = ["1/2", "1/4", "1/4"]\n[mechanism]\nkind = "best"\n'
    )
    run("audit", "best.toml", "--certificate", "best.json")
    assert run("verify", "best.json", "--study", "best.toml").code == 0
    assert run("verify", "best.json", "--study", "study.toml").code == 1
    for name in ("[1,2]", "{}"):
        Path("none.json").write_text(name)
        said = run("verify", "none.json")
        assert (said.code, "none.json is no certificate: its format" in said.err) == (2, True)


def test_a_design_is_told_in_words(run: Run) -> None:
    said = run(*["design", "complete:3", "--ratio", "2", "--output", "m.csv"]).out
    assert said.startswith("expected gain 1/2, proved the best\nε ≤ 0.693148 (ratio 2) for ")
    words = "design line:5 --epsilon 1 --gain squared --output"
    said = run(*words.split(), "m.csv").out
    told = r"expected loss ≈0\.\d+, proved the best to within \d(\.\d)?e-\d\d\nε ≤ 1 \(ratio"
    assert re.match(told, said), said
    assert "BestMechanism" not in said


def test_a_gain_has_one_name_or_two_everywhere(run: Run) -> None:
    words = ["design", "line:4", "--ratio", "2", "--output", "m.csv", "--json", "--gain"]
    one, other = (json.loads(run(*words, name).out) for name in ("squared", "squared difference"))
    assert one == other
    assert one != json.loads(run(*words, "difference").out)
    for name in ("squared", "squared difference"):
        Path("study.toml").write_text(f'[policy]\nvalues = 3\n[question]\ngain = "{name}"\n')
        aim = read_study("study.toml").aim
        assert aim is not None
        assert aim.matrix[0, 2] == 4


def test_a_design_as_json(run: Run) -> None:
    said = run(*["design", "complete:3", "--ratio", "2", "--output", "m.csv", "--json"])
    assert json.loads(said.out)["utility"] == "1/2"  # λ/(λ + n − 1)


def test_real_values_have_a_closed_form(run: Run) -> None:
    shown = run("bound", "interval:0:100", "--epsilon", "0.1")
    assert "2.58497 bits" in shown.out
    assert "1 + εL/2 = 6" in shown.out
    asked = run("bound", "box:0:1,0:2", "--epsilon", "2", "--json")
    assert '"upper": "6"' in asked.out
    wrong = run("bound", "interval:5:1", "--epsilon", "1")
    assert wrong.code == 2
    several = run("bound", "circle:24", "--epsilon", "1", "--records", "2")
    assert several.code == 2


def test_public_counts_bound_what_leaks_at_any_size(run: Run, tmp_path: Path) -> None:
    """One of two values has a public count: log2 of C(n, m)/Σ_x C(m, x)C(n−m, x)λ^−x."""
    said = run(*["bound", "complete:2", "--records", "200", "--count", "0=50", "--ratio", "2"])
    assert said.code == 0
    ways = sum(math.comb(50, x) * math.comb(150, x) / 2**x for x in range(51))
    assert str(math.log2(math.comb(200, 50) / ways))[:6] in said.out
    study = tmp_path / "study.toml"
    study.write_text(
        "[policy]\nvalues = [0, 1]\nrecords = 200\n"
        "[[policy.constraints]]\nvalues = [0]\nequals = 50\n[question]\nratio = 2\n"
    )
    assert run("bound", str(study)).out == said.out
    found = json.loads(
        run(*["bound", "complete:2", "--records", "1000000", "--count", "0=50", "--ratio", "2",
              "--outputs", "4", "--json"]).out
    )  # fmt: skip
    assert found["bounds"][0]["source"] == "number of outputs"
    assert found["worst case with so many outputs"] is None  # too many sets of databases
    few = run(*["bound", "complete:2", "--records", "2", "--outputs", "2", "--ratio", "2"]).out
    assert "With at most 2 outputs it leaks exactly 0.584963 bits at worst: Σ max = 3/2." in few
    wrong = {
        "--count 7=1": "some of the values 0, 1",
        "--count 0": "VALUES=NUMBER",
        "--count 0=many": "many",
        "--count 0=5": "more than the 1 record",
        "--outputs 0": "from 1 up",
    }
    for options, why in wrong.items():
        refused = run("bound", "complete:2", "--ratio", "2", *options.split())
        assert (refused.code, why in refused.err) == (2, True), refused.err
    assert run("bound", str(study), "--records", "3").code == 2


def test_a_bound_is_decided(run: Run) -> None:
    assert run("decide", "complete:2", "0,2", "1,1").code == 0  # 2λ/(λ+1) is the worst case
    assert run("decide", "complete:2", "1", "1").code == 1
    assert run("decide", "complete:2", "0,0,4", "1,2,1", "--records", "2").code == 0
    mixed = run("decide", "complete:2", "1,3", "2,2", "--ratio", "3/2")
    assert (mixed.code, "reached by some private channel" in mixed.out) == (1, True)
    assert "exact channel" in mixed.out
    found = json.loads(run("decide", "complete:2", "0,2", "1,1", "--json").out)
    assert (found["bound"], found["reached"], found["tight"]) == (True, True, True)


def test_a_formula_that_no_channel_reaches_is_decided_all_the_same(run: Run) -> None:
    shown = run("decide", "complete:2", "2", "1,1", "--ratio", "3/2")
    assert shown.code == 1
    assert shown.out.startswith("not a bound: ")
    assert shown.out.rstrip().endswith("have Σ max from 1 to 6/5, and not 4/5")


def test_breaches_and_the_level_on_a_graph_are_told(run: Run) -> None:
    """Randomised response 2/3: ratio 2, and 1 + ½·(1/3 + 1/3) on average."""
    found = json.loads(run("leak", "coin.csv", "--graph", "line:2", "--json").out)
    assert found["breach"]["worst"]["factor"] == found["ratio on the graph"] == "2"
    assert found["breach"]["average"]["factor"] == "4/3"
    told = run("leak", "coin.csv", "--graph", "line:2").out
    assert "Worst-case breach" in told
    assert "On line:2, it is private at ε = 0.693148" in told
    assert run("leak", "coin.csv", "--graph", "line:3").code == 2
    many = ["repeat", "coin.csv", "--observations", "1,2", "--prior", "9/10,1/10"]
    seen = json.loads(run(*many, "--breach", "yes", "--factor", "2", "--json").out)
    # Belief in yes is 1/10; two answers yes make it 4/13 > 2/10, one 2/11 < 2/10.
    assert [row["raised"]["lower"] for row in seen["breaches"]] == [0, pytest.approx(4 / 9)]
    assert seen["error rate"]["upper"] == pytest.approx(-math.log2(2 * math.sqrt(2) / 3))
    assert run(*many, "--breach", "maybe").code == 2
    assert run(*many, "--breach", "no,yes").code == 2


def test_observations_add_up(run: Run) -> None:
    said = run(*["repeat", "coin.csv", "--observations", "1,3", "--below", "3/4", "--json"])
    first, third = json.loads(said.out)["curve"]
    assert first["lower"] == pytest.approx(2 / 3)
    assert third["lower"] == pytest.approx((2 / 3) ** 3 + 3 * (2 / 3) ** 2 / 3)  # most of three
    assert json.loads(said.out)["most below"] == 4  # 20/27 < 3/4, and five: 64/81 > 3/4
    assert json.loads(run("repeat", "coin.csv", "--json").out)["most below"] is None
    told = run(*["repeat", "coin.csv", "--observations", "1,1000", "--below", "3/4"]).out
    assert "66.7%" in told
    assert "100%" not in told
    assert "Up to 4 observations keep it below 75%" in told


def test_samples_as_json_stand_beside_their_inputs(run: Run) -> None:
    said = json.loads(run("sample", "coin.csv", "yes", "no", "--json").out)
    assert said["inputs"] == ["yes", "no"]
    assert len(said["outputs"]) == 2
    assert set(said["outputs"]) <= {"-", "+"}
    words = "sample coin.csv --table people.csv --column answer --output o.csv --json"
    assert json.loads(run(*words.split()).out)["column"] == "answer"


def test_samples_are_outputs(run: Run) -> None:
    said = run("sample", "coin.csv", "yes", "no", "yes")
    assert said.code == 0
    assert len(said.out.split()) == 3
    assert set(said.out.split()) <= {"-", "+"}


def test_so_many_samples_are_drawn_for_each_input(run: Run) -> None:
    write_channel(Channel([[1, 0], [0, 1]], ["no", "yes"], ["-", "+"]), "sure.csv")
    assert run("sample", "sure.csv", "yes", "no", "--count", "3").out.split() == [*"+++---"]
    found = json.loads(run("sample", "sure.csv", "yes", "no", "--count", "2", "--json").out)
    assert found == {"inputs": ["yes", "yes", "no", "no"], "outputs": [*"++--"]}


def test_a_column_is_released(run: Run) -> None:
    sure = Channel([[1, 0], [0, 1]], ["no", "yes"], ["-", "+"])
    write_channel(sure, "sure.csv")
    words = "sample sure.csv --table people.csv --column answer --output released.csv"
    assert run(*words.split()).code == 0
    with Path("released.csv").open() as file:
        assert [row["answer"] for row in csv.DictReader(file)] == ["+", "-"]


def test_inputs_that_are_numbers_are_found(run: Run) -> None:
    write_channel(Channel([[1, 0], [0, 1]]), "numbers.csv")
    assert run("sample", "numbers.csv", "1", "0").out.split() == ["1", "0"]


def test_a_claim_is_reproduced(run: Run) -> None:
    said = run("reproduce", "E-T11")
    assert said.code == 0
    assert "Theorem 11 of [Edwards2021]" in said.out
    [found] = json.loads(run("reproduce", "E-T11", "--json").out)
    assert found["id"] == "E-T11"


def test_all_claims_end_with_a_count(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    [one] = claims_named("E-T11")
    monkeypatch.setattr("leaktight_papers.register.claims_named", lambda _: [one, one])
    said = run("reproduce")
    first, second, *counted = said.out.splitlines()
    assert first[:40] == second[:40]
    assert re.match(r"2 claims in \d+ s: 2 of the papers \(hold as corrected: 2\);", counted[0])
    assert " ".join(counted).endswith("came out as the register says")
    assert max(map(len, counted)) <= 80


def outcomes(*failures: str | None) -> list[Outcome]:
    """Return one outcome of each verdict, and of one more that holds, as they came out."""
    verdicts = [*Verdict, Verdict.HOLDS]
    return [
        Outcome(Claim("X-1", "Theorem " * 20, "", verdict, (), lambda: iter(())), (), 1.5, failure)
        for verdict, failure in zip(verdicts, failures, strict=True)
    ]


def test_verdicts_are_counted() -> None:
    counted = " ".join(summary(outcomes(*[None] * 9)).split())
    assert counted == (
        "9 claims in 14 s: 5 of the papers (hold: 2, hold as corrected: 1, false: 1, drawings: 1), "
        "4 open in the papers (settled: 1, answered by another of them: 1, partly settled: 1, "
        "open: 1); "
        "all came out as the register says"
    )
    failed = " ".join(summary(outcomes(None, "no", *[None] * 6, "no")).split())
    assert "3 of the papers (hold: 1, false: 1, drawings: 1)" in failed
    assert failed.endswith("2 FAILED")


def test_a_line_on_a_terminal_is_as_wide_as_it() -> None:
    one = outcomes(*[None] * 9)[2]
    assert len(line(one)) > 150
    assert len(line(one, 80)) == 80
    assert line(one, 80)[:-1] + "…" == line(one, 80)
    assert line(one).startswith(line(one, 80)[:-1])
    assert line(one, 500) == line(one)


def test_without_any_word_the_help_is_shown(run: Run) -> None:
    said = run()
    assert (said.code, said.err) == (0, "")
    assert said.out == run("--help").out
    assert said.out.count("\n") > 10


def test_the_first_help_says_each_command_in_a_whole_line(run: Run) -> None:
    said = run("--help")
    assert [line.split()[0] for line in said.out.split("Commands:\n")[1].splitlines()] == [
        *COMMANDS
    ]
    assert "..." not in said.out.replace("[ARGS]...", "")
    assert "--install-completion" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example_on_its_own_line(run: Run, name: str) -> None:
    said = run(name, "--help")
    assert said.code == 0
    assert re.search(rf"^ *leaktight {name} \S.*$", said.out, re.MULTILINE), said.out


def test_an_audit_is_written_as_a_page(run: Run) -> None:
    for name in ("page.md", "page.html"):
        said = run("audit", str(STUDIES / "vote.toml"), "--report", name)
        assert said.code == 0
        assert f"report: {name}" in said.out
        assert "The city with the most votes" in Path(name).read_text()


def test_an_audit_is_proved_by_a_certificate(run: Run) -> None:
    words = ["audit", str(STUDIES / "hospital.toml"), "--certificate", "proof.json"]
    said = run(*words, "--report", "ward.md")
    assert said.code == 1
    assert "It proves the worst case: that no mechanism as private leaks more." in said.out
    assert "  leaktight verify proof.json\n" in said.out
    page = Path("ward.md").read_text()
    assert (
        f"    leaktight {' '.join(words[:2])} --report ward.md --certificate proof.json\n" in page
    )
    assert "    leaktight verify proof.json\n" in page
    checked = run("verify", "proof.json")
    assert checked.code == 0
    assert "a factor of 12/7\n" in checked.out  # six databases; see test_audit
    assert json.loads(run(*words, "--json").out)["certificate"]["file"] == "proof.json"


def test_the_best_mechanism_is_proved_to_be_the_best(run: Run) -> None:
    said = run("audit", str(STUDIES / "vote.toml"), "--certificate", "proof.json")
    assert "that the mechanism is private, and none is better" in said.out
    proof = json.loads(Path("proof.json").read_text())
    assert proof["format"] == "leaktight mechanism 1"
    study = read_study(STUDIES / "vote.toml")
    assert study.channel is not None
    assert proof["mechanism"] == [[str(p) for p in row] for row in study.channel.matrix]
    checked = run("verify", "proof.json")
    assert checked.code == 0
    assert "not exceeded: 1/2\n" in checked.out  # λ/(λ + n − 1) on four joined answers


def test_no_file_is_written_over_one_that_is_read(run: Run) -> None:
    text = '[policy]\nvalues = ["no", "yes"]\n[mechanism]\nkind = "file"\nfile = "coin.csv"\n'
    for name in ("study.md", "study.toml"):
        Path(name).write_text(text)
    coin = Path("coin.csv").read_text()
    for words in (
        "study.toml --certificate coin.csv",
        "study.toml --certificate ./study.toml",
        "study.md --report study.md",
    ):
        said = run("audit", *words.split())
        assert said.code == 2, said
        assert "must be two files" in said.err
    assert Path("coin.csv").read_text() == coin
    assert Path("study.toml").read_text() == Path("study.md").read_text() == text


def test_what_cannot_be_written_is_said_before_anything_is_computed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(import_module("leaktight.studies.audit"), "audit", computed)
    assert run("audit", "policy.toml", "--report", "no/page.html").code == 2
    monkeypatch.setattr("leaktight.worst_case.optimum.worst_case_leakage", computed)
    assert run("bound", "line:3", "--ratio", "2", "--certificate", "no/c.json").code == 2


def test_json_is_the_answers(run: Run) -> None:
    path = STUDIES / "hospital.toml"
    said = run("audit", str(path), "--json")
    assert said.code == 1
    expected: Any = json.loads(json.dumps(to_json(audit(read_study(path)))))
    assert json.loads(said.out) == expected


def test_quiet_is_one_line(run: Run) -> None:
    said = run("audit", str(STUDIES / "hospital.toml"), "--quiet")
    assert said.code == 1
    assert said.out.count("\n") == 1
    assert said.out.startswith("FAIL: ")
    assert "ε = 1.387 (limit 0.6932), " in said.out  # ln 4 = 1.38629…


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "leaktight", *words]
        return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path)

    version = ran("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert re.fullmatch(r"leaktight \d+\.\d+\.\d+\n", version.stdout)
    missing = ran("audit", "no.toml")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == "leaktight: there is no file no.toml; a study is a TOML file\n"


def test_a_terminal_without_greek_letters_is_no_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "leaktight", "audit", str(STUDIES / "vote.toml")]
    plain = os.environ | {"PYTHONIOENCODING": "ascii"}
    said = subprocess.run(command, capture_output=True, encoding="ascii", env=plain, check=False)
    assert said.returncode == 0
    assert "PASS: ? = " in said.stdout


# --- shells --------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last of some words."""
    asked = {
        "_LEAKTIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["leaktight", *words]),
        "COMP_CWORD": str(len(words)),
    }
    script = Path(sys.executable).parent / "leaktight"
    said = subprocess.run([script], capture_output=True, encoding="utf-8", env=os.environ | asked)
    assert (said.returncode, said.stderr) == (0, "")
    return [line.partition(",")[2] for line in said.stdout.splitlines()]


def test_a_shell_completes_commands_options_and_claims() -> None:
    assert completed("re") == ["repeat", "release", "reproduce"]
    assert completed("audit", "--cert") == ["--certificate"]
    assert completed("bound", "gr") == ["grid:3x4"]
    assert sorted(completed("design", "line:4", "--gain", "d")) == ["difference", "distance"]
    claims = completed("reproduce", "E-T1")
    assert "E-T11" in claims
    assert all(name.startswith("E-T1") for name in claims)
    assert completed("audit", "st") == ["st"]  # a file: bash then completes its name by itself


def test_graphs_are_completed_to_what_the_help_says(run: Run) -> None:
    forms = completed("bound", "")
    assert [graph_of(form).order for form in forms] == [6, 4, 7, 10, 12, 3]
    assert ", ".join(forms) in " ".join(run("bound", "--help").out.split())


def test_the_script_for_a_shell_is_shown() -> None:
    command = [sys.executable, "-m", "leaktight", "--show-completion", "bash"]
    said = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert "complete -o nosort -F" in said.stdout


def test_completion_is_installed_once_where_a_shell_finds_it(tmp_path: Path) -> None:
    home = os.environ | {"HOME": str(tmp_path), "SHELL": "/bin/bash"}
    for _ in range(2):
        command = [sys.executable, "-m", "leaktight", "--install-completion"]
        subprocess.run(command, capture_output=True, check=True, env=home)
    [place] = tmp_path.rglob("complete.bash")
    assert "_LEAKTIGHT_COMPLETE=bash_complete" in place.read_text()
    assert (tmp_path / ".bashrc").read_text().count(str(place)) == 1


@pytest.mark.parametrize("words", ["--help", "--version"])
def test_an_answer_that_nobody_reads_is_no_violation(words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "leaktight", *words.split()]
    said = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, encoding="utf-8")
    os.close(writer)
    assert (said.returncode, said.stderr) == (141, "")


def test_a_closed_output_changes_no_exit_code() -> None:
    command = f"{shlex.quote(sys.executable)} -m leaktight --version >&-"
    said = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, encoding="utf-8")
    assert (said.returncode, said.stderr) == (0, "")


def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "leaktight", "--version"]
        said = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8")
    assert said.returncode == 2
    assert said.stderr == "leaktight: the output cannot be used: No space left on device\n"
