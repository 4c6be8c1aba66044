"""Run every comparison, one after the other.

python -m benchmarks
"""

from benchmarks import adjacency, agreement, columns, cover, measures, privacy, refinement, symmetry


def main() -> None:
    """Print each table under the name of its module."""
    for module in (agreement, measures, refinement, privacy, adjacency, symmetry, columns, cover):
        print(f"\n== {module.__name__.removeprefix('benchmarks.')}", flush=True)
        module.main()


if __name__ == "__main__":
    main()
