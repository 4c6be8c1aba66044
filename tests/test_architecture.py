"""The layout that docs/architecture.md promises, and the public names."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import leaktight

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "leaktight").rglob("*.py"))
ORDER = re.findall(
    r"^\| `([\w/]+)\.py` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.M
)


def imports_of(source: Path) -> set[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    names = (n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module)
    inside = (name.removeprefix("leaktight.") for name in names if name.startswith("leaktight."))
    return {name.replace(".", "/") for name in inside}


def module(source: Path) -> str:
    return source.relative_to(ROOT / "src" / "leaktight").with_suffix("").as_posix()


def test_every_module_is_listed_once_in_the_architecture() -> None:
    modules = [module(s) for s in SOURCES if s.stem != "__init__"]
    assert sorted(ORDER) == sorted(modules)


def test_imports_point_upward_in_the_list() -> None:
    for source in SOURCES:
        if source.stem != "__init__":
            earlier = set(ORDER[: ORDER.index(module(source))])
            assert imports_of(source) <= earlier, module(source)


def test_every_public_name_is_listed_sorted_and_documented() -> None:
    assert leaktight.__all__ == sorted(leaktight.__all__)
    for name in leaktight.__all__:
        assert (getattr(leaktight, name).__doc__ or "").strip(), name
    imported = {
        alias.asname or alias.name
        for node in ast.parse((ROOT / "src/leaktight/__init__.pyi").read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(leaktight.__all__)


def test_the_reference_tells_of_every_public_name() -> None:
    pages = (page.read_text("utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    told = re.findall(
        r"^\.\. (?:autoclass|autofunction|autoexception|data):: (\w+)", "\n".join(pages), re.M
    )
    assert sorted(told) == leaktight.__all__


def test_every_citation_is_in_the_bibliography() -> None:
    keys = set(re.findall(r"\*\*\[(\w+)\]\*\*", (ROOT / "docs/bibliography.md").read_text("utf-8")))
    texts = {s: s.read_text(encoding="utf-8") for s in [*SOURCES, *(ROOT / "docs").rglob("*.md")]}
    cited = {
        (s.name, key)
        for s, text in texts.items()
        for key in re.findall(r"\[([A-Z]\w+\d{4}\w?)\]", text)
    }
    assert {key for _, key in cited} >= {"Edwards2021", "Barthe2011"}
    assert [(name, key) for name, key in cited if key not in keys] == []


def test_tolerances_stand_in_one_place_only() -> None:
    """No literal like 1e-9 in the source but in ``exact.py`` and in examples."""
    found = [
        (source.name, number)
        for source in SOURCES
        if source.name != "exact.py"
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\b\d(?:\.\d+)?e-\d+\b", line) and ">>>" not in line
    ]
    assert found == []


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = "import sys, leaktight, leaktight.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    heavy = {"numpy", "scipy", "highspy", "igraph", "matplotlib", "flint", "jinja2", "rich"}
    assert heavy.isdisjoint(loaded.stdout.decode().split())


def test_a_name_stays_what_it_is_when_a_module_of_that_name_is_imported() -> None:
    shared = set(map(module, SOURCES)) & set(leaktight.__all__)
    code = "import {0}.{1}; assert {0}.{1}.__module__ == '{0}.{1}'"
    for name in shared:
        subprocess.run([sys.executable, "-c", code.format("leaktight", name)], check=True)
    assert shared
