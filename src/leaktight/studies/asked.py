"""What was asked, as a person reads it: the question, the policy, and the mechanism."""

from msgspec.structs import replace

from leaktight.errors import TooLarge
from leaktight.exact.numbers import float_array
from leaktight.exact.rounding import ln_interval
from leaktight.labels import named
from leaktight.policies.graph import MOST_DRAWN, picture
from leaktight.studies import person
from leaktight.studies.answers import (
    Distances,
    MechanismShown,
    PolicyShown,
    Privacy,
    Question,
    Skipped,
)
from leaktight.studies.naming import Names
from leaktight.studies.study import Study

MOST_SHOWN = 100
"""The most rows and columns of a mechanism that are listed."""

MOST_LISTED = 40
"""The most values, and by its square the most pairs, of a policy that is too large to draw."""

INPUTS = "an input of the mechanism"
"""What the rows of a mechanism are, unless they are values of one person."""


def question(study: Study) -> Question:
    """Return what was asked; its ε is rounded up."""
    ratio, asked, epsilon = study.ratio, None, None
    if ratio is not None:
        epsilon = ln_interval(ratio.lower)[1] if ratio.is_exact else ratio.epsilon
        asked = f"ε = {epsilon:.10g}" if not ratio.is_exact else f"λ = {ratio}"
        asked += study.per
    if study.curve is not None:
        asked = str(study.curve)
    sensitive = tuple(map(named, study.sensitive))
    return Question(study.what, study.observations, study.below, asked, epsilon, sensitive)


def policy(study: Study, names: Names) -> PolicyShown:
    """Return who must not be told apart, with a place for each value if they can be drawn."""
    secrets, metric, distances = study.policy.secrets, study.policy.metric, None
    places, pairs, is_drawn = None, secrets.edge_pairs(), secrets.is_drawable
    if is_drawn:
        places = picture.coordinates(secrets.vertices, secrets.edges)
    if metric is not None:
        distances = Distances(study.unit, float(metric.nearest), float(metric.farthest))
        if metric.places is not None and secrets.order <= MOST_DRAWN:
            places, pairs, is_drawn = metric.places, (), True  # a map, without lines
    most = secrets.order if is_drawn else MOST_LISTED
    pairs = pairs[: max(most, MOST_LISTED) ** 2]
    return PolicyShown(
        repr(study.policy).removeprefix("Policy(").removesuffix(")"),
        study.policy.records,
        secrets.order,
        tuple(map(names.input, secrets.vertices[:most])),
        tuple((names.input(a), names.input(b)) for a, b in pairs),
        study.policy.is_constrained,
        "table" if study.is_release else study.scope,
        study.graph.order if study.channel is not None or study.scope == "record" else None,
        None if places is None else tuple(map(tuple, places.tolist())),
        distances,
    )


def seen_channel(study: Study) -> person.Observed | None:
    """Return what is seen of each input if it is small enough to show, or else of one person.

    What is believed of it stands beside it, and what it is. None also if that is not known.
    """
    if _is_shown(study):
        assert study.channel is not None
        try:
            return study.channel, study.input_prior, INPUTS
        except TooLarge:
            return None
    observed = [] if study.mechanism is None else list(person.observers(study))
    if len(observed) == 1 and max(observed[0][0].shape) <= MOST_SHOWN:
        return *observed[0][:2], "a value of one person, if the others are known"
    return None


def _is_shown(study: Study) -> bool:
    return study.channel is not None and max(study.channel.shape) <= MOST_SHOWN


def mechanism(study: Study, names: Names, privacy: Privacy | Skipped) -> MechanismShown | None:
    """Return the mechanism with its matrix, if it is small, and where it is worst."""
    if study.name is None:
        return None
    shape = None if study.channel is None else study.channel.shape
    exact = study.channel is None or study.channel.is_exact
    channel, about = study.channel, INPUTS
    if not _is_shown(study):
        seen = seen_channel(study)
        channel, about = (None, INPUTS) if seen is None else (seen[0], seen[2])
    if channel is None:
        return MechanismShown(study.name, exact, (), (), (), None, INPUTS, shape)
    inputs, outputs = map(names.input, channel.inputs), map(names.output, channel.outputs)
    shown = MechanismShown(
        study.name, exact, tuple(inputs), tuple(outputs),
        tuple(map(tuple, float_array(channel.matrix).tolist())), None, about, shape,
    )  # fmt: skip
    return _marked(shown, privacy) if privacy else shown


def _marked(shown: MechanismShown, privacy: Privacy) -> MechanismShown:
    """Return the rows of the worst two neighbours and the column of the output, if shown.

    A mechanism on each of several records may be worst at whole databases, which are no rows;
    then it is the worst pair of one record alone.
    """
    for level in (privacy.level, privacy.one_record):
        worst = None if level is None else level.worst
        if worst is not None and (
            {worst.input, worst.neighbour} <= {*shown.inputs} and worst.output in shown.outputs
        ):
            rows = (shown.inputs.index(worst.input), shown.inputs.index(worst.neighbour))
            at = (*rows, shown.outputs.index(worst.output))
            return replace(shown, marked=at)
    return shown
