"""Does anybody notice if the code is broken? Every mutant of ``fuzz/broken.py``, tried.

    python -m fuzz.mutants [WORD]

Each mutant is a copy of the source in which one place is broken. The tests that must notice run
against it, and those that do fail. What nobody notices is a missing test. All of them are tried,
or those that have the word in what they break; if all, ``docs/mutants.md`` is written.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.broken import MUTANTS, Mutant

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "leaktight"
PAGE = ROOT / "docs" / "mutants.md"

LONGEST = 600
"""So many seconds may a run of tests take; one that takes longer has noticed nothing."""

SEARCHED = 30
"""So many seconds is a property searched."""

SEARCH = """
import sys, warnings
from fuzz.property import all_properties
from fuzz.search import search
warnings.simplefilter("error")
[what] = [p for p in all_properties() if p.name == sys.argv[1]]
sys.exit(search(what, float(sys.argv[2]), seed=0).failure is not None)
"""


def broken(mutant: Mutant) -> str:
    """Return the text of the file with its place broken."""
    text = (SOURCE / mutant.file).read_text("utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.file} must have the text {mutant.old!r} once, got {text.count(mutant.old)}"
        )
    return text.replace(mutant.old, mutant.new)


def noticed(by: str, source: Path) -> str:
    """Return which test, or which property, notices that the source is broken, if any."""
    python = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "--tb=no",
    ]
    command = [*python, by]
    if "/" not in by:
        command = [sys.executable, "-c", SEARCH, by, str(SEARCHED)]
    own = os.environ | {"PYTHONPATH": f"{source}:{ROOT}", "CI": "true"}
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return ""
    if run.returncode == 0:
        return ""
    if "/" not in by:
        return f"`make fuzz`: {by}"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, re.M)
    return f"`{failed[1] if failed else by}`"


def try_mutant(mutant: Mutant, source: Path) -> str:
    """Return who notices a mutant of the source; nobody if it lives."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "leaktight", Path(folder) / "leaktight")
        (Path(folder) / "leaktight" / mutant.file).write_text(broken(mutant), "utf-8")
        found = next(filter(None, (noticed(by, Path(folder)) for by in mutant.by)), "")
    print(f"{mutant.what} ({mutant.file}): {found or 'NOBODY NOTICES'}", flush=True)
    return found


def page(found: dict[Mutant, str]) -> str:
    """Return the table as a page."""
    lines = [
        "# What notices a broken line?",
        "",
        f"`make mutants` breaks the code in {len(found)} places, one at a time, and runs the tests",
        "that must notice. It writes this page; `fuzz/broken.py` has the places.",
        "",
        "| what is broken | where | noticed by |",
        "| --- | --- | --- |",
    ]
    for mutant, by in found.items():
        lines.append(f"| {mutant.what} | `{mutant.file}` | {by or '**nobody**'} |")
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    """Try the mutants; 1 if one of them lives."""
    chosen = [m for m in MUTANTS if all(word in f"{m.what} {m.file}" for word in words)]
    for mutant in chosen:
        broken(mutant)
    with ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, Path(folder) / "leaktight")  # whatever happens to it meanwhile
        needed = sorted({by for mutant in chosen for by in mutant.by if "/" in by})
        wrong = list(filter(None, pool.map(lambda by: noticed(by, Path(folder)), needed)))
        if wrong:
            print("tests fail as it is:", *wrong)
            return 2
        tried = pool.map(lambda mutant: try_mutant(mutant, Path(folder)), chosen)
        found = dict(zip(chosen, tried, strict=True))
    if not words:
        PAGE.write_text(page(found), "utf-8")
    living = [mutant.what for mutant, by in found.items() if not by]
    print(f"{len(found) - len(living)} of {len(found)} noticed", *living, sep="\n")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
