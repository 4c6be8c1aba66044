"""What a report does in a real browser; ``make test-web`` runs it, with the system's Chromium."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from leaktight.exact.shown import above
from leaktight.studies.every_epsilon import EveryEpsilon, every_epsilon
from leaktight.worst_case.optimum import worst_case_leakage
from tests.reports.test_page import page_of
from tests.reports.test_slider import embedded
from tests.studies.examples import example

NAMES = ["hospital", "locations", "salary", "vote"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's browser."""
    with sync_playwright() as playwright:
        path = os.environ["LEAKTIGHT_BROWSER"]
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


def opened(
    browser: Browser, folder: Path, name: str, width: int = 1600, **how: Any
) -> tuple[Page, list[str]]:
    """Open a report as a file; return the page, and what it complains about or asks for."""
    file = folder / f"{name}.html"
    file.write_text(page_of(name), encoding="utf-8")
    page = browser.new_context(viewport={"width": width, "height": 900}, **how).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url))
    page.goto(file.as_uri())
    assert wrong.pop(0) == file.as_uri()
    return page, wrong


@pytest.mark.parametrize("name", ["locations", "salary", "vote", "wages"])
def test_the_slider_shows_the_worst_case_at_each_epsilon(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    page, wrong = opened(browser, tmp_path, name)
    secrets, known = example(name).study.policy.secrets, embedded(page_of(name))
    for epsilon in (0.05, 0.5, 1.0, 1.23, 1.9):
        page.locator(".epsilon-slider input").fill(str(epsilon))
        bits = worst_case_leakage(secrets, epsilon=str(epsilon)).bits
        shown = float(page.locator(".epsilon-slider .bits").inner_text())
        assert shown == pytest.approx(float(above(bits, 4)), rel=1e-9)
        stop = next(s for s in known["stops"] if s["epsilon"] >= epsilon - 1e-9)
        bars = page.locator(".epsilon-slider .bar b").all_inner_texts()
        assert bars[1:] == [each["shown"] for each in stop["after"]]
    assert not wrong


def test_the_slider_starts_at_the_epsilon_that_was_asked_for(
    browser: Browser, tmp_path: Path
) -> None:
    page, _ = opened(browser, tmp_path, "locations")
    assert page.locator(".epsilon-slider .epsilon").inner_text() == "0.6932"
    assert page.locator(".epsilon-slider .ratio").inner_text() == "2"
    assert page.locator(".epsilon-slider .odds").inner_text() == "250"  # 2 bits leak


def test_the_keyboard_moves_the_slider_and_the_best_mechanism(
    browser: Browser, tmp_path: Path
) -> None:
    page, _ = opened(browser, tmp_path, "salary")
    before = page.locator(".epsilon-slider .cell").first.get_attribute("fill-opacity")
    page.locator(".epsilon-slider input").focus()
    page.keyboard.press("End")
    found = every_epsilon(example("salary").study)
    assert isinstance(found, EveryEpsilon)
    entries = [entry for row in found.stops[-1].best for entry in row]
    shown = [
        float(str(cell.get_attribute("fill-opacity")))
        for cell in page.locator(".epsilon-slider .cell").all()
    ]
    assert shown == pytest.approx([entry / max(entries) for entry in entries], abs=1e-3)
    assert str(shown[0]) != before


@pytest.mark.parametrize("name", NAMES)
def test_without_scripts_the_page_reads_as_before(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    page, wrong = opened(browser, tmp_path, name, java_script_enabled=False)
    assert not page.locator(".epsilon-slider").first.is_visible() or name == "hospital"
    assert page.locator(".headline").is_visible()
    assert page.locator("#check").is_visible()
    assert not wrong


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("width", "scheme"), [(1600, "light"), (400, "dark")])
def test_everyone_can_read_it_wide_and_narrow_light_and_dark(
    browser: Browser, tmp_path: Path, name: str, width: int, scheme: Any
) -> None:
    page, wrong = opened(browser, tmp_path, name, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert not Axe().run(page).response["violations"]
    assert not wrong
