"""What synthetic data tell, against counting by hand."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars
import pytest
from scipy.stats import beta

from leaktight.errors import InvalidInput
from leaktight.tables import SyntheticRisk, synthetic_risk

Row = tuple[Any, ...]


def frame(rows: Sequence[Row]) -> polars.DataFrame:
    schema = {"a": polars.String, "b": polars.Int64, "s": polars.String}
    return polars.DataFrame([list(c) for c in zip(*rows, strict=True)], schema=schema)


def drawn(rng: random.Random, rows: int) -> list[Row]:
    cells = ["x", "y", None]
    return [(rng.choice(cells), rng.choice([1, 2]), rng.choice("pqr")) for _ in range(rows)]


def first(counts: Counter[str]) -> str:
    """The most frequent one, the first by name of those."""
    return min(counts, key=lambda s: (-counts[s], s))


def by_hand(synthetic: list[Row], real: list[Row]) -> tuple[int, int, int]:
    usual = first(Counter(row[2] for row in synthetic))
    right = plain = copied = 0
    for row in real:
        alike = Counter(other[2] for other in synthetic if other[:2] == row[:2])
        right += (first(alike) if alike else usual) == row[2]
        plain += usual == row[2]
        copied += row in synthetic
    return right, plain, copied


def test_guesses_and_copies_are_as_counted_by_hand() -> None:
    for seed in range(8):
        rng = random.Random(seed)
        tables = [drawn(rng, rng.randint(1, 30)) for _ in range(3)]
        made, real, others = map(frame, tables)
        found = synthetic_risk(made, real, ["a", "b"], "s", holdout=others)
        assert (found.guess.right, found.baseline.right, found.copies.right) == by_hand(*tables[:2])
        assert found.holdout_guess is not None
        assert found.holdout_guess.right == by_hand(tables[0], tables[2])[0]
        # Whose row is in the synthetic table is guessed to have been used; half are of each kind.
        used = Fraction(by_hand(*tables[:2])[2], len(tables[1]))
        others = Fraction(by_hand(tables[0], tables[2])[2], len(tables[2]))
        assert found.membership is not None
        assert found.membership.chance == used / 2 + (1 - others) / 2
        assert found.membership.lower <= found.membership.chance <= found.membership.upper
        if 0 < found.guess.right < found.guess.rows:
            k, n = found.guess.right, found.guess.rows
            assert found.guess.lower == pytest.approx(beta.ppf(0.0125, k, n - k + 1))
            assert found.guess.upper == pytest.approx(beta.ppf(1 - 0.0125, k + 1, n - k))


def test_a_copy_shows_harm_and_fresh_rows_do_not() -> None:
    rng = random.Random(3)
    real = [(str(i), rng.randint(0, 99), rng.choice("pqr")) for i in range(300)]
    others = [(str(i + 300), rng.randint(0, 99), rng.choice("pqr")) for i in range(300)]
    copied = synthetic_risk(frame(real), frame(real), ["a", "b"], "s", holdout=frame(others))
    assert copied.shows_harm
    assert (copied.guess.chance, copied.guess.upper) == (Fraction(1), 1.0)
    assert "harm is shown" in str(copied)
    assert copied.membership is not None
    assert (copied.membership.chance, copied.membership.upper) == (Fraction(1), 1.0)
    assert 0.97 < copied.membership.lower < 1
    assert "a row was used is guessed with 100%" in str(copied)
    fresh = synthetic_risk(frame(others), frame(real), ["a", "b"], "s", holdout=frame(real))
    assert not fresh.shows_harm
    assert "proves nothing" in str(fresh)
    alone: SyntheticRisk = synthetic_risk(frame(real), frame(real), ["a"], "s")
    assert not alone.shows_harm
    assert "without a holdout" in str(alone)


def test_bad_tables_are_refused(tmp_path: Path) -> None:
    rows = drawn(random.Random(1), 5)
    with pytest.raises(InvalidInput, match="both a quasi-identifier and sensitive"):
        synthetic_risk(frame(rows), frame(rows), ["a", "s"], "s")
    with pytest.raises(InvalidInput, match="of the same types"):
        synthetic_risk(frame(rows).with_columns(b=polars.lit("1")), frame(rows), ["a", "b"], "s")
    file = tmp_path / "none.csv"
    file.write_text("a,b,s\n")
    text = tmp_path / "some.csv"
    text.write_text("a,b,s\nx,1,p\n")
    with pytest.raises(InvalidInput, match="must have rows"):
        synthetic_risk(text, file, ["a", "b"], "s")
