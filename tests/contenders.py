"""Contenders that fail in every way that a peer may."""

import os
import time
from typing import Any

from benchmarks.case import Case


def raising(given: Any) -> None:
    raise ValueError("singular matrix")


def dying(given: Any) -> None:
    os._exit(3)


CASES = (
    Case(
        task="twice {n}",
        sizes=(1, 2),
        prepare=lambda n: n,
        ways={
            "ours": lambda n: 2 * n,
            "theirs": lambda n: n + n,
            "raises": raising,
            "dies": dying,
            "hangs": lambda n: time.sleep(60) if n > 1 else 2,
            "limit": lambda n: 2 * n,
        },
        limit="limit",
        rounds=3,
        patience=3.0,
    ),
)
