"""One document, three writers: each knows blocks, and all of them say the same words."""

import re
from typing import get_args

import pytest

from leaktight.reports import markdown as markdown_writer
from leaktight.reports import text as text_writer
from leaktight.reports import to_html, to_markdown, to_text
from leaktight.reports.document import (
    Advice,
    Block,
    Chart,
    Code,
    Document,
    Facts,
    Guesser,
    Guessing,
    Notes,
    Paragraph,
    Section,
    Slider,
    Table,
    Verdict,
    section,
)

WORDS = (
    Verdict("PASS: all is well.", True, "A guess is right in 1 of 2 cases."),
    Advice("weak", "Odds rise tenfold.", "[question] epsilon = 1"),
    Notes(("Mind the <gap>.", "And the other one.")),
    Guessing(
        "Guessing a vote",
        ("before", "after"),
        (
            Guesser(
                "anyone", ("50%", "75%"), ("So.",), values=Table(("belief", "rises"), (("yes", 2),))
            ),
        ),
    ),
    Paragraph("Something else."),
    Facts((("policy", "2 values"), ("", "1 pair"))),
    Section("part", "A part", (Paragraph("Inside."), Table(("x", "y"), (("a", 1.5),)))),
    Code(("leaktight audit vote.toml",)),
    Table(("known", "found"), (("zip, age", 12),)),
)
PICTURES = (Chart(lambda: "<svg></svg>", "A picture."), Slider(lambda: "<i>moves</i>"))
WHOLE = Document("A vote", (*WORDS, *PICTURES))


def words(text: str) -> set[str]:
    plain = text.replace("\\", "").replace("&lt;", "<").replace("&gt;", ">")
    return set(re.findall(r"[A-Za-z]{2,}", re.sub(r"<style>.*</style>", "", plain, flags=re.S)))


def test_every_kind_of_block_is_tried_here() -> None:
    assert {type(block) for block in WHOLE.blocks} == {*get_args(Block)}


def test_every_writer_says_every_word_of_every_block_that_is_made_of_words() -> None:
    said = {"PASS", "well", "gap", "other", "Guessing", "anyone", "Something", "policy", "pair",
            "Inside", "leaktight", "known", "found", "zip", "weak", "tenfold",
            "question", "belief", "rises", "yes"}  # fmt: skip
    for write in (to_text, to_markdown, to_html):
        assert said <= {*words(write(WHOLE)), *words(write(WHOLE).lower())}, write


def test_pictures_are_for_pages_alone() -> None:
    assert "<svg></svg>" in to_html(WHOLE)
    assert "<i>moves</i>" in to_html(WHOLE)
    for write in (to_text, to_markdown):
        assert "picture" not in write(WHOLE)
        assert "moves" not in write(WHOLE)
    kinds = {block.kind for block in WORDS}
    assert {*text_writer.WRITERS} == {*markdown_writer.WRITERS} == kinds


@pytest.mark.parametrize("write", [to_text, to_markdown, to_html])
def test_blocks_come_in_the_order_of_the_document(write) -> None:  # type: ignore[no-untyped-def]
    text = write(WHOLE)
    places = [text.index(word) for word in ("A vote", "PASS", "Mind", "Guessing", "Something")]
    assert places == sorted(places)


def test_a_chart_that_cannot_be_drawn_leaves_its_table_open() -> None:
    table = Table(("x",), (("a",),))
    drawn, undrawn = (
        to_html(Document("", (section("s", "S", chart=chart, table=table),)))
        for chart in (Chart(lambda: "<svg></svg>"), Chart(lambda: None))
    )
    assert "<summary>The numbers</summary>" in drawn
    assert "<summary>The numbers</summary>" not in undrawn
    assert "<figure>" not in undrawn


def test_a_label_is_no_markup_in_any_block() -> None:
    label = "<script>x</script>"
    blocks = (
        Verdict(label, None, label), Advice(label, label), Notes((label,)),
        Paragraph(label), Facts(((label, label),)),
        Guessing(label, (label,), (Guesser(label, (label,), (label,)),)), Code((label,)),
        section("s", label, [label], table=Table((label,), ((label,),))),
    )  # fmt: skip
    assert "<script>x" not in to_html(Document(label, blocks))
    unescaped = [line for line in to_markdown(Document(label, blocks)).splitlines()
                 if "<script>" in line]  # fmt: skip
    assert unescaped == [f"    {label}"]  # lines to copy are shown as they are


def test_text_fits_a_terminal_whatever_is_in_it() -> None:
    long = "word " * 60
    blocks = (Verdict(long), Notes((long,)), Paragraph(long), Facts((("name", long),)),
              Table(("what", "how"), ((long, 1),)))  # fmt: skip
    assert max(map(len, to_text(Document(long, blocks)).splitlines())) <= 80
