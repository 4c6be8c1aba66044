"""Other promises than ε on the command line, and the commands that the how-to shows."""

import json
import re
import shlex
from pathlib import Path

import pytest

from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.explanation import explain
from tests.commands.conftest import Run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "promises.md"
BLOCKS = re.findall(r"^```\n(\$ leaktight(?s:.*?))^```", PAGE.read_text("utf-8"), re.M)
SHOWN = [
    found
    for block in BLOCKS
    for found in re.findall(r"^\$ leaktight (.*)\n((?:[^$].*\n)*)", block, re.M)
]


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_how_to_shows_what_a_command_prints(run: Run, command: str, shown: str) -> None:
    found = run(*shlex.split(command))
    assert (found.code, found.out) == (0, shown)
    assert max(map(len, found.out.splitlines())) <= 80


def test_the_how_to_has_the_commands_that_people_ask_for() -> None:
    assert len(SHOWN) >= 10
    commands = " ".join(command for command, _ in SHOWN)
    for option in ("--rho 2.63", "--mu 1", "--delta 1e-5", "--noise gaussian", "--neighbours"):
        assert option in commands


README = (PAGE.parents[2] / "README.md").read_text("utf-8")
LISTED = re.findall(r"^leaktight (explain .*?)(?:  +# (.*))?$", README, re.M)


@pytest.mark.parametrize(("command", "said"), LISTED, ids=[command for command, _ in LISTED])
def test_the_readme_says_what_a_promise_lets_anyone_guess(
    run: Run, command: str, said: str
) -> None:
    found = run(*shlex.split(command))
    assert found.code == 0
    assert all(percent in found.out for percent in re.findall(r"[\d.]+%", said))


def test_the_readme_has_the_promises_that_people_ask_for() -> None:
    commands = " ".join(command for command, _ in LISTED)
    for option in ("complete:63 --rho 2.63", "complete:6 --mu 1", "--epsilon 1 --delta 1e-5"):
        assert option in commands
    assert 'PrivacyCurve.gaussian(1).subsampled("0.01").power(1000)' in README


def test_explain_says_what_the_library_says(run: Run) -> None:
    six = SecretGraph.complete(6)
    for words, given in (
        (["--mu", "1"], {"mu": 1}),
        (["--epsilon", "1", "--delta", "1e-6"], {"epsilon": 1, "delta": "1e-6"}),
        (["--mu", "1/2", "--observations", "3"], {"mu": "1/2", "observations": 3}),
    ):
        found = run("explain", "complete:6", *words)
        assert found.out == f"{explain(six, **given)}\n"
    said = json.loads(run("explain", "complete:6", "--mu", "1", "--json").out)
    assert (said["neighbours"], said["other"]["neighbours"]) == ("replace", "add/remove")
    assert said["chances"][1]["chance"] == pytest.approx(0.42186215161)
    assert said["other"]["chances"][1]["chance"] == pytest.approx(0.51299461602)
    assert 0.9 < said["beliefs"][0]["at most"] < 0.92


def test_pairs_of_an_accountant_are_a_file(run: Run) -> None:
    Path("pairs.csv").write_text("epsilon,delta\n1,1e-6\n0.5, 0.01\n")
    Path("bare.csv").write_text("1,1e-6\n\n0.5,0.01\n")
    found = run("explain", "complete:6", "--curve", "pairs.csv")
    assert found.code == 0
    assert "ε = 1, δ = 1e-06; ε = 0.5, δ = 0.01" in " ".join(found.out.split())
    assert run("explain", "complete:6", "--curve", "bare.csv").out == found.out
    Path("study.toml").write_text(
        '[policy]\nvalues = 6\n[question]\ncurve = [[1, "1e-6"], [0.5, 0.01]]\n'
    )
    bound = run("bound", "study.toml").out
    assert bound == run("bound", "complete:6", "--curve", "pairs.csv").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("explain complete:6 --mu 1 --rho 1", "got --rho and --mu"),
        ("explain complete:6 --mu 1 --epsilon 1", "got --epsilon and --mu"),
        ("explain complete:6 --delta 0.1", "(--delta beside an ε), got --delta"),
        (
            "explain complete:6 --epsilon 1 --ratio 2 --delta 0.1",
            "got --ratio and --epsilon",
        ),
        ("explain complete:6", "give one promise: --ratio, --epsilon, --rho, --mu or --curve"),
        ("explain complete:6 --mu -1", "at least 0"),
        ("explain complete:6 --epsilon 1 --delta 2", "from 0 to 1"),
        ("explain complete:6 --mu 1 --neighbours near", "'replace' or 'add/remove'"),
        ("explain complete:6 --mu 1 --sure 2", "above 0 and below 1"),
        ("explain line:4 --mu 1 --neighbours replace", "the edges are the neighbours"),
        ("explain euclidean:2x2 --mu 1", "with distances pure ε"),
        ("explain complete:6 --curve none.csv", "cannot be read"),
        ("explain complete:6 --curve coin.csv", "two numbers, epsilon,delta"),
        ("explain complete:6 --curve junk.json", "cannot be read"),
        ("bound complete:6 --mu 1 --outputs 2", "--outputs is for the published bounds"),
        ("bound line:6 --mu 1 --records 2 --certificate c.json", "one record has both"),
        ("bound interval:0:1 --mu 1", "pure ε alone is proved"),
        ("bound complete:2 --records 300 --count 0=150 --mu 1", "too many"),
        ("choose complete:6", "one of --below, --factor and --advantage"),
        ("choose --noise gaussian --below 1/3", "say of which values"),
        ("choose --noise gaussian", "give one of --below, --advantage, --error, --value"),
        ("choose --noise laplace --advantage 1/2", "must be gaussian"),
        ("choose --noise gaussian --error 5%", "two rates such as 5%,80%"),
        ("choose --noise gaussian --error 50%,60%", "less than 1 together"),
        ("choose --noise gaussian --value 1% --factor 1", "must be more than the belief before"),
        ("choose line:4 --noise gaussian --below 1/2", "all neighbours, as in complete:6"),
        (
            "choose complete:6 --below 1/3 --advantage 1/2",
            "one of --below, --factor and --advantage",
        ),
        ("choose complete:6 --error 5%,80%", "--error goes with --noise gaussian"),
        ("choose complete:6 --factor 2 --promise mu", "are for pure ε, or --noise"),
        ("choose complete:6 --value 7 --below 1/2", "there is no value '7'"),
        ("explain 1% --epsilon 1 --sensitive 0", "--sensitive names values"),
        ("choose complete:6 --below 1/3 --promise sigma", "--promise must be epsilon, rho, mu"),
        ("choose complete:6 --below 1/3 --promise mu --delta 0.1", "--delta goes with"),
        ("choose complete:6 --below 1/3 --promise mu --gain distance", "--gain is for pure ε"),
        ("choose complete:6 --below 1/3 --neighbours replace", "--neighbours goes with"),
    ],
)
def test_bad_input_gets_one_line(run: Run, words: str, said: str) -> None:
    found = run(*words.split())
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert found.out == ""


def test_a_certificate_of_a_curve_is_verified_beside_its_study(run: Run) -> None:
    Path("six.toml").write_text("[policy]\nvalues = 6\n[question]\nmu = 1\n")
    Path("more.toml").write_text("[policy]\nvalues = 6\n[question]\nmu = 2\n")
    Path("pure.toml").write_text("[policy]\nvalues = 6\n[question]\nratio = 2\n")
    Path("line.toml").write_text('[policy]\nvalues = 6\nsecrets = "line"\n[question]\nmu = 1\n')
    assert run("audit", "six.toml", "--certificate", "six.json").code == 0
    assert run("verify", "six.json").code == 0
    assert "it is about this" in run("verify", "six.json", "--study", "six.toml").out
    for name, said in (("more", "another promise"), ("pure", "another kind"), ("line", "digest")):
        found = run("verify", "six.json", "--study", f"{name}.toml")
        assert found.code == 1
        assert said in found.out
    content = json.loads(Path("six.json").read_text())
    Path("six.json").write_text(json.dumps(content | {"upper": "2/5"}))
    assert run("verify", "six.json").code == 1


def test_choose_answers_machines(run: Run) -> None:
    words = ["choose", "complete:6", "--below", "1/3", "--promise", "mu", "--json"]
    said = json.loads(run(*words).out)
    assert [each["neighbours"] for each in said["chosen"]] == ["replace", "add/remove"]
    assert said["chosen"][0]["mu"] == pytest.approx(0.680044, rel=1e-5)
    noise = json.loads(run("choose", "--noise", "gaussian", "--advantage", "0.1", "--json").out)
    assert noise["chosen"][0]["sigma"] == pytest.approx(3.978949, rel=1e-6)


def test_a_published_promise_is_explained_with_its_source(run: Run) -> None:
    said = run("explain", "complete:63", "--deployment", "census2020")
    assert said.code == 0, said.err
    same = run("explain", "complete:63", "--rho", "2.63", "--neighbours", "replace")
    assert said.out.endswith(same.out)
    assert "US Census Bureau" in said.out
    assert "https://" in said.out
    found = json.loads(run("explain", "--deployment", "census2020", "--json").out)
    assert found["deployment"] == "census2020"
    for words, told in (
        ("explain --deployment censu", "did you mean 'census2020'?"),
        ("explain --deployment census2020 --epsilon 1", "give no other"),
        ("explain --epsilon 1", "say what is secret"),
    ):
        refused = run(*words.split())
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert told in refused.err
