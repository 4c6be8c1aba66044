import csv
import io
import json
import os
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leaktight
from leaktight.channels.channel import Channel
from leaktight.channels.file import read_channel
from leaktight.errors import InvalidChannel, InvalidFile, LeaktightError, Mismatch
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.release import release_csv
from leaktight.mechanisms.release.release import release
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph
from leaktight.samples.observations import read_observations

ANSWERS = ["no", "yes"]
COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ANSWERS, ANSWERS)
NEGATION = Channel.deterministic({"no": "yes", "yes": "no"}, ANSWERS)


class Promised(Mechanism):
    """A mechanism with a guarantee above what its channel has."""

    @property
    def name(self) -> str:
        return "two coins"

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(Fraction(5, 2), "values")

    @property
    def channel(self) -> Channel:
        return COIN


def test_each_kind_of_column_comes_back_as_its_kind() -> None:
    series = pd.Series(["no", "yes"], index=["Ann", "Bob"], name="answer")
    negated = pd.Series(["yes", "no"], index=["Ann", "Bob"], name="answer")
    pd.testing.assert_series_equal(release(NEGATION, series).answers, negated)
    assert release(NEGATION, ("no", "yes")).answers == ["yes", "no"]
    assert release(NEGATION, np.array(["no", "yes"])).answers.tolist() == ["yes", "no"]
    assert release(NEGATION, []).record.answers == 0


def test_a_column_of_tuples_is_counted_by_its_answers() -> None:
    pairs = [("a", "b"), ("c", "d")]
    done = release(Channel.identity(pairs), (pairs[1], pairs[0], pairs[1]))
    assert done.answers == [pairs[1], pairs[0], pairs[1]]
    assert done.record.answers == 3


def test_the_record_says_what_was_applied_and_what_it_promises() -> None:
    before = datetime.now(UTC)
    record = release(Promised(), ["yes"] * 1200).record
    assert before <= record.time <= datetime.now(UTC)
    content = json.loads(record.to_json())
    assert content == record.to_dict()
    assert content["format"] == "leaktight release"
    assert content["version"] == leaktight.__version__
    assert content["mechanism"] == "two coins"
    assert content["answers"] == 1200
    assert content["randomness"] == "the operating system"
    assert Fraction(content["guarantee"]["ratio"]) == Fraction(5, 2)
    assert 0.9162907 < content["guarantee"]["epsilon"] < 0.9162908
    assert content["guarantee"]["neighbours"] == "values"
    assert datetime.fromisoformat(content["time"]).utcoffset() == UTC.utcoffset(None)
    assert content["text"] == (
        "1,200 answers released by two coins. For each answer separately: ε ≤ 0.916291 "
        "(ratio 5/2) for neighbouring values. Someone whom n of the answers are about has n "
        "times this ε."
    )


def test_a_channel_promises_nothing_unless_it_is_measured() -> None:
    record = release(COIN, ["yes"]).record
    assert record.guarantee is None
    assert record.to_dict()["guarantee"] is None
    assert "1 answer released by a channel with 2 inputs and 2 outputs." in str(record)
    assert "No guarantee was stated." in str(record)
    secrets = SecretGraph.complete(ANSWERS)
    for mechanism in (COIN, Promised()):
        measured = release(mechanism, ["yes"], neighbours=secrets).record.guarantee
        assert measured is not None
        assert measured.ratio == 2
        assert measured.neighbours.startswith("inputs of SecretGraph(2 vertices, 1 edge")
    apart = release(COIN, ["yes"], neighbours=Graph(ANSWERS)).record.guarantee
    assert apart is not None
    assert apart.ratio == 1


def test_a_channel_that_tells_neighbours_apart_is_refused() -> None:
    with pytest.raises(InvalidChannel, match="private at no ε for these neighbours") as caught:
        release(NEGATION, ["yes"], neighbours=SecretGraph.complete(ANSWERS))
    assert "output 'yes' of 'no' against 'yes'" in str(caught.value)


def test_a_seeded_release_is_repeatable_and_says_so() -> None:
    answers = ["no", "yes"] * 50
    first, again = (release(COIN, answers, rng=np.random.default_rng(3)) for _ in range(2))
    assert first.answers == again.answers
    assert first.record.to_dict()["randomness"] == "a generator for tests"
    assert "nothing is promised against anyone who knows or guesses its seed" in str(first.record)


@pytest.mark.parametrize(
    ("mechanism", "answers", "error", "message"),
    [
        (COIN, "yes", Mismatch, "a column of answers, got one of the type str: write [answer]"),
        (COIN, 3, Mismatch, "a column of answers, got one of the type int: write [answer]"),
        (COIN, ["no", "yess"], Mismatch, "inputs[1] is no input of the channel; there are 'no'"),
        (COIN.float(), ["no"], InvalidChannel, "channel.exact()"),
        ("coin", ["no"], InvalidChannel, "expected a Mechanism or a Channel, got 'coin'"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    mechanism: Any, answers: Any, error: type[LeaktightError], message: str
) -> None:
    with pytest.raises(error) as caught:
        release(mechanism, answers)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- files ---------------------------------------------------------------------------------


def test_a_file_keeps_all_but_the_one_column(tmp_path: Path) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    text = 'name,answer,note\nAnn,no,"a, b"\n\nBob,yes,"two\nlines"\n Čeněk ,no, 007\n'
    source.write_text(text, encoding="utf-8")
    record = release_csv(NEGATION, source, str(target), "answer")
    swapped = text.replace(",no,", ",?,").replace(",yes,", ",no,").replace(",?,", ",yes,")
    assert target.read_text(encoding="utf-8") == swapped
    assert source.read_text(encoding="utf-8") == text
    assert record.answers == 3
    assert json.loads((tmp_path / "released.csv.release.json").read_text("utf-8")) == (
        record.to_dict()
    )
    assert record.to_dict()["column"] == "answer"
    assert "Only the column 'answer' was changed; the others were copied" in str(record)


def test_all_else_is_copied_to_the_byte(tmp_path: Path) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    text = b'\xef\xbb\xbf"n","answer",m\r\n"",%s,1\r\n"a""b,c",%s,\n\n"d\re",%s, "f" g'
    source.write_bytes(text % (b"no", b'"yes"', b"no"))
    release_csv(NEGATION, source, target, "answer")
    assert target.read_bytes() == text % (b"yes", b"no", b"yes")


CELL = st.text(st.sampled_from('ab,"\r\n ;é'), max_size=5)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=50,
)
@given(
    rows=st.lists(st.tuples(CELL, CELL, st.sampled_from(ANSWERS), CELL), max_size=4),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_the_other_cells_hold_only_the_answers_change(
    tmp_path: Path, rows: list[tuple[str, str, str, str]], quoting: Any
) -> None:
    source = tmp_path / "told.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=quoting).writerows([("a", "b", "answer", "c"), *rows])
    for name in ("once.csv", "twice.csv"):
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / f"{name}.release.json").unlink(missing_ok=True)
    release_csv(NEGATION, source, tmp_path / "once.csv", "answer")
    with (tmp_path / "once.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))[1:]
    other = {"no": "yes", "yes": "no"}
    assert found == [[a, b, other[answer], c] for a, b, answer, c in rows]
    release_csv(NEGATION, tmp_path / "once.csv", tmp_path / "twice.csv", "answer")
    if quoting == csv.QUOTE_MINIMAL:
        assert (tmp_path / "twice.csv").read_bytes() == source.read_bytes()


def by_csv_alone(text: str, column: str) -> str:
    """The plain route: ``csv`` reads all lines, and an expression finds the cell in each.

    Returns the file that is released by NEGATION, or where it is wrong.
    """
    taken = list[str]()
    reader = csv.reader(
        (taken.append(line) or line for line in io.StringIO(text, newline="")),  # type: ignore[func-returns-value]
        strict=True,
    )
    released, header, number = "", list[str](), 1
    cell = r'(?:"(?:[^"]|"")*"|[^,\r\n]*)'
    try:
        for cells in reader:
            line = "".join(taken)
            if number == 1:
                header = cells
                if header.count(column) != 1:
                    return "line 1:"
            elif cells or len(header) == 1:
                if len(cells or [""]) != len(header):
                    return f"line {number}:"
                at = header.index(column)
                answer = (cells or [""])[at]
                if answer not in ANSWERS:
                    return f"line {number}, column"
                other = "yes" if answer == "no" else "no"
                line = re.sub(rf"\A((?:{cell},){{{at}}}){cell}", rf"\g<1>{other}", line)
            released += line
            taken.clear()
            number = reader.line_num + 1
    except csv.Error:
        return f"from line {number}:"
    return released if header else "line 1:"


PIECES = ["no", "yes", "no,yes", "a", ",", ",no\n", ",yes\r\n", '"', '""', '"no"', "\n", "\r", " "]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=300,
)
@given(
    header=st.sampled_from(["x\n", "x,b\r\n", "a,x\n", '"a\n",x\n', "a,x,c\r", "\nx\n", "a\n"]),
    pieces=st.lists(st.sampled_from(PIECES), max_size=12),
)
def test_lines_with_and_without_quotes_are_released_as_csv_reads_them(
    tmp_path: Path, header: str, pieces: list[str]
) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    for file in (target, tmp_path / "released.csv.release.json"):
        file.unlink(missing_ok=True)
    text = header + "".join(pieces)
    source.write_bytes(text.encode())
    expected = by_csv_alone(text, "x")
    if re.match(r"(from )?line \d", expected):
        with pytest.raises(InvalidFile, match=rf"told\.csv, {expected}"):
            release_csv(NEGATION, source, target, "x")
    else:
        release_csv(NEGATION, source, target, "x")
        assert target.read_bytes().decode() == expected


def test_a_released_label_is_quoted_where_it_must_be(tmp_path: Path) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    source.write_text("k\n0\n1\n2\n")
    odd = ['a,"b"', "two\nlines", ""]
    release_csv(Channel.deterministic(dict(enumerate(odd)), 3), source, target, "k")
    with target.open(newline="") as file:
        assert [cells for (cells,) in csv.reader(file)] == ["k", *odd]


def test_labels_that_are_no_text_are_found_by_their_text(tmp_path: Path) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    source.write_text("k\n2\n1\n")
    rotation = Channel.deterministic(lambda k: (k + 1) % 3, 3)
    release_csv(rotation, source, target, "k")
    assert target.read_text() == "k\n0\n2\n"


def test_a_mechanism_with_a_guarantee_is_applied_to_a_file(tmp_path: Path) -> None:
    source = tmp_path / "told.csv"
    source.write_text("answer\n" + "yes\n" * 3000)
    rng = np.random.default_rng(5)
    record = release_csv(Promised(), source, tmp_path / "out.csv", "answer", rng=rng)
    assert record.guarantee == Promised().guarantee
    assert record.seeded
    kept = (tmp_path / "out.csv").read_text().split().count("yes")
    assert 1800 < kept < 2200  # of 3000, with the chance 2/3


@pytest.mark.parametrize(
    ("content", "column", "message"),
    [
        (
            "name,answer\nAnn,no\nBob,yess\n",
            "answer",
            "line 3, column 'answer': the cell is no input",
        ),
        ("name,answer\nAnn,no\nBob,yess\n", "answer", "of the channel; there are 'no', 'yes'"),
        ("name,answer\n\n\nAnn,\n", "answer", "line 4, column 'answer': the cell is no input"),
        ('name,answer\n"A\nn",no\nBob,x\n', "answer", "line 4, column 'answer'"),
        ("name,answer\nAnn,no\nBob\n", "answer", "line 3: expected 2 cells like line 1, got 1"),
        ("name,answer\nAnn,no\n", "answers", "line 1: there is no column 'answers'; did you mean"),
        ("answer,answer\nno,no\n", "answer", "line 1: only one column may be called 'answer'"),
        ("", "answer", "line 1: expected the names of the columns, got nothing"),
        (
            'name,answer\nAnn,no\nAnn,"no\n',
            "answer",
            "from line 3: not CSV: unexpected end",
        ),
    ],
)
def test_a_wrong_file_is_refused_by_name_and_line_and_nothing_is_written(
    tmp_path: Path, content: str, column: str, message: str
) -> None:
    source = tmp_path / "told.csv"
    source.write_text(content)
    with pytest.raises(InvalidFile, match=r"told\.csv") as caught:
        release_csv(COIN, source, tmp_path / "released.csv", column)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["told.csv"]


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_other_separators_than_commas_are_named(mark: str, tmp_path: Path) -> None:
    source = tmp_path / "told.csv"
    source.write_text(f"name{mark}answer\nAda{mark}no\n")
    for read in (
        lambda: release_csv(COIN, source, tmp_path / "out.csv", "answer"),
        lambda: read_channel(source),
        lambda: read_observations(source, "name", "answer"),
    ):
        with pytest.raises(
            InvalidFile, match=re.escape(f"commas, this file seems to use {mark!r}")
        ):
            read()


def test_no_file_is_ever_overwritten(tmp_path: Path) -> None:
    source, target = tmp_path / "told.csv", tmp_path / "released.csv"
    source.write_text("answer\nno\n")
    with pytest.raises(InvalidFile, match=r"told\.csv is there already"):
        release_csv(NEGATION, source, source, "answer")
    release_csv(NEGATION, source, target, "answer")
    with pytest.raises(InvalidFile, match=r"released\.csv is there already.*adds to their ε"):
        release_csv(NEGATION, source, target, "answer")
    target.unlink()
    with pytest.raises(InvalidFile, match=r"released\.csv\.release\.json is there already"):
        release_csv(NEGATION, source, target, "answer")
    assert source.read_text() == "answer\nno\n"


def test_missing_unreadable_and_unwritable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"there is no file .*none\.csv"):
        release_csv(COIN, tmp_path / "none.csv", tmp_path / "out.csv", "answer")
    (tmp_path / "binary.csv").write_bytes(b"answer\n\xff\xfe\n")
    with pytest.raises(InvalidFile, match=r"binary\.csv, from line 1: not CSV in UTF-8"):
        release_csv(COIN, tmp_path / "binary.csv", tmp_path / "out.csv", "answer")
    (tmp_path / "told.csv").write_text("answer\nno\n")
    with pytest.raises(InvalidFile, match=r"out\.csv cannot be written"):
        release_csv(COIN, tmp_path / "told.csv", tmp_path / "no" / "out.csv", "answer")


def test_labels_that_read_alike_in_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "told.csv").write_text("answer\n1\n")
    for alike in (Channel.identity([1, "1"]), Channel([["1/2", "1/2"]], [1], [1, "1"])):
        with pytest.raises(Mismatch, match="'1' and 1 read alike"):
            release_csv(alike, tmp_path / "told.csv", tmp_path / "out.csv", "answer")


def test_an_empty_answer_of_a_file_with_one_column_is_drawn_too(tmp_path: Path) -> None:
    swapped = Channel({"": {"x": 1}, "x": {"": 1}})
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("a\n\nx\n", encoding="utf-8")
    record = release_csv(swapped, source, target, "a")
    assert record.answers == 2
    assert target.read_text(encoding="utf-8") == 'a\nx\n""\n'


def test_with_distances_the_guarantee_is_for_a_distance_of_one() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["no", "yes"])
    near = Metric.from_edges(["no", "yes"], [("no", "yes", "1/2")])
    guarantee = release(coin, ["no"], neighbours=near).record.guarantee
    assert guarantee is not None
    assert 4 <= guarantee.ratio < 4 + Fraction(1, 10**12)
    assert guarantee.neighbours.startswith("inputs at a distance of 1 of Metric(2 values")
