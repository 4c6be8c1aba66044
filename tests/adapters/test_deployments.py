"""Published deployments: the page says what is computed, and every fact has a source."""

from fractions import Fraction
from pathlib import Path

import pytest

from leaktight.adapters import deployment, deployments
from leaktight.adapters.deployments import row, source
from leaktight.curves.shapes import Enclosed
from leaktight.errors import InvalidInput

PAGE = Path(__file__).parents[2] / "docs" / "deployments.md"
QUICK = [name for name, each in deployments().items() if isinstance(each.curve.shape, Enclosed)]


@pytest.mark.parametrize("name", QUICK)
def test_the_page_has_what_is_computed(name: str) -> None:
    """Those of (ε, δ); the others take two seconds a number."""
    assert row(deployments()[name]) in PAGE.read_text("utf-8").splitlines()


def test_the_page_has_a_row_and_a_source_for_each() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    for each in deployments().values():
        assert sum(line.startswith(f"| `{each.name}` | ") for line in lines) == 2
        assert source(each) in lines
        assert each.source.startswith("https://")


def test_guesses_are_those_of_the_closed_forms() -> None:
    """λ/(λ + v − 1) if values are replaced; 1 − (1 − a)/λ or λ·a if a person is added."""
    apple, aws = deployment("apple-health"), deployment("aws-clean-rooms-least")
    high = Fraction("7.38905609893065023")
    assert float(apple.guess(6)) == pytest.approx(float(high / (high + 5)))
    ratio = 2.718281828459045
    assert float(aws.guess(6)) == pytest.approx(ratio / 6)
    assert float(aws.guess(2)) == pytest.approx(1 - 1 / (2 * ratio))
    assert aws.guess(63, Fraction(3, 4)) >= Fraction(3, 4)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'census2020'"):
        deployment("census20")
