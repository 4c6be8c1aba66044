"""An error about somebody's data quotes none of it, neither in its text nor in what hangs on it."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leaktight as lt
from leaktight.mechanisms.clamped import ClampedLaplace
from leaktight.mechanisms.release import release_csv
from leaktight.policies.real import Interval
from leaktight.samples.numbers import estimate_from_numbers, read_numbers
from leaktight.samples.observations import Observations, read_observations

SECRET = "Ada Lovelace"
COIN = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])


def said(do: Callable[[], object]) -> str:
    """Return all that an error says, with everything that hangs on it."""
    with pytest.raises(lt.LeaktightError) as caught:
        do()
    wrong: BaseException | None = caught.value
    texts = []
    while wrong is not None:
        texts.append(f"{wrong} {wrong.args!r} {getattr(wrong, 'object', '')!r}")
        texts += traceback.format_exception_only(wrong)
        wrong = wrong.__cause__ or wrong.__context__
    return "\n".join(texts)


GIVEN: dict[str, Callable[[], object]] = {
    "one input": lambda: lt.sample(COIN, SECRET),
    "some inputs": lambda: lt.sample(COIN, ["no", SECRET]),
    "an array": lambda: lt.sample(COIN, np.array(["no", SECRET])),
    "records": lambda: lt.sample(lt.parallel(COIN, COIN), ["no", SECRET]),
    "no records": lambda: lt.sample(lt.parallel(COIN, COIN), SECRET),
    "a column": lambda: lt.release(COIN, ["no", SECRET]),
    "a text as a column": lambda: lt.release(COIN, SECRET),
    "near to an input": lambda: lt.release(COIN, ["no", f"{SECRET}yes"]),
    "a number beside an interval": lambda: ClampedLaplace(Interval(0, 1), epsilon=1).draw(7531),
    "a text beside an interval": lambda: ClampedLaplace(Interval(0, 1), epsilon=1).draw(SECRET),
    "samples": lambda: Observations(SECRET, ["a"]),
    "samples that are no numbers": lambda: estimate_from_numbers(["a", "b"], ["1", SECRET]),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_is_given_is_not_quoted(case: str) -> None:
    text = said(GIVEN[case])
    assert SECRET not in text
    assert "7531" not in text


def latin(folder: Path) -> Path:
    """A file with letters that are not UTF-8, whose error would carry the bytes around them."""
    file = folder / "t.csv"
    file.write_bytes(f"secret,output\n{SECRET},1\nJos\xe9,2\n".encode("latin-1"))
    return file


READ: dict[str, Callable[[Path], Any]] = {
    "release": lambda file: release_csv(COIN, file, file.with_name("out.csv"), "secret"),
    "observations": lambda file: read_observations(file, "secret", "output"),
    "numbers": lambda file: read_numbers(file, "secret", ["output"]),
}


@pytest.mark.parametrize("case", READ)
def test_a_file_that_is_not_utf8_is_not_quoted(case: str, tmp_path: Path) -> None:
    text = said(lambda: READ[case](latin(tmp_path)))
    assert SECRET not in text
    assert "UTF-8" in text


@pytest.mark.parametrize("case", READ)
def test_a_file_without_a_header_is_not_quoted(case: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"{SECRET},17.31\nno,2\n")
    text = said(lambda: READ[case](file))
    assert SECRET not in text
    assert "17.31" not in text
    assert "there is no column 'secret'" in text


def test_a_cell_that_is_no_input_and_one_that_is_no_number_are_not_quoted(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"secret,output\nno,1\n{SECRET},{SECRET}\n")
    text = said(lambda: READ["release"](file))
    assert SECRET not in text
    assert "line 3, column 'secret'" in text
    assert "there are 'no', 'yes'" in text
    assert SECRET not in said(lambda: READ["numbers"](file))
