"""Which numbers does an audit show? One table of plain facts, from which every page is made.

The terminal, the report and the JSON file show these and compute nothing, so that they agree.
Exact numbers are given as text, such as "4/3", and beside it as a float.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from leaktight import __version__
from leaktight.channels.gain import Loss
from leaktight.exact.numbers import float_array, fraction, rational, to_float
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import Probability, percent, percent_above
from leaktight.mechanisms.best import BestMechanism
from leaktight.privacy.level import PrivacyLevel
from leaktight.repetition.explanation import Explanation
from leaktight.studies.audit import Audit
from leaktight.studies.joint import AllAnswers, is_tied
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.published import LeakageBounds

MOST_SHOWN = 40
"""The most rows and columns of a mechanism that are listed."""

MOST_BITS = 100
"""The longest numerator or denominator that is written out."""


def facts(audit: Audit, certificate: str | None = None) -> dict[str, Any]:
    """Return the answers of an audit as plain JSON: text, numbers, lists and tables.

    ``certificate`` is the file that proves what the audit did, if one was written.
    """
    study = audit.study
    names = _Names.of(audit)
    return {
        "format": "leaktight audit 1",
        "version": __version__,
        "title": study.title,
        "holds": audit.holds,
        "asked": None if study.ratio is None else _ratio(study.ratio),
        "question": {
            "what": study.what,
            "observations": study.observations,
            "below": None if study.below is None else _number(fraction(rational(study.below))),
        },
        "policy": _policy(audit, names),
        "mechanism": _mechanism(audit, names),
        "privacy": None if audit.level is None else _level(audit.level, names),
        "one record alone": None if audit.promised is None else _level(audit.promised, names),
        "leakage": _leakage(audit),
        "worst case": None if audit.worst is None else worst_facts(audit.worst),
        "published bounds": [] if audit.bounds is None else bound_facts(audit.bounds),
        "usefulness": _usefulness(audit),
        "attacker": {
            "of this mechanism": _explained(audit.seen),
            "of all answers": _all_answers(audit, names),
            "of any mechanism": _explained(audit.guaranteed),
            "curve": [
                {"observations": n, "lower": float(p.lower), "upper": float(p.upper)}
                | ({"exact": str(p.lower)} if p.is_exact and len(str(p.lower)) < 60 else {})
                for n, p in audit.curve.items()
            ],
        },
        "posterior": None
        if audit.posterior is None or len(audit.posterior) > MOST_SHOWN or audit.seen is None
        else {
            "output": names.output(audit.seen.telling.output) if audit.seen.telling else "",
            "values": [names.input(v) for v in audit.posterior.values],
            "before": [float(study.prior[v]) for v in audit.posterior.values],
            "after": [float(p) for _, p in audit.posterior.items()],
        },
        "by epsilon": [asdict(point) for point in audit.by_epsilon],
        "warnings": list(audit.warnings),
        "not computed": dict(audit.skipped),
        "certificate": None
        if certificate is None
        else {"file": certificate, "proves": _proved(audit)},
        "files": [
            {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in study.files
        ],
    }


def _number(value: Any) -> dict[str, Any]:
    """Return a number exactly as text, if it is exact and not long, and as a float if one fits."""
    if value == math.inf:
        return {"exact": "infinite", "float": None}
    near = to_float(rational(value))
    short = isinstance(value, Fraction) and rational(value).height_bits() <= MOST_BITS
    return {
        "exact": str(value) if short else None,
        "float": near if math.isfinite(near) else None,
    }


def _chance(value: Any) -> dict[str, Any]:
    """Return a probability also in percent; rounded up if it was measured with floats."""
    told = percent if isinstance(value, Fraction) else percent_above
    return _number(value) | {"percent": told(Fraction(value))}


def _ratio(ratio: Ratio) -> dict[str, Any]:
    epsilon = ln_interval(ratio.lower)[1] if ratio.is_exact else ratio.epsilon
    return {"ratio": _number(ratio.lower), "epsilon": epsilon, "text": str(ratio)}


def _level(level: PrivacyLevel, names: "_Names") -> dict[str, Any]:
    """Return how private a mechanism is; ε is the least float that is not below it."""
    witness = level.witness
    return {
        "ratio": _number(level.ratio),
        "epsilon": None if level.ratio == math.inf else ln_interval(level.ratio)[1],
        "worst": None
        if witness is None
        else {
            "input": names.input(witness.input),
            "neighbour": names.input(witness.neighbour),
            "output": names.output(witness.output),
        },
    }


def _policy(audit: Audit, names: "_Names") -> dict[str, Any]:
    study, graph = audit.study, audit.study.graph
    return {
        "text": repr(study.policy).removeprefix("Policy(").removesuffix(")"),
        "records": study.policy.records,
        "values": study.policy.secrets.order,
        "secrets": [names.input(v) for v in study.policy.secrets.vertices[:MOST_SHOWN]],
        "pairs": [
            [names.input(a), names.input(b)]
            for a, b in study.policy.secrets.edge_pairs()[: MOST_SHOWN**2]
        ],
        "constrained": study.policy.is_constrained,
        "tied": is_tied(study),
        "about": _about(audit),
        "on": study.scope,
        "inputs": graph.order,
    }


def _mechanism(audit: Audit, names: "_Names") -> dict[str, Any] | None:
    channel = audit.study.channel
    if channel is None:
        return None
    small = max(channel.shape) <= MOST_SHOWN
    return {
        "name": audit.study.mechanism,
        "exact": channel.is_exact,
        "inputs": [names.input(x) for x in channel.inputs] if small else None,
        "outputs": [names.output(z) for z in channel.outputs] if small else None,
        "matrix": float_array(channel.matrix).tolist() if small else None,
        "shape": list(channel.shape),
    }


def _leakage(audit: Audit) -> dict[str, Any] | None:
    if audit.leakage is None or audit.capacity is None:
        return None
    return {
        "before": _chance(audit.leakage.before),
        "after": _chance(audit.leakage.after),
        "bits": audit.leakage.bits,
        "at worst": {"factor": _number(audit.capacity.factor), "bits": audit.capacity.bits},
        "all records": None if audit.together is None else {"bits": audit.together},
    }


def worst_facts(worst: WorstCase) -> dict[str, Any]:
    """Return the most that any mechanism leaks, as plain JSON."""
    low, high = worst.bits_interval
    return {
        "bits": worst.bits,
        "lower bits": low,
        "upper bits": high,
        "nats": worst.upper_factors.nats,
        "exact": worst.is_exact,
        "factor": str(worst.upper_factors),
        "route": worst.route,
    }


def bound_facts(bounds: LeakageBounds) -> list[dict[str, Any]]:
    """Return the published bounds, the tightest first, as plain JSON."""
    return [
        {
            "source": bound.source,
            "form": bound.form,
            "assumes": bound.assumes,
            "bits": bound.bits,
            "nats": bound.nats,
            "factor": str(bound.factors),
        }
        for bound in bounds.bounds
    ]


def _usefulness(audit: Audit) -> dict[str, Any] | None:
    loss = isinstance(audit.study.aim, Loss)
    if audit.usefulness is None and audit.best is None:
        return None
    found: dict[str, Any] = {"kind": "expected loss" if loss else "expected gain"}
    if audit.usefulness is not None:
        found["this mechanism"] = _number(audit.usefulness.value)
    if audit.best is not None:
        found["best"] = _number(audit.best.loss if loss else audit.best.utility)
        found["bound"] = _number(-audit.best.upper if loss else audit.best.upper)
        found["gap"] = float(audit.best.gap)
    return found


def _explained(explanation: Explanation | None) -> dict[str, Any] | None:
    if explanation is None:
        return None
    return {
        "text": str(explanation),
        "before": _number(explanation.before.value),
        "after": [
            {
                "observations": chance.observations,
                "chance": _number(chance.value),
                "text": str(chance),
                "only a bound": not chance.is_exact,
            }
            for chance in explanation.after
        ],
        "most observations": None if explanation.most is None else str(explanation.most),
    }


def _about(audit: Audit) -> dict[str, str]:
    """Say what leakage is about: of all that is secret, and of what the mechanism sees."""
    study = audit.study
    records = study.policy.records
    everything = "one value" if records == 1 else f"all {records:,} records together"
    seen = {
        "record": "one value" if records == 1 else "one record",
        "database": everything,
        "answer": "the answer",
    }[study.scope]
    return {"all": everything, "seen": f"{seen} by its answer alone" if is_tied(study) else seen}


def _all_answers(audit: Audit, names: "_Names") -> dict[str, Any] | None:
    found = audit.all_answers
    if found is None:
        return None
    telling = found.telling
    answers = "" if telling is None else names.output(telling.output)
    return {
        "text": "\n".join(_told_by_all(audit, found, answers)),
        "record": found.record,
        "before": _chance(found.before),
        "after": _chance(found.after),
        "most telling": None
        if telling is None
        else {
            "answers": answers,
            "chance": _chance(telling.chance),
            "event": telling.event,
            "before": _chance(telling.before),
            "after": _chance(telling.after),
        },
    }


def _told_by_all(audit: Audit, found: AllAnswers, answers: str) -> Iterator[str]:
    records = audit.study.policy.records
    which = "" if found.record is None else f"; record {found.record:,} is guessed best"
    yield (
        f"Guessing {audit.study.what}, from all {records:,} answers, each seen once: "
        f"{percent(found.before)} before, {Probability(1, found.after, True)} after{which}."
    )
    if found.telling is not None:
        yield (
            f"The most telling answers are {answers}, with a chance of "
            f"{percent(found.telling.chance)}: {found.telling.event} rises from "
            f"{percent(found.telling.before)} to {percent(found.telling.after)}."
        )


def _proved(audit: Audit) -> str:
    """Say what the certificate of an audit proves."""
    proved = audit.proved
    if isinstance(proved, BestMechanism):
        best = "none is better" if proved.is_optimal else "how near it is to the best"
        return f"that the mechanism is private, and {best} at its ratio"
    return "the worst case: that no mechanism as private leaks more"


@dataclass(frozen=True, slots=True)
class _Names:
    """Labels as a person reads them, and in quotes where two would read alike."""

    inputs: Mapping[Hashable, str]
    outputs: Mapping[Hashable, str]

    @classmethod
    def of(cls, audit: Audit) -> "_Names":
        study = audit.study
        inputs = dict.fromkeys([*study.policy.secrets.vertices, *study.graph.vertices])
        outputs = () if study.channel is None else study.channel.outputs
        return cls(_told_apart(inputs), _told_apart(outputs))

    def input(self, label: Hashable) -> str:
        return self.inputs.get(label) or _name(label)

    def output(self, label: Hashable) -> str:
        return self.outputs.get(label) or _name(label)


def _told_apart(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    names = {label: _name(label) for label in labels}
    counts = Counter(names.values())
    return {label: name if counts[name] == 1 else repr(label) for label, name in names.items()}


def _name(label: Any) -> str:
    """Return a label as a person reads it; a database is the list of its records."""
    return f"({', '.join(map(str, label))})" if isinstance(label, tuple) else str(label)
