"""Whatever is printed of a bound lies on its safe side, and no number is too large to be said."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import leaktight as lt
from leaktight.exact.shown import shown_above, shown_below
from leaktight.repetition.enclosure import Enclosed
from leaktight.reports.audit import html, markdown, summary
from leaktight.reports.table import table
from leaktight.reports.wording import AtLeast, AtMost, exactly
from leaktight.studies import Audit

FAR = """
[policy]
metric = "haversine"
[policy.points]
Graz = [47.07, 15.43]
Wien = [48.2, 16.37]
Lisboa = [38.72, -9.14]
[mechanism]
kind = "best"
[question]
epsilon = 1
"""


def number(text: str) -> Fraction:
    """Return what was printed, with all its digits."""
    plain = text.removeprefix("≈").replace(",", "")
    return Fraction(plain) if "/" in plain else Fraction(Decimal(plain))


SIZES = st.fractions(min_value=Fraction(1, 10**9), max_value=10**12)


@given(SIZES, SIZES)
@example(Fraction(10**20 + 1, 10**20), Fraction(1))
def test_ends_are_printed_outward(one: Fraction, other: Fraction) -> None:
    value = one * other + Fraction(1, 3**50)
    for text, side in (
        (shown_above(value), 1), (shown_below(value), -1),
        (exactly(value, AtMost), 1), (exactly(value, AtLeast), -1),
    ):  # fmt: skip
        assert side * number(text) >= side * value
        assert abs(number(text) - value) <= value * Fraction(2, 10**5) + 1


def test_what_no_float_has_is_a_power_of_2() -> None:
    # log2 3 = 1.58496250…
    assert exactly(Fraction(3) ** 1000, AtMost) == "≈2^1584.97"
    assert shown_below(Fraction(3) ** 1000) == "≈2^1584.96"


def test_an_interval_is_printed_outward() -> None:
    low, high = 0.12345678, 0.23456712
    said = str(Enclosed(low, high, 3, "bounds"))
    ends = re.search(r"([\d.]+) to ([\d.]+) ", said)
    assert ends is not None
    assert float(ends[1]) <= low
    assert high <= float(ends[2])


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Places so far apart that what is allowed for them is more than any float."""
    file = tmp_path_factory.mktemp("far") / "far.toml"
    file.write_text(FAR)
    return lt.audit(lt.read_study(file))


def test_places_far_apart_have_a_report(far: Audit) -> None:
    for text in (summary(far), markdown(far), html(far)):
        plain = " ".join(text.split())
        assert "at most inf" not in plain
        power = re.search(r"apart, by a factor of at most 2\^([\d.]+)", plain)
        assert power is not None
        # A degree of the great circle is 111.19…km; Wien and Lisboa are 20.67 of them apart.
        assert 2297 / math.log(2) < float(power[1].rstrip(".")) < 2299 / math.log(2)


def test_bounds_in_a_table_are_not_below_what_they_bound() -> None:
    study = lt.Study(lt.Policy(lt.SecretGraph.complete(["a", "b", "c"])), epsilon=1, observations=3)
    found = lt.audit(study)
    [row] = table(found).rows
    after = found.person.any_mechanism
    assert isinstance(after, lt.studies.answers.AnyMechanism)
    for cell, chance in zip(row[2:4], after.after, strict=True):
        assert Fraction(cell) >= chance.value
    shown = [number(cell) for cell in re.findall(r"& ([\d.]+)", table(found).to_latex())[1:3]]
    assert all(low >= chance.value for low, chance in zip(shown, after.after, strict=True))
    bounds = lt.leakage_bounds(study.policy, epsilon=1)
    rows = table(bounds).to_latex().splitlines()[4:]
    for bound, line in zip(bounds.bounds, rows, strict=False):
        assert number(line.split(" & ")[2]) >= Fraction(bound.bits)
