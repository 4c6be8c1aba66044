"""``explain`` and ``choose``: what it means for one person, and which ε is small enough."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import (
    CHANCE,
    COUNT,
    DEPLOYMENT,
    GAIN,
    GRAPH,
    NUMBER,
    Asked,
    Kind,
    json_option,
    named,
    neighbours_option,
    prior_option,
    promise_options,
    read_aim,
    read_chance,
    read_numbers,
    read_prior,
)
from leaktight.commands.output import float_down, float_up, print_json, spinner
from leaktight.limits import allowed

if TYPE_CHECKING:
    from leaktight.exact.shown import Probability
    from leaktight.leakage.value_odds import ValueOdds
    from leaktight.repetition.choosing import ChosenRatio
    from leaktight.repetition.explanation import Explanation

STEPS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
"""Which parts, and multiples, of the chosen ε are shown beside it."""

MOST_DESIGNED = 128
"""Of so many values the best mechanism is found for each ε; of more that may take a minute each."""

sure_option = click.option(
    "--sure",
    type=CHANCE,
    default="99.99%",
    help="With which chance a belief stays small, unless ε is pure.",
)


@click.command()
@click.argument(
    "secret",
    type=GRAPH,
    required=False,
    help="A graph such as line:4, distances such as euclidean:4x4, a channel's file, or the "
    "chance of one guess, such as 1%.",
)
@promise_options
@click.option("--deployment", type=DEPLOYMENT, help="A published promise, such as census2020.")
@neighbours_option
@prior_option
@click.option(
    "--observations",
    type=COUNT,
    help="How often it is looked at: 2; 1 for a promise other than pure ε.",
)
@click.option("--below", type=CHANCE, help="A chance that shall not be reached.")
@sure_option
@click.option("--sensitive", help="Values whose odds are told first, such as positive.")
@click.option("--what", default="the secret", help="What is guessed, in words.")
@json_option
def explain(
    secret: str | None,
    asked: Asked,
    deployment: str | None,
    neighbours: str | None,
    prior: str | None,
    observations: int | None,
    below: Fraction | None,
    sure: Fraction,
    sensitive: str | None,
    what: str,
    as_json: bool,
) -> int:
    """How likely does anyone guess right, before and after, in words?

    Of a promise: pure ε, (ε, δ), ρ of zCDP, μ of Gaussian privacy, or pairs of an accountant.

    \b
    Example:
      leaktight explain complete:4 --epsilon 1 --what "one person's salary band"
      leaktight explain complete:63 --rho 2.63
      leaktight explain complete:63 --deployment census2020
      leaktight explain 1% --mu 1/2
      leaktight explain complete:6 --epsilon 1 --delta 0.00001 --neighbours add/remove
    """
    from leaktight.channels.channel import Channel
    from leaktight.channels.file import read_channel
    from leaktight.exact.shown import wrapped
    from leaktight.policies.neighbours import metric_of
    from leaktight.policies.text import apart_of
    from leaktight.repetition.explanation import explain as explained

    published = None
    if deployment is not None:
        if asked:
            raise click.BadParameter("a --deployment has its promise: give no other")
        from leaktight.adapters.deployments import deployment as published_deployment

        published = published_deployment(deployment)
        neighbours = neighbours or published.neighbours
        secret = secret or "complete:6"
    if secret is None:
        raise click.BadParameter("say what is secret, such as complete:6")
    is_file = secret.endswith((".csv", ".json")) and ":" not in secret
    told: Any = None
    if is_file:
        told = read_channel(Path(secret))
    elif re.fullmatch(r"[0-9./]+%?", secret):
        told = read_chance(secret)
    else:
        told = metric_of(apart_of(secret))
    promise: Any = None if published is None else published.curve
    if published is None and (not is_file or asked):
        promise = asked.promise()
    belief: Any = prior
    if not isinstance(told, Fraction):
        belief = read_prior(prior, told.inputs if isinstance(told, Channel) else told.values)
    with spinner(as_json) as progress:
        progress("chances")
        found = explained(
            told,
            belief,
            **named(promise),
            neighbours=neighbours,
            observations=observations,
            below=below,
            sure=sure,
            sensitive=_values(sensitive, belief),
            what=what,
        )
    if as_json:
        source = {} if published is None else {"deployment": published.name}
        print_json({"what": what, **source, **_explained(found), "text": str(found)})
        return 0
    if published is not None:
        year = "" if published.year is None else f", {published.year}"
        print(wrapped(
            f"{published.what}{year}: {published.curve}; protected: {published.unit} "
            f"({published.neighbours}). Source: {published.source}"
        ))  # fmt: skip
    print(found)
    return 0


def _values(text: str | None, belief: Any) -> list[Any]:
    """Return the values that are written so, with commas between them."""
    if text is None:
        return []
    if isinstance(belief, str | None):
        raise click.BadParameter("--sensitive names values, and one guess has none; give a graph")
    return [_value(part.strip(), belief.values) for part in text.split(",")]


def _explained(found: "Explanation") -> dict[str, Any]:
    """Return the chances, and for a promise other than pure ε beliefs, as JSON has them."""
    chances = [
        {"observations": p.observations, "chance": _told(p), "exact": p.is_exact}
        for p in (found.before, *found.after)
    ]
    more: dict[str, Any] = {}
    if found.neighbours:
        more["neighbours"] = found.neighbours
    if found.outlook:
        more["beliefs"] = [
            {
                "observations": n,
                "prior": float(b.prior),
                "sure": float(b.sure),
                "at most": float_up(b.upper),
            }
            for n, b in found.outlook
        ]
    if found.membership is not None:
        there = found.membership
        more["membership"] = {
            "advantage": float_up(there.advantage),
            "true positive rates": {str(false): float_up(true) for false, true in there.rates},
        }
    if found.values:
        more["values"] = [
            {
                "value": str(odds.value),
                "before": float(odds.before),
                "after": float_up(odds.after),
                "output": None if odds.chance is None else str(odds.output),
                "chance": None if odds.chance is None else float(odds.chance),
            }
            for odds in found.values
        ]
    if found.other is not None:
        more["other"] = _explained(found.other)
    return {"chances": chances} | more


def _told(chance: "Probability") -> float:
    """Return a chance as a float that is not below it, if it is a bound."""
    return float(chance.value) if chance.is_exact else float_up(chance.value)


@click.command()
@click.argument(
    "secret",
    type=GRAPH,
    required=False,
    help="A graph such as line:4, euclidean:4x4, or a study, .toml.",
)
@click.option("--below", type=CHANCE, help="The chance that a guess shall not exceed.")
@prior_option
@click.option(
    "--observations",
    "--releases",
    "times",
    type=COUNT,
    default=1,
    help="How often it is looked at.",
)
@click.option(
    "--gain",
    type=GAIN,
    help="guess, distance, difference or squared; as in the study, or guess.",
)
@click.option(
    "--promise",
    type=Kind("kind", words=lambda: ("epsilon", "rho", "mu")),
    default="epsilon",
    help="Of which promise: epsilon, rho or mu.",
)
@click.option("--delta", type=NUMBER, help="The δ that goes with the ε, such as 0.00001.")
@neighbours_option
@click.option("--noise", help="gaussian: choose its standard deviation σ instead.")
@click.option(
    "--sensitivity",
    type=NUMBER,
    default="1",
    help="With --noise: how far a release moves between neighbours.",
)
@click.option(
    "--advantage",
    type=CHANCE,
    help="How far any test may tell two neighbours apart, δ at ε = 0.",
)
@click.option(
    "--error",
    type=Kind("chances", lambda text: [read_chance(part) for part in text.split(",")]),
    help="With --noise: 5%,80%: at 5% false positives every test has 80% false negatives.",
)
@click.option(
    "--value", help="The value whose belief is meant; with --noise, how likely it is: 1%."
)
@click.option(
    "--factor",
    type=Kind("number", lambda text: read_numbers(text)[0]),
    help="By how much a belief may grow; with --noise, but rarely, and 2.",
)
@sure_option
@json_option
def choose(
    secret: str | None,
    below: Fraction | None,
    prior: str | None,
    times: int,
    gain: str | None,
    promise: str,
    delta: str | None,
    neighbours: str | None,
    noise: str | None,
    sensitivity: str,
    advantage: Fraction | None,
    error: list[Fraction] | None,
    value: str | None,
    factor: Fraction | None,
    sure: Fraction,
    as_json: bool,
) -> int:
    """Which ε, ρ, μ or σ keeps every guess below a chance?

    For ε a table has the odds at smaller and larger ones and, of up to 128 values, the error of the
    best mechanism.

    \b
    Example:
      leaktight choose complete:4 --below 1/2
      leaktight choose edges:negative-positive --prior 99%,1% --value positive --below 5%
      leaktight choose complete:6 --below 1/3 --promise rho
      leaktight choose complete:6 --below 1/3 --noise gaussian --sensitivity 1 --releases 12
      leaktight choose --noise gaussian --value 1% --factor 2
    """
    if noise is not None:
        risks = {"--below": below, "--advantage": advantage, "--error": error, "--value": value}
        asked: list[tuple[str, Any]] = [(name, r) for name, r in risks.items() if r is not None]
        if noise != "gaussian":
            raise click.BadParameter(f"--noise must be gaussian, got {noise[:60]!r}")
        if len(asked) != 1:
            raise click.BadParameter(f"with --noise give one of {', '.join(risks)}")
        return _choose_noise(
            secret,
            asked[0],
            prior,
            neighbours,
            times,
            sensitivity,
            factor or Fraction(2),
            sure,
            as_json,
        )
    if error is not None:
        raise click.BadParameter("--error goes with --noise gaussian")
    limits = {"--below": below, "--factor": factor, "--advantage": advantage}
    given = [name for name, text in limits.items() if text is not None]
    if secret is None or len(given) != 1:
        raise click.BadParameter(
            "say which values, and one of --below, --factor and --advantage, as in: complete:4 "
            "--below 1/2"
        )
    if promise != "epsilon" or delta is not None:
        if below is None or value is not None:
            raise click.BadParameter("--value, --factor and --advantage are for pure ε, or --noise")
        return _choose_promise(
            secret, below, prior, times, promise, delta, neighbours, gain, as_json
        )
    if neighbours is not None:
        raise click.BadParameter(
            "--neighbours goes with --promise rho or mu, --delta or --noise; pure ε is for the "
            "pairs of the graph"
        )
    return _choose_ratio(secret, limits, value, prior, times, gain, as_json)


def _choose_ratio(
    secret: str,
    limits: dict[str, Fraction | None],
    value: str | None,
    prior: str | None,
    times: int,
    gain: str | None,
    as_json: bool,
) -> int:
    """Choose ε, and show what smaller and larger ones do."""
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above
    from leaktight.exact.shown import below as written_below
    from leaktight.exact.shown import wrapped
    from leaktight.labels import named as labelled

    who, belief, usual = _asked(secret, prior)
    values = who.measured or who.secrets
    gain = gain or usual
    aim = read_aim(gain, values)
    meant = None if value is None else _value(value, belief.values)
    steps = (f"{float(step):g} times this" for step in STEPS)
    with spinner(as_json, "the largest ε", *steps) as progress:
        progress("the largest ε")
        chosen = _largest(who, belief, limits, meant, times)
        rows = list(_around(chosen, values, belief, meant, times, aim, progress))
    if as_json:
        table = [
            {
                "epsilon": epsilon,
                "chance": float_above(rational(chance.value)),
                "value": str(odds.value),
                "belief": float_above(rational(odds.after)),
                "error": error,
            }
            for epsilon, chance, odds, error in rows
        ]
        found = {"ratio": str(chosen.ratio), "epsilon": chosen.epsilon, "exact": chosen.is_exact}
        print_json(found | {"table": table})
        return 0
    print(wrapped(f"{chosen}."))
    looks = "1 look" if times == 1 else f"{times:,} looks"
    alike = meant is None and len(set(belief.array)) == 1
    belief_in = "" if alike else f"{f'a belief: {labelled(rows[0][2].value, 14)}':<25}"
    print(f"\n{'ε':>9} {f'a guess after {looks}':<25}{belief_in}error")
    for step, (epsilon, chance, odds, error) in zip(STEPS, rows, strict=True):
        mark, told = ">" if step == 1 else " ", written_below(epsilon, 4)
        most = "" if alike else f"{odds.cells()[2]:<25}"
        print(f"{mark}{told:>8} {chance!s:<25}{most}{'–' if error is None else f'{error:.3g}'}")
    if error is None:
        many = f"For more than {allowed(MOST_DESIGNED):,} values"
        print(wrapped(f"{many} leaktight design finds the best mechanism, and its error."))
        return 0
    what = "how often it is wrong" if gain == "guess" else f"its expected loss by {gain}"
    print(wrapped(f"The error is that of the best mechanism for each ε: {what}."))
    return 0


def _largest(
    who: Any, belief: Any, limits: dict[str, Fraction | None], value: Any, times: int
) -> "ChosenRatio":
    """Return the largest ε that keeps what was asked: a guess, a belief, or an advantage."""
    from leaktight.repetition.choosing import (
        largest_ratio_below,
        largest_ratio_by_advantage,
        largest_ratio_of_beliefs,
    )

    below, factor, advantage = limits.values()
    if advantage is not None:
        return largest_ratio_by_advantage(advantage, times)
    if factor is not None:
        return largest_ratio_of_beliefs(who, belief, value=value, factor=factor, observations=times)
    assert below is not None
    if value is None:
        return largest_ratio_below(who, below, belief, times)
    return largest_ratio_of_beliefs(who, belief, value=value, below=below, observations=times)


def _value(text: str, values: Any) -> Any:
    """Return the value that is written so."""
    from leaktight.labels import position

    texts = tuple(map(str, values))
    return values[position(text, texts, "value")]


def _choose_promise(
    secret: str,
    below: Fraction,
    prior: str | None,
    times: int,
    promise: str,
    delta: str | None,
    neighbours: str | None,
    gain: str | None,
    as_json: bool,
) -> int:
    """Choose ρ, μ, or an ε beside a δ."""
    from leaktight.exact.shown import wrapped
    from leaktight.repetition.choosing import KINDS, largest_promise_below

    if promise not in KINDS:
        raise click.BadParameter(f"--promise must be {', '.join(KINDS)}, got {promise[:60]!r}")
    if promise != "epsilon" and delta is not None:
        raise click.BadParameter("--delta goes with --promise epsilon")
    if gain is not None:
        raise click.BadParameter("--gain is for pure ε, whose best mechanism is known")
    who, belief, _ = _asked(secret, prior)
    with spinner(as_json) as progress:
        progress(f"the largest {KINDS[promise]}")
        chosen = largest_promise_below(
            who, below, belief, times,
            kind=promise, delta=delta, neighbours=neighbours,
        )  # fmt: skip
    found = [one for one in (chosen, chosen.other) if one is not None]
    if as_json:
        listed = [
            {
                "neighbours": one.neighbours or None,
                promise: float_down(one.amount),
                "chance": float_up(one.chance),
            }
            for one in found
        ]
        print_json({"promise": promise, "delta": delta, "chosen": listed})
    else:
        for one in found:
            print(wrapped(f"{one}."))
    return 0


def _choose_noise(
    secret: str | None,
    risk: tuple[str, Any],
    prior: str | None,
    neighbours: str | None,
    times: int,
    sensitivity: str,
    factor: Fraction,
    sure: Fraction,
    as_json: bool,
) -> int:
    """Choose the standard deviation of Gaussian noise, by what it keeps."""
    from leaktight.curves.calibration import calibrate
    from leaktight.curves.guess import ADD_REMOVE, REPLACE
    from leaktight.exact.shown import percent_as_given, percent_or_fraction, wrapped

    name, limit = risk
    asked: dict[str, Any] = {}
    depends = name in ("--below", "--value")
    if name == "--below":
        if secret is None:
            raise click.BadParameter(
                "to bound a guess, say of which values, as in: complete:6 --below 1/3"
            )
        values, belief = _all_alike(secret, prior)
        asked = {"values": values, "prior": belief, "below": limit}
        keeps = f"every guess at {percent_or_fraction(limit)} or less"
    elif name == "--advantage":
        asked = {"advantage": limit}
        keeps = f"the advantage of any test at {percent_or_fraction(limit)}"
    elif name == "--error":
        told = [percent_as_given(rate) for rate in limit]
        if len(limit) != 2:
            raise click.BadParameter(f"--error is two rates such as 5%,80%, got {','.join(told)}")
        keeps = f"{told[1]} false negatives or more in every test with {told[0]} false positives"
        asked = {"errors": tuple(limit)}
    else:
        before = read_chance(limit)
        most = before * factor
        asked = {"belief": (before, most, sure)}
        keeps = (
            f"a belief of {percent_as_given(before)} below {percent_as_given(most)} with a chance "
            f"of at least {percent_as_given(sure)} over the output"
        )
    relations = [neighbours] if neighbours else [REPLACE, ADD_REMOVE] if depends else [REPLACE]
    with spinner(as_json) as progress:
        progress("the least noise")
        found = [
            (each, calibrate(sensitivity=sensitivity, releases=times, neighbours=each, **asked))
            for each in relations
        ]
    if as_json:
        listed = [
            {"neighbours": each if depends else None, "sigma": float_up(one.sigma),
             "promise": str(one.curve)}
            for each, one in found
        ]  # fmt: skip
        print_json({"noise": "gaussian", "releases": times, "chosen": listed})
        return 0
    for each, one in found:
        print(wrapped(f"{one} keeps {keeps}{f' (neighbours: {each})' if depends else ''}."))
    return 0


def _all_alike(secret: str, prior: str | None) -> tuple[Any, Any]:
    """Return the values of a secret, if all are neighbours of each other, and their prior."""

    who, belief, _ = _asked(secret, prior)
    metric = who.measured
    graph = (metric or who.secrets).graph
    if not graph.is_complete or (metric is not None and metric.unit not in (None, 1)):
        raise click.BadParameter(
            "noise is chosen for values that are all neighbours, as in complete:6; for another "
            "graph choose --promise mu, and σ is the sensitivity over μ"
        )
    return graph.vertices, belief


def _around(
    chosen: "ChosenRatio",
    values: Any,
    belief: Any,
    value: Any,
    times: int,
    aim: Any,
    progress: Any,
) -> "Iterator[tuple[float, Probability, ValueOdds, float | None]]":
    """Yield some ε around the chosen one with what it does, and the best mechanism's error.

    That is the chance of a guess, and the odds of a value, or of the one whose belief rises most.
    The error is None where values are many.
    """
    from leaktight.exact.ratio import Ratio
    from leaktight.exact.shown import Probability
    from leaktight.mechanisms.best import optimal_mechanism
    from leaktight.repetition.explanation import explain as explained
    from leaktight.repetition.value_odds import value_odds

    meant = None if value is None else [value]
    for step in STEPS:
        progress(f"{float(step):g} times this")
        epsilon = chosen.epsilon * float(step)
        level = Ratio.of(chosen.ratio) if step == 1 else Ratio.of(epsilon=epsilon)
        odds = explained(values, belief, ratio=level, observations=times).after[-1].value
        error = None
        if len(belief.array) <= allowed(MOST_DESIGNED):
            best = optimal_mechanism(values, belief, aim, level)
            error = float(best.loss if aim.sign < 0 else 1 - best.utility)
        own = value_odds(values, belief, ratio=level, values=meant, observations=times)[0]
        kept = step == 1 and chosen.what == "every guess"
        yield epsilon, Probability(times, chosen.chance if kept else odds, False), own, error


def _asked(secret: str, prior: str | None) -> tuple[Any, Any, str]:
    """Return whose values are guessed, what is believed of them, and what a guess earns."""
    from leaktight.policies.neighbours import metric_of
    from leaktight.policies.text import apart_of

    if not secret.endswith(".toml"):
        values = metric_of(apart_of(secret))
        return values, read_prior(prior, values.values), "guess"
    from leaktight.studies import read_study

    study = read_study(Path(secret))
    belief = study.prior if prior is None else read_prior(prior, study.policy.secrets.vertices)
    usual = "guess" if study.scope == "answer" else str(study.gain)
    return study.policy, belief, usual
