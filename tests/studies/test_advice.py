"""What is advised about an ε, against beliefs that are enumerated."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leaktight as lt
from leaktight.errors import InvalidInput
from leaktight.studies.advice import DOUBLE, advice
from leaktight.studies.study import Study


def _largest_factor(secrets: lt.SecretGraph, prior: list[Fraction], ratio: Fraction) -> Fraction:
    """By how much a belief can grow: an output may be λ^d times as likely at one value."""
    values = list(secrets.vertices)
    return max(
        Fraction(1) / sum((p / Fraction(ratio) ** int(secrets.distance(x, h))
                           for p, h in zip(prior, values, strict=True)), Fraction(0))
        for x, own in zip(values, prior, strict=True) if own
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(lambda c: sum(map(bool, c)) > 1),
       st.sampled_from(["complete", "line"]), st.fractions(1, 30))  # fmt: skip
def test_at_the_epsilon_that_is_advised_no_belief_more_than_doubles(
    counts: list[int], kind: str, ratio: Fraction
) -> None:
    secrets = getattr(lt.SecretGraph, kind)(len(counts))
    prior = [Fraction(n, sum(counts)) for n in counts]
    found = advice(Study(lt.Policy(secrets), ratio=ratio, prior=prior))
    now = _largest_factor(secrets, prior, ratio)
    if found.setting is None:
        assert now <= DOUBLE
        return
    assert now > DOUBLE
    kept = lt.Ratio.of(epsilon=found.setting.removeprefix("epsilon = "))
    assert _largest_factor(secrets, prior, kept.upper) <= DOUBLE
    more = kept.upper * Fraction(10_001, 10_000)  # and hardly more would do
    assert _largest_factor(secrets, prior, more) > DOUBLE


def test_a_rare_disease_is_what_is_spoken_of() -> None:
    policy = lt.Policy(lt.SecretGraph.complete(["negative", "positive"]), records=2000)
    study = Study(policy, epsilon=2, prior=["0.99", "0.01"], sensitive=["positive"])
    found = advice(study)
    assert found.rank == "moderate"
    assert "positive from 1% to at most 7%" in found.text[0]
    assert found.epsilon is not None
    # 2(1 − π)/(1 − 2π) is the ratio at which π becomes 2π.
    exact = lt.Ratio.of(Fraction(2 * 99, 98))
    assert exact.epsilon - 1e-9 < found.epsilon <= exact.epsilon


@pytest.mark.parametrize(("epsilon", "rank"), [("0.01", "strong"), (2, "moderate"), (40, "weak")])
def test_protection_is_ranked_by_the_odds(epsilon: float, rank: str) -> None:
    study = Study(lt.Policy(lt.SecretGraph.complete(6)), epsilon=epsilon)
    assert lt.audit(study).advice.rank == rank  # type: ignore[union-attr]


def test_a_chance_that_was_asked_for_is_kept_after_all_releases() -> None:
    study = Study(lt.Policy(lt.SecretGraph.complete(4)), epsilon=1, below="1/2", observations=3)
    found = advice(study)
    assert found.epsilon is not None
    whole = lt.Ratio.of(epsilon=str(found.epsilon)).upper ** 3
    assert whole / (whole + 3) <= Fraction(1, 2)  # randomised response, the best on four values
    assert "each of 3 releases" in found.text[1]


def test_what_ties_records_together_gets_no_advice() -> None:
    policy = lt.Policy(lt.SecretGraph.complete(2), records=3, constraints=[lt.count([0], equals=1)])
    with pytest.raises(InvalidInput, match="ties records together"):
        advice(Study(policy, epsilon=1))
