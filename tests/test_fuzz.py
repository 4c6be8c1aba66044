"""The standing search: every property is tried for a moment, and every case that it ever found."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.broken import MUTANTS
from fuzz.mutants import broken
from fuzz.property import CORPUS, Property, all_properties, searched
from fuzz.search import Tally, try_some

PROPERTIES = all_properties()


def named(what: Property) -> str:
    return what.name


@pytest.mark.parametrize("what", PROPERTIES, ids=named)
def test_a_property_holds_in_a_few_cases(what: Property) -> None:
    tally = Tally()
    try_some(what, draws=4, seed=0, tally=tally)
    assert tally.failure is None, tally.failure
    assert tally.cases > 0


@pytest.mark.parametrize("what", [p for p in PROPERTIES if p.file.exists()], ids=named)
def test_what_was_found_stays_mended(what: Property) -> None:
    cases = what.kept()
    assert cases
    for case in cases:
        what.try_case(case)  # raises where it is wrong; to refuse it may be what mended it


def test_every_kept_case_belongs_to_a_property() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} <= {what.name for what in PROPERTIES}


def test_every_mutant_breaks_a_line_that_is_there() -> None:
    """Whoever changes such a line breaks it anew in ``fuzz/broken.py``."""
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS) >= 40
    for mutant in MUTANTS:
        assert broken(mutant)


def test_every_property_says_what_would_be_wrong_and_has_a_name_of_its_own() -> None:
    assert len({what.name for what in PROPERTIES}) == len(PROPERTIES)
    assert all(what.wrong.endswith(".") for what in PROPERTIES)


def test_what_fails_is_found_made_small_and_can_be_tried_again() -> None:
    @searched(number=lambda d: d.below(200), other=lambda d: d.below(200))
    def small(number: int, other: int) -> None:
        assert number < 17

    tally = Tally()
    try_some(small, draws=50, seed=0, tally=tally)
    assert tally.failure is not None
    assert tally.failure.case == {"number": 17, "other": 0}
    with pytest.raises(AssertionError):
        small.try_case(tally.failure.case)


def test_the_search_counts_what_it_tried() -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "fuzz",
            "--seconds",
            "1",
            "--property",
            "numbers.steps",
            "--seed",
            "1",
        ],
        cwd=Path(importlib.import_module("fuzz").__file__ or "").parent.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "1 properties, seed 1" in run.stdout
    assert run.stdout.endswith("none wrong\n")
