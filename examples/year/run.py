"""A year of releases: one study, one ledger, one command a month, and January is refused.

    python examples/year/run.py FOLDER

It writes the table of each month, releases it, and shows what the ledger says at the end.
"""

import runpy
import shutil
import sys
from pathlib import Path

from leaktight.commands.app import main

HERE = Path(__file__).parent
write = runpy.run_path(str(HERE / "patients.py"))["write"]


def leaktight(*words: str) -> int:
    """Run a command as a person would, and return its exit code."""
    print("$ leaktight", *(word.rpartition("/")[2] for word in words), flush=True)
    sys.argv = ["leaktight", *words]
    try:
        main()
    except SystemExit as left:
        return int(left.code or 0)


def year(folder: Path) -> None:
    """Release January to December, and try the next January."""
    folder.mkdir(parents=True, exist_ok=True)
    study = str(shutil.copy(HERE / "year.toml", folder))
    table, book = folder / "patients.csv", str(folder / "year.ledger")
    leaktight("release", study, "--plan")
    leaktight("ledger", book, "--new", study)
    for month in range(1, 14):
        name = f"{2026 + (month > 12)}-{(month - 1) % 12 + 1:02}"
        write(month, str(table))
        code = leaktight("release", study, "--name", name, "--output", str(folder / f"{name}.csv"))
        if code:
            print(f"{name} is refused: the budget of the year is spent.")
    leaktight("ledger", book)


if __name__ == "__main__":
    year(Path(sys.argv[1] if len(sys.argv) > 1 else "year"))
