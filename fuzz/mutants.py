"""Does anybody notice if the code is broken? Every mutant of ``fuzz/broken.py``, tried.

    python -m fuzz.mutants [--rest] [WORD]

Each mutant is a copy of the source in which one place is broken. The tests that must notice run
against it, and those that do fail; what fails must pass on the source as it is. What nobody
notices is a missing test. All of them are tried, or those that have the word in what they break, or
the rest: those that nobody noticed yet, as ``docs/mutants.md`` has it. The page gets a row as soon
as a mutant was tried, so that a long run may be broken off.
"""

import contextlib
import importlib
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import pytest

from fuzz.broken import MUTANTS, Mutant

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "leaktight"
PAGE = ROOT / "docs" / "mutants.md"

LONGEST = 600
"""So many seconds of its own may a run of tests take; one that takes longer has noticed nothing."""

BUSY = 10
"""So many times as long may it take on a busy machine."""

SEARCHED = 30
"""So many seconds is a property searched."""

NEEDED = ("flint", "highspy", "hypothesis", "igraph", "numpy", "scipy.optimize", "scipy.signal")
"""What tests load first, and for longer than most of them take: once, for all processes."""

fork = multiprocessing.get_context("fork")


def broken(mutant: Mutant) -> str:
    """Return the text of the file with its place broken."""
    text = (SOURCE / mutant.file).read_text("utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.file} must have the text {mutant.old!r} once, got {text.count(mutant.old)}"
        )
    return text.replace(mutant.old, mutant.new)


def fails(by: Sequence[str], source: Path, most: int = 1) -> list[str]:
    """Return which tests fail on a source, or the properties that do; in a process of its own."""
    with tempfile.NamedTemporaryFile("r+", encoding="utf-8") as said:
        run = fork.Process(target=_tried, args=(by, source, most, said.name))
        run.start()
        run.join(BUSY * LONGEST)
        if run.exitcode is None:
            run.kill()
            run.join()
            return []
        if run.exitcode == -signal.SIGXCPU:
            return []
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said.read(), re.M)
    return failed or [by[0]] * (run.exitcode != 0)


def _tried(by: Sequence[str], source: Path, most: int, said: str) -> None:
    """Run tests, or search a property; what is printed goes into a file."""
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 5))
    sys.path[:0] = [str(source), str(ROOT)]
    os.environ.update(PYTHONPATH=f"{source}:{ROOT}", CI="true")
    os.chdir(ROOT)
    with open(said, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        if "/" in by[0]:
            quiet = ["-q", "-n0", "-pno:cacheprovider", "--tb=no", f"--maxfail={most}"]
            quiet += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            sys.exit(pytest.main([*quiet, *by]))
        from fuzz.property import all_properties
        from fuzz.search import search

        [what] = [p for p in all_properties() if p.name == by[0]]
        sys.exit(search(what, SEARCHED, seed=0).failure is not None)


def try_mutant(mutant: Mutant, source: Path) -> str:
    """Return which test, or property, fails on a mutant of the source; none if it lives."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "leaktight", Path(folder) / "leaktight")
        (Path(folder) / "leaktight" / mutant.file).write_text(broken(mutant), "utf-8")
        found = next((f[0] for by in mutant.by if (f := fails([by], Path(folder)))), "")
    print(f"{mutant.what} ({mutant.file}): {found or 'NOBODY NOTICES'}", flush=True)
    return found


def page(found: Mapping[Mutant, str]) -> str:
    """Return the table as a page."""
    left = len(MUTANTS) - len(found)
    lines = [
        "# What notices a broken line?",
        "",
        f"`make mutants` breaks the code in {len(MUTANTS)} places, one at a time, and runs the",
        "tests that must notice. It writes this page; `fuzz/broken.py` has the places."
        + (f" {left} of them were not tried yet." if left else ""),
        "",
        "| what is broken | where | noticed by |",
        "| --- | --- | --- |",
    ]
    for mutant in MUTANTS:
        if mutant in found:
            by = found[mutant]
            by = f"`{by}`" if "/" in by else f"`make fuzz`: {by}" if by else "**nobody**"
            lines.append(f"| {mutant.what} | `{mutant.file}` | {by} |")
    return "\n".join(lines) + "\n"


def on_page(text: str) -> dict[Mutant, str]:
    """Return who noticed which of the mutants, as a page has it."""
    rows = re.findall(r"^\| (.+) \| `(.+?)` \| (.+) \|$", text, re.M)
    seen = {
        (what, file): re.sub("`make fuzz`: |`|[*]+nobody[*]+", "", by) for what, file, by in rows
    }
    return {m: seen[m.what, m.file] for m in MUTANTS if (m.what, m.file) in seen}


def main(words: list[str]) -> int:
    """Try the mutants; 1 if one of them lives."""
    found = on_page(PAGE.read_text("utf-8")) if words else {}
    chosen = [m for m in MUTANTS if all(w in f"{m.what} {m.file}" for w in words if w != "--rest")]
    if "--rest" in words:
        chosen = [m for m in chosen if not found.get(m)]
    for mutant in chosen:
        broken(mutant)
    for name in NEEDED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        shutil.copytree(SOURCE, source / "leaktight")  # whatever happens to it meanwhile
        with ProcessPoolExecutor(os.cpu_count(), mp_context=fork) as pool:
            tried = {pool.submit(try_mutant, mutant, source): mutant for mutant in chosen}
            for done in as_completed(tried):
                found[tried[done]] = done.result()
                PAGE.write_text(page(found), "utf-8")
        tests = sorted({by for m in chosen if "/" in (by := found[m])})
        wrong = fails(tests, source, len(tests)) if tests else []
        wrong += [by for by in {found[m] for m in chosen} - {*tests, ""} if fails([by], source)]
    found = {mutant: "" if by in wrong else by for mutant, by in found.items()}
    PAGE.write_text(page(found), "utf-8")
    living = [mutant.what for mutant in chosen if not found[mutant]]
    print(f"{len(chosen) - len(living)} of {len(chosen)} noticed", *living, sep="\n")
    print(*(f"fails as it is: {by}" for by in wrong), sep="\n")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
