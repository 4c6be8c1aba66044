"""Every public function that claims use is broken in turn; some claim of it must notice.

It answers None for everything; it keeps what it was first given for an argument; or it takes the
default in place of an argument. ``NOTICED`` names the claims that notice, for each function.
"""

import pytest

from leaktight_papers.register import REGISTER
from tests.papers.breakages import Breakage, breakages, notices, used_by

NOTICED = {
    "answer_graph": "A-D2",
    "automorphism_group": "E-Ex24 E-L18",
    "average_breach_level": "W-T2",
    "average_breach_rate": "O-7 W-T8",
    "breach_level": "W-Ex1",
    "breach_probability": "W-T7",
    "breach_probability_rate": "W-T7",
    "breach_rate": "W-T6",
    "breaches": "W-T4 W-D2",
    "cachin_entropy": "Q-D4",
    "channel_of": "Q-Fig4 Q-Fig3 Q-Ex2",
    "chernoff_information": "O-7",
    "conditional_entropy": "Q-D3",
    "conditional_guessing_entropy": "Q-sign",
    "conditional_marginal_guesswork": "Q-sign",
    "conditional_renyi_entropy": "E-L7 A-Cinf",
    "count": "E-hierarchy",
    "covering_code": "B-C2",
    "decide_bound": "B-T6",
    "diagonal_form": "A-L5",
    "distance_distribution": "Q-(8)",
    "distance_regularity": "Q-P4",
    "distinguishability": "A-Tab2 W-T10",
    "error_rate": "O-7 W-T11",
    "expected_gain": "W-D7",
    "expected_loss": "O-8 W-Ex3 W-T9",
    "fraction": "Q-Ex7",
    "g_leakage": "W-T2 W-D3",
    "geometric_chernoff": "W-R4",
    "guessing_entropy": "Q-sign",
    "guessing_leakage": "Q-sign",
    "hamming_code": "B-T4",
    "hyper": "W-D1 Q-Ex1 B-L2",
    "independent_breach_level": "W-Ex2",
    "individual_breach_level": "W-T4",
    "individual_channels": "A-T2",
    "individual_leakage": "A-T2",
    "individual_sets": "W-T4",
    "joint_entropy": "Q-D6",
    "leakage_bounds": "B-C2 B-C3 E-T15 D-instances",
    "leakage_from_average_level": "O-6",
    "ln": "E-T15",
    "log2": "Q-Ex3",
    "log2_interval": "W-R3 W-T11",
    "marginal_guesswork": "Q-sign",
    "membership_rate": "W-D7 W-T8",
    "min_capacity": "Q-Ex7",
    "min_entropy_leakage": "A-Fig2 E-L7 B-D1",
    "multiplicative_distance": "W-T10",
    "mutual_information": "Q-Tab2",
    "neighbour_rate_bound": "W-T10",
    "oblivious": "A-Fig2 Q-P5",
    "optimal_mechanism": "A-Ex3 A-Ex2 O-2 A-R2",
    "parallel": "B-D5 W-T4",
    "posterior_vulnerability": "A-Fig2 E-L7 A-priors A-Ex2",
    "privacy_level": "E-R8 A-participation",
    "questions": "Q-Fig2 Q-D1",
    "rate_bound": "W-R4",
    "renyi_entropy": "E-L7 A-Cinf Q-D4",
    "repeated": "W-D6 W-P1 W-D5",
    "repetition_code": "B-C3",
    "secret_difference": "E-D3 E-Fig1",
    "sensitivity": "B-D3",
    "sequential": "B-D4 B-L3",
    "shannon_capacity": "Q-P2",
    "shannon_entropy": "Q-Ex3 Q-D2",
    "smallest_code": "B-C4",
    "solve_exact": "A-priors B-T3",
    "strategy": "Q-P5",
    "success_probability": "W-R3 O-7 W-Ex3 W-rate",
    "symmetrise": "A-L5",
    "symmetrise_by_distance": "A-L2",
    "total_difference": "E-D3",
    "utility": "Q-Ex8 A-Ex3 Q-P5",
    "utility_rate": "O-8 W-T9",
    "verify_certificate": "A-Ex3",
    "vertex_transitivity": "A-T3 Q-D9",
    "vulnerability": "A-Fig2 A-priors",
    "worst_case_leakage": "E-hierarchy E-T15 O-1",
    "worst_case_with_outputs": "D-forms O-3",
    "write_certificate": "A-Ex3",
}
"""For each public function the claims that notice whatever is broken of it."""


def test_every_public_function_that_a_claim_uses_is_broken() -> None:
    assert set(NOTICED) == set(breakages())
    assert len(NOTICED) > 80


@pytest.mark.parametrize("name", NOTICED)
def test_some_claim_notices_whatever_is_broken(name: str) -> None:
    ids = NOTICED[name].split()
    first = {
        str(one): next((id for id in ids if notices(REGISTER[id], one)), None)
        for one in breakages()[name]
    }
    assert [how for how, id in first.items() if id is None] == []
    assert set(first.values()) == set(ids), "a claim is named that is not needed"


@pytest.mark.parametrize("name", NOTICED)
def test_the_claims_that_are_named_use_the_function(name: str) -> None:
    assert all(name in used_by(REGISTER[id]) for id in NOTICED[name].split())


def test_a_function_that_is_not_broken_is_not_noticed() -> None:
    """A breakage of an argument that nobody passes changes nothing."""
    spared = Breakage("privacy_level", "ignores epsilon")
    assert not notices(REGISTER["Q-P4"], spared)
