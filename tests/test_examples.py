"""The examples run, and print what their text promises."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
PROMISES = {
    "password_checker": "answer and time: guessed with chance 1/8 before, 1/2 after",
    "public_counts": "with it: 4 because of",
    "repeated_survey": "after   1 answers: 75.0% if both are alike, 99.00% if one is rare",
}


def test_every_example_has_a_promise() -> None:
    assert {example.stem for example in EXAMPLES} == set(PROMISES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_promises(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert PROMISES[example.stem] in capsys.readouterr().out
