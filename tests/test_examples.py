"""The examples run, and print what their text promises."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
PROMISES = {
    "audit_black_box": "second version: ε = 1 is refuted: ε is at least 1.",
    "crowds": "6 members: whoever is seen is the initiator with chance 1/2,",
    "dc_net": "a ring of 5, coins 1/2: the sender is guessed with chance 1/5 before, 1/5 after",
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
