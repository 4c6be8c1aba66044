"""What does a function of the secret tell? Groups of secrets, against the matrix written out."""

from typing import Any

import leaktight as lt
from fuzz import drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import Tries
from leaktight.leakage import conditional_entropy, conditional_guessing_entropy


def seen(draw: Draw) -> Any:
    """What each secret shows, and a prior of the secrets."""
    shows = draw.some(lambda d: d.below(4), 1, 6)
    return [shows, drawn.prior(draw, len(shows))]


@searched(case=seen)
def told_by_a_function(case: Any) -> int:
    """A function tells more than is computed from groups, or less."""
    shows, weights = case
    prior = lt.Distribution.from_counts(weights)
    kept = lt.Channel.deterministic(dict(enumerate(shows)), len(shows))
    table = lt.Channel([[int(z == shown) for z in kept.outputs] for shown in shows])
    assert lt.min_capacity(kept).factor == lt.min_capacity(table).factor
    for gain in (None, Tries(2)):
        ours, theirs = (lt.posterior_vulnerability(each, prior, gain) for each in (kept, table))
        assert ours == theirs
    for measure in (lt.mutual_information, conditional_entropy, conditional_guessing_entropy):
        assert measure(kept, prior) == measure(table, prior)
    return 6
