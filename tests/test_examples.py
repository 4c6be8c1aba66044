"""The examples run, and print what their text promises; so does the README."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from leaktight.commands.app import main

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PROMISES = {
    "audit_black_box": "second version: ε = 1 is refuted: ε is at least 1.",
    "broken_mechanisms": "sparse vector without noise on answers (Algorithm 5): refuted, ε ≥ ",
    "crowds": "6 members: whoever is seen is the initiator with chance 1/2,",
    "dc_net": "a ring of 5, coins 1/2: the sender is guessed with chance 1/5 before, 1/5 after",
    "is_rounding_enough": "rounded to the nearest 5 (off by 1.20): 54.8%, 100.0%, 60.0%; ε = inf",
    "noisy_max": "the winner, ties by chance: ratio 488/173,",
    "password_checker": "answer and time: guessed with chance 1/8 before, 1/2 after",
    "public_counts": "with it: 4 because of",
    "repeated_survey": "after   1 answers: 75.0% if both are alike, 99.00% if one is rare",
    "sparse_vector": "noiseless, noise up to ±3, 2 questions: ratio inf, more than 16",
}


def test_every_example_has_a_promise() -> None:
    assert {example.stem for example in EXAMPLES} == set(PROMISES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_promises(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert PROMISES[example.stem] in capsys.readouterr().out


def test_the_readme_shows_what_an_audit_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    [(command, shown)] = re.findall(r"^\$ (leaktight .*)\n((?s:.*?))…\n```", readme, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith(shown)
    assert Path("page.html").exists()
