import copy
import json
import re
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

import pytest

from leaktight.reports.charts import CHARTS
from leaktight.reports.html import html, markdown
from tests.studies.example_facts import (
    EXAMPLES,
    LABELS,
    NO_MECHANISM,
    NOTHING_ASKED,
    TELLS_ALL,
    TELLS_NOTHING,
    drawn,
    example,
    hostile,
    written,
)

COMMAND = "leaktight audit 'a study.toml' --report <out>.html"
VOID = {"meta", "br", "hr", "img", "input", "link", "path"}


class Page(HTMLParser):
    """What a reader finds on a page: words, numbers, tables; pictures are left out."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.section = ""
        self.texts: list[tuple[str, str]] = []
        """Each text with the tag that it is in."""
        self.data: dict[str, list[tuple[float, str]]] = {}
        """The numbers of each section, in full and as they are shown."""
        self.rows: dict[str, list[list[str]]] = {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in VOID and not self.inside("svg"):
            return
        self.open.append((tag, dict(attrs)))
        if tag == "section":
            self.section = str(dict(attrs)["id"])
        elif tag == "tr":
            self.rows.setdefault(self.section, []).append([])
        elif tag in ("td", "th"):
            self.rows[self.section][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.inside("svg") or self.inside("style") or not data.strip():
            return
        tag, attrs = self.open[-1]
        self.texts.append((tag, data))
        if tag == "data":
            shown = (float(str(attrs["value"])), data)
            self.data.setdefault(self.section, []).append(shown)
        if self.inside("td") or self.inside("th"):
            self.rows[self.section][-1][-1] += data

    def inside(self, tag: str) -> bool:
        return any(tag == name for name, _ in self.open)

    def of(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if tag in tags]


def proved(facts: dict[str, Any], file: str | None = "proof.json") -> dict[str, Any]:
    """Return the facts with a certificate."""
    certificate = None if file is None else {"file": file, "proves": "the worst case"}
    return facts | {"certificate": certificate}


@cache
def page_of(name: str) -> str:
    charts = {chart: partial(lambda chart, _: drawn(name, chart), chart) for chart in CHARTS}
    with patch("leaktight.reports.html.CHARTS", charts):
        return html(proved(example(name)), command=COMMAND)


def read(facts: dict[str, Any], certificate: str | None = None) -> Page:
    """Read the words of a page, quickly: without its pictures."""
    with patch("leaktight.reports.html.CHARTS", {}):
        return Page(html(proved(facts, certificate), command=COMMAND))


def changed(facts: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return copy.deepcopy(facts) | {key.replace("_", " "): value for key, value in parts.items()}


def leaves(facts: Any) -> Iterator[Any]:
    if isinstance(facts, dict | list):
        for each in facts.values() if isinstance(facts, dict) else facts:
            yield from leaves(each)
        if isinstance(facts, dict):
            yield from facts
    else:
        yield facts


def is_rounding(shown: str, value: float) -> bool:
    """Say whether a text is a number with at least four digits, or all that there are."""
    told = float(shown.replace(",", ""))
    if told == value:
        return True
    if abs(value) >= 1000:
        return abs(told - value) < 1
    return any(abs(told - value) < 10**-d * abs(value) * k for d, k in ((3, 0.5), (5, 1)))


NUMBER = re.compile(r"(?<![\w./^])\d[\d,]*(?:\.\d+)?(?:e-\d+)?(?:/\d+)?(?![\w/])")


# --- numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_number_on_the_page_is_one_of_the_facts(name: str) -> None:
    facts = example(name)
    said = {COMMAND, "proof.json"} | {leaf for leaf in leaves(facts) if isinstance(leaf, str)}
    written_out = {number for text in said for number in NUMBER.findall(text)}
    numbers = [float(leaf) for leaf in leaves(facts) if isinstance(leaf, int | float)]
    percents = [100 * number for number in numbers if 0 <= number <= 1]
    seen = 0
    for _, text in Page(page_of(name)).texts:
        for number in NUMBER.findall(text):
            seen += 1
            if number in written_out:
                continue
            end = text[text.index(number) + len(number) :]
            if end.startswith("%"):
                assert any(abs(float(number) - value) <= 0.05 for value in percents), text
            else:
                assert any(is_rounding(number, value) for value in numbers), text
    assert seen > 100


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tables_have_the_numbers_of_the_facts_in_full(name: str) -> None:
    facts, data = example(name), Page(page_of(name)).data
    in_full = {section: [value for value, _ in shown] for section, shown in data.items()}
    posterior = facts["posterior"]
    assert in_full["mechanism"] == [e for row in facts["mechanism"]["matrix"] for e in row]
    assert in_full["leakage"] == [
        point[key]
        for point in facts["by epsilon"]
        for key in ("epsilon", "worst", "tightest", "diameters")
    ]
    assert in_full["belief"] == [
        number
        for pair in zip(posterior["before"], posterior["after"], strict=True)
        for number in pair
    ]
    assert in_full["repetition"] == [
        point[key]
        for point in facts["attacker"]["curve"]
        for key in ("observations", "lower", "upper")
    ]
    assert in_full["bounds"][:2] == [facts["worst case"]["upper bits"], facts["worst case"]["nats"]]
    assert in_full["bounds"][2:] == [
        bound[unit] for bound in facts["published bounds"] for unit in ("bits", "nats")
    ]
    useful = facts["usefulness"]
    assert in_full["usefulness"] == [
        useful[key]["float"] for key in ("this mechanism", "best", "bound")
    ]
    for shown in data.values():
        assert all(is_rounding(text, value) for value, text in shown)


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_bound_looks_smaller_than_it_is(name: str) -> None:
    data = Page(page_of(name)).data
    bounds = [*data["bounds"][::2], *data["repetition"][2::3]]
    bounds += [pair for k in (1, 2, 3) for pair in data["leakage"][k::4]]
    assert all(float(text.replace(",", "")) >= value for value, text in bounds)
    assert all(float(text) <= value for value, text in data["repetition"][1::3])


def test_a_band_is_shown_by_both_its_ends() -> None:
    facts = changed(example("salary"))
    facts["attacker"]["curve"] = [{"observations": 7, "lower": 0.25, "upper": 0.75}]
    page = Page(html(facts, command=COMMAND))
    assert [value for value, _ in page.data["repetition"]] == [7, 0.25, 0.75]
    assert any("band" in caption for caption in page.of("figcaption"))
    assert not any("band" in caption for caption in Page(page_of("salary")).of("figcaption"))


def test_a_page_is_made_of_json_alone() -> None:
    again = json.loads(json.dumps(example("vote")))
    assert html(proved(again), command=COMMAND) == page_of("vote")


# --- what it says --------------------------------------------------------------------------


def answer(facts: dict[str, Any]) -> str:
    page = read(facts)
    return next(text for tag, text in page.texts if tag == "h2").strip()


def test_the_verdict_comes_first() -> None:
    assert answer(example("hospital")) == "No: it is less private than asked."
    assert answer(example("salary")) == "Yes: it is as private as asked."
    assert (
        answer(written(NOTHING_ASKED))
        == "It is private at ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}1.099."
    )
    assert answer(written(NO_MECHANISM)) == "No mechanism is given: this is what any may tell."
    assert answer(changed(written(TELLS_ALL), holds=None, asked=None)) == "It is private at no ε."
    unknown = changed(example("salary"), privacy=None, holds=None)
    assert answer(unknown) == "How private it is could not be computed."


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_it_means_for_a_person_and_the_warnings_follow(name: str) -> None:
    facts, page = example(name), Page(page_of(name))
    attacker = facts["attacker"]
    for whose in ("of this mechanism", "of all answers", "of any mechanism"):
        told = attacker[whose]
        if told is not None:
            assert " ".join(told["text"].split()) in page.of("p")
    assert page.of("li") == facts["warnings"]


def test_the_figures_of_one_answer_are_called_so_beside_those_of_all() -> None:
    page = read(example("hospital"))
    headings = page.of("h3")
    assert headings == [
        "To those who see the answer for one record",
        "To those who see the answers for all records",
    ]
    tile = dict(zip(page.of("dt"), page.of("dd"), strict=True))
    assert tile["one answer, after 1"] == tile["all answers"] == "66.7%"
    assert tile["the most telling"] == "85.7%"  # 6/7, by brute force in tests/test_audit.py
    alone = [text for text in page.of("p") if "what one record's answer alone tells" in text]
    assert len(alone) == 2  # beside the belief and beside the curve
    assert "A guess of one record by its answer alone is right with" in " ".join(page.of("p"))
    for name in ("salary", "vote"):
        assert "alone" not in " ".join(read(example(name)).of("p", "h2", "h3", "dt"))


@pytest.mark.parametrize(
    ("name", "about"),
    [("hospital", "all 3 records together"), ("vote", "all 5 records together"),
     ("salary", "one value")],
)  # fmt: skip
def test_leakage_says_what_it_is_about(name: str, about: str) -> None:
    page = read(example(name))
    assert f"Leakage about {about} at worst, in bits" in page.of("h2")
    assert "any as private as asked" in page.of("dt")
    assert f"nats) about {about}, and one leaks as much." in " ".join(page.of("p"))


def test_the_worst_pair_is_named() -> None:
    found = " ".join(read(example("hospital")).of("p"))
    worst = example("hospital")["privacy"]["worst"]
    assert f"the output “{worst['output']}” is 4 times as likely for “{worst['input']}”" in found
    assert "the output “0” is possible for “no” but not for its neighbour “yes”" in " ".join(
        read(written(TELLS_ALL)).of("p")
    )
    assert "every output is equally likely" in " ".join(read(written(TELLS_NOTHING)).of("p"))


def test_a_level_that_is_too_high_never_looks_like_the_one_that_was_asked() -> None:
    facts = changed(example("salary"), holds=False)
    facts["asked"]["epsilon"] = 1 - 2**-30
    shown = read(facts).of("dd")
    assert shown[:2] == ["0.9999999991", "1"]  # 1 − 2^−30 = 0.99999999906…, rounded up
    assert read(facts | {"holds": True}).of("dd")[:2] == ["1", "1"]
    facts["asked"]["epsilon"] = 1
    assert "That is more than asked, if only by a hair." in read(facts).of("p")


SECTIONS = [
    "policy", "mechanism", "leakage", "belief", "repetition", "usefulness", "bounds", "missing",
    "check",
]  # fmt: skip


def sections_of(facts: dict[str, Any]) -> list[str]:
    return [str(attrs["id"]) for tag, attrs in read(facts).tags if tag == "section"]


def test_there_is_a_section_for_each_part_of_the_facts() -> None:
    assert sections_of(example("hospital")) == SECTIONS
    assert sections_of(example("salary")) == [s for s in SECTIONS if s != "missing"]
    assert sections_of(written(NO_MECHANISM)) == [
        "policy",
        "leakage",
        "usefulness",
        "bounds",
        "check",
    ]


@pytest.mark.parametrize(
    ("parts", "section"),
    [
        ({"posterior": None}, "belief"),
        ({"published_bounds": []}, "bounds"),
        ({"usefulness": None}, "usefulness"),
        ({"not_computed": {}}, "missing"),
        ({"leakage": None, "worst_case": None, "by_epsilon": []}, "leakage"),
    ],
)
def test_what_was_not_computed_has_no_section(parts: dict[str, Any], section: str) -> None:
    facts = changed(example("hospital"), **parts)
    assert sections_of(facts) == [each for each in SECTIONS if each != section]
    titles = re.findall("^## .*", markdown(facts, command=COMMAND), re.M)
    assert len(titles) == len(SECTIONS) - 1


def test_a_page_is_made_of_any_part_alone() -> None:
    """Whatever else is None, as an audit may leave it."""
    facts = changed(example("hospital"), privacy=None, one_record_alone=None, holds=None)
    for part in ("leakage", "worst case", "posterior", "usefulness", "asked"):
        facts[part] = None
    facts["attacker"] = {"of all answers": None} | {
        "of this mechanism": None,
        "of any mechanism": None,
        "curve": [],
    }
    facts |= {"published bounds": [], "by epsilon": [], "warnings": []}
    facts["mechanism"] |= {"matrix": None, "inputs": None, "outputs": None}
    assert sections_of(facts) == ["policy", "mechanism", "missing", "check"]
    assert "It is too large to show." in read(facts).of("p")


def test_a_worst_case_between_two_numbers_says_both() -> None:
    facts = changed(example("salary"))
    facts["worst case"] |= {"exact": False, "lower bits": 1.5, "upper bits": 1.75}
    found = " ".join(read(facts).of("p"))
    assert "leaks more than 1.75 bits" in found
    assert "and one leaks at least 1.5." in found


def test_what_was_left_out_is_said_with_the_reason() -> None:
    left_out = example("hospital")["not computed"]
    rows = Page(page_of("hospital")).rows["missing"]
    assert rows == [["what", "why"], *([what, why] for what, why in left_out.items())]


def test_how_to_check_it_names_the_command_the_proof_and_the_files() -> None:
    facts, page = example("locations"), Page(page_of("locations"))
    assert page.of("code") == [COMMAND, "leaktight verify proof.json"]
    values = dict(page.rows["check"])
    assert values["locations.toml"] == f"sha256 {facts['files'][0]['sha256']}"
    assert values["version"] == f"leaktight {facts['version']}"
    assert read(facts, "to/a proof.json").of("code")[1] == "leaktight verify 'a proof.json'"
    without = read(facts)
    assert without.of("code") == [COMMAND]
    assert "No certificate was written; --certificate writes one." in without.of("p")
    assert "proof.json proves the worst case; the second command checks it." in page.of("p")


# --- the page itself -----------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_needs_nothing_but_itself(name: str) -> None:
    assert "http" not in page_of(name)
    page = Page(page_of(name))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "img", "image", "iframe"})
    for _, attrs in page.tags:
        assert "src" not in attrs
        assert str(attrs.get("href", "#")).startswith("#")
    assert "@import" not in page_of(name)
    assert set(re.findall(r"url\((.)", page_of(name))) <= {"#"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_ids_occur_once_and_pictures_have_titles(name: str) -> None:
    tags = Page(page_of(name)).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    pictures = [attrs for tag, attrs in tags if tag == "svg"]
    assert len(pictures) == 5
    assert {attrs["aria-labelledby"] for attrs in pictures} <= set(ids)


def test_labels_are_shown_as_they_are_and_do_nothing() -> None:
    facts = hostile()
    page = Page(html(proved(facts, '"><script>'), command=COMMAND))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "b"})
    assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
    assert page.of("h1") == page.of("title") == [facts["title"]]
    names = [row[0] for row in page.rows["belief"][1:]]
    assert names[:3] == [LABELS[0], f"{LABELS[1][:29]}…", LABELS[2]]
    assert names[4] == "東京都新宿区西新宿二丁目八番…"
    assert names[-1] == "�turned� and broken"
    assert all(len(name) <= 30 for name in names)


# --- Markdown ------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Take the backslashes away, as Markdown does."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", [*EXAMPLES, "hostile"])
def test_markdown_has_the_same_words_and_tables(name: str) -> None:
    facts = hostile() if name == "hostile" else example(name)
    page = read(facts, "proof.json")
    text = markdown(proved(facts), command=COMMAND)
    lines = [plain(line) for line in text.splitlines()]
    for words in page.of("p", "h1", "li"):
        assert any(squeezed(words) in line for line in lines), words
    for _, heading in [t for t in page.texts if t[0] == "h2"][1:]:
        assert any(heading in line for line in lines)
    for heading in page.of("dt", "dd"):
        assert any(heading in line for line in lines)
    tables = [line for line in text.splitlines() if line.startswith("|") and "| ---" not in line]
    cells = [
        [plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in tables
    ]
    rows = [row for section in page.rows.values() for row in section]
    assert sorted(cells) == sorted([[squeezed(cell) for cell in row] for row in rows])
    assert [line.strip() for line in text.splitlines() if line.startswith("    ")] == [
        COMMAND,
        "leaktight verify proof.json",
    ]


def test_markdown_speaks_of_no_picture_and_has_no_markup() -> None:
    text = markdown(hostile(), command=COMMAND)
    assert "The darker" not in text
    assert "<svg" not in text
    assert not re.search(r"(?<!\\)<", text.replace(COMMAND, ""))
    assert "\x00" not in text
    assert "\u202e" not in text
