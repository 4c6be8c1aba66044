"""Run every comparison, one after the other.

python -m benchmarks
"""

from benchmarks import (
    adjacency,
    agreement,
    columns,
    cover,
    design,
    estimation,
    measures,
    privacy,
    programs,
    refinement,
    repetition,
    sampling,
    symmetry,
)

MODULES = (
    agreement,
    measures,
    refinement,
    privacy,
    adjacency,
    symmetry,
    columns,
    cover,
    design,
    sampling,
    repetition,
    programs,
    estimation,
)


def main() -> None:
    """Print each table under the name of its module."""
    for module in MODULES:
        print(f"\n== {module.__name__.removeprefix('benchmarks.')}", flush=True)
        module.main()


if __name__ == "__main__":
    main()
