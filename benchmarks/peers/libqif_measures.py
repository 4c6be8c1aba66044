"""Every public function of libqif 1.6.0 for measures: a counterpart or a reason."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.row import Inputs, Row, floats

L = lt.leakage


def _set(c: Inputs) -> Any:
    return np.array([int(x in c.members) for x in range(c.n)], dtype=np.uint64)


def _subset(c: Inputs) -> lt.Gain:
    return lt.Gain.membership(range(c.n), c.members)


def _wrongly(c: Inputs) -> lt.Loss:
    gain = _subset(c)
    return lt.Loss(1 - gain.matrix, gain.guesses, gain.inputs)


def _cost(c: Inputs) -> lt.Loss:
    return lt.Loss(c.gain.matrix, c.gain.guesses, c.gain.inputs)


def _same_value(c: Inputs, guesses: Any, table: Any) -> float:
    """Return what guesses are worth; where several are best, any may be named."""
    joint = c.pi[:, None] * c.k
    return float(sum(table[w] @ joint[:, z] for z, w in enumerate(np.ravel(guesses).astype(int))))


def _risk_of_set(c: Inputs) -> float:
    factor = Fraction(L.membership_capacity(c.a, c.members).factor)
    return math.inf if factor == 2 else float(1 / (2 - factor))


ROWS = (
    Row(
        "measure.bayes_risk.add_leakage",
        "`risk_leakage`, its `additive`",
        lambda c: L.risk_leakage(c.a, c.prior).additive,
        lambda q, c: q.measure.bayes_risk.add_leakage(c.pi, c.k),
    ),
    Row(
        "measure.bayes_risk.mult_capacity",
        "`risk_capacity`; `bayes_security`",
        lambda c: L.risk_capacity(c.a).factor,
        lambda q, c: q.measure.bayes_risk.mult_capacity(c.k)[0],
    ),
    Row(
        "measure.bayes_risk.mult_leakage",
        "`risk_leakage`",
        lambda c: L.risk_leakage(c.a, c.prior).factor,
        lambda q, c: q.measure.bayes_risk.mult_leakage(c.pi, c.k),
    ),
    Row(
        "measure.bayes_risk.posterior",
        "`posterior_risk`",
        lambda c: L.posterior_risk(c.a, c.prior),
        lambda q, c: q.measure.bayes_risk.posterior(c.pi, c.k),
    ),
    Row(
        "measure.bayes_risk.prior",
        "`risk`",
        lambda c: L.risk(c.prior),
        lambda q, c: q.measure.bayes_risk.prior(c.pi),
    ),
    Row(
        "measure.bayes_risk.strategy",
        "`strategy`",
        lambda c: lt.posterior_vulnerability(c.a, c.prior),
        lambda q, c: _same_value(c, q.measure.bayes_risk.strategy(c.pi, c.k), np.eye(c.n)),
        "what the guesses are worth",
    ),
    Row(
        "measure.bayes_vuln.add_leakage",
        "`min_entropy_leakage`, its `additive`",
        lambda c: lt.min_entropy_leakage(c.a, c.prior).additive,
        lambda q, c: q.measure.bayes_vuln.add_leakage(c.pi, c.k),
    ),
    Row(
        "measure.bayes_vuln.min_entropy_leakage",
        "`min_entropy_leakage`, its `bits`",
        lambda c: lt.min_entropy_leakage(c.a, c.prior).bits,
        lambda q, c: q.measure.bayes_vuln.min_entropy_leakage(c.pi, c.k),
    ),
    Row(
        "measure.bayes_vuln.mult_capacity",
        "`min_capacity`",
        lambda c: lt.min_capacity(c.a).factor,
        lambda q, c: q.measure.bayes_vuln.mult_capacity(c.k),
    ),
    Row(
        "measure.bayes_vuln.mult_capacity_bound_cap",
        "`success_probability` after n looks, exact where that is a bound",
        lambda c: True,
        lambda q, c: (
            q.measure.bayes_vuln.mult_capacity_bound_cap(c.k, 3)
            >= float(lt.success_probability(c.a, None, 3).lower) * c.n - 1e-9
        ),
        "the bound holds",
    ),
    Row(
        "measure.bayes_vuln.mult_leakage",
        "`min_entropy_leakage`, its `factor`",
        lambda c: lt.min_entropy_leakage(c.a, c.prior).factor,
        lambda q, c: q.measure.bayes_vuln.mult_leakage(c.pi, c.k),
    ),
    Row(
        "measure.bayes_vuln.posterior",
        "`posterior_vulnerability`",
        lambda c: lt.posterior_vulnerability(c.a, c.prior),
        lambda q, c: q.measure.bayes_vuln.posterior(c.pi, c.k),
    ),
    Row(
        "measure.bayes_vuln.prior",
        "`vulnerability`",
        lambda c: lt.vulnerability(c.prior),
        lambda q, c: q.measure.bayes_vuln.prior(c.pi),
    ),
    Row(
        "measure.bayes_vuln.strategy",
        "`strategy`",
        lambda c: lt.posterior_vulnerability(c.a, c.prior),
        lambda q, c: _same_value(c, q.measure.bayes_vuln.strategy(c.pi, c.k), np.eye(c.n)),
        "what the guesses are worth",
    ),
    Row(
        "measure.d_privacy.is_private",
        "`privacy_level`, compared with what is asked",
        lambda c: lt.privacy_level(c.a, c.line).ratio <= c.ratio,
        lambda q, c: q.measure.d_privacy.is_private(c.k, c.apart),
    ),
    Row(
        "measure.d_privacy.prior",
        "no use is known; a prior's largest ratio is a quotient of two of its probabilities",
    ),
    Row(
        "measure.d_privacy.smallest_epsilon",
        "`privacy_level`, with the pair and the output that show it",
        lambda c: lt.privacy_level(c.a, c.line).epsilon,
        lambda q, c: q.measure.d_privacy.smallest_epsilon(c.k, lambda i, j: abs(i - j)),
    ),
    Row(
        "measure.g_vuln.G_id",
        "`Gain.binary`",
        lambda c: lt.Gain.binary(range(c.n)),
        lambda q, c: q.measure.g_vuln.G_id(c.n),
    ),
    Row(
        "measure.g_vuln.add_capacity",
        "`additive_capacity`, `spanning_capacity`",
        lambda c: (L.additive_capacity(c.a, c.prior), L.spanning_capacity(c.a, c.prior)),
        lambda q, c: [q.measure.g_vuln.add_capacity(c.pi, c.k, one) for one in (False, True)],
    ),
    Row(
        "measure.g_vuln.add_leakage",
        "`g_leakage`, its `additive`",
        lambda c: lt.g_leakage(c.a, c.prior, c.gain).additive,
        lambda q, c: q.measure.g_vuln.add_leakage(c.g, c.pi, c.k),
    ),
    Row(
        "measure.g_vuln.g_add",
        "add the results: the vulnerability of the sum is the sum of the vulnerabilities",
        lambda c: sum(
            Fraction(lt.posterior_vulnerability(c.a, c.prior, g)) for g in (c.gain, c.second)
        ),
        lambda q, c: q.measure.g_vuln.posterior(
            q.measure.g_vuln.g_add(c.g, floats(c.second.matrix)), c.pi, c.k
        ),
    ),
    Row(
        "measure.g_vuln.g_from_posterior",
        "`Gain.of_strategies`",
        lambda c: lt.vulnerability(c.prior, lt.Gain.of_strategies(c.a, c.gain)),
        lambda q, c: q.measure.g_vuln.prior(q.measure.g_vuln.g_from_posterior(c.g, c.k), c.pi),
        "what it is worth",
    ),
    Row(
        "measure.g_vuln.g_id",
        "`Gain.binary`; a function may be given for a gain anywhere",
        lambda c: lt.Gain.binary(range(c.n)),
        lambda q, c: [[q.measure.g_vuln.g_id()(i, j) for i in range(c.n)] for j in range(c.n)],
    ),
    Row(
        "measure.g_vuln.g_to_bayes",
        "not needed: every function takes the gain itself",
    ),
    Row(
        "measure.g_vuln.mult_leakage",
        "`g_leakage`",
        lambda c: lt.g_leakage(c.a, c.prior, c.gain).factor,
        lambda q, c: q.measure.g_vuln.mult_leakage(c.g, c.pi, c.k),
    ),
    Row(
        "measure.g_vuln.posterior",
        "`posterior_vulnerability` with a gain",
        lambda c: lt.posterior_vulnerability(c.a, c.prior, c.gain),
        lambda q, c: q.measure.g_vuln.posterior(c.g, c.pi, c.k),
    ),
    Row(
        "measure.g_vuln.prior",
        "`vulnerability` with a gain",
        lambda c: lt.vulnerability(c.prior, c.gain),
        lambda q, c: q.measure.g_vuln.prior(c.g, c.pi),
    ),
    Row(
        "measure.g_vuln.strategy",
        "`strategy` with a gain",
        lambda c: lt.posterior_vulnerability(c.a, c.prior, c.gain),
        lambda q, c: _same_value(c, q.measure.g_vuln.strategy(c.g, c.pi, c.k), c.g),
        "what the guesses are worth",
    ),
    Row(
        "measure.guessing.add_leakage",
        "`guessing_leakage`, its `additive`",
        lambda c: L.guessing_leakage(c.a, c.prior).additive,
        lambda q, c: q.measure.guessing.add_leakage(c.pi, c.k),
    ),
    Row(
        "measure.guessing.mult_leakage",
        "`guessing_leakage`",
        lambda c: L.guessing_leakage(c.a, c.prior).factor,
        lambda q, c: q.measure.guessing.mult_leakage(c.pi, c.k),
    ),
    Row(
        "measure.guessing.posterior",
        "`conditional_guessing_entropy`",
        lambda c: L.conditional_guessing_entropy(c.a, c.prior),
        lambda q, c: q.measure.guessing.posterior(c.pi, c.k),
    ),
    Row(
        "measure.guessing.prior",
        "`guessing_entropy`",
        lambda c: L.guessing_entropy(c.prior),
        lambda q, c: q.measure.guessing.prior(c.pi),
    ),
    Row(
        "measure.l_risk.L_zero_one",
        "`Loss.zero_one`",
        lambda c: lt.Loss.zero_one(range(c.n)),
        lambda q, c: q.measure.l_risk.L_zero_one(c.n),
    ),
    Row(
        "measure.l_risk.add_capacity",
        "`additive_capacity`, `spanning_capacity`",
        lambda c: (L.additive_capacity(c.a, c.prior), L.spanning_capacity(c.a, c.prior)),
        lambda q, c: [q.measure.l_risk.add_capacity(c.pi, c.k, one) for one in (False, True)],
    ),
    Row(
        "measure.l_risk.add_leakage",
        "`risk_leakage`, its `additive`",
        lambda c: L.risk_leakage(c.a, c.prior, _cost(c)).additive,
        lambda q, c: q.measure.l_risk.add_leakage(c.g, c.pi, c.k),
    ),
    Row(
        "measure.l_risk.l_zero_one",
        "`Loss.zero_one`",
        lambda c: lt.Loss.zero_one(range(c.n)),
        lambda q, c: [
            [q.measure.l_risk.l_zero_one()(i, j) for i in range(c.n)] for j in range(c.n)
        ],
    ),
    Row("measure.l_risk.loss_to_gain", "not needed: a `Loss` is taken wherever a `Gain` is"),
    Row(
        "measure.l_risk.mult_leakage",
        "`risk_leakage`",
        lambda c: L.risk_leakage(c.a, c.prior, _cost(c)).factor,
        lambda q, c: q.measure.l_risk.mult_leakage(c.g, c.pi, c.k),
        "a loss of 0 before and after has leakage 1 here",
    ),
    Row(
        "measure.l_risk.posterior",
        "`posterior_risk` with a loss",
        lambda c: L.posterior_risk(c.a, c.prior, _cost(c)),
        lambda q, c: q.measure.l_risk.posterior(c.g, c.pi, c.k),
    ),
    Row(
        "measure.l_risk.prior",
        "`risk` with a loss",
        lambda c: L.risk(c.prior, _cost(c)),
        lambda q, c: q.measure.l_risk.prior(c.g, c.pi),
    ),
    Row(
        "measure.l_risk.strategy",
        "`strategy` with a loss",
        lambda c: L.posterior_risk(c.a, c.prior, _cost(c)),
        lambda q, c: _same_value(c, q.measure.l_risk.strategy(c.g, c.pi, c.k), c.g),
        "what the guesses cost",
    ),
    Row("measure.pred_risk.L_pred", "`Loss`; 1 less `Gain.membership`"),
    Row(
        "measure.pred_risk.add_leakage",
        "`risk_leakage` with that loss",
        lambda c: L.risk_leakage(c.a, c.prior, _wrongly(c)).additive,
        lambda q, c: q.measure.pred_risk.add_leakage(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_risk.binary_channel",
        "`Channel.about`",
        lambda c: c.a.about(lambda x: x in c.members, c.prior).restrict([True, False]),
        lambda q, c: q.measure.pred_risk.binary_channel(_set(c), c.pi, c.k)[1],
    ),
    Row(
        "measure.pred_risk.mult_capacity",
        "`membership_capacity`, from whose factor f it is 1/(2 − f)",
        _risk_of_set,
        lambda q, c: q.measure.pred_risk.mult_capacity(_set(c), c.k)[0],
    ),
    Row(
        "measure.pred_risk.mult_leakage",
        "`risk_leakage` with that loss",
        lambda c: L.risk_leakage(c.a, c.prior, _wrongly(c)).factor,
        lambda q, c: q.measure.pred_risk.mult_leakage(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_risk.posterior",
        "`posterior_risk` with that loss",
        lambda c: L.posterior_risk(c.a, c.prior, _wrongly(c)),
        lambda q, c: q.measure.pred_risk.posterior(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_risk.prior",
        "`risk` with that loss",
        lambda c: L.risk(c.prior, _wrongly(c)),
        lambda q, c: q.measure.pred_risk.prior(_set(c), c.pi),
    ),
    Row(
        "measure.pred_vuln.G_pred",
        "`Gain.membership`",
        lambda c: sorted(_subset(c).matrix.ravel().tolist()),
        lambda q, c: sorted(np.ravel(q.measure.pred_vuln.G_pred(_set(c)))),
    ),
    Row(
        "measure.pred_vuln.add_leakage",
        "`g_leakage` with `Gain.membership`, its `additive`",
        lambda c: lt.g_leakage(c.a, c.prior, _subset(c)).additive,
        lambda q, c: q.measure.pred_vuln.add_leakage(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_vuln.binary_channel",
        "`Channel.about`",
        lambda c: c.a.about(lambda x: x in c.members, c.prior).restrict([True, False]),
        lambda q, c: q.measure.pred_vuln.binary_channel(_set(c), c.pi, c.k)[1],
    ),
    Row(
        "measure.pred_vuln.mult_capacity",
        "`membership_capacity`",
        lambda c: L.membership_capacity(c.a, c.members).factor,
        lambda q, c: q.measure.pred_vuln.mult_capacity(_set(c), c.k)[0],
    ),
    Row(
        "measure.pred_vuln.mult_leakage",
        "`g_leakage` with `Gain.membership`",
        lambda c: lt.g_leakage(c.a, c.prior, _subset(c)).factor,
        lambda q, c: q.measure.pred_vuln.mult_leakage(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_vuln.posterior",
        "`posterior_vulnerability` with `Gain.membership`",
        lambda c: lt.posterior_vulnerability(c.a, c.prior, _subset(c)),
        lambda q, c: q.measure.pred_vuln.posterior(_set(c), c.pi, c.k),
    ),
    Row(
        "measure.pred_vuln.prior",
        "`vulnerability` with `Gain.membership`",
        lambda c: lt.vulnerability(c.prior, _subset(c)),
        lambda q, c: q.measure.pred_vuln.prior(_set(c), c.pi),
    ),
    Row(
        "measure.shannon.add_capacity",
        "`shannon_capacity`, proved to 10⁻⁹ bits",
        lambda c: lt.shannon_capacity(c.a).lower,
        lambda q, c: q.measure.shannon.add_capacity(c.k)[0],
    ),
    Row(
        "measure.shannon.add_leakage",
        "`mutual_information`, `shannon_leakage`",
        lambda c: lt.mutual_information(c.a, c.prior),
        lambda q, c: q.measure.shannon.add_leakage(c.pi, c.k),
    ),
    Row(
        "measure.shannon.mult_leakage",
        "`shannon_leakage`, its `multiplicative`",
        lambda c: L.shannon_leakage(c.a, c.prior).multiplicative,
        lambda q, c: q.measure.shannon.mult_leakage(c.pi, c.k),
    ),
    Row(
        "measure.shannon.posterior",
        "`conditional_entropy`",
        lambda c: L.conditional_entropy(c.a, c.prior),
        lambda q, c: q.measure.shannon.posterior(c.pi, c.k),
    ),
    Row(
        "measure.shannon.prior",
        "`shannon_entropy`",
        lambda c: L.shannon_entropy(c.prior),
        lambda q, c: q.measure.shannon.prior(c.pi),
    ),
)
