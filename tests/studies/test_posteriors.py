"""Posteriors of random studies with skewed priors, against enumeration of everything seen.

LEAKTIGHT_STUDIES says how many are tried; ``make test`` tries a slice.
"""

import os
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from leaktight import Channel, Policy, SecretGraph, Study, audit
from leaktight.policies import counting_query

STUDIES = int(os.environ.get("LEAKTIGHT_STUDIES", "30"))

LEFT_OUT = (
    "leakage", "worst case", "published bounds", "worst case for other ε", "best mechanism",
    "usefulness", "advice", "nobody known",
)  # fmt: skip


def skewed(draw: random.Random, size: int) -> list[Fraction]:
    """A prior in which some values are rare, and some impossible."""
    parts = [draw.choice([0, 1, 1, 3, 50, 1000]) for _ in range(size)]
    parts[draw.randrange(size)] += 100
    return [Fraction(part, sum(parts)) for part in parts]


def some_row(draw: random.Random, outputs: int) -> list[Fraction]:
    parts = [draw.choice([1, 1, 2, 7, 30]) for _ in range(outputs)]
    return [Fraction(part, sum(parts)) for part in parts]


def posteriors(
    rows: dict[Any, list[Fraction]], prior: dict[Any, Fraction]
) -> dict[Any, tuple[Fraction, Fraction]]:
    """For each possible value its largest posterior, and how likely an output with it is at most.

    By enumeration: every output, every value, Bayes' rule.
    """
    found: dict[Any, tuple[Fraction, Fraction]] = {}
    for z in range(len(next(iter(rows.values())))):
        chance = sum((prior[v] * row[z] for v, row in rows.items()), Fraction(0))
        for v, row in rows.items():
            if chance and prior[v]:
                found[v] = max(found.get(v, (Fraction(0), Fraction(0))),
                               (prior[v] * row[z] / chance, chance))  # fmt: skip
    return found


def drawn(seed: int) -> tuple[Study, dict[Any, tuple[Fraction, Fraction]], Fraction, int]:
    """A study, and the truth by enumeration: of each value, and of the best guess."""
    draw = random.Random(seed)
    size = draw.randint(2, 5)
    values = [f"v{k}" for k in range(size)]
    secrets = draw.choice([SecretGraph.complete, SecretGraph.line])(values)
    prior, ratio = dict(zip(values, skewed(draw, size), strict=True)), draw.randint(2, 9)
    named = [draw.choice([v for v in values if prior[v]])] if draw.random() < 0.5 else []
    given: Any = {"prior": prior, "ratio": ratio, "sensitive": named, "observations": 1}
    if draw.random() < 0.5:  # each record by itself, or one record
        outputs = draw.randint(2, 5)
        rows = {v: some_row(draw, outputs) for v in values}
        policy = Policy(secrets, records=draw.choice([1, 3]))
        study = Study(policy, Channel([rows[v] for v in values], values), on="record", **given)
        found = [posteriors(rows, prior)]
        guesses = [sum(max(prior[v] * rows[v][z] for v in values) for z in range(outputs))]
    else:  # a count of three records, all others known: every D⁻ is gone through
        counted = draw.sample(values, draw.randint(1, size - 1))
        outputs, records = draw.randint(2, 5), 3
        by_count = {n: some_row(draw, outputs) for n in range(records + 1)}
        query = counting_query(counted)
        channel = Channel([by_count[n] for n in range(records + 1)], list(range(records + 1)))
        study = Study(Policy(secrets, records=records), channel, query=query, **given)
        found, guesses = [], []
        for others in product(values, repeat=records - 1):
            known = sum(v in counted for v in others)
            rows = {v: by_count[known + (v in counted)] for v in values}
            found.append(posteriors(rows, prior))
            guesses.append(sum(max(prior[v] * rows[v][z] for v in values) for z in range(outputs)))
    truth = {v: max(each[v] for each in found) for v in values if prior[v]}
    return study, truth, max(map(Fraction, guesses)), ratio


@pytest.mark.parametrize("first", range(0, STUDIES, 10))
def test_beliefs_are_those_of_bayes_rule(first: int) -> None:
    for seed in range(first, min(first + 10, STUDIES)):
        study, truth, guess, ratio = drawn(seed)
        found: Any = audit(study, without=LEFT_OUT)
        known = found.person.informed
        told = {each.value: each for each in known.values}
        assert told.keys() == truth.keys(), seed
        for value, (after, chance) in truth.items():
            assert told[value].after == after, seed
            assert told[value].chance == chance, seed
        assert known.after[0].value == guess, seed
        if study.sensitive:
            assert known.values[0].value == study.sensitive[0], seed
        if known.speaking is not None:
            [shown] = [each for each in known.belief if each.value == known.values[0].value]
            assert shown.after == pytest.approx(float(known.values[0].after)), seed
        prior = dict(study.prior.items())
        most = {each.value: each.after for each in found.person.any_mechanism.values}
        if len(study.policy.secrets.edges) == len(truth) * (len(truth) - 1) / 2 and len(
            truth
        ) == len(prior):
            for value, p in prior.items():  # λπ/(1 + (λ − 1)π), of a complete graph
                p = Fraction(p)
                assert most[value] == ratio * p / (1 + (ratio - 1) * p), seed
