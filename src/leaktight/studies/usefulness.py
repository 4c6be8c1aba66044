"""Usefulness of a mechanism, beside that of the best which keeps the same ratio."""

from fractions import Fraction

from leaktight.channels.gain import Gain, Loss
from leaktight.errors import TooLarge
from leaktight.exact.numbers import fraction
from leaktight.exact.ratio import Ratio
from leaktight.leakage.utility import utility
from leaktight.mechanisms.best import BestMechanism, optimal_mechanism
from leaktight.studies.answers import Skipped, Usefulness
from leaktight.studies.leakage import about_all
from leaktight.studies.study import Study

MOST_DESIGNED = 120
"""The largest graph for which an audit designs the best mechanism; more takes minutes."""


def best_mechanism(study: Study, ratio: Ratio) -> BestMechanism:
    """Return the best mechanism that keeps a ratio, for what the study is good for."""
    if study.best is not None and study.best.ratio == ratio:
        return study.best
    if study.mechanism is not None and study.channel is None:
        raise TooLarge("the best mechanism is designed for few answers only")
    if study.graph.order > MOST_DESIGNED:
        raise TooLarge(
            f"the best mechanism is designed here for at most {MOST_DESIGNED} inputs, "
            f"got {study.graph.order:,}; optimal_mechanism takes more"
        )
    return optimal_mechanism(study.apart, study.input_prior, _aim(study), ratio)


def _aim(study: Study) -> Gain | Loss:
    if study.aim is None:
        raise TooLarge(
            f"what each guess earns is tabled for few inputs only, got {study.graph.order:,}"
        )
    return study.aim


def usefulness(study: Study, best: BestMechanism | Skipped) -> Usefulness | Skipped:
    """Return how well what the mechanism sees is guessed, by it and by the best."""
    about = {"record": "a record's value", "answer": "the answer"}.get(
        study.scope, about_all(study)
    )
    if study.noise is not None and study.channel is None:
        return Usefulness(
            about, "average error", None, study.noise.mean_size, None, None, None
        )  # fmt: skip
    if study.perturbed is not None and study.channel is None:
        raise TooLarge("how far off it is depends on the count")
    if study.channel is None and isinstance(best, Skipped):
        return best
    aim = _aim(study)
    prior = study.input_prior
    this = None
    if study.channel is not None:
        this = Fraction(utility(study.channel.exact(), prior, aim).value)
    return Usefulness(
        about,
        f"expected {aim.word}",
        fraction(prior.array.max()) if study.gain == "guess" else None,
        this,
        *((aim.sign * best.utility, aim.sign * best.upper, best.gap) if best else (None,) * 3),
    )
