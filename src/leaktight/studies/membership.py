"""Membership in a study: how well presence is told, where somebody may be absent."""

from collections.abc import Iterator

from leaktight.curves.presence import Membership, largest, membership, membership_of
from leaktight.curves.promise import Promise
from leaktight.errors import InvalidInput
from leaktight.exact.ratio import Ratio
from leaktight.studies.answers import NOBODY_ABSENT, PresenceFound, PresenceRates, Skipped
from leaktight.studies.inquiry import Inquiry
from leaktight.studies.person import TIED, observers
from leaktight.studies.study import Study


def absent(inquiry: Inquiry) -> Skipped | None:
    """Need that somebody may be absent."""
    return NOBODY_ABSENT if inquiry.study.absent is None else None


def presence(inquiry: Inquiry) -> PresenceFound:
    """Return the advantage and the rates of the best test: of this mechanism, and of any."""
    study = inquiry.study
    if study.policy.is_constrained:
        raise InvalidInput(TIED)
    found = [
        PresenceRates(whose, one.advantage, one.rates, one.is_exact)
        for whose, one in (
            ("this mechanism", _own(study, inquiry.own_ratio)),
            ("any mechanism", _any(study, inquiry.promise)),
        )
        if one is not None
    ]
    if not found:
        raise InvalidInput("whether a person is there is no secret of the policy")
    return PresenceFound(tuple(found))


def _own(study: Study, own: Ratio | None) -> Membership | None:
    """Return it of the mechanism: by its views, or else by its ratio."""
    if study.mechanism is not None and (seen := list(_seen(study))):
        return largest(seen)
    return _any(study, own)


def _seen(study: Study) -> Iterator[Membership]:
    for channel, _, _ in observers(study):
        if study.absent in channel.inputs:
            yield membership_of(channel, study.absent)


def _any(study: Study, promise: Promise | None) -> Membership | None:
    """Return it of any mechanism; None if nothing is kept, or presence is in no secret pair."""
    if promise is None or study.policy.metric is not None:
        return None
    secrets = study.policy.secrets
    steps = secrets.distances_from(study.absent)
    if (steps < 0).any():  # not connected
        return None
    return membership(promise, max(1, int(steps.max())))
