"""The threads of BLAS: one, as more cost our matrices more than they bring.

A product of 100×100 floats takes a tenth of a millisecond. OpenBLAS, which numpy and scipy each
bring along, wakes a thread on every core for it, and these wait for each other in a loop: 80 times
as long if the cores are busy, and no sooner if they are idle. Nobody else's setting is changed:
what was set before is set again afterwards.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIBRARIES = ("numpy", "scipy")
"""Who brings an OpenBLAS of its own along."""

SUFFIXES = ("64_", "")
"""What the names of its functions end in."""


class Pool(NamedTuple):
    """The threads of one OpenBLAS."""

    number: Callable[[], int]
    put: Callable[[int], object]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS take one thread within; also a decorator. Any other BLAS than OpenBLAS is let be.

    A library that is loaded only within keeps its own setting, so import it before.

    >>> with one_thread():
    ...     [pool.number() for pool in pools()] in ([], [1], [1, 1])
    True
    """
    changed = [(pool.put, n) for pool in pools() if (n := pool.number()) > 1]
    try:
        for put, _ in changed:
            put(1)
        yield
    finally:
        for put, n in changed:
            put(n)


def pools() -> list[Pool]:
    """Return what sets the threads of each OpenBLAS that is loaded."""
    loaded = (_pool(name) for name in LIBRARIES if f"{name}.linalg" in sys.modules)
    return [pool for pool in loaded if pool is not None]


@cache
def _pool(name: str) -> Pool | None:
    """Find the OpenBLAS that a package has beside it (Linux, Windows) or within (macOS)."""
    import ctypes

    package = Path(str(sys.modules[name].__file__)).parent
    for folder in (package.with_name(f"{name}.libs"), package / ".dylibs"):
        for file in folder.glob("*openblas*"):
            try:
                library = ctypes.CDLL(str(file))
            except OSError:
                continue
            for suffix in SUFFIXES:
                number = getattr(library, f"scipy_openblas_get_num_threads{suffix}", None)
                put = getattr(library, f"scipy_openblas_set_num_threads{suffix}", None)
                if number and put:
                    return Pool(number, put)
    return None
