"""leak, compare and estimate, as a user runs them."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from leaktight.channels.file import read_channel
from leaktight.exact.rounding import log2
from leaktight.leakage.vulnerability import posterior_vulnerability
from tests.commands.conftest import Run


def test_leak_prints_a_table_that_fits_a_terminal(run: Run) -> None:
    said = run("leak", "coin.csv", "--prior", "9/10,1/10")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    assert "one guess is right" in said.out
    assert "it makes 'yes' likelier by a factor of 20/11" in said.out  # (2/3)/(9/10·1/3 + 1/10·2/3)


def test_leak_as_json_has_exact_numbers(run: Run) -> None:
    told = json.loads(run("leak", "coin.csv", "--json").out)
    one = told["measures"][0]
    assert (one["before"], one["after"]) == ("1/2", "2/3")
    assert one["bits"] == pytest.approx(log2("4/3"))
    assert [each["factor"] for each in told["at worst"]][:2] == ["4/3", "3/2"]
    assert told["ratio of any two inputs"] == "2"


def test_an_output_that_rules_an_input_out(run: Run) -> None:
    Path("zero.csv").write_text("answer,-,+\nno,1,0\nyes,1/2,1/2\n")
    assert "rules an input out" in " ".join(run("leak", "zero.csv").out.split())
    assert (
        json.loads(run("leak", "zero.csv", "--json").out)["ratio of any two inputs"] == "infinite"
    )


LOCK = "def check(pin):\n    print('looking')\n    return pin == 3\n"


def test_a_program_is_run_only_if_its_code_is_allowed(run: Run) -> None:
    Path("lock.py").write_text("raise SystemExit('it ran')\n" + LOCK)
    refused = run("program", "lock:check", "--inputs", "0,1,2,3")
    assert refused.code == 2
    assert refused.err == (
        "leaktight: 'lock:check' is Python code; if you trust it, pass --allow-code\n"
    )


def test_a_program_is_told_as_its_channel_is(run: Run) -> None:
    Path("sub").mkdir()
    Path("sub/lock.py").write_text(LOCK)
    asked = ["--inputs", "0,1,2,3", "--allow-code"]
    done = run("program", "sub/lock:check", *asked, "--output", "lock.csv")
    assert done.code == 0, done.err
    assert "looking" not in done.out
    told = run("program", "sub/lock:check", *asked, "--json")
    assert told.out == run("leak", "lock.csv", "--json").out
    assert read_channel("lock.csv").matrix.tolist() == [[1, 0], [1, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("lock", "must be module:function of a file in ., got 'lock'"),
        ("lock:chek", "lock.py has no function 'chek'; did you mean 'check'?"),
        ("missing:check", "must be module:function"),
        ("lock:wrong", "raised ZeroDivisionError"),
    ],
)
def test_a_program_that_cannot_be_run_is_named(run: Run, function: str, said: str) -> None:
    Path("lock.py").write_text(LOCK + "\ndef wrong(pin):\n    return 1 / 0\n")
    refused = run("program", function, "--inputs", "0,1", "--allow-code")
    assert refused.code == 2
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_inputs_that_are_not_all_numbers_are_texts(run: Run) -> None:
    Path("same.py").write_text("def same(x):\n    return repr(x)\n")
    for given, outputs in (("-1,2", ("-1", "2")), ("1,b", ("'1'", "'b'"))):
        arguments = ("--inputs", given, "--allow-code", "--output", "same.json")
        assert run("program", "same:same", *arguments).code == 0
        assert read_channel("same.json").outputs == outputs


@pytest.mark.parametrize(
    ("given", "count"), [("0..9999", 10_000), ("range:300", 300), ("bits:8", 256), ("-2..2,7", 6)]
)
def test_inputs_in_a_row_are_each_an_input(run: Run, given: str, count: int) -> None:
    Path("last.py").write_text("def last(x):\n    return x % 2\n")
    done = run("program", "last:last", f"--inputs={given}", "--allow-code")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{count:,} inputs, 2 outputs")


@pytest.mark.parametrize("given", ["10000", "range:1", "5..3,7", "no", "bits:60", "0..99999999"])
def test_fewer_than_two_inputs_or_too_many_are_refused(run: Run, given: str) -> None:
    Path("last.py").write_text("def last(x):\n    return 0\n")
    refused = run("program", "last:last", f"--inputs={given}", "--allow-code")
    assert refused.code == 2
    assert "--inputs m" in refused.err
    assert refused.err.count("\n") == 1


def test_compare_says_how_near_floats_are_to_what_it_claims(run: Run) -> None:
    Path("floats.csv").write_text("answer,-,+\nno,0.70000000000000001,0.3\nyes,0.3,0.7\n")
    said = run("compare", "floats.csv", "floats.csv").out
    assert said.startswith(
        "floats.csv and floats.csv tell nearly the same: each can nearly be made"
    )
    assert "Floats decide up to rounding alone: floats.csv, made from floats.csv, may leak" in said
    [told, _] = json.loads(run("compare", "floats.csv", "floats.csv", "--json").out)
    assert told["the other can be made from it"] == "nearly"
    assert 0 < told["it may leak more by"] < 1e-12
    Path("flat.csv").write_text("answer,-,+\nno,0.50000000000000001,0.5\nyes,0.5,0.5\n")
    said = run("compare", "floats.csv", "flat.csv").out
    assert said.startswith(
        "flat.csv is nearly safer: it can nearly be made from floats.csv, and hardly"
    )


def test_compare_says_which_is_safer_and_shows_when_it_is_not(run: Run) -> None:
    Path("sharp.csv").write_text("answer,-,+\nno,3/4,1/4\nyes,1/4,3/4\n")
    Path("zero.csv").write_text("answer,-,+\nno,1,0\nyes,1/2,1/2\n")
    assert "coin.csv is safer" in run("compare", "sharp.csv", "coin.csv").out
    assert "coin.csv is safer" in run("compare", "coin.csv", "sharp.csv").out
    assert "tell the same" in run("compare", "coin.csv", "coin.csv").out
    said = run("compare", "sharp.csv", "zero.csv")
    assert said.out.startswith("Neither is safer")
    assert max(map(len, said.out.splitlines())) <= 80
    for told in json.loads(run("compare", "sharp.csv", "zero.csv", "--json").out):
        prior = {x: Fraction(p) for x, p in told["leaks less for the prior"].items()}
        gain = [[Fraction(each) for each in row] for row in told["and the gain"]]
        expected = {
            name: sum(
                max(
                    sum(
                        prior[x] * Fraction(channel[x, z]) * row[i]
                        for i, x in enumerate(channel.inputs)
                    )
                    for row in gain
                )
                for z in channel.outputs
            )
            for name in ("sharp.csv", "zero.csv")
            for channel in [read_channel(name)]
        }
        other = {"sharp.csv": "zero.csv", "zero.csv": "sharp.csv"}[told["channel"]]
        assert expected[told["channel"]] < expected[other]
        # An output of zero.csv rules an input out, and none of sharp.csv does.
        weaker = told["channel"] == "zero.csv"
        assert told["the other is as private between any two inputs"] == weaker
    # Its other output tells less than either of sharp.csv's, so the max case differs both ways.
    assert "Some output of zero.csv tells more than each of sharp.csv." in said.out
    assert "Some output of sharp.csv tells more than each of zero.csv." in said.out
    assert "sharp.csv is as private as zero.csv between any two inputs." in said.out


def test_leak_says_epsilon_per_unit_where_there_are_distances(run: Run) -> None:
    """ln 2 over a distance of 30; on a graph, over an edge."""
    told = " ".join(run("leak", "coin.csv", "--graph", "edges:no-yes=30").out.split())
    assert "On edges:no-yes=30, it is private at ε = 0.023105 per unit of distance;" in told
    assert "per unit" not in run("leak", "coin.csv", "--graph", "edges:no-yes").out
    found = json.loads(run("leak", "coin.csv", "--graph", "edges:no-yes=30", "--json").out)
    assert (found["ratio on the graph"], found["at a distance of"]) == ("2", "30")


def test_repeat_explains_how_each_chance_was_found(run: Run) -> None:
    told = run("repeat", "coin.csv", "--observations", "1,5,1000000").out
    methods = {line.split("(")[1] for line in told.splitlines()[1:] if line.endswith(")")}
    assert len(methods) == 2
    assert all(told.count(f"({method}: ") == 1 for method in methods)


def test_estimate_encloses_what_made_the_samples(run: Run) -> None:
    """Every output as often as the channel says: 2/3 of each secret's are its own."""
    rows = [f"{s},{s if i % 3 else 1 - s}" for s in (0, 1) for i in range(3000)]
    Path("seen.csv").write_text("\n".join(["secret,output", *rows]))
    told = json.loads(run("estimate", "seen.csv", "--json").out)
    after = posterior_vulnerability(read_channel("coin.csv"))
    vulnerability, leak, _ = told["estimates"]
    assert vulnerability["lower"] < after < vulnerability["upper"]
    assert leak["lower"] < log2("4/3") < leak["upper"]
    assert told["evidence of a leak"] is True
    assert "there is evidence of a leak" in run("estimate", "seen.csv").out
    missing = run("estimate", "seen.csv", "--secret", "x")
    assert missing.code == 2
    assert "there is no column 'x'" in missing.err


def test_estimate_says_in_words_how_many_looks_break_a_secret(run: Run) -> None:
    """The time is 100·secret or 20 more: both digits show one of five, all but certainly."""
    rows = [f"{s},{100 * s + 20 * (i % 2)}" for s in range(5) for i in range(400)]
    Path("times.csv").write_text("\n".join(["secret,output", *rows]))
    said = run("estimate", "times.csv", "--try", "round:200", "--try", "pad:max")
    assert said.code == 0, said.err
    told = " ".join(said.out.split())
    assert "One guess of the secret is right with 20% before, and with about 100% after" in told
    assert "Looks until a guess is right with 99%: about 1, an estimate." in told
    table = {line.split()[0]: line.split() for line in said.out.splitlines() if line}
    assert table["as"][-2:] == ["about", "1"]
    # 0 and 20 become 0, 100 to 220 become 200, 300 to 420 become 400: three of five are right.
    assert abs(float(table["round:200"][1].removesuffix("%")) - 60) < 4
    assert table["round:200"][-3:-1] == ["more", "than"]
    assert abs(float(table["pad:max"][1].removesuffix("%")) - 20) < 4
    found = json.loads(run("estimate", "times.csv", "--try", "pad:to:100", "--json").out)
    assert found["share of the likeliest secret"] == "1/5"
    assert [each["looks"] for each in found["looks"]] == [1]
    padded = found["tries"][0]  # of 0 and 100, of which half is 100 and half 120, one is told
    assert padded["try"] == "pad:to:100"
    assert padded["lower"] < 0.9 < padded["upper"]


def test_outputs_that_are_never_seen_twice_are_not_called_safe(run: Run) -> None:
    """The last digit tells the secret, which counts of what is seen once cannot know."""
    rows = [f"{i % 2},{10 * (i % 2) + 100 * (i // 20) + i % 20}" for i in range(2000)]
    Path("once.csv").write_text("\n".join(["secret,output", *rows]))
    said = " ".join(run("estimate", "once.csv", "--try", "pad:max").out.split())
    assert "with 99%: not known, most outputs were seen only once" in said
    assert "more than 2,000" not in said
    assert "Looking at the same secret" not in said


def test_a_countermeasure_that_cannot_be_is_refused_in_one_line(run: Run) -> None:
    Path("words.csv").write_text("secret,output\na,fast\nb,2\n")
    Path("few.csv").write_text("secret,output\na,1\nb,2\n")
    for how, why in (
        ("cut:3", "must be round:1000, pad:1000"),
        ("round:0", "must be round:1000, pad:1000"),
        ("round:max", "must be round:1000, pad:1000"),
        ("pad:to:x", "must be round:1000, pad:1000"),
        ("round:2 --numbers", "leave out --numbers"),
    ):
        said = run("estimate", "few.csv", "--try", *how.split())
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert why in said.err
    said = run("estimate", "words.csv", "--try", "round:2")
    assert said.code == 2
    assert "outputs must be numbers" in said.err
    assert "fast" not in said.err
    assert "99%: not tried, there are too few samples" in run("estimate", "few.csv").out


def test_estimate_from_real_numbers(run: Run) -> None:
    rows = [f"{'slow' if i % 2 else 'fast'},{i % 2 + i / 1000},{i % 7}" for i in range(400)]
    Path("times.csv").write_text("\n".join(["key,time,power", *rows]) + "\n")
    asked = ("estimate", "times.csv", "--secret", "key", "--numbers", "--output")
    said = run(*asked, "time,power")
    assert said.code == 0, said.err
    assert said.out.startswith("One guess of the secret is right with 50% before, and with about ")
    assert "100%" in said.out.splitlines()[1]  # nothing is bounded from above
    assert "from 0.98" in said.out
    assert "learnt: " in said.out
    told = json.loads(run(*asked, "time", "--json").out)
    assert told["samples"] == 400
    assert [each["upper"] >= 1 for each in told["estimates"]] == [True, True]
    refused = run(*asked, "key")
    assert refused.code == 2
    assert "must hold numbers" in refused.err


def test_what_is_not_bounded_is_nothing_in_json(run: Run) -> None:
    Path("few.csv").write_text("secret,output\na,1\nb,2\n")
    for words in ("estimate few.csv --json", "estimate few.csv --numbers --json --confidence 0.5"):
        said = run(*words.split())
        assert said.code == 0, said
        ends = [each["upper"] for each in json.loads(said.out)["estimates"]]
        assert None in ends  # two samples bound no leakage from above
        assert run(*words.replace("--json", "").split()).code == 0


def best_by_hand(left: list[int], answers: list[list[int]], n: int) -> int:
    """How many of the secrets left are guessed right, by trying every tree of questions."""
    if n == 0 or len(left) < 2:
        return min(len(left), 1)
    return max(
        sum(
            best_by_hand([x for x in left if row[x] == z], answers, n - 1)
            for z in {row[x] for x in left}
        )
        for row in answers
    )


def test_program_finds_the_best_questions(run: Run) -> None:
    Path("high.py").write_text("def ask(pin, tried):\n    return (tried > pin) - (tried < pin)\n")
    asked = ("program", "high:ask", "--inputs", "0..11", "--questions", "0..11", "--allow-code")
    found = json.loads(run(*asked, "--attack", "3", "--json").out)
    answers = [[(tried > pin) - (tried < pin) for pin in range(12)] for tried in range(12)]
    right = [Fraction(best_by_hand(list(range(12)), answers, n), 12) for n in range(4)]
    assert [Fraction(each["lower"]) for each in found["attacks"]] == right
    assert [Fraction(each["upper"]) for each in found["attacks"]] == right
    said = run(*asked, "--attack", "1")
    assert said.code == 0, said.err
    assert "1  25% (1/4)" in said.out
    assert "First ask " in said.out
    assert "After 0 guess " in said.out
    assert "nobody does better" in " ".join(said.out.split())


def test_program_asks_questions_whose_answers_are_drawn(run: Run) -> None:
    """One look at a coin that says the truth with 3/4: right with 3/4; before, with 9/10."""
    Path("coin.py").write_text(
        "def ask(bit, question, chance):\n"
        "    return bit if question and chance.flip('3/4') else int(not bit) * question\n"
    )
    asked = ("program", "coin:ask", "--inputs", "0,1", "--questions", "0,1", "--allow-code")
    found = json.loads(run(*asked, "--attack", "1", "--json").out)
    assert [each["lower"] for each in found["attacks"]] == ["1/2", "3/4"]
    assert found["first"] == "ask 1"
    skewed = json.loads(run(*asked, "--attack", "1", "--prior", "9/10,1/10", "--json").out)
    assert [each["lower"] for each in skewed["attacks"]] == ["9/10", "9/10"]


def test_an_attack_that_cannot_be_is_refused_in_one_line(run: Run) -> None:
    Path("one.py").write_text("def ask(pin):\n    return pin\n")
    Path("two.py").write_text("def ask(pin, tried):\n    return pin == tried\n")
    for words, why in (
        ("two:ask --inputs 0..3 --attack 2", "needs --questions such as 0..99"),
        ("two:ask --inputs 0..3 --questions 0..3", "--attack such as 3"),
        ("two:ask --inputs 0..3 --questions 7 --attack 2", "--questions must be two or more"),
        ("two:ask --inputs 0..3 --questions 0..3 --attack 1 --output a.csv", "has no --output"),
        ("two:ask --inputs 0..9999 --questions 0..9999 --attack 2", "may be 1,048,576 at most"),
        ("one:ask --inputs 0..3 --questions 0..3 --attack 2", "of the input and the question"),
    ):
        said = run("program", *words.split(), "--allow-code")
        assert (said.code, said.err.count("\n")) == (2, 1), said
        assert why in said.err
