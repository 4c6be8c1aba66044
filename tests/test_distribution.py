"""What is published: versions that agree, files that are named, and the README's commands."""

import importlib.util
import re
import tomllib
from pathlib import Path

import leaktight

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_all_files_have_the_same_version() -> None:
    version = PROJECT["project"]["version"]
    assert leaktight.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    newest = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text("utf-8") + " ", re.M)
    assert newest is not None
    assert newest[1] == version


def test_the_changelog_has_a_section_for_each_version_newest_first() -> None:
    found = re.findall(r"^## (\d+)\.(\d+)\.(\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    versions = [tuple(map(int, each)) for each in found]
    assert len(versions) >= 2
    assert versions == sorted(set(versions), reverse=True)


def test_what_is_shipped_is_there() -> None:
    shipped = PROJECT["tool"]["hatch"]["build"]["targets"]
    for name in (*shipped["sdist"]["include"], *shipped["wheel"]["packages"]):
        assert (ROOT / name).exists(), name


def test_the_wheel_is_tried_with_commands_that_need_no_repository() -> None:
    spec = importlib.util.spec_from_file_location("wheel", ROOT / ".ci" / "wheel.py")
    assert spec is not None
    assert spec.loader is not None
    wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel)
    found = wheel.commands((ROOT / "README.md").read_text("utf-8"))
    assert ["verify", "best.json"] in found
    assert ["bound", "line:4", "--records", "100", "--ratio", "2"] in found
    assert not any("examples" in word for words in found for word in words)
