"""The oldest versions that ``pyproject.toml`` allows, a line of pip's constraints for each.

python .ci/oldest.py > oldest.txt && pip install --constraint oldest.txt '.[dev]'
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def oldest(requirement: str) -> str | None:
    """Return a requirement with its lower bound alone allowed; None if it has none.

    >>> oldest("duckdb>=1.5"), oldest("ruff==0.17.*"), oldest("leaktight[web]")
    ('duckdb==1.5', 'ruff==0.17.*', None)
    """
    bound = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?(?:>=|==)([\w.*]+)", requirement)
    return bound and f"{bound[1]}=={bound[2]}"


def constraints(project: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each requirement of the package, its extras and the tests."""
    extras = project["optional-dependencies"]
    for requirement in (
        *project["dependencies"],
        *extras["web"],
        *extras["postgres"],
        *extras["dev"],
    ):
        if (line := oldest(requirement)) is not None:
            yield line


if __name__ == "__main__":
    print("\n".join(constraints(tomllib.loads(PROJECT.read_text())["project"])))
