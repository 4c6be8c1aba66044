"""What does a release tell of one person to somebody who knows nobody?

Records are believed to be independent and alike, but for what is public. The informed attacker of
:mod:`leaktight.leakage.individual` is never told less.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.representation import expect_representation
from leaktight.errors import TooLarge, expect
from leaktight.exact.numbers import Value
from leaktight.exact.shown import Told, percent, percent_above
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query


@dataclass(frozen=True, slots=True, repr=False)
class UninformedGuess(Told):
    """The chance of a right guess about one person ``before`` and after, if nobody is known.

    Afterwards it lies between ``lower`` and ``upper``, which are the same ``Fraction`` if it is
    known exactly. Then ``channel`` says what is seen of the person's value, the others averaged
    out, and ``prior`` what is believed of it beforehand, given what is public; ``record`` is who is
    guessed best, counted from 1, None if all are guessed equally well, and ``rest`` what is told of
    the other kinds of records.

    >>> print(UninformedGuess(Fraction(1, 3), Fraction(97, 243), Fraction(97, 243)))
    one guess about one person: 33.3% before, 39.9% after, nobody known
    """

    before: Fraction
    lower: Value
    upper: Value
    channel: Channel | None = None
    prior: Distribution | None = None
    record: int | None = None
    rest: tuple["UninformedGuess", ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the chance is known exactly."""
        return not isinstance(self.upper, float)

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
    if any(one.is_told for one in policy.constraints):
        raise TooLarge(
            "counts are public whatever they are, and a release is not gone through together with "
            "all that they might be; odds_under_counts bounds what it adds"
        )
    found = [
        UninformedGuess(v.before, v.lower, v.upper, v.channel, v.prior, v.record)
        for v in expect_representation(mechanism).average_views(policy, query, belief)
    ]
    best = max(found, key=lambda guess: (guess.upper, guess.before, -(guess.record or 0)))
    alike = len({(guess.upper, guess.before) for guess in found}) == 1
    rest = tuple(replace(guess, record=None) for guess in found if guess is not best)
    return replace(best, record=None if alike else best.record, rest=rest)
