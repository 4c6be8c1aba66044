"""The threads of BLAS: one, as more cost our matrices more than they bring.

A product of 100×100 floats takes a tenth of a millisecond. A BLAS wakes a thread on every core for
it, and these wait for each other in a loop: 80 times as long if the cores are busy, and no sooner
if they are idle. Nobody else's setting is changed: what was set before is set again afterwards.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS take one thread within; also a decorator.

    A library that is loaded only within keeps its own setting, so import it before.

    >>> with one_thread():
    ...     all(pool["num_threads"] == 1 for pool in pools().info())
    True
    """
    with pools().limit(limits=1):
        yield


def pools() -> "ThreadpoolController":
    """Return what sets the threads of each BLAS that is loaded."""
    return _pools("numpy.linalg" in sys.modules, "scipy.linalg" in sys.modules)


@cache
def _pools(*loaded: bool) -> "ThreadpoolController":
    """Look for the libraries anew when numpy or scipy has brought one."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
