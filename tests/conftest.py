"""How the property tests run: no deadline on a noisy machine, the same cases every time in CI."""

import gc
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SLOW = [HealthCheck.too_slow]
"""What Hypothesis would say of a busy machine."""

settings.register_profile("here", deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", deadline=None, suppress_health_check=SLOW, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

collect_ignore_glob = ["*/in_browser.py", "*/with_*.py"]
"""What ``make test-web`` and ``make test-adapters`` name themselves: not every machine that runs
the tests has a browser, or other people's libraries."""

os.register_at_fork(before=gc.collect)
"""DuckDB 1 reserves most of the memory for each engine, and two that are garbage beside one another
are more than the system forks."""


@settings(max_examples=1, database=None)
@given(st.none())
def begin(none: None) -> None:
    """Let Hypothesis make its generators, of which it asks the collector who holds them."""


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what is there for good: all modules and tests."""
    begin()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Let it have all again, as libraries complain of what is never collected."""
    gc.unfreeze()
