"""Every claim of [Boreale2012]_ holds as its verdict says."""

import dataclasses
from fractions import Fraction
from typing import Any

import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Loss
from leaktight.papers.boreale2012 import breaches as boreale_breaches
from leaktight.papers.boreale2012 import privacy as boreale_privacy
from leaktight.papers.boreale2012 import rates as boreale_rates
from leaktight.papers.boreale2012 import utility as boreale_utility
from leaktight.papers.claim import Claim, Unexpected, Verdict, run
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.average_breach import average_breach_level
from leaktight.privacy.breach_level import breach_level
from leaktight.privacy.level import privacy_level
from leaktight.repetition.rates import (
    average_breach_rate,
    breach_probability_rate,
    error_rate,
    geometric_chernoff,
)
from leaktight.repetition.success import expected_loss

CLAIMS = (
    *boreale_breaches.CLAIMS,
    *boreale_privacy.CLAIMS,
    *boreale_rates.CLAIMS,
    *boreale_utility.CLAIMS,
)

REGISTER = """
W-D1 W-rate W-D2 W-R1 W-T1 W-Ex1 W-D3 W-T2 W-D4 W-T3 W-R2 W-T4 W-Ex2 W-T5 W-D5 W-P1 W-D6 W-T6
W-T7 W-D7 W-T8 W-Ex3 W-R3 W-T9 W-T10 W-T11 W-R4 W-C1
"""

ERRATA = {
    39: {"W-Ex1"},
    40: {"W-Ex2"},
    41: {"W-T4"},
    42: {"W-P1"},
    43: {"W-D6", "W-T6", "W-D7", "W-T8"},
    44: {"W-T7"},
    45: {"W-D7"},
    46: {"W-T10"},
    47: {"W-C1"},
    48: {"W-T6", "W-T9"},
    49: {"W-T9"},
}


def named(id: str) -> Claim:
    [found] = [claim for claim in CLAIMS if claim.id == id]
    return found


def failure(id: str) -> str:
    found = run(named(id)).failure
    assert found is not None
    return found


def test_every_id_of_the_register_is_a_claim_once() -> None:
    assert sorted(claim.id for claim in CLAIMS) == sorted(REGISTER.split())


def test_every_erratum_is_with_the_claims_that_it_is_about() -> None:
    found: dict[int, set[str]] = {}
    for claim in CLAIMS:
        for erratum in claim.errata:
            found.setdefault(erratum.number, set()).add(claim.id)
    assert found == ERRATA


def test_a_claim_with_a_false_statement_is_corrected() -> None:
    for claim in CLAIMS:
        wrong = any(erratum.kind == "false" for erratum in claim.errata)
        assert (claim.verdict is Verdict.CORRECTED) == wrong, claim.id


# --- claims can fail -----------------------------------------------------------------------


def test_theorem_1_fails_if_only_the_first_output_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(channel: Channel) -> Any:
        return breach_level(channel.merge(dict.fromkeys(channel.outputs[1:], 1)))

    monkeypatch.setattr(boreale_breaches, "breach_level", first)
    assert failure("W-T1").startswith("level ")


def test_theorem_2_fails_if_the_level_is_the_l1_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(channel: Channel) -> Any:
        level = average_breach_level(channel)
        return dataclasses.replace(level, factor=2 * Fraction(level.factor) - 1)

    monkeypatch.setattr(boreale_breaches, "average_breach_level", doubled)
    assert failure("W-T2") == "l must be 1, got 2"


def test_example_2_fails_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rows were neighbours along a line, as the example must mean, ε would be 1."""

    def along_the_line(channel: Channel) -> Any:
        return privacy_level(Channel(channel.matrix), SecretGraph.line(4))

    monkeypatch.setattr(boreale_privacy, "independent_breach_level", along_the_line)
    assert "ratio 2, by hand" in failure("W-Ex2")


def test_theorem_7_fails_with_the_rate_of_the_easiest_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    def easiest(channel: Channel, subset: Any, prior: Any, ratio: Any) -> Any:
        hardest = breach_probability_rate(channel, subset, prior, ratio)
        other = average_breach_rate(channel)
        return dataclasses.replace(hardest, lower=other.lower, upper=other.upper)

    monkeypatch.setattr(boreale_rates, "breach_probability_rate", easiest)
    assert failure("W-T7").startswith("C must be 0.07611, got")


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_rate_that_is_one_percent_off_is_not_confirmed(factor: float) -> None:
    wrong = boreale_rates._errors(boreale_rates.TWO, (250, 1000, 4000))
    rate = error_rate(boreale_rates.TWO)
    assert boreale_rates.confirmed(wrong, rate) > 0
    off = dataclasses.replace(rate, lower=factor * rate.lower, upper=factor * rate.upper)
    with pytest.raises(Unexpected, match="bits at n = "):
        boreale_rates.confirmed(wrong, off)


def test_theorem_9_fails_with_footnote_4(monkeypatch: pytest.MonkeyPatch) -> None:
    """If equal rows changed the limit only, the loss would still fall with n."""

    def falling(channel: Channel, loss: Loss, n: int) -> Any:
        found = expected_loss(channel, loss, n=n)
        alike = channel.row(0) == channel.row(2)
        return dataclasses.replace(found, lower=found.lower + Fraction(alike, 2**n))

    monkeypatch.setattr(boreale_utility, "expected_loss", falling)
    assert failure("W-T9").startswith("Rate(inf bits")


def test_corollary_1_fails_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If truncation lost anything, the pairs of rows would differ."""

    def better(c: Any, distance: int = 1) -> Any:
        found = geometric_chernoff(c, distance)
        return dataclasses.replace(found, lower=1.01 * found.lower, upper=1.01 * found.upper)

    monkeypatch.setattr(boreale_utility, "geometric_chernoff", better)
    assert "truncated" in failure("W-C1")
