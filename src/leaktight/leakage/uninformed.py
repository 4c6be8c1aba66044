"""The uninformed adversary: what a release tells somebody who knows nobody.

Records are believed to be independent and alike, but for what is public. The informed attacker of
:mod:`leaktight.leakage.individual` is never told less.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.representation import expect_representation
from leaktight.channels.views import AverageView
from leaktight.errors import TooLarge, expect
from leaktight.exact.shown import percent, percent_above
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query


@dataclass(frozen=True, slots=True, repr=False)
class UninformedGuess(AverageView):
    """The chance of a right guess about one person ``before`` and after, if nobody is known.

    It is the average view that is guessed best. ``record`` is whose it is, None if all are guessed
    equally well, and ``rest`` has the views of the other kinds of records.

    >>> print(UninformedGuess(Fraction(97, 243), Fraction(97, 243), Fraction(1, 3)))
    one guess about one person: 33.3% before, 39.9% after, nobody known
    """

    rest: tuple[AverageView, ...] = ()

    def __str__(self) -> str:
        said = percent if self.is_exact else percent_above
        return (
            f"one guess about one person: {percent(self.before)} before, "
            f"{said(Fraction(self.upper))} after, nobody known"
        )


def uninformed_guess(
    mechanism: Any, policy: Policy, query: Query | None = None, prior: PriorLike = None
) -> UninformedGuess:
    """Return what a mechanism tells of one person to somebody who knows only the prior.

    Of several kinds of records it is the one that is guessed best. Mechanism, query and prior are
    as for ``individual_leakage``.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> from leaktight.policies.secrets import SecretGraph
    >>> asked = Policy(SecretGraph.complete(["no", "yes"]), records=1000)
    >>> uninformed_guess(RandomizedResponse(["no", "yes"], ratio=2).channel, asked).upper
    Fraction(2, 3)
    """
    values = expect(policy, Policy, "Policy(graph, records) makes one").secrets.vertices
    belief = dict(zip(values, prior_on(prior, values).exact().array, strict=True))
    if any(one.is_published for one in policy.constraints):
        raise TooLarge(
            "counts are public whatever they are, and a release is not gone through together with "
            "all that they might be; posterior_bound bounds what it adds"
        )
    found = list(expect_representation(mechanism).average_views(policy, query, belief))
    best = max(found, key=lambda view: (view.upper, view.before, -(view.record or 0)))
    alike = len({(view.upper, view.before) for view in found}) == 1
    rest = tuple(replace(view, record=None) for view in found if view is not best)
    record = None if alike else best.record
    return UninformedGuess(
        best.lower, best.upper, best.before, best.channel, best.prior, record, rest
    )
