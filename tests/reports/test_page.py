import math
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache, partial
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from leaktight.errors import InvalidInput
from leaktight.exact.shown import percent
from leaktight.reports.audit import html, markdown, report, write_report
from leaktight.reports.charts import CHARTS
from leaktight.reports.page import to_html
from leaktight.reports.person import guessing
from leaktight.reports.wording import as_odds, missing
from leaktight.studies import Audit, Skipped
from leaktight.studies.answers import CurvePoint
from leaktight.studies.schema import to_json
from tests.reports.test_charts import person
from tests.studies.examples import (
    EXAMPLES,
    LABELS,
    NO_MECHANISM,
    RANGE,
    TELLS_ALL,
    TELLS_NOTHING,
    drawn,
    example,
    hostile,
    written,
)

COMMAND = "leaktight audit 'a study.toml' --report <out>.html"
UNDRAWN = dict.fromkeys(CHARTS, lambda _: None)
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
        if self.inside("svg") or self.inside("style") or self.inside("script") or not data.strip():
            return
        if self.section == "every-epsilon" and self.inside("section"):
            return  # tests/reports/test_slider.py reads it
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


@cache
def page_of(name: str) -> str:
    charts = {chart: partial(lambda chart, _: drawn(name, chart), chart) for chart in CHARTS}
    with patch("leaktight.reports.charts.CHARTS", charts):
        return html(example(name).proved_by("proof.json"), command=COMMAND)


def read(audit: Audit, certificate: str | None = None) -> Page:
    """Read the words of a page, quickly: without its pictures and its slider."""
    proved = audit if certificate is None else audit.proved_by(certificate)
    with patch("leaktight.reports.charts.CHARTS", UNDRAWN):
        return Page(to_html(report(proved, COMMAND)))


def leaves(answers: Any) -> Iterator[Any]:
    if isinstance(answers, dict | list | tuple):
        for each in answers.values() if isinstance(answers, dict) else answers:
            yield from leaves(each)
        if isinstance(answers, dict):
            yield from answers
    else:
        yield answers


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
def test_every_number_on_the_page_is_one_of_the_answers(name: str) -> None:
    facts = to_json(example(name).proved_by("proof.json"))
    said = {COMMAND, "proof.json"} | {leaf for leaf in leaves(facts) if isinstance(leaf, str)}
    written_out = {number for text in said for number in NUMBER.findall(text)}
    numbers = [float(leaf) for leaf in leaves(facts) if isinstance(leaf, int | float)]
    percents = [100 * number for number in numbers if 0 <= number <= 1]
    seen = 0
    for _, text in Page(page_of(name)).texts:
        for number in NUMBER.findall(re.sub("(?<= leak: ).*", "", text)):
            seen += 1
            if number in written_out:
                continue
            end = text[text.index(number) + len(number) :]
            if end.startswith("%"):
                assert any(abs(float(number) - value) <= 0.1 for value in percents), text
            elif "×" in text:  # a factor has three digits, rounded up
                near = [0 <= float(number) - value <= 0.01 * value for value in numbers]
                assert any(near), text
            else:
                assert any(is_rounding(number, value) for value in numbers), text
    assert seen > 100


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tables_have_the_numbers_of_the_answers_in_full(name: str) -> None:
    found: Any = example(name)
    data = Page(page_of(name)).data
    in_full = {section: [value for value, _ in shown] for section, shown in data.items()}
    known, useful = found.person.informed, found.usefulness
    assert in_full["mechanism"] == [e for row in found.mechanism.matrix for e in row]
    assert in_full["leakage"] == [
        getattr(point, key)
        for point in found.by_epsilon
        for key in ("epsilon", "worst", "tightest", "diameters")
    ]
    assert in_full["belief"] == [n for b in known.belief for n in (b.before, b.after)]
    assert in_full["repetition"] == [
        n for p in known.curve for n in (p.observations, p.lower, p.upper)
    ]
    assert in_full["bounds"][:2] == [found.worst_case.bits, found.worst_case.nats]
    assert in_full["bounds"][2:] == [n for b in found.published for n in (b.bits, b.nats)]
    assert in_full["usefulness"] == [
        float(n) for n in (useful.before, useful.this, useful.best, useful.limit) if n is not None
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
    page = read(person(example("salary"), curve=(CurvePoint(7, 0.25, 0.75, None),)))
    assert [value for value, _ in page.data["repetition"]] == [7, 0.25, 0.75]
    drawn = UNDRAWN | {"repetition": lambda _: "<svg></svg>"}
    with patch("leaktight.reports.charts.CHARTS", drawn):
        shown = Page(html(person(example("salary"), curve=(CurvePoint(7, 0.25, 0.75, None),))))
    assert any("band" in caption for caption in shown.of("figcaption"))
    assert not any("band" in caption for caption in Page(page_of("salary")).of("figcaption"))


# --- what it says --------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_verdict_comes_first_then_the_warnings_then_the_person(name: str) -> None:
    audit, page = example(name), read(example(name))
    texts = [text.replace("\N{NO-BREAK SPACE}", " ").strip() for _, text in page.texts]
    assert texts[1:3] == [audit.title, guessing(audit).headline]
    assert texts.index(audit.verdict.line) < 6
    assert page.of("li") == list(audit.warnings)
    rows = page.rows[""]
    found = guessing(audit)
    tables = [g.values for g in found.guessers if g.values is not None]
    assert rows == [
        [found.what, *found.when], *([g.who, *g.chances] for g in found.guessers),
        *(list(row) for table in tables for row in (table.head, *table.rows)),
    ]  # fmt: skip
    for one in found.guessers:
        if one.text:
            assert " ".join(one.text) in [
                text.replace("\N{NO-BREAK SPACE}", " ") for text in page.of("p")
            ]


def test_the_page_leads_with_the_odds_about_one_person_without_any_epsilon() -> None:
    """The numbers are those of the test below."""
    assert guessing(example("vote")).headline == (
        "By an informed adversary, who knows everyone else, a guess of what one delegate voted for "
        "is right in 33.3% of "
        "all cases before a release, in 55.6% after it, and in 88.6% after 12 of them."
    )
    assert guessing(written(NO_MECHANISM)).headline.startswith(
        "Whatever the mechanism, a guess of one record's value is right in 50% of all cases before "
        "a release, in at most 75% after it, and in possibly more than 99.9% after 10 of them."
    )
    once = person(example("salary"), after=example("salary").person.informed.after[:1])  # type: ignore[union-attr]
    rises: Any = once.person.informed
    rise = max(rises.values, key=lambda each: each.after / each.before)
    assert guessing(once).headline == (
        "A guess of one employee's salary band is right in 30% of all cases before a release and "
        "in 51.6% after it. One output may raise the belief in "
        f"“{rise.value}” from {percent(rise.before)} to {percent(rise.after)}."
    )
    assert not any("ε" in guessing(example(name)).headline for name in EXAMPLES)


def test_the_person_is_told_of_before_and_after() -> None:
    """The numbers are those of tests/studies/test_person.py, found by brute force."""
    vote = {one.who: one.chances for one in guessing(example("vote")).guessers}
    assert vote == {
        "informed adversary (knows everyone else)": ("33.3%", "55.6%", "88.6%"),
        "uninformed adversary (knows the prior)": ("33.3%", "39.9%", "–"),
        "anyone, any mechanism as private as asked": ("33.3%", "≤ 60%", "≤ 100%"),
    }
    salary = [one.who for one in guessing(example("salary")).guessers]
    assert salary[0] == "adversary (sees the release)"
    once = replace(example("vote").question, observations=1)
    assert guessing(replace(example("vote"), question=once)).when == ("before", "after 1")


@pytest.mark.parametrize(
    ("name", "about"),
    [("hospital", "all 3 records together"), ("vote", "all 5 records together"),
     ("salary", "one value")],
)  # fmt: skip
def test_leakage_says_what_it_is_about(name: str, about: str) -> None:
    text = " ".join(read(example(name)).of("p"))
    assert f"about {about}, at worst." in text
    assert f"nats) about {about}, and one leaks as much." in text


def test_bits_are_said_as_odds_too() -> None:
    text = " ".join(read(example("locations")).of("p"))
    assert "2 bits leak: what was guessed right in 1 of 1,000 cases may be guessed right" in text
    assert as_odds(0.0).endswith("1 of 1,000 cases may be guessed right in 1 of 1,000")
    assert as_odds(1.0).endswith("1 of 1,000 cases may be guessed right in 1 of 500")
    assert as_odds(20.0).endswith("1 of 10,000,000 cases may be guessed right in 1 of 9")
    assert as_odds(31.0) == as_odds(math.inf) == ""


@given(st.floats(0, 30))
def test_odds_do_not_look_better_than_they_are(leaked: float) -> None:
    before, after = (int(n.replace(",", "")) for n in re.findall(r"1 of ([\d,]+)", as_odds(leaked)))
    assert after <= before / 2**leaked * (1 + 1e-9)
    assert after > before / 2**leaked - 1.001


def test_a_best_mechanism_that_rounding_alone_keeps_from_the_limit_is_the_best() -> None:
    text = " ".join(read(example("salary")).of("p"))
    assert "proved to be the best, up to rounding." in text
    useful: Any = example("salary").usefulness
    worse = replace(useful, best=useful.best / 2, gap=useful.best / 2)
    assert "up to rounding" not in " ".join(
        read(replace(example("salary"), usefulness=worse)).of("p")
    )
    assert "The best possible one is proved to be the best." in read(example("locations")).of("p")


def test_what_a_release_is_good_for_is_not_about_a_person() -> None:
    told = (
        "How often the best guess of the answer is right, by what a release tells of it; larger is "
        "better."
    )
    page = read(example("vote"))
    assert told in page.of("p")
    assert "This is not about one person." in page.of("p")
    assert "This is not about one person." not in read(example("salary")).of("p")


def test_what_was_asked_and_what_was_found_are_not_rounded_against_each_other() -> None:
    """e = 2.718281828…: found is 2.71829, rounded up, and 2.71828 as the limit would be less."""
    text = " ".join(read(example("wages")).of("p"))
    assert "Asked: ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}1." in text
    assert "2.71829 times as likely" in text
    assert "2.71828 " not in text


def test_the_worst_pair_is_named() -> None:
    found: Any = example("hospital")
    worst = found.privacy.level.worst
    text = " ".join(read(found).of("p"))
    assert f"the output “{worst.output}” is 4 times as likely for “{worst.input}”" in text
    assert "the output “0” is possible for “no” but not for its neighbour “yes”" in " ".join(
        read(written(TELLS_ALL)).of("p")
    )
    assert "every output is equally likely" in " ".join(read(written(TELLS_NOTHING)).of("p"))


SECTIONS = [
    "policy", "privacy", "mechanism", "public", "belief", "repetition", "leakage", "usefulness",
    "bounds", "check",
]  # fmt: skip


def sections_of(audit: Audit) -> list[str]:
    return [str(attrs["id"]) for tag, attrs in read(audit).tags if tag == "section"]


def test_there_is_a_section_for_each_part_of_the_answers() -> None:
    assert sections_of(example("hospital")) == SECTIONS
    assert sections_of(example("salary")) == [s for s in SECTIONS if s != "public"]
    assert sections_of(example("agency")) == SECTIONS
    assert "missing" in sections_of(written(RANGE))
    assert sections_of(written(NO_MECHANISM)) == [
        "policy", "privacy", "leakage", "usefulness", "bounds", "check",
    ]  # fmt: skip


def without(audit: Audit, part: str) -> Audit:
    skipped: Any = Skipped("too large")
    if part == "belief":
        return person(audit, belief=())
    if part == "repetition":
        return person(audit, curve=skipped)
    if part == "bounds":
        return replace(audit, published=skipped)
    if part == "leakage":
        return replace(audit, leakage=skipped, worst_case=skipped)
    return replace(audit, usefulness=skipped)


@pytest.mark.parametrize("part", ["belief", "repetition", "leakage", "usefulness", "bounds"])
def test_what_was_not_computed_has_no_section(part: str) -> None:
    audit = without(example("hospital"), part)
    found = [each for each in sections_of(audit) if each != "missing"]
    assert found == [each for each in SECTIONS if each != part]
    titles = re.findall("^## .*", markdown(audit, command=COMMAND), re.M)
    assert len(titles) == len(sections_of(audit))
    if part != "belief":
        assert "too large" in dict(missing(audit)).values()


def test_a_page_is_made_of_any_part_alone() -> None:
    """Whatever else an audit may leave out."""
    why: Any = Skipped("too large")
    hospital: Any = example("hospital")
    nobody = replace(hospital.person, informed=why, uninformed=why, any_mechanism=why)
    bare = replace(
        hospital, person=nobody, privacy=why, leakage=why, worst_case=why, published=why,
        by_epsilon=why, usefulness=why, warnings=(), public=None,
        mechanism=replace(hospital.mechanism, matrix=(), marked=None),
    )  # fmt: skip
    assert sections_of(bare) == ["policy", "privacy", "mechanism", "missing", "check"]
    assert "It is too large to draw." in read(bare).of("p")
    assert "## What was not computed" in markdown(bare)


def test_a_worst_case_between_two_numbers_says_both() -> None:
    salary: Any = example("salary")
    between = replace(salary.worst_case, is_exact=False, lower_bits=1.5, bits=1.75)
    found = " ".join(read(replace(salary, worst_case=between)).of("p"))
    assert "leaks more than 1.75 bits" in found
    assert "and one leaks at least 1.5: the worst case is known to within one bit." in found


def test_what_was_left_out_is_said_with_the_reason() -> None:
    left_out = [list(each) for each in missing(written(RANGE))]
    assert left_out
    assert read(written(RANGE)).rows["missing"] == [["what", "why"], *left_out]
    assert Page(page_of("agency")).rows["missing"][-1] == [
        "the slider for ε", "what is public ties records together, so that it is no matter of one"
    ]  # fmt: skip


def test_how_to_check_it_names_the_command_the_proof_and_the_files() -> None:
    audit, page = example("locations"), Page(page_of("locations"))
    advised = f"[question] {audit.advice.setting}"  # type: ignore[union-attr]
    assert page.of("code") == [advised, COMMAND, "leaktight verify proof.json"]
    values = dict(page.rows["check"])
    assert values["locations.toml"] == f"sha256 {audit.files[0].sha256}"
    assert values["version"] == f"leaktight {audit.version}"
    assert read(audit, "to/a proof.json").of("code")[2] == "leaktight verify 'a proof.json'"
    without_one = read(audit)
    assert without_one.of("code") == [advised, COMMAND]
    assert "No certificate was written; --certificate writes one." in without_one.of("p")
    assert "--certificate" not in " ".join(read(example("agency")).of("p"))
    told = "proof.json proves the worst case: that no mechanism as private leaks more; "
    assert f"{told}leaktight verify checks it." in page.of("p")


def test_a_report_is_written_as_its_name_ends(tmp_path: Path) -> None:
    for name, start in (("a.html", "<!doctype html>"), ("a.HTM", "<!doctype"), ("a.md", "# The")):
        write_report(example("vote"), tmp_path / name)
        assert (tmp_path / name).read_text("utf-8").startswith(start)
    with pytest.raises(InvalidInput, match=r"must end in .html or .md, got .*a.pdf"):
        write_report(example("vote"), tmp_path / "a.pdf")


# --- the page itself -----------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_needs_nothing_but_itself(name: str) -> None:
    names = re.compile("http-equiv|http://www.w3.org/2000/svg")  # which nobody visits
    assert "http" not in names.sub("", page_of(name))
    page = Page(page_of(name))
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "img", "image", "iframe"})
    for _, attrs in page.tags:
        assert not {"src", "style"} & attrs.keys()
        assert not any(key.startswith("on") for key in attrs)
        assert str(attrs.get("href", "#")).startswith("#")
    assert "@import" not in page_of(name)
    assert set(re.findall(r"url\((.)", page_of(name))) <= {"#"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_ids_occur_once_and_pictures_have_titles(name: str) -> None:
    tags = Page(page_of(name)).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    pictures = [attrs for tag, attrs in tags if tag == "svg"]
    with_slider = "every-epsilon" in ids
    assert with_slider == (name not in ("agency", "hospital", "places"))
    with_best = with_slider and name != "wages"  # of which so many answers are not drawn
    assert len(pictures) == 5 + with_best
    assert {attrs["aria-labelledby"] for attrs in pictures} <= set(ids)


@pytest.mark.parametrize("name", EXAMPLES)
def test_only_what_the_page_was_written_with_may_run_or_style_it(name: str) -> None:
    page = page_of(name)
    [policy] = [
        str(attrs["content"]).split("; ")
        for tag, attrs in Page(page).tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy[0] == "default-src 'none'"
    patterns = ("<style>(.*?)</style>", "<script>(.*?)</script>")
    for rule, pattern in zip(policy[1:], patterns, strict=True):
        for text in re.findall(pattern, page, re.S):
            digest = b64encode(sha256(text.encode()).digest()).decode()
            assert rule.endswith(f"-src 'sha256-{digest}'")


def test_what_the_papers_promise_is_folded_away() -> None:
    page = Page(page_of("salary"))
    folded = [attrs for tag, attrs in page.tags if attrs.get("class") == "folded"]
    assert folded == [{"class": "folded"}]  # and not open
    assert page.of("h2")[-2:] == ["What the papers promise", "How to check it"]


def test_labels_are_shown_as_they_are_and_do_nothing() -> None:
    audit = hostile()
    page = Page(html(audit.proved_by('"><script>'), command=COMMAND))
    assert {tag for tag, _ in page.tags}.isdisjoint({"img"})
    scripts = [attrs for tag, attrs in page.tags if tag == "script"]
    assert scripts == [{"type": "application/json"}, {}]  # of the slider
    assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
    assert page.of("h1") == page.of("title") == [audit.title]
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
    audit = hostile() if name == "hostile" else example(name)
    page = read(audit, "proof.json")
    text = markdown(audit.proved_by("proof.json"), command=COMMAND)
    lines = [plain(line) for line in text.splitlines()]
    for words in page.of("p", "h1", "li", "h3"):
        said = squeezed(words.replace("\N{NO-BREAK SPACE}", " "))
        assert any(said in line for line in lines), words
    for _, heading in [t for t in page.texts if t[0] == "h2"][1:]:
        assert any(heading in line for line in lines)
    tables = [
        line for line in text.splitlines() if line.startswith("|") and not line.startswith("| ---")
    ]
    cells = [
        [plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in tables
    ]
    rows = [row for section in page.rows.values() for row in section]
    assert sorted(cells) == sorted([[squeezed(cell) for cell in row] for row in rows])
    advised = audit.advice.setting if audit.advice else None
    where = "[release]" if audit.policy.scope == "table" else "[question]"
    assert [line.strip() for line in text.splitlines() if line.startswith("    ")] == [
        *([f"{where} {advised}"] if advised else []),
        COMMAND,
        "leaktight verify proof.json",
    ]


def test_markdown_speaks_of_no_picture_and_has_no_markup() -> None:
    text = markdown(hostile(), command=COMMAND)
    assert "The stronger" not in text
    assert "<svg" not in text
    assert not re.search(r"(?<!\\)<", text.replace(COMMAND, ""))
    assert "\x00" not in text
    assert "\u202e" not in text
