"""The bounds from ε to leakage of all papers: [Edwards2021]_, [Alvim2011a]_, [Alvim2011b]_ and
[Barthe2011]_, with the numbers of their figures and what is wrong in them.
"""

import itertools
from fractions import Fraction

import pytest

from leaktight.channels.channel import Channel
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.published import leakage_bounds
from leaktight.worst_case.published.bounds import Bound
from tests.strategies.named_graphs import complete, cycle, hamming


def bound(
    source: Policy | Graph, text: str, ratio: object = 2, outputs: int | None = None
) -> Bound:
    [found] = leakage_bounds(source, ratio, outputs=outputs).named(text)  # type: ignore[arg-type]
    return found


def databases(values: int, records: int) -> Policy:
    return Policy(SecretGraph.complete(values), records)


# --- [Edwards2021] -------------------------------------------------------------------------


# --- [Alvim2011b], [Alvim2011a] ------------------------------------------------------------


def test_theorem_1_is_the_closed_form_for_differential_privacy() -> None:
    """A-T1, Q-T2. u = 2, v = 3, λ = 2: 9/4, 1.169925 bits; also by equal distances."""
    found = bound(databases(3, 2), "Theorem 1 of [Alvim2011b]")
    assert found.value == Fraction(9, 4)
    assert found.bits == pytest.approx(1.169925, abs=1e-6)
    assert bound(hamming(2, 3), "Theorem 1 of [Alvim2011a]").value == Fraction(9, 4)


def printed_proposition_2(u: int, v: int, r: int, ratio: int) -> Fraction:
    places = next(k for k in itertools.count() if v ** (k + 1) > r)
    near = (v - 1 + ratio) ** places - ratio**places
    return Fraction(r * ratio**u, near + ratio**u)


def test_proposition_2_is_false_for_more_outputs_than_databases() -> None:
    """A-P2, erratum 16. u = 1, v = 2, r = 4, λ = 2: it says 8/7, a channel has 4/3."""
    rows = [["1/3", "1/3", "1/6", "1/6"], ["1/6", "1/6", "1/3", "1/3"]]
    channel = Channel(rows)
    assert privacy_level(channel, complete(2)).ratio == 2
    assert min_capacity(channel).factor == Fraction(4, 3)
    assert printed_proposition_2(1, 2, 4, 2) == Fraction(8, 7) < Fraction(4, 3)
    assert printed_proposition_2(1, 2, 8, 2) == Fraction(16, 21) < 1
    table = leakage_bounds(databases(2, 1), 2, outputs=4)
    assert not table.named("Proposition 2 of [Alvim2011b]: r outputs")[1:]
    assert any("false for more outputs" in one.reason for one in table.inapplicable)


def test_proposition_2_is_often_weaker_than_theorem_1() -> None:
    """A-P2, erratum 17. u = 3, v = 2, r = 4, λ = 2: 32/13 > 64/27; at ε = 0 it need not vanish."""
    table = leakage_bounds(databases(2, 3), 2, outputs=4)
    [weak, sharp] = sorted(table.named("Proposition 2"), key=lambda b: b.form)
    [strong] = table.named("Theorem 1 of [Alvim2011b]")
    assert sharp.value < strong.value
    assert (weak.value, strong.value) == (Fraction(32, 13), Fraction(64, 27))
    assert weak.value > strong.value
    [flat, _] = sorted(
        leakage_bounds(databases(2, 2), 1, outputs=3).named("Proposition 2"), key=lambda b: b.form
    )
    assert flat.value == Fraction(3, 2)


def test_theorem_3_bounds_utility_for_uniform_answers_only() -> None:
    """A-T3, erratum 20. C5, λ = 2: 2/5; at ε = 0 1/(1 + cn); the prior (.9, .025 …) has .9."""
    ring = cycle(5)
    assert bound(ring, "Theorem 3 of [Alvim2011b]").value / 5 == Fraction(2, 5)
    assert leakage_bounds(ring, 2).utility == Fraction(2, 5)
    assert bound(ring, "Theorem 3 of [Alvim2011b]", 1).value / 5 == Fraction(1, 5)
    rows = [
        [Fraction(2, 5) / 2 ** min((i - j) % 5, (j - i) % 5) for j in range(5)] for i in range(5)
    ]
    channel = Channel(rows)
    assert privacy_level(channel, ring).ratio == 2
    assert posterior_vulnerability(channel) == Fraction(2, 5)
    prior = ["0.9", "0.025", "0.025", "0.025", "0.025"]
    assert posterior_vulnerability(channel, prior) == Fraction(9, 10) > Fraction(2, 5)


def test_lemma_4_bounds_rows_that_are_all_neighbours() -> None:
    """A-L4. Five of them at λ = 2: 5/3 ≤ 2."""
    table = leakage_bounds(complete(5), 2)
    [found] = table.named("Lemma 4 of [Alvim2011b]")
    assert found.value == 2
    assert table.tightest.value == Fraction(5, 3)


# --- [Barthe2011] --------------------------------------------------------------------------


def test_theorem_4_with_a_hamming_code_and_its_normalised_form() -> None:
    """B-T4. n = 7, λ = 2: 32, normalised 1024/135; repetition 16 and 32/3; exact (4/3)^7."""
    table = leakage_bounds(databases(2, 7), 2)
    assert [b.value for b in table.named("Corollary 3")] == [Fraction(32, 3), 16]
    [normalised] = table.named("Hamming codes, normalised")
    assert normalised.value <= Fraction(1024, 135)
    assert table.tightest.value == Fraction(4, 3) ** 7
