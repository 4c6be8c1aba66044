"""How long does the page take to answer? A slider is moved in a real browser.

    LEAKTIGHT_BROWSER=/usr/bin/chromium python -m benchmarks.page

A move counts from the event of the slider until all that it changes is drawn; the longer answers,
which wait until the slider rests, are not in it. The first page counts from the request to the
server, which is up, until its first answer is drawn.
"""

import os
import subprocess
import sys
import time
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from leaktight.web.document import Document, address_of

MOVES = 30
READY = 'main[aria-busy="false"]'
SIZES = ((6, [2, 3]), (20, [4, 5]), (40, [5, 8]))


def policies(n: int, sides: list[int]) -> dict[str, Document]:
    """Return policies on so many values."""
    return {
        f"line, {n} values": {"values": n, "secrets": "line"},
        f"complete, {n} values": {"values": n, "secrets": "complete"},
        f"threshold 2, {n} values": {"values": n, "secrets": "threshold", "distance": 2},
        f"grid, {n} values": {"secrets": "grid", "sides": sides},
    }


MOVE = """async () => {
  const slider = document.getElementById("slider");
  const before = performance.getEntriesByName("move").length;
  slider.value = (Number(slider.value) + 0.03).toFixed(2);
  slider.dispatchEvent(new Event("input"));
  while (performance.getEntriesByName("move").length === before) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.getEntriesByName("move").at(-1).duration;
}"""


def main() -> None:
    """Print a row for each policy: the median and the 95th percentile, in milliseconds."""
    command = [sys.executable, "-m", "leaktight", "explore", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        address = served.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ["LEAKTIGHT_BROWSER"], args=["--no-sandbox"]
            )
            browser.new_page().goto(address)  # the browser is warm
            time.sleep(5)  # and so is the server
            print("| policy | first page | move, median | move, p95 |\n| --- | --- | --- | --- |")
            for n, sides in SIZES:
                for name, policy in policies(n, sides).items():
                    study = {"policy": policy, "question": {"epsilon": 0.5}}
                    start = f"{address.partition('&study=')[0]}&study={address_of(study)}"
                    print(f"| {name} | {_row(browser, start)} |", flush=True)
        served.terminate()


def _row(browser: Browser, address: str) -> str:
    page: Any = browser.new_page()
    page.goto(address)
    page.wait_for_selector(READY, timeout=120_000)
    first = page.evaluate("() => performance.getEntriesByName('move')[0]")
    drawn = first["startTime"] + first["duration"]
    moves = [page.evaluate(MOVE) for _ in range(MOVES)]
    page.close()
    return f"{drawn:.0f} ms | {median(moves):.0f} ms | {quantiles(moves, n=20)[-1]:.0f} ms"


if __name__ == "__main__":
    main()
