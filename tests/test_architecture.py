"""The layout that docs/architecture.md promises, and the public names."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import leaktight
from leaktight import errors

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "leaktight").rglob("*.py"))
PAPERS = sorted((ROOT / "src" / "leaktight_papers").rglob("*.py"))
ROOMS = [
    "errors",
    "labels",
    "files",
    "check",
    "progress",
    "limits",
    "exact",
    "policies",
    "channels",
    "leakage",
    "privacy",
    "worst_case",
    "curves",
    "mechanisms",
    "samples",
    "testing",
    "adapters",
    "repetition",
    "tables",
    "studies",
    "reports",
    "web",
    "commands",
]
"""A room imports only from those before it."""


def module(source: Path) -> tuple[str, ...]:
    return source.relative_to(ROOT / "src" / "leaktight").with_suffix("").parts


def imports_of(text: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return the modules of leaktight that a source imports from, and the names."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) and n.module]
    return [
        (tuple(str(n.module).split(".")[1:]), [alias.name for alias in n.names])
        for n in nodes
        if str(n.module).startswith("leaktight.")
    ]


def public(room: str) -> list[str]:
    """Return the public names of a room."""
    return list(getattr(importlib.import_module(f"leaktight.{room}"), "__all__", ()))


def wrong_imports(place: tuple[str, ...], text: str) -> list[str]:
    """Return what a module may not import: a later room, a folder inside a room, a private name."""
    found = []
    for where, names in imports_of(text):
        if place[0] == where[0]:
            continue
        wrong = ROOMS.index(where[0]) > ROOMS.index(place[0]) or len(where) > 2
        if wrong or any(name.startswith("_") for name in names):
            found.append(f"{'.'.join(place)} imports {names} of {'.'.join(where)}")
    return found


def hidden_imports(text: str) -> list[str]:
    """Return what the papers may not import: all but public names, errors, and writing files."""
    return [
        f"{names} of {'.'.join(where)}"
        for where, names in imports_of(text)
        if where not in (("errors",), ("files",))
        and (len(where) > 1 or not {*names} <= {*public(where[0])})
    ]


def test_the_root_holds_the_rooms_and_little_else() -> None:
    found = {p.stem for p in (ROOT / "src" / "leaktight").iterdir()} - {"__pycache__", "py"}
    assert found == {*ROOMS, "__init__", "__main__"}


def test_a_room_imports_only_from_those_before_it() -> None:
    rooms = [(module(s), s.read_text("utf-8")) for s in SOURCES if len(module(s)) > 1]
    assert [line for place, text in rooms for line in wrong_imports(place, text)] == []


def test_a_wrong_import_is_found() -> None:
    exact = ("exact", "ratio")
    assert wrong_imports(exact, "from leaktight.policies.policy import Policy")
    assert wrong_imports(exact, "def f():\n    from leaktight.leakage import hyper")
    assert wrong_imports(("studies", "audit"), "from leaktight.policies.graph.graph import Graph")
    assert wrong_imports(("leakage", "hyper"), "from leaktight.channels.channel import _rows")
    assert not wrong_imports(("leakage", "hyper"), "from leaktight.channels.channel import Channel")


def test_the_papers_see_public_names_alone() -> None:
    assert [line for source in PAPERS for line in hidden_imports(source.read_text("utf-8"))] == []
    assert hidden_imports("from leaktight.channels.channel import Channel")
    assert hidden_imports("from leaktight.exact import rational")
    assert hidden_imports("from leaktight.labels import suggestion")
    assert not hidden_imports("from leaktight.channels import Channel")
    assert not hidden_imports("from leaktight.errors import InvalidChannel")


def test_nothing_but_a_command_knows_the_papers() -> None:
    knows = [source for source in SOURCES if "from leaktight_papers" in source.read_text("utf-8")]
    assert knows != []
    assert {module(source)[0] for source in knows} == {"commands"}


def test_the_root_holds_few_names_and_all_are_listed_and_sorted() -> None:
    assert 40 <= len(leaktight.__all__) <= 60
    assert leaktight.__all__ == sorted(leaktight.__all__)
    for stub in (ROOT / "src" / "leaktight").rglob("*.pyi"):
        text = ast.parse(stub.read_text("utf-8"))
        imported = [n for n in text.body if isinstance(n, ast.ImportFrom) and n.module]
        listed = next(n.value for n in text.body if isinstance(n, ast.Assign))
        assert sorted(a.name for n in imported for a in n.names) == sorted(ast.literal_eval(listed))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hyper", "did you mean leaktight.leakage.hyper?"),
        ("risk", "did you mean leaktight.leakage.risk or leaktight.tables.risk?"),
        ("minentropy_leakage", "did you mean leaktight.min_entropy_leakage"),
        ("nothing_like_it", "leaktight has no attribute 'nothing_like_it'"),
    ],
)
def test_a_name_that_is_not_at_the_root_is_told_where_it_is(name: str, said: str) -> None:
    with pytest.raises(AttributeError) as wrong:
        getattr(leaktight, name)
    assert said in str(wrong.value)


def test_every_public_name_is_documented_where_it_lives() -> None:
    for room in ROOMS[ROOMS.index("exact") :]:
        for name in public(room):
            what = getattr(importlib.import_module(f"leaktight.{room}"), name)
            assert (what.__doc__ or "").strip(), name
    assert {*leaktight.__all__} <= {name for room in ROOMS[4:] for name in public(room)} | {
        name for name in vars(errors) if isinstance(getattr(errors, name), type)
    }


def test_the_reference_has_a_page_for_each_room_that_tells_of_every_public_name() -> None:
    for room in ROOMS[ROOMS.index("exact") :]:
        if names := public(room):
            page = (ROOT / "docs" / "reference" / f"{room}.md").read_text("utf-8")
            directive = r"^\.\. (?:autoclass|autofunction|autoexception|data):: (\w+)"
            assert sorted(re.findall(directive, page, re.M)) == sorted(names), room


def test_every_citation_is_in_the_bibliography() -> None:
    keys = set(re.findall(r"\*\*\[(\w+)\]\*\*", (ROOT / "docs/bibliography.md").read_text("utf-8")))
    texts = {
        s: s.read_text(encoding="utf-8")
        for s in [*SOURCES, *PAPERS, *(ROOT / "docs").rglob("*.md")]
    }
    cited = {
        (s.name, key)
        for s, text in texts.items()
        for key in re.findall(r"\[([A-Z]\w+\d{4}\w?)\]", text)
    }
    assert {key for _, key in cited} >= {"Edwards2021", "Barthe2011"}
    assert [(name, key) for name, key in cited if key not in keys] == []


def test_the_tests_that_a_page_names_are_there() -> None:
    named = {
        (page.name, test)
        for page in (ROOT / "docs").rglob("*.md")
        for test in re.findall(r"`(tests/[\w/]+\.py)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert [(page, test) for page, test in named if not (ROOT / test).exists()] == []


def test_tolerances_stand_in_one_place_only() -> None:
    """No literal like 1e-9 in the source but in ``tolerances.py`` and in examples."""
    found = [
        (source.name, number)
        for source in [*SOURCES, *PAPERS]
        if source.name != "tolerances.py"
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\b\d(?:\.\d+)?e-\d+\b", line) and ">>>" not in line
    ]
    assert found == []


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = "import sys, leaktight, leaktight.commands.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    heavy = {"numpy", "scipy", "highspy", "igraph", "matplotlib", "flint", "jinja2", "rich"}
    heavy |= {"duckdb", "narwhals", "pandas", "polars", "pyarrow", "pyspark"}
    assert heavy.isdisjoint(loaded.stdout.decode().split())


NAMED_FIRST = """
import importlib, sys
import leaktight.commands.app, leaktight.mechanisms.best  # what is not ours stays loaded
for pair in sys.argv[1:]:
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "leaktight"]:
        del sys.modules[loaded]
    room, name = pair.split(".")
    importlib.import_module(f"leaktight.{pair}")
    print(pair, getattr(importlib.import_module(f"leaktight.{room}"), name))
"""


def test_a_name_stays_what_it_is_when_a_module_of_that_name_is_imported() -> None:
    """One process forgets all of ours before each name, as if it were a new one."""
    pairs = []
    for room in ROOMS[ROOMS.index("exact") :]:
        public = getattr(importlib.import_module(f"leaktight.{room}"), "__all__", ())
        names = {module(s)[1] for s in SOURCES if module(s)[0] == room} & set(public)
        pairs += [f"{room}.{name}" for name in sorted(names)]
    ran = subprocess.run(
        [sys.executable, "-c", NAMED_FIRST, *pairs], capture_output=True, check=True, text=True
    )
    told = dict(line.split(maxsplit=1) for line in ran.stdout.splitlines())
    assert told.keys() == set(pairs)
    assert [pair for pair, what in told.items() if what.startswith("<module")] == []


@pytest.mark.parametrize(("old", "new"), sorted(errors.NEW_NAMES.items()))
def test_an_old_name_says_the_new_one(old: str, new: str) -> None:
    [room] = [each for each in ROOMS[4:] if new in public(each)]
    for where in (leaktight, importlib.import_module(f"leaktight.{room}")):
        with pytest.raises(AttributeError, match=new):
            getattr(where, old)
