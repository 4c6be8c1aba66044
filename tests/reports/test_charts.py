import itertools
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
from msgspec.structs import replace

from leaktight.reports.charts import CHARTS, leakage_by_epsilon, repetition
from leaktight.reports.figure import (
    BLUE,
    INK,
    PURPLE,
    SHEET,
    VERMILLION,
    colours,
    inline,
    short_label,
)
from leaktight.reports.heat import STRONG, heat_map_svg
from leaktight.studies import Audit, Skipped
from leaktight.studies.answers import Belief, CurvePoint
from tests.studies.examples import (
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


def chart_of(name: str, chart: str) -> str:
    svg = drawn(name, chart)
    assert svg is not None
    return svg


def person(audit: Audit, **parts: Any) -> Audit:
    """Return an audit with another informed attacker."""
    known: Any = audit.person.informed
    return replace(audit, person=replace(audit.person, informed=replace(known, **parts)))


def path_in(svg: str, colour: str, **style: str) -> list[tuple[float, float]]:
    """Return the corners of the one line in the axes that has a colour and some style."""
    wanted = {key.replace("_", "-"): value for key, value in style.items()}
    wanted |= {"stroke": colour, "fill": "none"}
    lines = [
        path.attrib["d"]
        for path in ElementTree.fromstring(svg).iter("path")
        if wanted.items() <= path.attrib.items()
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
    svg = chart_of(name, chart)
    root = ElementTree.fromstring(svg)
    assert root.tag == "svg"
    assert root[0].tag == "title"
    assert root[0].text
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == root[0].attrib["id"]
    assert "http" not in svg
    assert {element.tag for element in root.iter()}.isdisjoint({"image", "style", "script"})
    assert not any("style" in element.attrib for element in root.iter())


@pytest.mark.parametrize(("name", "chart"), EVERY)
def test_every_colour_of_a_chart_is_turned_on_a_dark_page(name: str, chart: str) -> None:
    """So what is drawn in it, and nothing is filled with the colour of a light page."""
    root = ElementTree.fromstring(chart_of(name, chart))
    used = {e.attrib[key] for e in root.iter() for key in ("fill", "stroke") if key in e.attrib}
    named = {light for light, _ in SHEET.values()}
    assert {each for each in used if not each.startswith("url(")} <= named | {"none"}
    for each in used & named:
        assert f'svg [fill="{each}"]' in colours()
        assert f'svg [stroke="{each}"]' in colours()


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    high, low = sorted(map(luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("side", [0, 1])
def test_letters_and_lines_can_be_read_on_light_and_on_dark_pages(side: int) -> None:
    shades = {name: both[side] for name, both in SHEET.items()}
    for name in ("ink", "soft", "link", "bad"):
        assert contrast(shades[name], shades["paper"]) >= 4.5
        assert contrast(shades[name], shades["page"]) >= 4.5
    for name in ("blue", "red", "green", "purple", "edge"):
        assert contrast(shades[name], shades["paper"]) >= 2.8
    heat, paper = (
        [int(shades[name][k : k + 2], 16) for k in (1, 3, 5)] for name in ("heat", "paper")
    )
    for strength in np.linspace(0, 1, 101):
        mixed = [round(strength * h + (1 - strength) * p) for h, p in zip(heat, paper, strict=True)]
        cell = "#" + "".join(f"{part:02x}" for part in mixed)
        letters = shades["on-heat" if strength > STRONG else "on-pale"]
        assert contrast(letters, cell) >= 4


@pytest.mark.parametrize(("name", "chart"), EVERY)
def test_ids_are_the_chart_s_own_and_every_reference_has_one(name: str, chart: str) -> None:
    svg = chart_of(name, chart)
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(each.startswith(f"{chart}-") for each in ids)
    assert set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg)) <= {
        pair for each in ids for pair in ((each, ""), ("", each))
    }


def test_the_same_answers_give_the_same_bytes_in_another_process() -> None:
    """Also if the other one has its own settings of matplotlib, and another hash seed."""
    program = (
        "import sys, matplotlib\n"
        "matplotlib.rcParams.update({'font.size': 20, 'axes.grid': True, 'lines.linewidth': 9})\n"
        "from leaktight.reports.charts import CHARTS\n"
        "from leaktight.studies import audit, read_study\n"
        "answers = audit(read_study(sys.argv[1]))\n"
        "sys.stdout.buffer.write(''.join(draw(answers) for draw in CHARTS.values()).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, str(STUDIES / "hospital.toml")],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert other.stdout.decode() == "".join(chart_of("hospital", chart) for chart in CHARTS)


def test_drawing_leaves_the_user_s_settings_alone() -> None:
    before = dict(mpl.rcParams)
    assert leakage_by_epsilon(example("hospital"))
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_lines_of_leakage_are_drawn_through_the_answers(name: str) -> None:
    points: Any = example(name).by_epsilon
    svg = chart_of(name, "leakage")
    for colour, key in ((BLUE, "worst"), (VERMILLION, "tightest")):
        corners = path_in(svg, colour)
        assert len(corners) == len(points)
        assert is_affine([x for x, _ in corners], [p.epsilon for p in points], 0.01)
        assert is_affine([y for _, y in corners], [getattr(p, key) for p in points], 0.01)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_curve_of_repetition_is_drawn_through_the_answers(name: str) -> None:
    known: Any = example(name).person.informed
    corners = path_in(chart_of(name, "repetition"), BLUE, stroke_width="1.5")
    assert is_affine([x for x, _ in corners], [p.observations for p in known.curve], 0.01)
    assert is_affine([y for _, y in corners], [p.upper for p in known.curve], 0.01)


def test_this_mechanism_is_a_point_where_its_epsilon_and_its_leakage_meet() -> None:
    svg = chart_of("hospital", "leakage")
    found: Any = example("hospital")
    corners, points = path_in(svg, BLUE), found.by_epsilon
    slope, start = np.polyfit([p.epsilon for p in points], [x for x, _ in corners], 1)
    rise, foot = np.polyfit([p.worst for p in points], [y for _, y in corners], 1)
    (mark,) = [
        use
        for group in ElementTree.fromstring(svg).iter("g")
        if "clip-path" in group.attrib
        for use in group
        if use.get("fill") == PURPLE
    ]
    epsilon, bits = found.privacy.level.epsilon, found.leakage.bits
    assert float(mark.attrib["x"]) == pytest.approx(slope * epsilon + start, abs=0.01)
    assert float(mark.attrib["y"]) == pytest.approx(rise * bits + foot, abs=0.01)


def test_what_was_asked_and_what_was_believed_are_lines_at_their_numbers() -> None:
    found: Any = example("salary")
    svg = chart_of("salary", "leakage")
    corners = path_in(svg, BLUE)
    asked = [x for x, _ in path_in(svg, INK)]
    epsilons = [point.epsilon for point in found.by_epsilon]
    assert is_affine([x for x, _ in corners] + asked, epsilons + 2 * [found.question.epsilon], 0.01)
    svg, known = chart_of("salary", "repetition"), found.person.informed
    before, below = ([y for _, y in path_in(svg, colour)] for colour in (INK, VERMILLION))
    heights = [y for _, y in path_in(svg, BLUE, stroke_width="1.5")] + before + below
    numbers = [p.upper for p in known.curve] + 2 * [float(known.before)]
    assert is_affine(heights, numbers + 2 * [float(found.question.below)], 0.01)


@pytest.mark.parametrize("name", EXAMPLES)
def test_bars_are_as_long_as_beliefs_are_strong(name: str) -> None:
    known: Any = example(name).person.informed
    bars = [
        [float(x) for x in re.findall(r"[ML] (\S+)", path.attrib["d"])]
        for path in ElementTree.fromstring(chart_of(name, "belief")).iter("path")
        if "clip-path" in path.attrib and path.get("fill") != "none"
    ]
    lengths = [max(bar) - min(bar) for bar in bars if len(bar) == 4]
    beliefs = [b.before for b in known.belief] + [b.after for b in known.belief]
    assert np.allclose(np.divide(lengths, lengths[0]), np.divide(beliefs, beliefs[0]), atol=2e-4)


def test_the_numbers_in_the_heat_map_stand_where_the_matrix_has_them() -> None:
    mechanism = example("salary").mechanism
    assert mechanism is not None
    places = [
        (float(text.attrib["y"]), float(text.attrib["x"]), float(text.text or ""))
        for text in ElementTree.fromstring(chart_of("salary", "mechanism")).iter("text")
        if re.fullmatch(r"[\d.]+", text.text or "")
    ]
    read = [entry for _, _, entry in sorted(places)]
    assert read == [float(f"{entry:.2g}") for row in mechanism.matrix for entry in row]


def test_cells_are_as_strong_as_their_probabilities() -> None:
    matrix = np.array([[0.5, 0.25, 0.25], [0.0, 0.9, 0.1]])
    svg = heat_map_svg(matrix, ["a", "b"], ["x", "y", "z"], "Some")
    cells = [e for e in ElementTree.fromstring(svg).iter("rect") if e.get("class") == "cell"]
    places = [(float(c.attrib["y"]), float(c.attrib["x"])) for c in cells]
    assert places == sorted(places)
    strengths = [float(c.attrib["fill-opacity"]) for c in cells]
    assert np.allclose(strengths, matrix.ravel() / 0.9, atol=1e-3)


def test_where_names_do_not_fit_a_plain_map_has_every_entry_at_its_place() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.dirichlet(np.ones(60), size=45)
    svg = heat_map_svg(matrix, ["i"] * 45, ["o"] * 60, "Many")
    found = np.zeros((45, 60))
    for path in ElementTree.fromstring(svg).iter("path"):
        for z, x in re.findall(r"M(\d+) (\d+)h1v1h-1z", path.attrib["d"]):
            found[int(x), int(z)] = float(path.attrib["fill-opacity"])
    assert np.allclose(found, matrix / matrix.max(), atol=1 / 60)
    assert len(svg) < 20 * 45 * 60


def test_without_a_question_or_a_finite_level_nothing_is_drawn_of_them() -> None:
    def labels(audit: Audit) -> str:
        svg = leakage_by_epsilon(audit)
        assert svg is not None
        return svg

    salary: Any = example("salary")
    assert "this mechanism" in labels(salary)
    assert "ε that was asked" in labels(salary)
    assert "ε that was asked" not in labels(written(NOTHING_ASKED))
    assert "this mechanism" not in labels(written(NO_MECHANISM))
    assert "this mechanism" not in labels(written(TELLS_ALL))
    assert "threshold" in chart_of("salary", "repetition")
    assert "threshold" not in chart_of("hospital", "repetition")
    unknown = tuple(replace(point, diameters=None) for point in salary.by_epsilon)
    assert "Theorem 11" in labels(salary)
    assert "Theorem 11" not in labels(replace(salary, by_epsilon=unknown))


@pytest.mark.parametrize("name", ["hospital", "locations", "salary", "vote"])
def test_the_framed_entries_have_the_ratio_of_the_level(name: str) -> None:
    found: Any = example(name)
    row, other, column = found.mechanism.marked
    matrix = found.mechanism.matrix
    level = found.privacy.one_record or found.privacy.level
    assert matrix[row][column] / matrix[other][column] == pytest.approx(float(level.ratio))
    assert chart_of(name, "mechanism").count(f'stroke="{VERMILLION}"') == 2


def test_what_is_worst_elsewhere_is_not_framed() -> None:
    salary: Any = example("salary")
    svg = CHARTS["mechanism"](replace(salary, mechanism=replace(salary.mechanism, marked=None)))
    assert svg is not None
    assert VERMILLION not in svg


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_value_and_every_pair_of_the_policy_is_drawn(name: str) -> None:
    policy = example(name).policy
    root = ElementTree.fromstring(chart_of(name, "policy"))
    titles = [circle[0].text for circle in root.iter("circle")]
    assert titles == list(policy.secrets)
    assert len(list(root.iter("line"))) == len(policy.pairs)


def test_the_grid_of_a_study_stands_upright() -> None:
    """Blocks of a city: the first coordinate to the right, the second upwards."""
    root = ElementTree.fromstring(chart_of("locations", "policy"))
    at = {str(c[0].text): c.attrib for c in root.iter("circle")}
    for x, y in itertools.product(range(4), range(3)):
        here, above, right = (at[name] for name in (f"({x}, {y})", f"({x}, {y + 1})", f"({y}, 0)"))
        assert here["cx"] == above["cx"]
        assert float(here["cy"]) > float(above["cy"])
        assert right["cy"] == at["(0, 0)"]["cy"]


def test_what_is_not_there_is_not_drawn() -> None:
    audit = written(NO_MECHANISM)
    salary: Any = example("salary")
    assert [name for name, draw in CHARTS.items() if draw(audit) is None] == [
        "mechanism",
        "belief",
        "repetition",
    ]
    many = replace(audit, policy=replace(audit.policy, values=41))
    assert CHARTS["policy"](many) is None
    assert leakage_by_epsilon(replace(audit, by_epsilon=Skipped("too large"))) is None
    large = replace(salary, mechanism=replace(salary.mechanism, matrix=()))
    assert CHARTS["mechanism"](large) is None
    assert repetition(person(salary, curve=Skipped("too long"))) is None


def test_forty_values_and_a_million_observations_are_drawn() -> None:
    names = tuple(f"value {k}" for k in range(40))
    even = (1 / 40,) * 40
    salary: Any = example("salary")
    matrix = replace(salary.mechanism, matrix=(even,) * 40, inputs=names, outputs=names)
    counts = [round(10 ** (k / 2)) for k in range(13)]
    changed = person(
        replace(salary, mechanism=matrix),
        belief=tuple(Belief(name, 1 / 40, 1 / 40) for name in names),
        curve=tuple(CurvePoint(n, 0.5, 0.5 + 0.4 * (n > 1), None) for n in counts),
    )
    assert all(CHARTS[name](changed) for name in ("mechanism", "belief"))
    svg = repetition(changed)
    assert svg is not None
    assert "1,000,000" in svg


def test_labels_are_drawn_as_they_are_or_shortened() -> None:
    audit = hostile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = {name: draw(audit) for name, draw in CHARTS.items()}
    for name in ("mechanism", "belief"):
        texts = [text.text for text in ElementTree.fromstring(charts[name] or "").iter("text")]
        assert {"<script>alert('x')</s…", '"><img src=x onerror=…'} <= set(texts)
        assert {"東京都新宿区西新宿二…", "�turned� and broken"} <= set(texts)


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


def test_each_example_says_why_in_two_sentences() -> None:
    assert set(EXAMPLES) == {
        *("agency", "hospital", "locations", "places", "salary", "vote", "wages")
    }
    for name in EXAMPLES:
        why = (STUDIES / f"{name}.toml").read_text(encoding="utf-8").partition("\ntitle")[0]
        sentences = re.findall(r"[.?](?=\s|$)", why.replace("\n# ", " "))
        assert len(sentences) == 2
