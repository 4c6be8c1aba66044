"""What the page shows of a study, as the command line says it of the same study.

``TASKS`` are what a page may ask. Each takes what was asked and a function that is told how much is
done, and gives what becomes JSON; none keeps anything.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from msgspec import MsgspecError, Struct, json

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.curves.presence import Membership
from leaktight.curves.promise import Promise, promise_of
from leaktight.curves.worst_case import worst_case
from leaktight.errors import InvalidFile, InvalidInput, InvalidNumber, LeaktightError
from leaktight.exact.numbers import float_array, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_below
from leaktight.exact.shown import above, in_bits, percent, percent_above
from leaktight.leakage.hyper import hyper
from leaktight.repetition.attacker import attackers_on
from leaktight.repetition.choosing import KINDS, largest_promise_below, largest_ratio_below
from leaktight.reports.audit import html
from leaktight.reports.person import guessing
from leaktight.reports.wording import exactly
from leaktight.studies.answers import LEFT_OUT, Skipped
from leaktight.studies.asked import seen_channel
from leaktight.studies.audit import Audit, audit
from leaktight.studies.leakage import MOST_SWEPT
from leaktight.studies.naming import Names
from leaktight.studies.person import TIED, any_mechanism
from leaktight.studies.schema import to_json
from leaktight.studies.study import Study
from leaktight.tables.overview import overview
from leaktight.web.code import code_of
from leaktight.web.document import STUDY, Document, answerable, document_of, toml_of
from leaktight.web.drawing import drawing
from leaktight.web.menu import mechanism_menu
from leaktight.worst_case import worst_case_function
from leaktight.worst_case.published import leakage_bounds

Progress: TypeAlias = Callable[..., object]
"""Told what is being computed, which part of all is done, and perhaps what was found."""

LATER = ("all others known", "nobody known", "published bounds")
AT_ONCE = ("worst case", "best mechanism", "any mechanism", "leakage", "usefulness")
SWEEP = "worst case for other ε"

POINTS = 32
"""How many ε a curve has, but for 0."""

IN_TURN = [0, 32, *(k for step in (32, 16, 8, 4, 2) for k in range(step // 2, POINTS, step))]
"""Those that are far apart first."""

FINE = 300
"""Of how many values a curve has that many; of more, half."""

MOST_BELIEFS = 3
"""Of how many sensitive values the belief is drawn."""

MOST_EPSILON = 64
"""The largest ε that a curve is drawn up to."""


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page asks: about a study, or to read one."""

    study: Document = {}
    toml: str = ""
    upto: float = 4.0
    """The largest ε of a curve."""
    table: tuple[str, str] = ("", "")
    """The name of a table, and the file that holds it; no page can send these."""


_decoder = json.Decoder(Asked, float_hook=Decimal)


def read_asked(body: bytes) -> Asked:
    """Return what a page asks; numbers of a study are exactly those that were written."""
    try:
        return _decoder.decode(body)
    except (MsgspecError, RecursionError, UnicodeDecodeError, ArithmeticError) as wrong:
        raise InvalidFile(
            f"a request must be JSON with a study in it: {str(wrong)[:200]}"
        ) from None


def answer(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return what changes while ε does: the audit but for what takes long, and the drawing."""
    study = answerable(asked.study)
    found = audit(study, without=(*LATER, SWEEP))
    return {
        "audit": to_json(found),
        "odds": _odds(found),
        "said": _said(found),
        "attributes": _attributes(found),
        "ratio": None if study.ratio is None else str(study.ratio),
        **drawing(study),
        "kinds": mechanism_menu(study),
        "posteriors": _posteriors(seen_channel(study)),
    }


def _attributes(found: Audit) -> list[list[str]]:
    """Return what a release tells of each attribute alone, in words."""
    return [
        [each.attribute, percent(each.before), f"≤ {percent_above(each.after)}"]
        for each in (found.release.attributes if found.release else ())
    ]


def _odds(found: Audit) -> list[dict[str, Any]]:
    """Return who guesses right how likely before and after: in words, and as lengths of bars."""
    rows = []
    for row in guessing(found).guessers:
        assert row.before is not None
        near = [float(row.before), *(float(p.value) for p in row.after)]
        said: dict[str, Any] = {
            "who": row.who,
            "chances": row.chances,
            "near": near,
            "text": row.text,
        }
        if row.values is not None:
            said["values"] = [row.values.head, *row.values.rows]
        rows.append(said)
    return [*_beliefs(found), *rows]


def _beliefs(found: Audit) -> list[dict[str, Any]]:
    """Return how far the belief in rare values rises: where all are alike, a guess says as much."""
    prior = found.study.prior.array
    if not found.study.sensitive and (prior == prior[0]).all():
        return []
    rows, most = [], min(MOST_BELIEFS, max(1, len(found.study.sensitive)))
    for whose, part in (
        ("this mechanism", found.person.informed),
        ("any mechanism", found.person.any_mechanism),
    ):
        for rise in () if isinstance(part, Skipped) else (part.values or ())[:most]:
            after = percent(rise.after) if rise.output else f"≤ {percent_above(rise.after)}"
            chances = [percent(rise.before), after]
            near = [float(rise.before), float(rise.after)]
            who = f"belief in {rise.value}, after the output that speaks for it most ({whose})"
            rows.append({"who": who, "chances": chances, "near": near, "text": []})
    return rows


def _said(found: Audit) -> dict[str, str]:
    """Return the worst case, and the error of the mechanism and of the best one, in words."""
    said, worst, use = {}, found.worst_case, found.usefulness
    if there := found.person.membership:
        rates = (
            f"{each.whose}: {Membership(each.advantage, each.rates, each.is_exact)}"
            for each in there.found
        )
        said["membership"] = f"Whether the person is there: {'; '.join(rates)}."
    if worst:
        how = "exactly" if worst.is_exact else "at most"
        said["worst"] = f"{how} {in_bits(worst.bits, above)} about {worst.about}"
    if use:
        unit = f" {found.study.unit}" if found.study.gain == "distance" and found.study.unit else ""
        sure = use.kind == "expected gain" and found.study.gain == "guess"
        for key, value in (("this", use.this), ("best", use.best)):
            if value is not None:
                said[key] = percent(1 - value) if sure else exactly(value) + unit
        said["error"] = "wrong guesses" if sure else use.kind
    return said


def _posteriors(seen: tuple[Channel, Distribution, str] | None) -> dict[str, Any] | None:
    """Return how likely each output is, and what is believed of the inputs after it."""
    if seen is None:
        return None
    channel, prior, _ = seen
    after = hyper(channel, prior)
    chances = dict(zip(after.outer.values, float_array(after.outer.array).tolist(), strict=True))
    columns = dict(zip(after.outer.values, float_array(after.inner).T.tolist(), strict=True))
    return {
        "before": float_array(prior.array).tolist(),
        "chances": [chances.get(output, 0.0) for output in channel.outputs],
        "after": [columns.get(output) for output in channel.outputs],
    }


def looks(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return what this mechanism tells of one person after looks, and the published bounds."""
    study = answerable(asked.study)
    found = audit(study, lambda what: progress(what, 0.5), without=(*AT_ONCE, SWEEP))
    said = to_json(found)
    bounds = found.published or ()
    return {
        "odds": _odds(found),
        "person": said["person"],
        "published": said["published"],
        "bits": [above(bound.bits) for bound in bounds],
    }


def curves(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return the worst case, the published bounds and the odds about one person for many ε.

    Or for many ρ, μ, or ε beside a δ, if that is asked for; there are no published bounds then.

    ``progress`` gets each point as it is found: first few and far apart, then those between.
    """
    if not 0 < asked.upto <= MOST_EPSILON:
        raise InvalidNumber(f"a curve ends at an ε above 0 and at most {MOST_EPSILON}")
    question: Any = asked.study.get("question", {})
    if isinstance(question, dict):  # how many looks keep it below a chance is not asked for each ε
        question = {key: said for key, said in question.items() if key != "below"}
    study = answerable(asked.study | {"question": question})
    why, points = _why_no_worst_case(study), []
    kind = _kind(question)
    turns = IN_TURN if study.policy.secrets.order <= FINE else IN_TURN[: 1 + POINTS // 2]
    for k in turns:
        amount = float(f"{asked.upto * k / POINTS:.6g}")
        promise = _promise(kind, str(amount), question)
        points.append(_point(study, amount, promise, why is None))
        progress(f"{KINDS[kind]} = {points[-1]['epsilon']:g}", len(points) / len(turns), points[-1])
    return {"points": sorted(points, key=lambda point: point["epsilon"]), "why": why}


def _kind(question: Any) -> str:
    """Return which amount of a promise is moved: ε, ρ or μ."""
    return next((key for key in ("rho", "mu") if key in question), "epsilon")


def _promise(kind: str, amount: str, question: Any) -> Promise:
    if kind == "epsilon" and "curve" not in question:
        return promise_of(epsilon=amount, delta=question.get("delta"))
    return promise_of(**{kind: amount})  # type: ignore[arg-type]


def _point(study: Study, amount: float, promise: Promise, swept: bool) -> dict[str, Any]:
    """Return what is known for one amount, which is called ``epsilon`` whatever it is."""
    point: dict[str, Any] = {
        "epsilon": amount, "odds": None, "belief": None, "worst": None, "bounds": {},
    }  # fmt: skip
    odds = _or_why(lambda: _chances(study, promise))
    if not isinstance(odds, Skipped):
        point["odds"] = odds
        point["belief"] = _belief(study, promise)
    worst = _or_why(lambda: worst_case(study.policy, promise).bits) if swept else LEFT_OUT
    if not isinstance(worst, Skipped):
        point["worst"] = worst
    if swept and isinstance(promise, Ratio):
        point["bounds"] = {str(b): b.bits for b in leakage_bounds(study.policy, promise).bounds}
    return point


def _chances(study: Study, promise: Promise) -> list[float]:
    """Return the odds before, after one look and after all, without what they mean."""
    if isinstance(promise, Ratio) and study.policy.is_counted:
        found = any_mechanism(study, Names({}, {}), promise)
        return [float(found.before), *(float(p.value) for p in found.after)]
    study.expect_untold()
    if study.policy.is_constrained:
        raise InvalidInput(TIED)
    attacker = attackers_on(study.policy, study.prior, promise)[0]
    return [float(attacker.chance(n).value) for n in sorted({0, 1, study.observations})]


def _belief(study: Study, promise: Promise) -> float | None:
    """Return how far the belief in the first sensitive value can rise by one look, if bounded."""
    if not study.sensitive or study.policy.is_constrained:
        return None
    odds = attackers_on(study.policy, study.prior, promise)[0].quick_odds()
    return next((float(each.after) for each in odds if each.value == study.sensitive[0]), None)


def _why_no_worst_case(study: Study) -> str | None:
    """Return why the worst case is not computed for many ε."""
    if study.policy.metric is not None:
        return None
    found = _or_why(lambda: max(graph.order for graph, _ in study.policy.adjacency().factors))
    if isinstance(found, Skipped):
        return found.why
    most = f"the curve is drawn for at most {MOST_SWEPT} values or databases, got {found:,}"
    return most if found > MOST_SWEPT else None


def _or_why(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except LeaktightError as wrong:
        return Skipped(str(wrong))


def formula(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return the worst case of one record, or of the databases, as formulas in λ."""
    policy = answerable(asked.study).policy
    progress("the worst case for every ε", 0.1)
    found = worst_case_function(policy if policy.is_constrained else policy.secrets)
    return {"pieces": [repr(piece) for piece in found.pieces]}


def choice(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return the largest ε, ρ or μ that keeps every guess below a chance, as ``choose`` does."""
    study = answerable(asked.study)
    if study.below is None:
        raise InvalidInput("[question] below must be the chance that a guess shall not reach")
    study.expect_untold()
    if study.curve is not None:
        return _choice_of_curve(study, asked.study.get("question", {}))
    found = largest_ratio_below(study.policy, study.below, study.prior, study.observations)
    return {
        "text": f"{found}.",
        "ratio": str(found.ratio),
        "epsilon": found.epsilon,
        "exact": found.is_exact,
    }


def _choice_of_curve(study: Study, question: dict[str, Any]) -> dict[str, Any]:
    """Return the largest ρ, μ, or ε beside the δ, for values in place of each other."""
    kind = _kind(question)
    if kind == "epsilon" and "delta" not in question:
        raise InvalidInput("of a curve none is the largest: ask for rho, mu, or epsilon with delta")
    delta = question.get("delta") if kind == "epsilon" else None
    assert study.below is not None
    found = largest_promise_below(
        study.policy, study.below, study.prior, study.observations, kind=kind, delta=delta
    )
    both = [one for one in (found, found.other) if one is not None]
    return {
        "text": " ".join(f"{one}." for one in both),
        kind: float_below(rational(found.amount)),
        "exact": False,
    }


def table(asked: Asked, progress: Progress) -> dict[str, Any]:
    """Return what is in a table: for whoever holds it, and chooses what is secret."""
    name, file = asked.table
    found = overview(file)
    columns = [
        {
            "name": column.name,
            "kind": str(column.kind),
            "missing": column.missing,
            "distinct": column.distinct,
            "values": [
                each if isinstance(each, int | float) else str(each) for each in column.values
            ],
            "cuts": column.cuts,
        }
        for column in found.columns
    ]
    return {"name": name, "rows": found.rows, "columns": columns}


# --- what is taken away ------------------------------------------------------------------------


def report(asked: Asked, progress: Progress) -> str:
    """Return the report as one HTML file."""
    found = audit(answerable(asked.study), lambda what: progress(what, 0.5))
    return html(found, command=f"leaktight audit {STUDY} --report study.html")


def certificate(asked: Asked, progress: Progress) -> str:
    """Return the proof that ``leaktight audit --certificate`` writes."""
    found = audit(answerable(asked.study), without=(*LATER, SWEEP))
    return json.format(json.encode(found.provable().certificate), indent=1).decode()


def opened(asked: Asked, progress: Progress) -> Document:
    """Return the document of a study in TOML."""
    return document_of(asked.toml)


def saved(asked: Asked, progress: Progress) -> str:
    """Return the study in TOML, after a look whether it is one."""
    answerable(asked.study)
    return toml_of(asked.study)


def code(asked: Asked, progress: Progress) -> str:
    """Return Python code that gives the numbers of the page."""
    return code_of(asked.study)


TASKS: dict[str, Callable[[Asked, Progress], Any]] = {
    "answer": answer,
    "looks": looks,
    "curves": curves,
    "formula": formula,
    "choice": choice,
    "report": report,
    "certificate": certificate,
    "open": opened,
    "save": saved,
    "code": code,
}
"""What a page may ask."""

OWN: dict[str, Callable[[Asked, Progress], Any]] = {"table": table}
"""What only the server asks, as it names a file."""
