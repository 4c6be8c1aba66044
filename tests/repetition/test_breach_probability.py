"""How likely a breach is, against all sequences of outputs."""

import random
from fractions import Fraction
from itertools import product
from math import exp, prod

import pytest

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidDistribution, InvalidNumber, Mismatch
from leaktight.exact.rounding import log2
from leaktight.repetition.breach_probability import breach_probability
from leaktight.repetition.types import decisions
from tests.repetition.test_success import random_rows

SKEW = Channel([["4/5", "1/5"], ["3/10", "7/10"]])


def by_sequences(
    rows: list[list[Fraction]], prior: list[Fraction], inside: set[int], ratio: Fraction, n: int
) -> tuple[Fraction, Fraction]:
    """Pr(p(Q|y)/p(Q) > ratio | Q) and Pr(p(Q)/p(Q|y) > ratio | not Q), as Theorem 7 says them."""
    believed = sum((prior[x] for x in inside), Fraction(0))
    raised = lowered = Fraction(0)
    for outputs in product(range(len(rows[0])), repeat=n):
        joint = [p * prod(row[z] for z in outputs) for p, row in zip(prior, rows, strict=True)]
        if not any(joint):
            continue
        of_q = sum((joint[x] for x in inside), Fraction(0))
        posterior = of_q / sum(joint)
        if posterior / believed > ratio:
            raised += of_q / believed
        if posterior == 0 or believed / posterior > ratio:
            lowered += (sum(joint) - of_q) / (1 - believed)
    return raised, lowered


def test_both_breaches_have_the_probability_of_their_sequences() -> None:
    rng = random.Random(5)
    for _ in range(60):
        columns = rng.randint(2, 3)
        n = rng.randint(0, {2: 6, 3: 4}[columns])
        rows = random_rows(rng, rng.randint(2, 4), columns)
        prior = [Fraction(w, 2) for w in (1, 1)] if len(rows) == 2 else []
        if not prior:
            weights = [rng.randint(1, 4) for _ in rows]
            prior = [Fraction(w, sum(weights)) for w in weights]
        inside = set(rng.sample(range(len(rows)), rng.randint(1, len(rows) - 1)))
        ratio = Fraction(rng.randint(10, 25), 10)
        found = breach_probability(Channel(rows), inside, ratio, prior=prior, n=n)
        raised, lowered = by_sequences(rows, prior, inside, ratio, n)
        assert (found.raised.lower, found.lowered.lower) == (raised, lowered)
        assert found.raised.complement.lower == 1 - raised
        assert found.raised.is_exact
        assert found.lowered.is_exact


def test_the_failure_of_a_breach_falls_at_the_chernoff_rate() -> None:
    """W-T7: 0.21090 for these rows; the probability of a failure also falls like 1/√n."""
    failures = [
        breach_probability(SKEW, [0], ratio="11/10", n=n).raised.complement for n in (2000, 4000)
    ]
    assert all(failure.is_exact for failure in failures)
    slope = (log2(failures[0].lower) - log2(failures[1].lower)) / 2000
    assert round(slope - 0.5 / 2000, 5) == 0.21069
    assert abs(slope - 0.2107) < 0.001


def test_a_belief_cannot_grow_beyond_certainty() -> None:
    """Erratum 44: p(Q)·ratio ≥ 1 makes the probability of a breach 0 for every n."""
    for n in (0, 1, 10, 1000, 10**9):
        raised = breach_probability(
            SKEW, [0], ratio=2, prior=["3/5", "2/5"], n=min(n, 10**4)
        ).raised
        assert raised.lower == raised.upper == 0
        assert raised.complement.lower == 1
    at_one = breach_probability(Channel.identity(2), [0], ratio=2, n=5)
    assert at_one.raised.upper == 0  # the posterior is exactly twice the prior, not more
    assert breach_probability(Channel.identity(2), [0], ratio="1.99", n=5).raised.lower == 1


def test_any_level_below_certainty_is_reached() -> None:
    """W-P1: BSC(1/4), p(Q) = 1/32: after 20 observations the ratio comes close to 32."""
    channel, prior = Channel([["3/4", "1/4"], ["1/4", "3/4"]]), ["1/32", "31/32"]
    assert breach_probability(channel, [0], ratio="31.99", prior=prior, n=20).raised.lower > 0
    assert breach_probability(channel, [0], ratio=32, prior=prior, n=20).raised.upper == 0
    assert breach_probability(channel, [0], ratio="31.99", prior=prior, n=3).raised.upper == 0


def test_all_secrets_or_none_cannot_be_breached() -> None:
    """Erratum 42: for Q = X the ratio is 1 whatever is seen."""
    for secrets in ([0, 1], []):
        with pytest.raises(InvalidDistribution, match="above 0 and below 1"):
            breach_probability(SKEW, secrets, ratio=2)
    with pytest.raises(InvalidDistribution, match="got 1"):
        breach_probability(SKEW, [0], ratio=2, prior=[1, 0])


def test_an_irrational_ratio_is_enclosed() -> None:
    found = breach_probability(SKEW, [0], epsilon=0.5, prior=["1/3", "2/3"], n=6)
    near = breach_probability(SKEW, [0], ratio=str(exp(0.5)), prior=["1/3", "2/3"], n=6)
    assert found.raised.lower == near.raised.lower
    assert found.raised.is_exact


def test_floats_enclose_both_the_breach_and_its_failure() -> None:
    """Also a failure of 2^-60, which is not 1 minus a rounded number."""
    three = Channel.normalised([[5, 3, 2], [2, 3, 5], [1, 1, 1]])
    for channel, secrets, n in ((three, [0, 2], 80), (SKEW, [0], 300)):
        exact = breach_probability(channel, secrets, ratio="5/4", n=n)
        floats = breach_probability(channel.float(), secrets, ratio="5/4", n=n)
        for one, other in ((exact.raised, floats.raised), (exact.lowered, floats.lowered)):
            assert other.method == "certified floats"
            for a, b in ((one, other), (one.complement, other.complement)):
                assert abs(float(b) / float(a) - 1) < 1e-10
                assert b.upper - b.lower <= 1e-10 * b.lower


def test_floats_of_exact_channels_enclose_them(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = Channel.normalised([[5, 3, 2], [2, 3, 5], [1, 1, 1]])
    exact = breach_probability(channel, [1], ratio="3/2", n=60)
    monkeypatch.setattr(decisions, "FEW", 0)
    monkeypatch.setattr(decisions, "MOST_HANDLED", 0)
    floats = breach_probability(channel, [1], ratio="3/2", n=60)
    for one, other in ((exact.raised, floats.raised), (exact.lowered, floats.lowered)):
        assert other.lower <= one.lower <= other.upper
        assert other.complement.lower <= one.complement.lower <= other.complement.upper
        assert 0 < other.complement.upper - other.complement.lower < 1e-12


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidNumber, match="exactly one of ratio= and epsilon="):
        breach_probability(SKEW, [0])
    with pytest.raises(InvalidNumber, match="at least 1"):
        breach_probability(SKEW, [0], ratio="1/2")
    with pytest.raises(Mismatch, match="there is no input 7"):
        breach_probability(SKEW, [7], ratio=2)
