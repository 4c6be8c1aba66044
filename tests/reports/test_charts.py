import copy
import itertools
import json
import os
import re
import subprocess
import sys
import warnings
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.reports.charts import CHARTS, leakage_by_epsilon, marked_pair, own_bits, repetition
from leaktight.reports.figure import BLUE, INK, PURPLE, VERMILLION, inline, short_label
from tests.studies.example_facts import (
    EXAMPLES,
    NO_MECHANISM,
    NOTHING_ASKED,
    STUDIES,
    TELLS_ALL,
    drawn,
    example,
    hostile,
    written,
)

EVERY = list(itertools.product(EXAMPLES, CHARTS))


def changed(facts: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return copy.deepcopy(facts) | {key.replace("_", " "): value for key, value in parts.items()}


def path_in(svg: str, colour: str, style: str = "") -> list[tuple[float, float]]:
    """Return the corners of the one line in the axes that has a colour and some style."""
    lines = [
        path.attrib["d"]
        for path in ElementTree.fromstring(svg).iter("path")
        if f"stroke: {colour.lower()}" in path.get("style", "")
        and style in path.get("style", "")
        and "fill: none" in path.get("style", "")
        and "clip-path" in path.attrib  # which the legend has not
    ]
    assert len(lines) == 1
    numbers = [float(x) for x in re.findall(r"-?[\d.]+", lines[0])]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def is_affine(shown: list[float], facts: list[float], steps: float) -> bool:
    slope, start = np.polyfit(facts, shown, 1)
    return bool(np.allclose(np.polyval([slope, start], facts), shown, atol=steps))


@pytest.mark.parametrize(("name", "chart"), EVERY)
def test_a_chart_is_one_svg_element_with_a_title_and_nothing_from_outside(
    name: str, chart: str
) -> None:
    svg = drawn(name, chart)
    root = ElementTree.fromstring(svg)
    assert root.tag == "svg"
    assert root[0].tag == "title"
    assert root[0].text
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == root[0].attrib["id"]
    assert "http" not in svg
    assert {element.tag for element in root.iter()}.isdisjoint({"image", "style", "script"})


@pytest.mark.parametrize(("name", "chart"), EVERY)
def test_ids_are_the_chart_s_own_and_every_reference_has_one(name: str, chart: str) -> None:
    svg = drawn(name, chart)
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(each.startswith(f"{chart}-") for each in ids)
    assert set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg)) <= {
        pair for each in ids for pair in ((each, ""), ("", each))
    }


def test_the_same_facts_give_the_same_bytes_in_another_process() -> None:
    """Also if the other one has its own settings of matplotlib, and another hash seed."""
    program = (
        "import json, sys, matplotlib\n"
        "matplotlib.rcParams.update({'font.size': 20, 'axes.grid': True, 'lines.linewidth': 9})\n"
        "from leaktight.reports.charts import CHARTS\n"
        "facts = json.load(sys.stdin)\n"
        "sys.stdout.buffer.write(''.join(draw(facts) for draw in CHARTS.values()).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(example("hospital")).encode(),
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert other.stdout.decode() == "".join(drawn("hospital", chart) for chart in CHARTS)


def test_drawing_leaves_the_user_s_settings_alone() -> None:
    before = dict(mpl.rcParams)
    assert leakage_by_epsilon(example("hospital"))
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_lines_of_leakage_are_drawn_through_the_facts(name: str) -> None:
    points = example(name)["by epsilon"]
    svg = drawn(name, "leakage")
    for colour, key in ((BLUE, "worst"), (VERMILLION, "tightest")):
        corners = path_in(svg, colour)
        assert len(corners) == len(points)
        assert is_affine([x for x, _ in corners], [p["epsilon"] for p in points], 0.01)
        assert is_affine([y for _, y in corners], [p[key] for p in points], 0.01)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_curve_of_repetition_is_drawn_through_the_facts(name: str) -> None:
    curve = example(name)["attacker"]["curve"]
    corners = path_in(drawn(name, "repetition"), BLUE, "stroke-width: 1.5")
    assert is_affine([x for x, _ in corners], [p["observations"] for p in curve], 0.01)
    assert is_affine([y for _, y in corners], [p["upper"] for p in curve], 0.01)


def test_this_mechanism_is_a_point_where_its_epsilon_and_its_leakage_meet() -> None:
    svg = drawn("hospital", "leakage")
    facts = example("hospital")
    corners, points = path_in(svg, BLUE), facts["by epsilon"]
    slope, start = np.polyfit([p["epsilon"] for p in points], [x for x, _ in corners], 1)
    rise, foot = np.polyfit([p["worst"] for p in points], [y for _, y in corners], 1)
    (mark,) = [
        use
        for group in ElementTree.fromstring(svg).iter("g")
        if "clip-path" in group.attrib
        for use in group
        if f"fill: {PURPLE.lower()}" in use.get("style", "")
    ]
    assert float(mark.attrib["x"]) == pytest.approx(
        slope * facts["privacy"]["epsilon"] + start, abs=0.01
    )
    assert float(mark.attrib["y"]) == pytest.approx(
        rise * facts["leakage"]["all records"]["bits"] + foot, abs=0.01
    )


def test_what_was_asked_and_what_was_believed_are_lines_at_their_numbers() -> None:
    facts, svg = example("salary"), drawn("salary", "leakage")
    points, corners = facts["by epsilon"], path_in(svg, BLUE)
    asked = [x for x, _ in path_in(svg, INK)]
    epsilons = [point["epsilon"] for point in points]
    assert is_affine(
        [x for x, _ in corners] + asked, epsilons + 2 * [facts["asked"]["epsilon"]], 0.01
    )
    svg = drawn("salary", "repetition")
    before, below = ([y for _, y in path_in(svg, colour)] for colour in (INK, VERMILLION))
    heights = [y for _, y in path_in(svg, BLUE, "stroke-width: 1.5")] + before + below
    numbers = [point["upper"] for point in facts["attacker"]["curve"]]
    numbers += 2 * [facts["attacker"]["of this mechanism"]["before"]["float"]]
    assert is_affine(heights, numbers + 2 * [facts["question"]["below"]["float"]], 0.01)


@pytest.mark.parametrize("name", EXAMPLES)
def test_bars_are_as_long_as_beliefs_are_strong(name: str) -> None:
    posterior = example(name)["posterior"]
    bars = [
        [float(x) for x in re.findall(r"[ML] (\S+)", path.attrib["d"])]
        for path in ElementTree.fromstring(drawn(name, "belief")).iter("path")
        if "clip-path" in path.attrib and "fill: " in path.get("style", "")
    ]
    lengths = [max(bar) - min(bar) for bar in bars if len(bar) == 4]
    beliefs = posterior["before"] + posterior["after"]
    assert np.allclose(np.divide(lengths, lengths[0]), np.divide(beliefs, beliefs[0]), atol=2e-4)


def test_the_numbers_in_the_heat_map_stand_where_the_matrix_has_them() -> None:
    matrix = example("salary")["mechanism"]["matrix"]
    places = [
        (float(text.attrib["y"]), float(text.attrib["x"]), float(text.text or ""))
        for text in ElementTree.fromstring(drawn("salary", "mechanism")).iter("text")
        if re.fullmatch(r"[\d.]+", text.text or "")
    ]
    read = [entry for _, _, entry in sorted(places)]
    assert read == [float(f"{entry:.2g}") for row in matrix for entry in row]


def test_a_mechanism_on_records_counts_with_all_of_them() -> None:
    """Against Σ_z max_x over the six databases with two flus, one by one."""
    facts = example("hospital")
    one = facts["mechanism"]["matrix"]
    databases = [d for d in itertools.product(range(3), repeat=3) if d.count(0) == 2]
    best = sum(
        max(
            np.prod([one[x][z] for x, z in zip(database, output, strict=True)])
            for database in databases
        )
        for output in itertools.product(range(3), repeat=3)
    )
    assert own_bits(facts) == pytest.approx(np.log2(best))
    assert own_bits(example("vote")) == example("vote")["leakage"]["at worst"]["bits"]
    assert own_bits(written(NO_MECHANISM)) is None


def test_without_a_question_or_a_finite_level_nothing_is_drawn_of_them() -> None:
    def labels(facts: dict[str, Any]) -> str:
        svg = leakage_by_epsilon(facts)
        assert svg is not None
        return svg

    assert "this mechanism" in labels(example("salary"))
    assert "ε that was asked" in labels(example("salary"))
    assert "ε that was asked" not in labels(written(NOTHING_ASKED))
    assert "this mechanism" not in labels(written(NO_MECHANISM))
    assert "this mechanism" not in labels(written(TELLS_ALL))
    assert "threshold" in drawn("salary", "repetition")
    assert "threshold" not in drawn("hospital", "repetition")
    unknown = [point | {"diameters": None} for point in example("salary")["by epsilon"]]
    assert "Theorem 11" in labels(example("salary"))
    assert "Theorem 11" not in labels(changed(example("salary"), by_epsilon=unknown))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_framed_entries_have_the_ratio_of_the_level(name: str) -> None:
    facts = example(name)
    marked = marked_pair(facts)
    assert marked is not None
    row, other, column = marked
    matrix = facts["mechanism"]["matrix"]
    level = facts["one record alone"] or facts["privacy"]
    assert matrix[row][column] / matrix[other][column] == pytest.approx(level["ratio"]["float"])
    assert drawn(name, "mechanism").count(f"stroke: {VERMILLION.lower()}") == 2


def test_what_is_worst_elsewhere_is_not_framed() -> None:
    elsewhere = {"input": "x", "neighbour": "y", "output": "z"}
    facts = changed(example("salary"))
    facts["privacy"]["worst"] = elsewhere
    assert marked_pair(facts) is None
    svg = CHARTS["mechanism"](facts)
    assert svg is not None
    assert VERMILLION.lower() not in svg


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_value_and_every_pair_of_the_policy_is_drawn(name: str) -> None:
    policy = example(name)["policy"]
    root = ElementTree.fromstring(drawn(name, "policy"))
    titles = [circle[0].text for circle in root.iter("circle")]
    assert titles == policy["secrets"]
    assert len(list(root.iter("line"))) == len(policy["pairs"])


def test_what_is_not_there_is_not_drawn() -> None:
    facts = written(NO_MECHANISM)
    assert [name for name, draw in CHARTS.items() if draw(facts) is None] == [
        "mechanism",
        "belief",
        "repetition",
    ]
    many = changed(facts)
    many["policy"]["values"] = 41
    assert CHARTS["policy"](many) is None
    assert leakage_by_epsilon(changed(facts, by_epsilon=[])) is None
    large = changed(example("salary"))
    large["mechanism"] |= {"matrix": None, "inputs": None, "outputs": None}
    assert CHARTS["mechanism"](large) is None


def test_forty_values_and_a_million_observations_are_drawn() -> None:
    names = [f"value {k}" for k in range(40)]
    even = [1 / 40] * 40
    facts = changed(
        example("salary"),
        posterior={"output": "value 3", "values": names, "before": even, "after": even},
    )
    facts["mechanism"] |= {"matrix": [even] * 40, "inputs": names, "outputs": names}
    counts = [round(10 ** (k / 2)) for k in range(13)]
    facts["attacker"]["curve"] = [
        {"observations": n, "lower": 0.5, "upper": 0.5 + 0.4 * (n > 1)} for n in counts
    ]
    assert all(CHARTS[name](facts) for name in ("mechanism", "belief"))
    svg = repetition(facts)
    assert svg is not None
    assert "1,000,000" in svg


def test_labels_are_drawn_as_they_are_or_shortened() -> None:
    facts = hostile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = {name: draw(facts) for name, draw in CHARTS.items()}
    for name in ("mechanism", "belief"):
        texts = [text.text for text in ElementTree.fromstring(charts[name] or "").iter("text")]
        assert {"<script>alert('…", '"><img src=x on…', "$x^2$ {{ 7*7 }}…"} <= set(texts)
        assert {"東京都新宿区西…", "�turned� and br…"} <= set(texts)


def test_a_reference_in_a_label_stays() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g id="a" clip-path="url(#a)">url(#a)</g></svg>'
    assert '<g id="x-a" clip-path="url(#x-a)">url(#a)</g>' in inline(svg, "x", "a & b")
    assert "a &amp; b</title>" in inline(svg, "x", "a & b")


@given(st.text(), st.integers(1, 40))
def test_a_short_label_is_one_printable_line_of_so_many_columns(text: str, longest: int) -> None:
    label = short_label(text, longest)
    assert label.isprintable()
    assert len(label) <= longest
    assert label == " ".join(label.split())
    assert short_label(label, longest) == label
    if text.isprintable() and len(text) * 2 <= longest:
        assert label == " ".join(text.split())


def test_there_are_four_examples() -> None:
    assert set(EXAMPLES) == {"hospital", "locations", "salary", "vote"}
    for name in EXAMPLES:
        why = (STUDIES / f"{name}.toml").read_text(encoding="utf-8").partition("\ntitle")[0]
        sentences = re.findall(r"[.?](?=\s|$)", why.replace("\n# ", " "))
        assert len(sentences) == 2
