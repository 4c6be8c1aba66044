"""k, l and t beside pycanon, on tables as they are and as ``protect`` has written them.

pycanon wants an older pandas, and so an environment of its own:
``python -m venv pycanon && pycanon/bin/pip install pycanon==1.3.6``, and then
``python -m benchmarks.peers.anonymity pycanon/bin/python`` prints the table of ``docs/peers.md``.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from leaktight.tables import protect

TABLES = Path(__file__).parents[2] / "examples" / "tables"
ASKED: list[tuple[str, list[str], str, dict[str, object]]] = [
    ("health-insurance.csv", ["coinsurance", "deductible", "diseases", "limited"], "health",
     {"at_least_k": 5}),
    ("health-insurance.csv", ["coinsurance", "deductible", "limited", "health"], "visits",
     {"at_least_k": 5, "l_diversity": 2}),
    ("patients.csv", ["zip", "age", "sex"], "diagnosis", {"at_least_k": 5, "suppress": "0.02"}),
]  # fmt: skip
THEIRS = """
import json, sys
import pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1], dtype=str)
known, sensitive = sys.argv[2].split(","), [sys.argv[3]]
print(json.dumps([
    int(anonymity.k_anonymity(table, known)),
    int(anonymity.l_diversity(table, known, sensitive)),
    float(anonymity.t_closeness(table, known, sensitive)),
]))
"""


def theirs(python: str, file: Path, known: list[str], sensitive: str) -> tuple[int, int, float]:
    """Return k, l and t as pycanon has them."""
    words = [python, "-c", THEIRS, str(file), ",".join(known), sensitive]
    k, least, t = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return k, least, t


def main(python: str) -> None:
    """Compare, and print a table."""
    print("| table | quasi-identifiers | sensitive | | k | l | t |\n" + "| --- " * 7 + "|")
    for name, known, sensitive, asked in ASKED:
        with tempfile.TemporaryDirectory() as folder:
            safe = Path(folder) / "safe.csv"
            found = protect(TABLES / name, known, sensitive, output=safe, **asked)  # type: ignore[arg-type]
            for when, file, ours in (
                ("as it is", TABLES / name, found.before),
                (found.best.what, safe, found.best.risk),
            ):
                k, least, t = theirs(python, file, known, sensitive)
                assert (k, least) == (ours.k, ours.l), (k, least, ours)
                assert ours.t is not None
                assert abs(t - ours.t) < 1e-12, (t, ours.t)
                print(f"| {name} | {', '.join(known)} | {sensitive} | {when} | {k} | {least} | "
                      f"{t:.6f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
