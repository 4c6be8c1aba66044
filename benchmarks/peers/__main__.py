"""Compare function by function, and write the tables of ``docs/peers.md``."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers import COMPLETE, TABLES
from benchmarks.peers.inputs import inputs
from benchmarks.peers.row import Row

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"


def names(module: Any, within: str = "") -> Iterator[str]:
    """Yield every public function and type of a package and its modules, by their dotted names."""
    here = _public(module)
    for name, found in sorted(vars(module).items()):
        if name.startswith("_"):
            continue
        if inspect.ismodule(found):
            if _public(found) == f"{here}.{name}":
                yield from names(found, f"{within}{name}.")
        elif inspect.isclass(found) or _defined(found) == here:
            yield within + name


def _public(module: Any) -> str:
    """Return the name of a module; libqif's compiled ones stand for others."""
    return str(module.__name__).replace("._qif", "")


def _defined(found: Any) -> str:
    return str(getattr(found, "__module__", "")).replace("._qif", "")


def table(peer: str, rows: tuple[Row, ...]) -> str:
    """Return the rows as Markdown, each compared."""
    module, cases = import_module(peer), list(inputs())
    lines = [f"| {peer} | leaktight | the same on random inputs |", "| --- | --- | --- |"]
    for row in rows:
        lines.append(f"| `{row.theirs}` | {row.ours} | {row.compared(module, cases)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Check that nothing is left out, compare, and put the tables where the page has them."""
    page = PAGE.read_text("utf-8")
    for peer, rows in TABLES.items():
        if peer in COMPLETE:
            missing = set(names(import_module(peer))) ^ {row.theirs for row in rows}
            assert not missing, missing
        start, end = f"<!-- {peer} -->\n", f"<!-- end of {peer} -->"
        before, rest = page.split(start)
        page = f"{before}{start}{table(peer, rows)}\n{end}{rest.split(end)[1]}"
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
