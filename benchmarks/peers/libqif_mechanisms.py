"""Every other public function of libqif 1.6.0: mechanisms, metrics, distributions, refinement."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.row import Inputs, Row, floats, fractions

L, M, C = lt.leakage, lt.mechanisms, lt.channels


def _max_loss(c: Inputs) -> Fraction:
    """Return a loss between the least and that of nothing released."""
    return Fraction(L.risk(c.prior, c.loss)) / 2


def _tolerated(c: Inputs) -> Fraction:
    """Return a chance between the guess before and 1."""
    return (Fraction(lt.vulnerability(c.prior)) + 1) / 2


def _allowed(c: Inputs) -> Fraction:
    """Return a gain between that of nothing released and that of everything."""
    everything = Fraction(lt.posterior_vulnerability(lt.Channel.identity(c.n), c.prior, c.gain))
    return (Fraction(lt.vulnerability(c.prior, c.gain)) + everything) / 2


def _expected_loss(c: Inputs, matrix: Any) -> float:
    return float(c.pi @ (matrix * floats(c.loss.matrix).T).sum(axis=1))


def _vulnerable(c: Inputs, matrix: Any, gain: Any) -> float:
    return float((gain @ (c.pi[:, None] * matrix)).max(axis=0).sum())


def _their_loss(q: Any, c: Inputs) -> Any:
    """Return what their best mechanism loses, nothing if it is not as private as was asked."""
    matrix = q.mechanism.d_privacy.min_loss_given_d(c.pi, c.n, c.apart, lambda i, j: abs(i - j))
    level = lt.privacy_level(lt.Channel.normalised(matrix), c.line).epsilon
    return _expected_loss(c, matrix) if level <= c.epsilon + 1e-9 else math.nan


def _their_rate(q: Any, c: Inputs) -> Any:
    """Return by how many bits their channel is above the least at its own loss."""
    matrix = q.mechanism.shannon.max_entropy_given_same_loss(
        c.pi, np.full(c.n, 1 / c.n), lambda i, j: 2.0 * abs(i - j)
    )
    channel = lt.Channel.normalised(matrix)
    least = M.rate_distortion(c.prior, c.loss, _expected_loss(c, matrix))
    told = lt.mutual_information(channel, c.prior.float())
    return max(0.0, told - least.upper)


def _most_adverse(c: Inputs) -> Fraction:
    """Return what the attacker may gain, between nothing and everything released."""
    everything = lt.posterior_vulnerability(lt.Channel.identity(c.n), c.prior, _adverse(c))
    return (Fraction(lt.vulnerability(c.prior, _adverse(c))) + Fraction(everything)) / 2


def _square(c: Inputs) -> Any:
    return M.RandomizedResponse(c.n, ratio=c.ratio).channel.matrix


def _adverse(c: Inputs) -> lt.Gain:
    """Return the gain of an attacker whose loss is that of the inputs' gain."""
    return lt.Gain(10 - c.gain.matrix, c.gain.guesses, c.gain.inputs)


def _apart(i: int, j: int) -> int:
    return abs(i - j)


def _gain(c: Inputs) -> Any:
    return lambda w, x: float(c.g[w, x])


def _least_gained(c: Inputs) -> Any:
    return M.least_leaking(c.prior, c.loss, _max_loss(c), c.gain).vulnerability


def _least_lost(c: Inputs) -> Any:
    return M.most_useful(c.prior, c.loss, _allowed(c), c.gain).loss


def _ground(c: Inputs) -> Any:
    return [[Fraction(abs(i - j) * (7 - abs(i - j)), 6) for j in range(c.n)] for i in range(c.n)]


def _two(c: Inputs) -> tuple[Any, Any]:
    return c.pi, floats(c.other.array)


ANY = "any function of two values is a distance: `Metric.from_function`"
LABELS = "labels may be pairs: a grid needs no numbering"

ROWS = (
    Row(
        "mechanism.bayes_risk.max_risk_for_row",
        "`least_leaking` finds all rows at once",
    ),
    Row(
        "mechanism.bayes_risk.max_risk_given_max_loss",
        "`least_leaking`, exact and with its dual bound",
        lambda c: M.least_leaking(c.prior, c.loss, _max_loss(c)).vulnerability,
        lambda q, c: _vulnerable(
            c,
            q.mechanism.bayes_risk.max_risk_given_max_loss(c.pi, c.n, float(_max_loss(c)), _apart),
            np.eye(c.n),
        ),
    ),
    Row(
        "mechanism.bayes_risk.min_loss_given_min_risk",
        "`most_useful`, exact and with its dual bound",
        lambda c: M.most_useful(c.prior, c.loss, _tolerated(c)).loss,
        lambda q, c: _expected_loss(
            c,
            q.mechanism.bayes_risk.min_loss_given_min_risk(
                c.pi, c.n, float(1 - _tolerated(c)), _apart
            ),
        ),
    ),
    Row(
        "mechanism.bayes_vuln.min_loss_given_max_vuln",
        "`most_useful`",
        lambda c: M.most_useful(c.prior, c.loss, _tolerated(c)).loss,
        lambda q, c: _expected_loss(
            c,
            q.mechanism.bayes_vuln.min_loss_given_max_vuln(c.pi, c.n, float(_tolerated(c)), _apart),
        ),
    ),
    Row(
        "mechanism.bayes_vuln.min_vuln_for_row",
        "`least_leaking` finds all rows at once",
    ),
    Row(
        "mechanism.bayes_vuln.min_vuln_given_max_loss",
        "`least_leaking`",
        lambda c: M.least_leaking(c.prior, c.loss, _max_loss(c)).vulnerability,
        lambda q, c: _vulnerable(
            c,
            q.mechanism.bayes_vuln.min_vuln_given_max_loss(c.pi, c.n, float(_max_loss(c)), _apart),
            np.eye(c.n),
        ),
    ),
    Row("mechanism.d_privacy.distance_matrix", "a table of e^(−d), which is no channel"),
    Row(
        "mechanism.d_privacy.exact_distance",
        "`TightConstraints`, where there is one, is as far apart, and leaks the most",
    ),
    Row(
        "mechanism.d_privacy.exponential",
        "`NormalisedExponential`, `GraphExponential`, `ExponentialMechanism`",
        lambda c: M.NormalisedExponential(c.line, epsilon=c.epsilon / 2).channel,
        lambda q, c: q.mechanism.d_privacy.exponential(c.n, c.apart),
    ),
    Row(
        "mechanism.d_privacy.geometric",
        "`TruncatedGeometric`, `GeometricNoise`",
        lambda c: M.TruncatedGeometric(c.n, ratio=c.ratio).channel,
        lambda q, c: q.mechanism.d_privacy.geometric(c.n, c.epsilon),
    ),
    Row(
        "mechanism.d_privacy.min_loss_given_d",
        "`optimal_mechanism`, private as printed, with a certificate",
        lambda c: -M.optimal_mechanism(c.line, c.prior, c.loss, ratio=c.ratio).utility,
        _their_loss,
        "small inputs; from 20 on theirs has zeros and no finite ε",
    ),
    Row(
        "mechanism.d_privacy.randomized_response",
        "`RandomizedResponse`",
        lambda c: M.RandomizedResponse(c.n, ratio=c.ratio).channel,
        lambda q, c: q.mechanism.d_privacy.randomized_response(c.n, c.epsilon),
    ),
    Row(
        "mechanism.d_privacy.tight_constraints",
        "`TightConstraints`",
        lambda c: M.TightConstraints(c.line, ratio=c.ratio).channel,
        lambda q, c: q.mechanism.d_privacy.tight_constraints(c.n, c.apart),
    ),
    Row(
        "mechanism.g_vuln.min_loss_given_max_vuln",
        "`most_useful` with an attacker's gain",
        _least_lost,
        lambda q, c: _expected_loss(
            c,
            q.mechanism.g_vuln.min_loss_given_max_vuln(
                c.pi, c.n, 3, float(_allowed(c)), _gain(c), _apart
            ),
        ),
    ),
    Row(
        "mechanism.g_vuln.min_vuln_given_max_loss",
        "`least_leaking` with an attacker's gain",
        _least_gained,
        lambda q, c: _vulnerable(
            c,
            q.mechanism.g_vuln.min_vuln_given_max_loss(
                c.pi, c.n, 3, float(_max_loss(c)), _gain(c), _apart
            ),
            c.g,
        ),
    ),
    Row(
        "mechanism.geo_ind.planar_geometric_grid",
        "`PlanarGeometric`, a channel whose level is as asked",
    ),
    Row("mechanism.geo_ind.planar_geometric_sample", "`sample` of `PlanarGeometric`, exact"),
    Row(
        "mechanism.geo_ind.planar_laplace_grid",
        "`PlanarLaplace`, a channel whose level is as asked; theirs is not, and no channel",
    ),
    Row(
        "mechanism.geo_ind.planar_laplace_sample",
        "`sample` of `PlanarLaplace`; what floats draw is not private as printed",
    ),
    Row(
        "mechanism.l_risk.max_risk_given_max_loss",
        "`least_leaking` with the gain 10 − loss",
        lambda c: M.least_leaking(c.prior, c.loss, _max_loss(c), _adverse(c)).vulnerability,
        lambda q, c: _vulnerable(
            c,
            q.mechanism.l_risk.max_risk_given_max_loss(
                c.pi, c.n, 3, float(_max_loss(c)), _gain(c), _apart
            ),
            10 - c.g,
        ),
    ),
    Row(
        "mechanism.l_risk.min_loss_given_min_risk",
        "`most_useful` with the gain 10 − loss",
        lambda c: M.most_useful(c.prior, c.loss, _most_adverse(c), _adverse(c)).loss,
        lambda q, c: _expected_loss(
            c,
            q.mechanism.l_risk.min_loss_given_min_risk(
                c.pi, c.n, 3, float(10 - _most_adverse(c)), _gain(c), _apart
            ),
        ),
    ),
    Row(
        "mechanism.shannon.max_entropy_given_same_loss",
        "`rate_distortion`, proved to 10⁻⁹ bits, for the loss that is asked",
        lambda c: 0,
        _their_rate,
        "bits above the least at the same loss",
    ),
    Row(
        "metric.convex_separation",
        "`additive_capacity` is what it is for",
    ),
    Row("metric.convex_separation_quasi", "`additive_capacity` is what it is for"),
    Row("metric.discrete", "`SecretGraph.complete`; " + ANY),
    Row("metric.euclidean", "`Metric.euclidean`; numbers on a line are the default"),
    Row("metric.euclidean_chain", "not needed: a `Metric` finds the pairs that imply the others"),
    Row("metric.from_distance_matrix", "`Metric.from_table`; a table is a distance anywhere"),
    Row(
        "metric.kantorovich",
        "`kantorovich`",
        lambda c: C.kantorovich(c.prior, c.other, _ground(c)),
        lambda q, c: q.metric.kantorovich(lambda i, j: float(_ground(c)[i][j]))(*_two(c)),
    ),
    Row(
        "metric.l1",
        "twice `total_variation`",
        lambda c: 2 * C.total_variation(c.prior, c.other),
        lambda q, c: q.metric.l1()(*_two(c)),
    ),
    Row("metric.l2", "numpy has it; no leakage is known by it"),
    Row("metric.manhattan", "`Metric.manhattan`"),
    Row("metric.max", ANY),
    Row("metric.min", ANY),
    Row("metric.mirror", ANY),
    Row(
        "metric.mult_kantorovich",
        "`multiplicative_kantorovich`, exact, as a ratio",
        lambda c: math.log(
            C.multiplicative_kantorovich(c.prior, c.other, lambda i, j: c.ratio ** abs(i - j))
        ),
        lambda q, c: q.metric.mult_kantorovich(c.apart)(*_two(c)),
    ),
    Row("metric.mult_reals", ANY),
    Row(
        "metric.mult_total_variation",
        "`multiplicative_distance`, as a ratio",
        lambda c: math.log(C.multiplicative_distance(c.prior, c.other)),
        lambda q, c: q.metric.mult_total_variation()(*_two(c)),
    ),
    Row(
        "metric.optimize.l1_diameter",
        "twice `largest_row_distance`",
        lambda c: 2 * C.largest_row_distance(c.a).value,
        lambda q, c: q.metric.optimize.l1_diameter(c.k)[0],
    ),
    Row("metric.optimize.l2_min_enclosing_ball", "no leakage is known by it"),
    Row(
        "metric.optimize.simplex_l1_min_enclosing_ball",
        "`additive_bayes_capacity`, whose `upper` is half of it",
        lambda c: 2 * L.additive_bayes_capacity(c.a).upper,
        lambda q, c: q.metric.optimize.simplex_l1_min_enclosing_ball(c.k)[0],
    ),
    Row("metric.optimize.simplex_project", "no leakage is known by it"),
    Row("metric.scale", "ε or the ratio is an argument of its own; " + ANY),
    Row("metric.threshold", "`SecretGraph.threshold`; " + ANY),
    Row("metric.threshold_inf", "`SecretGraph.threshold`: only pairs within reach are secrets"),
    Row(
        "metric.to_distance_matrix",
        "`Metric.distances`",
        lambda c: lt.Metric.of(c.line).distances,
        lambda q, c: q.metric.to_distance_matrix(_apart, c.n),
    ),
    Row(
        "metric.total_variation",
        "`total_variation`",
        lambda c: C.total_variation(c.prior, c.other),
        lambda q, c: q.metric.total_variation()(*_two(c)),
    ),
    Row("point", "a tuple"),
    Row(
        "probab.assert_proper",
        "`Distribution`, which refuses what is none and says where",
    ),
    Row("probab.from_grid", LABELS),
    Row("probab.is_proper", "`Distribution`, which makes or refuses it"),
    Row(
        "probab.is_uniform",
        "equality with `Distribution.uniform`",
        lambda c: c.prior == lt.Distribution.uniform(c.n),
        lambda q, c: q.probab.is_uniform(fractions(c.prior.array)),
    ),
    Row(
        "probab.normalize",
        "`Distribution.from_counts`",
        lambda c: lt.Distribution.from_counts(list(range(1, c.n + 1))),
        lambda q, c: q.probab.normalize(np.arange(1.0, c.n + 1)),
    ),
    Row(
        "probab.point",
        "`Distribution.point`",
        lambda c: lt.Distribution.point(1, range(c.n)),
        lambda q, c: q.probab.point(c.n, 1),
    ),
    Row("probab.randu", "a row of `Channel.random`, the same for the same seed"),
    Row("probab.sample", "`sample` of a `Channel` with one input"),
    Row("probab.to_grid", LABELS),
    Row(
        "probab.uniform",
        "`Distribution.uniform`",
        lambda c: lt.Distribution.uniform(c.n),
        lambda q, c: q.probab.uniform(c.n),
    ),
    Row("rat", "numbers are exact if they are given so"),
    Row(
        "refinement.add_metric",
        "`refinement_distance`, with the gain and the remap that show it",
        lambda c: C.refinement_distance(c.a, c.b, c.prior).upper,
        lambda q, c: q.refinement.add_metric(c.pi, c.k, floats(c.b.matrix))[0],
    ),
    Row(
        "refinement.add_metric_bound",
        "`refinement_distance` is exact, by a program of the same size",
        lambda c: True,
        lambda q, c: (
            q.refinement.add_metric_bound(c.pi, c.k, floats(c.b.matrix))
            >= float(C.refinement_distance(c.a, c.b, c.prior).upper) - 1e-9
        ),
        "the bound holds",
    ),
    Row(
        "refinement.max_refined_by",
        "`max_case_refinement`, with its witness",
        lambda c: bool(C.max_case_refinement(c.a, c.b)),
        lambda q, c: q.refinement.max_refined_by(fractions(c.a.matrix), fractions(c.b.matrix)),
    ),
    Row(
        "refinement.priv_refined_by",
        "`privacy_refinement`, with its witness",
        lambda c: bool(lt.privacy.privacy_refinement(c.a, c.b)),
        lambda q, c: q.refinement.priv_refined_by(c.k, floats(c.b.matrix)),
    ),
    Row(
        "refinement.refined_by",
        "`refinement`",
        lambda c: bool(lt.refinement(c.a, c.b)),
        lambda q, c: q.refinement.refined_by(fractions(c.a.matrix), fractions(c.b.matrix)),
    ),
    Row(
        "refinement.refined_by_witness",
        "`refinement`, with the remap, or the prior and the gain",
        lambda c: bool(lt.refinement(c.a, c.b)),
        lambda q, c: q.refinement.refined_by_witness(c.k, floats(c.b.matrix))[0],
    ),
    Row("set_default_type", "not needed: numbers are exact if they are given so"),
    Row("uint", "Python's whole numbers"),
    Row(
        "utility.expected_distance",
        "`utility` with a remap that is given",
        lambda c: (
            L.utility(
                lt.Channel(_square(c), range(c.n), range(c.n)),
                c.prior,
                c.loss,
                remap={x: x for x in range(c.n)},
            ).value
        ),
        lambda q, c: q.utility.expected_distance(_apart, c.pi, floats(_square(c))),
    ),
)
