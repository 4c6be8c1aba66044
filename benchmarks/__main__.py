"""Compare leaktight with what people use today, on the same work in the same run.

    python -m benchmarks [--quick] [NAME …]

NAME is a file of ``benchmarks/cases``. The contenders of a task take turns, so that a noisy machine
is noisy for all. Results go to ``benchmarks/results``: JSON, a table, and plots over size. A whole
run also writes ``docs/benchmarks.md``, its plots, and the table of the README.
"""

import argparse
import importlib
import pkgutil
import time

from benchmarks import cases, document, results
from benchmarks.measure import WRONG, measure
from benchmarks.results import Row


def main() -> None:
    """Run the cases that are asked for, or all; print a line for each contender."""
    known = [name for _, name, _ in pkgutil.iter_modules(cases.__path__)]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--quick", action="store_true", help="small sizes only, in five minutes")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(known):
        parser.error(f"there is no case {', '.join(unknown)}")
    rows: list[Row] = []
    start = time.perf_counter()
    for name in asked.names or known:
        module = f"benchmarks.cases.{name}"
        for number, case in enumerate(importlib.import_module(module).CASES):
            for row in measure(module, number, case, asked.quick):
                rows.append(row)
                mine, *rest = row.cells()
                print(f"{row.task}\n    {mine}", *filter(None, rest), sep="\n    ", flush=True)
    results.write(rows)
    seconds = time.perf_counter() - start
    print(f"\n{results.FOLDER}/table.md after {seconds:.0f} s")
    if asked.names or asked.quick:
        print("docs/benchmarks.md is written by a whole run only")
    else:
        document.write(rows, seconds)
    if wrong := [row.task for row in rows if row.agreement.startswith(WRONG)]:
        raise SystemExit(f"our answer is wrong: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
