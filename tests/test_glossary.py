"""Every name that the glossary gives is there."""

import re
from functools import reduce
from pathlib import Path

import pytest

import leaktight

PAGE = (Path(__file__).parent.parent / "docs" / "glossary.md").read_text("utf-8")
NAMES = sorted(set(re.findall(r"`lt\.([\w.]+)[`(]", PAGE)))


def test_the_glossary_names_many_things() -> None:
    assert len(NAMES) > 25
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {7}


@pytest.mark.parametrize("name", NAMES)
def test_the_name_is_there(name: str) -> None:
    assert reduce(getattr, name.split("."), leaktight) is not None
