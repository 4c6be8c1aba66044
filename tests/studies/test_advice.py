"""What is advised about an ε, against beliefs that are enumerated."""

from fractions import Fraction
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leaktight as lt
from leaktight.errors import InvalidInput
from leaktight.studies.advice import DOUBLE, DOUBTED, advice
from leaktight.studies.study import Study


def _is_strong(secrets: lt.SecretGraph, prior: list[Fraction], ratio: Fraction) -> bool:
    """Whether no belief more than doubles, nor one of at most a half comes to more than 3/4.

    An output may be λ^d times as likely at one value as at another that is d steps away.
    """
    values = list(secrets.vertices)
    grows = [
        (own, 1 / sum((p / Fraction(ratio) ** int(secrets.distance(x, h))
                       for p, h in zip(prior, values, strict=True)), Fraction(0)))
        for x, own in zip(values, prior, strict=True) if own
    ]  # fmt: skip
    return all(factor <= DOUBLE and (own > Fraction(1, 2) or own * factor <= DOUBTED)
               for own, factor in grows)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(lambda c: sum(map(bool, c)) > 1),
       st.sampled_from(["complete", "line"]), st.fractions(1, 30))  # fmt: skip
def test_at_the_epsilon_that_is_advised_protection_is_strong(
    counts: list[int], kind: str, ratio: Fraction
) -> None:
    secrets = getattr(lt.SecretGraph, kind)(len(counts))
    prior = [Fraction(n, sum(counts)) for n in counts]
    found = advice(Study(lt.Policy(secrets), ratio=ratio, prior=prior))
    assert (found.rank == "strong") == _is_strong(secrets, prior, ratio) == (found.setting is None)
    if found.setting is None:
        return
    kept = lt.Ratio.of(epsilon=found.setting.removeprefix("epsilon = "))
    assert _is_strong(secrets, prior, kept.upper)
    assert not _is_strong(secrets, prior, kept.upper * Fraction(10_001, 10_000))  # hardly more
    again = advice(Study(lt.Policy(secrets), ratio=kept.upper, prior=prior))
    assert (again.rank, again.setting) == ("strong", None)


@pytest.mark.parametrize(("epsilon", "rank"), [(1, "strong"), (2, "moderate"), (3, "weak")])
def test_one_of_two_values_is_ranked_by_the_doubt_that_is_left(epsilon: int, rank: str) -> None:
    """e^ε/(1 + e^ε): 73.1%, 88.1% and 95.3%; a belief of one half cannot more than double."""
    study = Study(lt.Policy(lt.SecretGraph.complete(["no", "yes"])), epsilon=epsilon)
    found = advice(study)
    assert found.rank == rank
    if rank != "strong":
        assert found.epsilon is not None
        assert found.text[1].endswith(" exceeds 75%.")
        assert abs(found.epsilon - log(3)) < 1e-9


@pytest.mark.parametrize(("epsilon", "rank"), [("0.5", "strong"), (1, "weak"), (5, "weak")])
def test_what_is_likely_and_sensitive_keeps_half_of_its_doubt(epsilon: float, rank: str) -> None:
    """Odds of 4 become 6.6 (86.8%), 10.9 (91.6%) and 594; 90% is at odds of 9, a ratio of 9/4."""
    policy = lt.Policy(lt.SecretGraph.complete(["no", "yes"]))
    found = advice(Study(policy, epsilon=epsilon, prior=["0.2", "0.8"], sensitive=["yes"]))
    assert found.rank == rank
    assert (found.epsilon is None) == (rank == "strong")
    assert found.epsilon is None or abs(found.epsilon - log(9 / 4)) < 1e-9


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
