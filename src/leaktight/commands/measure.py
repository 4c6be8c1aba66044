"""``leak`` and ``compare`` of channels, ``program``, and ``estimate`` of samples."""

import math
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import (
    GRAPH,
    NUMBER,
    PATH,
    json_option,
    prior_option,
    read_inputs,
    read_prior,
)
from leaktight.commands.output import about_to_write, print_json, spinner

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from leaktight.channels.channel import Channel
    from leaktight.privacy.average_breach import AverageBreachLevel
    from leaktight.privacy.breach_level import BreachLevel
    from leaktight.privacy.level import PrivacyLevel
    from leaktight.samples.leakage import LeakageEstimate
    from leaktight.samples.looks import Looked
    from leaktight.samples.observations import Observations


@click.command()
@click.argument("channel", type=PATH, help="A channel, .csv or .json.")
@prior_option
@click.option(
    "--graph", type=GRAPH, help="Which inputs are neighbours, such as line:4 or edges:no-yes."
)
@json_option
def leak(channel: Path, prior: str | None, graph: str | None, as_json: bool) -> int:
    """How much does a channel leak, by every measure?

    \b
    Example:
      printf 'answer,no,yes\\nno,2/3,1/3\\nyes,1/3,2/3\\n' > coin.csv
      leaktight leak coin.csv --prior 9/10,1/10
      leaktight leak coin.csv --graph edges:no-yes
    """
    from leaktight.channels.file import read_channel

    return _leaks(read_channel(channel), prior, as_json, graph)


@click.command()
@click.argument("function", help="module:function of a .py file here.")
@click.option("--inputs", required=True, help="Such as no,yes or 0..9999 or bits:16.")
@click.option("--allow-code", is_flag=True, help="Run the file, which you trust.")
@click.option("--output", type=PATH, help="Write the channel, .csv or .json.")
@click.option("--questions", help="What an attacker may ask, such as 0..9: the second argument.")
@click.option(
    "--attack", type=click.IntRange(min=0), help="How many --questions the best attacker asks."
)
@prior_option
@json_option
def program(
    function: str,
    inputs: str,
    allow_code: bool,
    output: Path | None,
    questions: str | None,
    attack: int | None,
    prior: str | None,
    as_json: bool,
) -> int:
    """How much does a program leak, by every measure?

    The function gets an input and, if it has a second argument, a Chance to draw from. It is run
    for every input and every outcome of its choices, so what is shown is exact. Inputs that are
    all whole numbers are passed as such, others as texts; 0..9999, range:10000 and bits:16 are
    numbers in a row. With --questions and --attack, the function gets an input and a question, and
    the attacker chooses each question after the answers before.

    \b
    Example:
      printf 'def check(pin):\\n    return pin == 3\\n' > lock.py
      leaktight program lock:check --inputs 0..9999 --allow-code
      printf 'def try_pin(pin, tried):\\n    return (tried > pin) - (tried < pin)\\n' > high.py
      leaktight program high:try_pin --inputs 0..99 --questions 0..99 --attack 3 --allow-code
    """
    from leaktight.channels.file import write_channel
    from leaktight.studies.code import called, load_function

    found, _ = load_function(Path(function).name, Path(function).parent, allow_code=allow_code)
    given = read_inputs(inputs)
    if questions is not None or attack is not None:
        if questions is None or attack is None or output is not None:
            raise click.BadParameter(
                "an attack needs --questions such as 0..99 and --attack such as 3, and has no "
                "--output"
            )
        from leaktight.commands.questions import attacked

        asked = read_inputs(questions, "--questions")
        return attacked(function, found, given, asked, attack, prior, as_json)
    about_to_write(output)
    seen = called(function, found, given)
    if output is not None:
        write_channel(seen, output)
    return _leaks(seen, prior, as_json)


def _leaks(seen: "Channel", prior: str | None, as_json: bool, graph: str | None = None) -> int:
    """Print what a channel leaks, by every measure."""
    from leaktight.exact.shown import counted, wrapped
    from leaktight.leakage.measures import measures, worst_measures
    from leaktight.leakage.per_output import pointwise_leakage
    from leaktight.privacy.average_breach import average_breach_level
    from leaktight.privacy.breach_level import breach_level
    from leaktight.privacy.level import distinguishability

    belief = read_prior(prior, seen.inputs)
    parts = "what leaks under the prior", "what leaks at worst", "how far beliefs move"
    with spinner(as_json, *parts) as progress:
        progress("what leaks under the prior")
        table = measures(seen, belief)
        progress("what leaks at worst")
        worst, level = worst_measures(seen), distinguishability(seen)
        progress("how far beliefs move")
        telling = pointwise_leakage(seen, belief)[0]
        breach, average = breach_level(seen), average_breach_level(seen)
        asked, unit = (None, "") if graph is None else _level_on(seen, graph)
    if as_json:
        print_json(
            {
                "measures": [
                    {"name": m.name, "bits": _finite(m.bits)} | _ends(m.before, m.after)
                    for m in table
                ],
                "at worst": [
                    {"name": w.name, "factor": _exact(w.factor), "bits": _finite(w.bits)}
                    for w in worst
                ],
                "most telling output": {
                    "output": str(telling.output),
                    "input": str(telling.input),
                    "factor": _exact(telling.factor),
                },
                "ratio of any two inputs": _exact(level.ratio),
                "breach": {
                    "worst": {"factor": _exact(breach.factor), "set": _names(breach.subset)},
                    "average": {"factor": _exact(average.factor), "set": _names(average.pair[:1])},
                },
                "ratio on the graph": None if asked is None else _exact(asked.ratio),
                "at a distance of": None if asked is None else _exact(asked.distance),
            }
        )
        return 0
    x, z = seen.shape
    shape = f"{counted(x, 'input', 'inputs')}, {counted(z, 'output', 'outputs')}"
    print(f"{shape}; {'exact' if seen.is_exact else 'floats: estimates'}\n")
    print(f"{table!r}\n\n{worst!r}")
    most = (
        f"The most telling output is {telling.output!r:.40}: it makes {telling.input!r:.40} "
        f"likelier by a factor of {_short(telling.factor)}."
    )
    print(f"\n{wrapped(most)}")
    for sentence in _breached(breach, average):
        print(wrapped(sentence))
    print(wrapped(_private(level, "If all inputs are neighbours")))
    if asked is not None:
        print(wrapped(_private(asked, f"On {graph}", unit)))
    return 0


def _level_on(seen: "Channel", graph: str) -> "tuple[PrivacyLevel, str]":
    """Return how private a channel is on a graph of its inputs, by their names or their order.

    Where the graph has distances, ε is that per unit of them.
    """
    from leaktight.policies.text import apart_of
    from leaktight.privacy.level import privacy_level

    joined = apart_of(graph)
    values = joined.graph.vertices
    names = {str(x): x for x in seen.inputs}
    if set(map(str, values)) == set(names):
        order = [names[str(value)] for value in values]
    elif len(values) == len(seen.inputs) and not graph.startswith("edges:"):
        order = list(seen.inputs)
    else:
        raise click.BadParameter(
            f"--graph must have the {len(names):,} inputs of the channel, got {graph!r:.60}"
        )
    from leaktight.channels.channel import Channel

    unit = "" if joined.measured is None else " per unit of distance"
    named = Channel(seen.restrict(order).matrix, values, seen.outputs)
    return privacy_level(named, joined), unit


def _private(level: "PrivacyLevel", where: str, unit: str = "") -> str:
    """Say at which ε a channel is private, and which inputs are told apart best."""
    from leaktight.exact.shown import above

    worst = "" if level.witness is None else f"; worst pair: {level.witness}"
    if level.ratio == math.inf:
        return f"{where}, it is private at no ε: some output rules an input out{worst}."
    return f"{where}, it is private at ε = {above(level.epsilon)}{unit}{worst}."


def _breached(breach: "BreachLevel", average: "AverageBreachLevel") -> "Iterator[str]":
    """Say by how much a belief can grow, whoever holds it: at worst, and on average."""
    if breach.factor == math.inf:
        yield (
            f"Worst-case breach: some output rules {breach.subset[0]!r:.40} out, "
            "whoever believed it before."
        )
    else:
        yield (
            f"Worst-case breach: no belief in any set of inputs grows or falls by a factor of more "
            f"than {_short(breach.factor)}; belief in {breach.subset[0]!r:.40} comes as near as "
            "one likes."
        )
    pair = average.pair
    among = f", as it does for {pair[0]!r:.40} against {pair[-1]!r:.40}" if len(pair) > 1 else ""
    yield (
        "Average-case breach: a guess whether the input is in some set becomes right more often by "
        f"a factor of at most {_short(average.factor)}{among}."
    )


def _names(labels: "Iterable[Hashable]") -> list[str]:
    return list(map(str, labels))


@click.command()
@click.argument("one", type=PATH, help="A channel, .csv or .json.")
@click.argument("other", type=PATH, help="Another one on the same inputs.")
@json_option
def compare(one: Path, other: Path, as_json: bool) -> int:
    """Which of two channels is safer, and for whom?

    One is safer for every prior and every gain if what it shows can be made from what the other
    shows. If it is not, a prior and a gain are shown, and whether it is safer at least for the
    output that tells most, or between any two inputs.

    \b
    Example:
      printf 'answer,no,yes\\nno,3/4,1/4\\nyes,1/4,3/4\\n' > sharp.csv
      printf 'answer,no,yes\\nno,2/3,1/3\\nyes,1/3,2/3\\n' > coin.csv
      leaktight compare sharp.csv coin.csv
    """
    from leaktight.channels import NearlyRefined, read_channel, refinement
    from leaktight.exact.shown import above, in_bits
    from leaktight.leakage.capacity import min_capacity

    a, b = read_channel(one), read_channel(other)
    parts = f"can {other} be made from {one}?", f"can {one} be made from {other}?"
    with spinner(as_json, *parts) as progress:
        found = []
        for name, channel, rival, against in ((one, a, other, b), (other, b, one, a)):
            progress(f"can {rival} be made from {name}?")
            found.append((name, channel, refinement(channel, against), rival, against))
    if as_json:
        print_json(
            [
                {
                    "channel": str(name),
                    "min-capacity bits": min_capacity(channel).bits,
                    "the other can be made from it": ("nearly" if made.is_near else made.holds),
                    **_witness(made),
                    **({} if made.can_be_made else _weaker(channel, against)),
                }
                for name, channel, made, _, against in found
            ]
        )
        return 0
    near = any(made.is_near for _, _, made, _, _ in found)
    nearly, never = ("nearly ", "hardly") if near else ("", "never")
    verdicts = {
        (True, True): f"{one} and {other} tell {nearly}the same: each can {nearly}be made from "
        "the other.",
        (True, False): f"{other} is {nearly}safer: it can {nearly}be made from {one}, and {never} "
        "leaks more.",
        (False, True): f"{one} is {nearly}safer: it can {nearly}be made from {other}, and {never} "
        "leaks more.",
        (False, False): "Neither is safer: it depends on what is believed and what is wanted.",
    }
    made_from = [made.can_be_made for _, _, made, _, _ in found]
    print(verdicts[made_from[0], made_from[1]])
    for name, _, made, rival, _ in found:
        if isinstance(made, NearlyRefined):
            print(
                f"Floats decide up to rounding alone: {rival}, made from {name}, may leak more by "
                f"up to {above(made.excess)}, for gains up to 1. Write fractions to decide it."
            )
    for name, channel, made, rival, against in found:
        most = min_capacity(channel)
        print(f"\n{name}: at worst a factor of {_short(most.factor)}, {in_bits(most.bits, above)}")
        if not made.can_be_made:
            _print_weaker(name, made, rival, _weaker(channel, against))
    return 0


TELLING = "no output of the other tells more than each of its own"
PRIVATE = "the other is as private between any two inputs"
LESS = ("less private than", "some")


def _print_weaker(name: Path, made: Any, rival: Path, weaker: dict[str, bool]) -> None:
    """Print for whom a channel leaks less than its rival, and in which orders it is no better."""
    from leaktight.exact.shown import wrapped

    print(f"It leaks less, by {_short(made.advantage)}, if the prior is")
    prior = ", ".join(f"{x}: {p}" for x, p in made.prior.items())
    print(wrapped(prior, "  ", start="  "))
    print(f"and an attacker wants the {made.gain}")
    if TELLING in weaker:
        some = "No" if weaker[TELLING] else "Some"
        print(wrapped(f"{some} output of {rival} tells more than each of {name}.", ""))
    as_private, between = ("as private as", "any two") if weaker[PRIVATE] else LESS
    print(wrapped(f"{rival} is {as_private} {name} between {between} inputs.", ""))


def _weaker(a: Any, b: Any) -> dict[str, bool]:
    """Say in which weaker orders b is as safe as a, where floats settle that."""
    from leaktight.channels import max_case_refinement
    from leaktight.errors import Undecided
    from leaktight.privacy import privacy_refinement

    told = {PRIVATE: privacy_refinement(a, b).holds}
    with suppress(Undecided):
        told[TELLING] = max_case_refinement(a, b).holds
    return told


@click.command()
@click.argument("samples", type=PATH, help="A CSV file, one secret and output a row.")
@click.option("--secret", default="secret", help="The column of secrets.")
@click.option(
    "--output", default="output", help="The column of outputs; with --numbers, such as x,y."
)
@click.option("--confidence", type=NUMBER, default="0.95", help="Such as 0.95.")
@click.option("--numbers", is_flag=True, help="Outputs are real numbers, near ones alike.")
@click.option(
    "--try",
    "tries",
    multiple=True,
    help="What would help? Outputs changed: round:1000, pad:1000 (up to a multiple), "
    "pad:to:5000 (at least that) or pad:max. May be given again.",
)
@json_option
def estimate(
    samples: Path,
    secret: str,
    output: str,
    confidence: str,
    numbers: bool,
    tries: tuple[str, ...],
    as_json: bool,
) -> int:
    """How much does something leak, judged by samples alone?

    The bounds hold with the confidence that is asked for, whatever made the samples, if they were
    drawn independently. Without --numbers each output stands for itself. With it, nearest
    neighbours or histograms are learnt from one half of the samples and tested on the other; then
    nothing is bounded from above.

    \b
    Example:
      printf 'secret,output\\nno,-\\nyes,+\\nno,-\\nyes,+\\n' > seen.csv
      leaktight estimate seen.csv
      printf 'secret,output\\nno,120\\nyes,180\\nno,130\\nyes,170\\n' > times.csv
      leaktight estimate times.csv --try round:1000 --try pad:100
    """
    from leaktight.exact.shown import wrapped

    if numbers and tries:
        raise click.BadParameter(
            "--try is for outputs that are counted, as rounded ones are; leave out --numbers"
        )
    if numbers:
        return _estimate_numbers(samples, secret, output, confidence, as_json)

    from leaktight.samples import (
        estimate_min_entropy_leakage,
        estimate_posterior_vulnerability,
        independence_test,
        read_observations,
    )
    from leaktight.samples.looks import estimate_looks

    seen = read_observations(samples, secret, output)
    after = _changed(samples, secret, output, list(tries))
    parts = "what the samples prove", "whether anything leaks", "an attack by several looks"
    with spinner(as_json, *parts, *(name for name, _ in after)) as progress:
        progress("what the samples prove")
        estimates = (
            estimate_posterior_vulnerability(seen, confidence=confidence),
            estimate_min_entropy_leakage(seen, confidence=confidence),
        )
        progress("whether anything leaks")
        test = independence_test(seen, confidence=confidence)
        progress("an attack by several looks")
        looks = estimate_looks(seen, confidence)
        rows = [("as it is", estimates[0], looks)]
        for name, other in after:
            progress(name)
            guess = estimate_posterior_vulnerability(other, confidence=confidence)
            rows.append((name, guess, estimate_looks(other, confidence)))
    before = Fraction(int(seen.secret_totals.max()), seen.total)
    if as_json:
        print_json(
            {
                "samples": seen.total,
                "estimates": [_estimated(each) for each in (*estimates, test.leak)],
                "evidence of a leak": test.evidence,
                "p": str(test.p_value),
                "share of the likeliest secret": str(before),
                "looks": list(map(_look, looks)),
                "tries": [
                    {"try": name, **_estimated(guess), "looks": list(map(_look, tried))}
                    for name, guess, tried in rows[1:]
                ],
            }
        )
        return 0
    for sentence in _in_words(before, estimates[0], looks):
        print(wrapped(sentence))
    if after:
        _print_tries(rows)
    print()
    for line in (*estimates, test.leak, test):
        print(wrapped(str(line), "  "))
    return 0


BROKEN = Fraction(99, 100)
"""How often a guess is right of a secret that is called broken."""


def _changed(
    samples: Path, secret: str, output: str, tries: list[str]
) -> "list[tuple[str, Observations]]":
    """Return the samples as each countermeasure would have let them be seen."""
    from leaktight.errors import InvalidInput
    from leaktight.samples import Observations
    from leaktight.samples.countermeasure import changed
    from leaktight.samples.observations import read_columns

    if not tries:
        return []
    secrets, outputs = read_columns(samples, secret, output)
    try:
        return [(how, Observations(secrets, changed(outputs, how))) for how in tries]
    except InvalidInput as wrong:
        raise InvalidInput(f"--try: {wrong}") from None


def _one_look(before: Fraction, guess: "LeakageEstimate") -> str:
    """Say how well a secret is guessed before, and after one look: an estimate."""
    from leaktight.exact.shown import percent, percent_as_given

    sure = f"with {percent_as_given(guess.confidence)} confidence"
    return (
        f"One guess of the secret is right with {percent(before)} before, and with about "
        f"{percent(Fraction(guess.estimate))} after one look: {_between(guess)} {sure}."
    )


def _in_words(
    before: Fraction, guess: "LeakageEstimate", looks: "tuple[Looked, ...]"
) -> "Iterator[str]":
    """Say how well a secret is guessed before, after one look and after several: estimates."""
    from leaktight.exact.shown import percent, percent_as_given

    sure = f"with {percent_as_given(guess.confidence)} confidence"
    yield _one_look(before, guess)
    several = [each for each in looks if each.looks > 1 and each.unseen <= 1 / 2]
    if several:
        parts = [f"{percent(Fraction(e.estimate))} after {e.looks:,}" for e in several[-4:]]
        last = several[-1]
        yield (
            "Looking at the same secret again, an attack that was learnt from one half of the "
            f"samples was right on the other half with {', '.join(parts)}: after {last.looks:,} "
            f"looks at least {_at_least(last.lower)} {sure}, if secrets are as likely as here."
        )
    yield f"Looks until a guess is right with {percent(BROKEN)}: {_looks(looks)}."


def _looks(looks: "tuple[Looked, ...]") -> str:
    """Say after how many looks a secret is broken, as far as the samples go."""
    if looks and looks[0].unseen > 1 / 2:
        return (
            "not known, most outputs were seen only once, which teaches nothing; try round:… or, "
            "for real numbers, --numbers"
        )
    if not looks:
        return "not tried, there are too few samples of a secret, or too many outputs"
    enough = next((each.looks for each in looks if each.estimate >= BROKEN), None)
    if enough is not None:
        return f"about {enough:,}, an estimate"
    return f"more than {looks[-1].looks:,}, by this attack; the samples are too few to try more"


def _print_tries(rows: "list[tuple[str, LeakageEstimate, tuple[Looked, ...]]]") -> None:
    """Print what each countermeasure would be worth, beside the outputs as they are."""
    from leaktight.exact.shown import percent, percent_as_given, wrapped

    wide = max(len(name) for name, _, _ in rows)
    title = "right after one look"
    told = [f"{percent(Fraction(g.estimate))} ({_between(g)})" for _, g, _ in rows]
    column = max(map(len, [title, *told]))
    print(f"\n{'outputs':{wide}}  {title:{column}}  looks until {percent(BROKEN)}")
    for (name, _, looks), chance in zip(rows, told, strict=True):
        print(f"{name:{wide}}  {chance:{column}}  {_looks(looks).partition(',')[0]}")
    sure = percent_as_given(rows[0][1].confidence)
    print(wrapped(f"Estimates; each row holds with {sure} confidence by itself."))


def _between(guess: "LeakageEstimate") -> str:
    from leaktight.exact.shown import percent_above

    return f"{_at_least(guess.lower)} to {percent_above(Fraction(guess.upper))}"


def _at_least(chance: float) -> str:
    """Return a chance in percent, rounded down."""
    return f"{math.floor(Fraction(chance) * 1000) / 10:g}%"


def _look(each: "Looked") -> dict[str, Any]:
    return {
        "looks": each.looks,
        "estimate": each.estimate,
        "lower": each.lower,
        "confidence": str(each.confidence),
        "trials": each.hands,
    }


def _estimate_numbers(
    samples: Path, secret: str, output: str, confidence: str, as_json: bool
) -> int:
    from leaktight.exact.shown import wrapped
    from leaktight.samples.numbers import estimate_from_numbers, read_numbers

    secrets, outputs = read_numbers(samples, secret, output.split(","))
    with spinner(as_json) as progress:
        progress("learning to guess from one half, and testing on the other")
        found = estimate_from_numbers(secrets, outputs, confidence=confidence)
    estimates = (found.vulnerability, found.leakage)
    if as_json:
        told = [_estimated(each) for each in estimates]
        print_json({"samples": len(secrets), "rule": found.rule, "estimates": told})
        return 0
    before = Fraction(max(Counter(secrets).values()), len(secrets))
    print(wrapped(_one_look(before, found.vulnerability)) + "\n")
    for line in (*estimates, f"learnt: {found.rule}"):
        print(wrapped(str(line), "  "))
    return 0


def _estimated(each: "LeakageEstimate") -> dict[str, Any]:
    return {
        "quantity": each.quantity,
        "unit": each.unit,
        "estimate": _finite(each.estimate),
        "lower": _finite(each.lower),
        "upper": _finite(each.upper),
        "confidence": str(each.confidence),
        "assumed": each.assumed,
    }


def _short(value: Any) -> str:
    from leaktight.exact.shown import shown

    return "infinite" if value == math.inf else shown(value)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _exact(value: Any) -> str | float | None:
    if value is None or value == math.inf:
        return None if value is None else "infinite"
    return str(value) if isinstance(value, Fraction) else value


def _ends(before: Any, after: Any) -> dict[str, Any]:
    return {"before": _exact(before), "after": _exact(after)}


def _witness(found: Any) -> dict[str, Any]:
    if found.can_be_made:
        return {"it may leak more by": found.excess} if found.is_near else {}
    return {
        "leaks less for the prior": {str(x): _exact(p) for x, p in found.prior.items()},
        "and the gain": [
            [_exact(found.gain[w, x]) for x in found.gain.inputs] for w in found.gain.guesses
        ],
    }
