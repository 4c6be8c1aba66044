"""What only a real browser shows; ``make test-web`` runs it, with the system's Chromium."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from leaktight.commands.app import main
from leaktight.web.document import address_of, document_of
from leaktight.web.server import Redirect

CHROMIUM = os.environ["LEAKTIGHT_BROWSER"]
STUDIES = Path(__file__).parents[2] / "examples" / "studies"
READY = 'main[aria-busy="false"]'

expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's browser."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a page is served, as a user starts it."""
    command = [sys.executable, "-m", "leaktight", "explore", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        yield served.stdout.readline().split()[-1]
        served.terminate()


def opened(
    browser: Browser,
    address: str,
    study: str | None = None,
    width: int = 1600,
    scheme: Any = "light",
) -> Page:
    """Open the page, and a study on it; nothing but the page's own server may be asked."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    own = re.match("http://[^/]*/", address)
    assert own is not None

    def only_its_own(route: Route) -> None:
        assert route.request.url.startswith(own[0]), route.request.url
        route.continue_()

    context.route("**", only_its_own)
    page = context.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    if study is not None:
        document = document_of((STUDIES / f"{study}.toml").read_text("utf-8"))
        address = f"{address.partition('&study=')[0]}&study={address_of(document)}"
    page.goto(address)
    page.wait_for_selector(READY)
    assert wrong == []
    assert page.inner_text("#wrong") == ""
    return page


def frame_of(page: Page, selector: str) -> dict[str, float]:
    """Return where an element is, once it is in view: a mouse reaches nothing else."""
    found = page.locator(selector).last
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    assert box is not None
    return dict(box)


def saved(page: Page, button: str = "#save") -> Path:
    """Take something away, and return the file."""
    with page.expect_download() as taken:
        page.click(button)
    file = Path(taken.value.path())
    page.wait_for_timeout(150)  # of more than ten files in a second Chromium drops some, unsaid
    return file


def said_by_the_command(capsys: Any, monkeypatch: Any, *words: str) -> Any:
    """Return what a command prints as JSON."""
    monkeypatch.setattr(sys, "argv", ["leaktight", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main()
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("study", ["salary", "vote", "hospital", "locations", "places"])
def test_the_numbers_on_the_page_are_those_of_the_command_line(
    browser: Browser, address: str, study: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    page = opened(browser, address, study)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")  # another ε than the file has
    page.wait_for_selector("main[aria-busy=true]")
    page.wait_for_selector(READY)
    file = tmp_path / "study.toml"
    file.write_bytes(saved(page).read_bytes())
    audit = said_by_the_command(capsys, monkeypatch, "audit", str(file), "--json")
    assert page.inner_text("#verdict").startswith(audit["verdict"]["line"])
    bars = {
        float(each.get_attribute("data-chance") or "nan")
        for each in page.query_selector_all("#odds .bar")
    }
    person = audit["person"]
    told = [person["informed"], person["any_mechanism"]]
    chances = {each["before"]["near"] for each in told}
    chances |= {after["value"]["near"] for each in told for after in each["after"]}
    if person["uninformed"]["is"] != "skipped":
        chances |= {
            person["uninformed"]["before"]["near"],
            person["uninformed"]["after"]["value"]["near"],
        }
    if "prior" in file.read_text("utf-8"):  # the belief in the value that rises most comes first
        rising = [each["values"][0] for each in told if each.get("values")]
        chances |= {rise[when]["near"] for rise in rising for when in ("before", "after")}
    assert bars == chances
    point = page.locator("#worst .point")
    assert float(point.get_attribute("data-bits") or "nan") == audit["worst_case"]["bits"]
    cells = page.locator("#bounds .figure").all_text_contents()
    for cell, bound in zip(cells, audit["published"], strict=True):
        shown = Fraction(cell.replace(",", ""))
        assert Fraction(bound["bits"]) <= shown <= Fraction(bound["bits"]) * Fraction(100001, 10**5)
    matrix = [
        float(each.get_attribute("data-chance") or "nan")
        for each in page.query_selector_all("#mechanism .cell")
    ]
    columns = zip(*audit["mechanism"]["matrix"], strict=True)
    assert matrix == [entry for column in columns for entry in column]
    if "below" in file.read_text("utf-8"):
        looks, limit = str(audit["question"]["observations"]), audit["question"]["below"]["exact"]
        words = ["choose", str(file), "--below", limit, "--observations", looks, "--json"]
        chosen = said_by_the_command(capsys, monkeypatch, *words)
        assert (
            float(page.locator("#choice").get_attribute("data-epsilon") or "nan")
            == chosen["epsilon"]
        )


@pytest.mark.parametrize(
    ("study", "width", "scheme"),
    [("hospital", 400, "dark"), ("hospital", 1600, "light"), ("locations", 400, "light"),
     ("locations", 1600, "dark"), ("places", 400, "dark"), ("places", 1600, "light")],
)  # fmt: skip
def test_everybody_can_use_it_on_any_screen(
    browser: Browser, address: str, study: str, width: int, scheme: str
) -> None:
    page = opened(browser, address, study, width, scheme)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for each in page.query_selector_all("details"):
        each.evaluate("element => { element.open = true; }")
    page.wait_for_selector(READY)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


@pytest.mark.parametrize(("kind", "symbol"), [("mu", "μ"), ("rho", "ρ"), ("delta", "ε")])
def test_another_promise_is_chosen_moved_and_saved(
    browser: Browser, address: str, kind: str, symbol: str, tmp_path: Path, capsys: Any,
    monkeypatch: Any,
) -> None:  # fmt: skip
    page = opened(browser, address)
    page.select_option("#promise", kind)
    page.wait_for_selector("main[aria-busy=true]")
    page.wait_for_selector(READY)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("main[aria-busy=true]")
    page.wait_for_selector(READY)
    assert page.inner_text("#wrong") == ""
    assert page.inner_text("#below-heading") == f"Which {symbol} keeps the odds below…?"
    file = tmp_path / "study.toml"
    file.write_bytes(saved(page).read_bytes())
    assert kind in file.read_text("utf-8")
    audit = said_by_the_command(capsys, monkeypatch, "audit", str(file), "--json")
    assert page.inner_text("#verdict").startswith(audit["verdict"]["line"])
    point = page.locator("#worst .point")
    assert float(point.get_attribute("data-bits") or "nan") == audit["worst_case"]["bits"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.select_option("#promise", "epsilon")
    page.wait_for_selector("main[aria-busy=true]")
    page.wait_for_selector(READY)
    assert "PASS: ε = " in page.inner_text("#verdict")


def test_a_policy_is_made_and_asked_about_by_keyboard_alone(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.focus("#title")

    def tab_to(selector: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"{selector} is not reached by Tab")

    tab_to(".dot")  # the first value, joined to the second: the pair is removed
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#kind")).to_have_value("edges")
    expect(page.locator("#graph .edge")).to_have_count(2)
    page.keyboard.press("Delete")  # and now the second value, which had another pair
    expect(page.locator("#graph .dot")).to_have_count(3)
    expect(page.locator("#graph .edge")).to_have_count(1)
    tab_to("#new-value")
    page.keyboard.type("unknown")
    page.keyboard.press("Enter")
    expect(page.locator("#graph .dot")).to_have_count(4)
    tab_to("#records")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    tab_to("#add-count")
    page.keyboard.press("Enter")
    expect(page.locator("legend", has_text="A public count")).to_be_visible()
    tab_to("#slider")
    before = page.inner_text("#worst-words")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#worst-words")).not_to_have_text(before)
    tab_to(".handle")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "slider"
    expect(page.locator(".handle")).to_have_attribute("aria-valuenow", "76")
    tab_to(".column")
    seen = page.inner_text("#posterior-words")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#posterior-words")).not_to_have_text(seen)
    assert "public" in saved(page).read_text("utf-8") or "constraints" in saved(page).read_text(
        "utf-8"
    )


def test_the_graph_is_edited_with_the_mouse_and_back_undoes_it(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address)
    for kind, pairs in (("complete", 6), ("line", 3), ("cycle", 4), ("partition", 2), ("grid", 4)):
        page.select_option("#kind", kind)
        expect(page.locator("#graph .edge")).to_have_count(pairs)
    page.go_back()
    expect(page.locator("#kind")).to_have_value("partition")
    page.select_option("#kind", "threshold")
    expect(page.locator("#graph .edge")).to_have_count(3)
    page.fill("#theta", "2")
    expect(page.locator("#graph .edge")).to_have_count(5)
    page.locator("#graph .dot").nth(0).click()
    page.locator("#graph .dot").nth(3).click()
    expect(page.locator("#graph .edge")).to_have_count(6)
    page.select_option("#kind", "attributes")
    expect(page.locator("#graph .dot")).to_have_count(8)
    page.fill("#records", "99")
    page.wait_for_selector(READY)
    page.locator("button", has_text="The table of second is public").hover()
    page.mouse.down()
    typed = "box => { box.value = '100'; box.dispatchEvent(new Event('input')); }"
    page.eval_on_selector("#records", typed)
    page.wait_for_selector(READY)  # an answer that comes meanwhile takes no button away
    page.mouse.up()
    expect(page.locator("legend", has_text="A public table: second")).to_be_visible()
    expect(page.locator("#wrong")).to_have_text("")


def coordinates(page: Page, called: str) -> list[float]:
    """Return where a point of the map is, as the map says."""
    said = page.locator(f'#graph .dot[data-value="{called}"]').get_attribute("data-at")
    return [float(each) for each in (said or "").split(",")]


def test_a_map_is_edited_with_the_mouse_and_what_is_saved_is_what_is_seen(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address, "places")
    before = page.inner_text("#worst-words")
    box = frame_of(page, '#graph .dot[data-value="stadium"] circle')
    page.mouse.move(box["x"] + 6, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] - 44, steps=5)  # to the west and the north
    page.mouse.up()
    north, east = coordinates(page, "stadium")
    assert 47.05 < north < 47.07
    assert 15.42 < east < 15.45
    expect(page.locator("#worst-words")).not_to_have_text(before)
    expect(page.locator("#points")).to_have_value(re.compile(f"stadium: {north}, {east}"))
    page.wait_for_selector(READY)
    assert document_of(saved(page).read_text("utf-8"))["policy"]["points"]["stadium"] == [
        north, east,
    ]  # fmt: skip
    page.go_back()  # the whole move is undone
    expect(page.locator('#graph .dot[data-value="stadium"]')).to_have_attribute(
        "data-at", "47.0461, 15.4548"
    )
    frame = frame_of(page, "#graph svg")
    page.mouse.dblclick(frame["x"] + 20, frame["y"] + 20)
    expect(page.locator("#graph .dot")).to_have_count(10)
    page.fill("#points", "a: 1, 2\nb: 2.5, 3\nc: 4, 1")
    expect(page.locator("#graph .dot")).to_have_count(3)
    page.fill("#points", "a: 1, 2\nb: 1, 2")
    expect(page.locator("#wrong")).to_contain_text("at a distance above 0")
    page.fill("#points", "\n".join(f"p{k}: {k}, {k % 5}" for k in range(26)))
    expect(page.locator("#wrong")).to_contain_text("leaktight audit study.toml")


def test_a_file_leads_to_the_page(browser: Browser, address: str) -> None:
    way, page = Redirect(address), browser.new_page()
    page.goto(way.open())
    page.wait_for_selector(READY, timeout=60_000)
    way.close()
    assert page.url.startswith(address.partition("#")[0])
    assert page.inner_text("#wrong") == ""  # it has the token


def test_within_the_ring_that_is_said_odds_at_most_double(browser: Browser, address: str) -> None:
    page = opened(browser, address, "places")
    for epsilon in ("1", "0.7", "0.3", "0.069321", "3", "17"):
        page.fill("#epsilon", epsilon)
        page.press("#epsilon", "Enter")
        page.wait_for_selector(READY)
        said = re.search(r"The ring is ([\d.e-]+) km", page.inner_text("body"))
        assert said is not None
        # 2^-99 below 0.693…: ln 2 = Σ 1/(k·2^k)
        ln2 = sum((Fraction(1, k * 2**k) for k in range(1, 99)), Fraction(0))
        assert ln2 * Fraction(99, 100) < Fraction(said[1]) * Fraction(epsilon) <= ln2
    below = "([x, digits]) => import('/assets/map.js').then((map) => map.below(x, digits))"
    for x in (0.6931, 0.69999, 9.999, 99.96, 100.0, 0.001, 123456.789, 2.31e-7, 1e21):
        for digits in (1, 3, 6):
            shown = page.evaluate(below, [x, digits])
            assert Fraction(x) * (1 - Fraction(10) ** (1 - digits)) < Fraction(shown) <= Fraction(x)
            assert float(f"{shown:.{digits}g}") == shown


def test_a_map_is_edited_by_keyboard_alone(browser: Browser, address: str) -> None:
    page = opened(browser, address, "places")
    page.focus('#graph .dot[tabindex="0"]')
    page.keyboard.press("ArrowRight")
    focused = "() => document.activeElement.getAttribute('data-value')"
    assert page.evaluate(focused) == "market"
    north, east = coordinates(page, "market")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate(focused) == "market"
    moved = coordinates(page, "market")
    assert moved[0] > north
    assert moved[1] < east
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Delete")
    expect(page.locator("#graph .dot")).to_have_count(8)
    assert page.locator('#graph .dot[data-value="station"]').count() == 0
    page.fill("#new-value", "harbour")
    page.keyboard.press("Enter")
    expect(page.locator('#graph .dot[data-value="harbour"]')).to_be_visible()
    expect(page.locator("#wrong")).to_have_text("")


def test_a_graph_becomes_a_map_and_a_map_another_and_a_graph(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address)
    for kind in ("euclidean", "manhattan", "haversine", "lengths", "euclidean", "line"):
        page.select_option("#kind", kind)
        page.wait_for_selector("main[aria-busy=true]")
        page.wait_for_selector(READY)
        expect(page.locator("#kind")).to_have_value(kind)
        expect(page.locator("#wrong")).to_have_text("")
        dots = page.locator("#graph circle:not(.hit):not(.ring)")
        expect(dots).to_have_count(4)
        expect(page.locator("#formula-details")).to_be_visible(visible=kind == "line")


def test_the_line_of_the_odds_is_dragged_and_its_epsilon_is_used(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address)
    frame = frame_of(page, "#below svg")
    page.mouse.move(frame["x"] + 100, frame["y"] + 100)
    page.mouse.down()
    page.mouse.move(frame["x"] + 100, frame["y"] + 120, steps=3)
    page.mouse.up()
    page.wait_for_selector("#use")
    page.wait_for_selector(READY)
    chosen = float(page.locator("#choice").get_attribute("data-epsilon") or "nan")
    page.click("#use")
    expect(page.locator("#epsilon")).to_have_value(str(int(chosen * 1e4) / 1e4))
    page.wait_for_selector(READY)
    said = page.locator("#odds .value").all_text_contents()
    limit = float(page.locator(".handle").get_attribute("aria-valuenow") or "nan")
    assert float(said[-1].strip("≤ %")) <= limit


def test_a_drag_of_one_chart_moves_nothing_of_the_other(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    before = page.input_value("#epsilon")
    frame = frame_of(page, "#below svg")
    page.mouse.move(frame["x"] + 100, frame["y"] + 60)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(frame["x"] + 100, frame["y"] + 60 + 10 * k)
        page.wait_for_selector(READY)
    page.mouse.up()
    assert page.input_value("#epsilon") == before
    limit = page.locator(".handle").get_attribute("aria-valuenow")
    frame = frame_of(page, "#worst svg")
    page.mouse.move(frame["x"] + 100, frame["y"] + 60)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(frame["x"] + 100 + 15 * k, frame["y"] + 60)
        page.wait_for_selector(READY)
    page.mouse.up()
    assert page.input_value("#epsilon") != before
    assert page.locator(".handle").get_attribute("aria-valuenow") == limit


def test_each_of_five_quick_presses_moves_the_line(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    handle = page.locator(".handle")
    start = int(handle.get_attribute("aria-valuenow") or "nan")
    handle.focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    expect(handle).to_have_attribute("aria-valuenow", str(start + 5))
    page.wait_for_selector(READY)
    page.keyboard.press("ArrowDown")  # it is still where the keys go
    expect(handle).to_have_attribute("aria-valuenow", str(start + 4))


def test_what_is_not_taken_is_said(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.fill("#records", "2.5")
    expect(page.locator("#notice")).to_contain_text("Records must be a whole number from 1 up")
    expect(page.locator("#records")).to_have_attribute("aria-invalid", "true")
    page.fill("#records", "25")
    expect(page.locator("#records")).to_have_attribute("aria-invalid", "false")
    page = opened(browser, address, "hospital")
    page.fill("#new-value", "perhaps")
    page.press("#new-value", "Enter")
    expect(page.locator("#notice")).to_contain_text("equally likely again")


def test_what_is_taken_away_is_whole(browser: Browser, address: str, tmp_path: Path) -> None:
    page = opened(browser, address)
    assert "</html>" in saved(page, "#report").read_text("utf-8")
    assert json.loads(saved(page, "#certificate").read_text("utf-8"))["format"]
    for picture in ("graph", "odds", "below", "worst", "mechanism", "posterior"):
        tools = f'.tools[data-picture="{picture}"] button'
        drawing = saved(page, f'{tools}:text("SVG")').read_text("utf-8")
        assert drawing.startswith("<svg ")
        assert 'xmlns="http://www.w3.org/2000/svg"' in drawing
        assert "class=" not in drawing
        assert saved(page, f'{tools}:text("PNG")').read_bytes().startswith(b"\x89PNG")
    page.click("#code")
    expect(page.locator("#code-text")).to_contain_text("import leaktight as lt")
    code = page.inner_text("#code-text")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert page.locator("#odds .value").last.text_content() in done.stdout.decode()


def test_the_address_carries_the_study_but_not_the_token(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.set_input_files("#file", STUDIES / "vote.toml")
    expect(page.locator("#title")).to_have_value("The city with the most votes")
    assert "token" not in page.url
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("#title")).to_have_value("The city with the most votes")
    stranger = browser.new_page()
    stranger.goto(page.url)
    expect(stranger.locator("#wrong")).to_contain_text("the token is missing")


def test_what_takes_long_is_stopped_and_bad_input_is_said_in_one_line(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address)
    page.fill("#values", "\n".join(map(str, range(40))))
    expect(page.locator("#graph .dot")).to_have_count(40)
    page.fill("#theta", "3")
    expect(page.locator("#graph .edge")).to_have_count(39 + 38 + 37)
    page.locator("#formula-details").evaluate("element => { element.open = true; }")
    stop = page.locator('.work[data-part="formula"] button')
    expect(stop).to_have_text("Stop")
    stop.click()
    expect(page.locator('.work[data-part="formula"]')).to_contain_text("Stopped.")
    page.fill("#values", "\n".join(map(str, range(41))))
    expect(page.locator("#wrong")).to_contain_text("leaktight audit study.toml")
    page.fill("#values", "a\na")
    expect(page.locator("#wrong")).to_contain_text("a")
    page.fill("#values", "a\nb")
    expect(page.locator("#wrong")).to_have_text("")


def test_a_table_becomes_a_study_with_the_epsilon_that_is_advised(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    """From a CSV file to a saved study by six clicks, without a word typed."""
    page = opened(browser, address)
    wages = STUDIES.parent / "tables" / "wages.csv"
    page.evaluate("""() => {
        window.steps = [];
        for (const kind of ["click", "change", "keydown"]) {
            addEventListener(kind, (event) => {
                const chosen = event.target.matches("select, input[type=file]");
                if (event.isTrusted && (kind === "change") === chosen) steps.push(kind);
            }, true);
        }
    }""")
    page.set_input_files("#file", wages)
    page.check("#table-column-1")
    page.select_option("#table-person", "employee")
    page.click("#table-make")
    expect(page.locator("#title")).to_have_value("wages")
    expect(page.locator("#posterior")).to_be_hidden()  # of a release it has nothing to say
    expect(page.locator("#advice b")).to_have_text("moderate")
    page.click("#advised")
    expect(page.locator("#advice b")).to_have_text("strong")
    page.wait_for_selector(READY)
    study = document_of(saved(page).read_text("utf-8"))
    steps = page.evaluate("() => steps")
    assert "keydown" not in steps
    assert len(steps) <= 6
    assert study["policy"]["records"] == 595
    assert study["release"]["epsilon"] == study["question"]["epsilon"] == "0.91629"
    cuts = study["data"].pop("cuts")
    assert study["data"] == {"source": "wages.csv", "columns": "wage", "person": "employee"}
    assert len(study["policy"]["values"]) == len(cuts["wage"]) + 1


QUESTION = """() => JSON.parse(new TextDecoder().decode(Uint8Array.from(
    atob(location.hash.slice("#study=".length).replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.charCodeAt(0)))).question"""


def test_values_that_come_and_go_leave_what_is_believed_of_the_others(
    browser: Browser, address: str
) -> None:
    text = """
    [policy]
    values = ["never", "former", "heavy"]
    [question]
    epsilon = 1
    prior = [0.5, 0.25, 0.25]
    sensitive = ["heavy"]
    """
    page = opened(browser, written(address, text))
    page.fill("#new-value", "pipe")
    page.click("#add-value")
    expect(page.locator("#graph .dot")).to_have_count(4)
    page.wait_for_selector(READY)
    assert page.inner_text("#wrong") == ""
    assert page.evaluate(QUESTION)["prior"] == [0.5, 0.25, 0.25, 0]
    page.fill("#values", "never\nformer\nmuch\npipe")
    expect(page.locator("#odds-values")).to_contain_text("much")
    page.fill("#values", "never\nmuch\npipe")
    expect(page.locator("#graph .dot")).to_have_count(3)
    page.wait_for_selector(READY)
    page.wait_for_function(f"() => ({QUESTION})().prior.length === 3")
    question = page.evaluate(QUESTION)
    assert question["prior"] == [50, 25, 0]
    assert question["sensitive"] == ["much"]
    assert page.inner_text("#wrong") == ""
    page.close()


HIV = """
title = "HIV"
[policy]
values = ["negative", "positive"]
records = 1000
[question]
epsilon = 2
prior = [0.99, 0.01]
sensitive = ["positive"]
"""


def test_a_study_without_a_mechanism_gets_none_and_rare_values_come_first(
    browser: Browser, address: str
) -> None:
    """At ε = 2, λ = e²: 0.01·λ/(1 + 0.01·(λ − 1)) = 6.946%, rounded up; 2% is reached at 99/49."""
    page = opened(browser, written(address, HIV))
    expect(page.locator("#below .belief")).to_have_count(1)
    expect(page.locator("#below .of-bound")).to_have_text("belief in positive, 1 look")
    for _ in range(2):
        assert page.inner_text("#verdict") == "No mechanism is given: this is what any may tell."
        assert page.locator("#odds .value").all_text_contents()[:2] == ["1%", "≤ 7%"]
        first = page.locator("#odds-values tbody tr").first
        assert first.inner_text().split() == ["positive", "1%", "≤", "7%", "≤", "×6.95"]
        expect(page.locator("#advice")).to_contain_text("At ε = 0.703299 no belief in positive")
        assert not page.locator("#posterior").is_visible()
        assert not page.locator('.tools[data-picture="mechanism"]').is_visible()
        assert document_of(saved(page).read_text("utf-8")).get("mechanism") is None
        page.reload()
        page.wait_for_selector(READY)
    page.select_option("#kind-of-mechanism", "randomised response")
    expect(page.locator("#posterior")).to_be_visible()
    expect(page.locator("#verdict")).to_contain_text("PASS: ε = 2 (limit 2), randomised response")
    page.close()


def test_two_studies_stand_side_by_side_and_steps_are_undone(
    browser: Browser, address: str
) -> None:
    page = opened(browser, address, "salary")
    page.click("#compare")
    first = page.input_value("#epsilon")
    page.focus("#slider")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector(READY)
    expect(page.locator("#comparison .other").first).to_be_visible()
    rows = page.locator("#comparison tbody tr").first.locator("td").all_text_contents()
    assert rows[0] != rows[1]
    page.click("#undo")  # five presses at once are one step
    expect(page.locator("#epsilon")).to_have_value(first)
    expect(page.locator("#undo")).to_be_disabled()
    page.click("#redo")
    expect(page.locator("#epsilon")).not_to_have_value(first)
    page.click("#compare-done")
    expect(page.locator("#comparison")).to_be_hidden()


# --- releases, many values, and what is registered ------------------------------------------

WARD = """
title = "Ward"
[policy]
records = 40
[policy.attributes]
sex = ["female", "male"]
age = ["0-64", "65+"]
[data]
source = "ward.csv"
columns = ["sex", "age"]
[release]
name = "June"
epsilon = 1
budget = 2
ledger = "ward.ledger"
[[release.queries]]
name = "sex by age"
kind = "plain histogram"
[[release.queries]]
name = "by age"
kind = "plain histogram"
by = ["age"]
"""


def written(address: str, text: str) -> str:
    return f"{address.partition('&study=')[0]}&study={address_of(document_of(text))}"


def test_a_study_of_a_release_is_answered_about_its_release(browser: Browser, address: str) -> None:
    page = opened(browser, written(address, WARD))
    assert page.inner_text("#verdict") == "PASS: ε = 1 (limit 1), 2 queries with geometric noise."
    told = page.inner_text("#mechanism")
    assert "sex by age (plain histogram)" in told
    assert re.search(r"sex\s+50%\s+≤ 62.3%", told)  # 1/(1 + e^(-1/2)), rounded up
    assert re.search(r"age\s+50%\s+≤ 73.2%", told)
    assert page.inner_text("#graph-tree").split() == [
        "sex", "(2)", "female", "male", "age", "(2)", "0-64", "65+",
    ]  # fmt: skip
    assert Axe().run(page).violations_count == 0
    page.locator("#epsilon").fill("0.5")
    page.wait_for_selector(READY)
    expect(page.locator("#verdict")).to_contain_text("ε = 0.5 (limit 0.5)")
    page.close()


def test_two_thousand_values_are_folded_into_groups(browser: Browser, address: str) -> None:
    text = '[policy]\nvalues = 2000\nsecrets = "line"\n[question]\nepsilon = 1\nobservations = 1\n'
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(written(address, text))
    hint = page.locator("#graph-hint")
    expect(hint).to_contain_text("2,000 values and 1,999 secret pairs, folded into 24 groups")
    assert page.locator("#graph circle").count() == 24
    assert page.locator("#graph line.edge").count() == 23
    expect(page.locator("#odds-what")).to_contain_text("Guessing")
    assert page.inner_text("#wrong") == ""
    assert page.locator("#kind-of-mechanism").input_value() == ""
    names = page.locator("#graph .name").all_text_contents()
    assert names[:3] == ["0", "84", "167"]  # k·2000/24, rounded up
    expect(page.locator("#below .curve")).to_have_count(1)
    assert "designs" not in page.inner_text("body")  # no mechanism is chosen
    page.fill("#sensitive", "7, 1999")
    page.wait_for_function(f"() => ({QUESTION})().sensitive?.length === 2")
    assert page.evaluate(QUESTION)["sensitive"] == [7, 1999]
    page.wait_for_selector(READY)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText(Array(2000).fill('1').join('\\n'))")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    steps = page.evaluate("history.length")
    page.focus("#prior")
    page.keyboard.press("Control+v")  # fill would type line by line, in Chromium too long
    page.wait_for_function(f"() => ({QUESTION})().prior?.length === 2000")
    page.wait_for_selector(READY)
    assert asked.count("answer") == 1  # one change, however many the lines
    assert page.evaluate("history.length") == steps + 1
    assert page.inner_text("#wrong") == ""
    assert page.evaluate(QUESTION)["sensitive"] == [7, 1999]
    assert Axe().run(page).violations_count == 0
    context.close()


def test_the_menu_has_every_mechanism_that_is_registered(browser: Browser, address: str) -> None:
    from leaktight.mechanisms.registry import constructions

    text = '[policy]\nvalues = ["no", "yes"]\nrecords = 9\n[question]\nepsilon = 1\n'
    page = opened(browser, written(address, text))
    menu = page.locator("#kind-of-mechanism")
    offered = {option.get_attribute("value") for option in menu.locator("option").all()}
    planes = {name for name, one in constructions().items() if one.built_on == "plane"}
    assert offered == {"", "best", *constructions()} - planes
    for kind, says in (
        ("discrete gaussian", "discrete Gaussian"),
        ("rounding", "round"),
        ("suppression", "suppress"),
        ("swapping", "swapped"),
        ("top-coding", "top"),
        ("cell key", "cell key"),
    ):
        menu.select_option(kind)
        page.wait_for_selector(READY)
        expect(page.locator("#wrong")).to_have_text("")
        expect(page.locator("#verdict")).to_contain_text(re.compile(says, re.I))
    assert Axe().run(page).violations_count == 0
    page.close()
