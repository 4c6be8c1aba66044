"""Every function of pyqif and bvmlib, and those of dit that are about leakage."""

from importlib import import_module
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.row import Inputs, Row, floats

L, M, C = lt.leakage, lt.mechanisms, lt.channels


def _within(c: Inputs) -> lt.Loss:
    """Return the loss of a guess that is more than 1 off."""
    return lt.Loss.from_function(lambda w, x: int(abs(w - x) > 1), range(c.n))


def _secrets(c: Inputs) -> Any:
    return np.arange(c.n)


def _absolute(w: int, x: int) -> int:
    return abs(w - x)


PYQIF = (
    Row(
        "channel.hyper",
        "`hyper`",
        lambda c: floats(L.hyper(c.a, c.prior).outer.array).sum(),
        lambda q, c: q.channel.hyper(c.pi, c.k)[0].sum(),
        "there with outputs that never occur",
    ),
    Row(
        "channel.joint",
        "`joint_entropy` of it; the matrix is the prior times the channel's",
    ),
    Row(
        "channel.posteriors",
        "`Channel.reverse`",
        lambda c: c.a.reverse(c.prior),
        lambda q, c: q.channel.posteriors(c.pi, c.k).T[c.k.max(axis=0) > 0],
    ),
    Row(
        "compose.kronecker",
        "`parallel`",
        lambda c: C.parallel(c.a, c.b).expand(),
        lambda q, c: q.compose.kronecker(c.k, floats(c.b.matrix)),
    ),
    Row(
        "compose.kroneckerN",
        "`parallel`, kept as factors",
        lambda c: C.parallel(c.a, c.a).expand(),
        lambda q, c: q.compose.kroneckerN(c.k, 2),
    ),
    Row(
        "compose.parallel",
        "`sequential`",
        lambda c: C.sequential(c.a, c.b),
        lambda q, c: q.compose.parallel(c.k, floats(c.b.matrix)),
    ),
    Row(
        "compose.sequential",
        "`Channel.then`",
        lambda c: c.a.then(c.a.reverse(c.prior)) if c.k.max(axis=0).all() else 0,
        lambda q, c: (
            q.compose.sequential(c.k, q.channel.posteriors(c.pi, c.k).T)
            if c.k.max(axis=0).all()
            else 0
        ),
    ),
    Row(
        "dp.randomized_response",
        "`RandomizedResponse`",
        lambda c: M.RandomizedResponse(c.n, ratio=c.ratio).channel,
        lambda q, c: q.dp.randomized_response(c.n, c.epsilon),
    ),
    Row(
        "dp.ranged_geometric",
        "`TruncatedGeometric`",
        lambda c: M.TruncatedGeometric(c.n, ratio=c.ratio).channel,
        lambda q, c: q.dp.ranged_geometric(range(c.n), c.epsilon),
    ),
    Row(
        "dp.truncated_geometric",
        "`TruncatedGeometric`",
        lambda c: M.TruncatedGeometric(c.n, ratio=c.ratio).channel,
        lambda q, c: q.dp.truncated_geometric(c.n, c.epsilon),
    ),
    Row(
        "measure.bayes.capacity",
        "`min_capacity`",
        lambda c: lt.min_capacity(c.a).factor,
        lambda q, c: q.measure.bayes.capacity(c.k),
    ),
    Row(
        "measure.bayes.max_posterior",
        "`max_case_leakage`, its `after`",
        lambda c: L.max_case_leakage(c.a, c.prior).after,
        lambda q, c: q.measure.bayes.max_posterior(c.pi, c.k),
    ),
    Row(
        "measure.bayes.posterior",
        "`posterior_vulnerability`",
        lambda c: lt.posterior_vulnerability(c.a, c.prior),
        lambda q, c: q.measure.bayes.posterior(c.pi, c.k),
    ),
    Row(
        "measure.min_average_error",
        "`risk` with `Loss.by_distance`",
        lambda c: L.risk(c.prior, c.loss),
        lambda q, c: q.measure.min_average_error(c.pi, _secrets(c)),
    ),
    Row(
        "measure.min_average_error_post",
        "`posterior_risk` with `Loss.by_distance`",
        lambda c: L.posterior_risk(c.a, c.prior, c.loss),
        lambda q, c: q.measure.min_average_error_post(c.pi, c.k, _secrets(c)),
    ),
    Row(
        "measure.min_error_probability",
        "`risk` with `Loss.from_function`",
        lambda c: L.risk(c.prior, _within(c)),
        lambda q, c: q.measure.min_error_probability(c.pi, _secrets(c), 1),
    ),
    Row(
        "measure.min_error_probability_post",
        "`posterior_risk` with `Loss.from_function`",
        lambda c: L.posterior_risk(c.a, c.prior, _within(c)),
        lambda q, c: q.measure.min_error_probability_post(c.pi, c.k, _secrets(c), 1),
    ),
    Row(
        "measure.ul.make_loss_matrix",
        "`Loss.from_function`",
        lambda c: c.loss,
        lambda q, c: q.measure.ul.make_loss_matrix(_secrets(c), _secrets(c), _absolute),
    ),
    Row(
        "measure.ul.posterior",
        "`posterior_risk`",
        lambda c: L.posterior_risk(c.a, c.prior, c.loss),
        lambda q, c: q.measure.ul.posterior(c.pi, c.k, floats(c.loss.matrix)),
    ),
    Row(
        "measure.ul.prior",
        "`risk`",
        lambda c: L.risk(c.prior, c.loss),
        lambda q, c: q.measure.ul.prior(c.pi, floats(c.loss.matrix)),
    ),
    Row(
        "measure.vg.make_gain_matrix",
        "`Gain.from_function`",
        lambda c: lt.Gain.from_function(_absolute, range(c.n)),
        lambda q, c: q.measure.vg.make_gain_matrix(_secrets(c), _secrets(c), _absolute),
    ),
    Row(
        "measure.vg.max_posterior",
        "`max_case_leakage` with a gain, its `after`",
        lambda c: L.max_case_leakage(c.a, c.prior, c.gain).after,
        lambda q, c: q.measure.vg.max_posterior(c.pi, c.k, c.g),
    ),
    Row(
        "measure.vg.posterior",
        "`posterior_vulnerability` with a gain",
        lambda c: lt.posterior_vulnerability(c.a, c.prior, c.gain),
        lambda q, c: q.measure.vg.posterior(c.pi, c.k, c.g),
    ),
    Row(
        "measure.vg.prior",
        "`vulnerability` with a gain",
        lambda c: lt.vulnerability(c.prior, c.gain),
        lambda q, c: q.measure.vg.prior(c.pi, c.g),
    ),
    Row(
        "probab.uniform",
        "`Distribution.uniform`",
        lambda c: lt.Distribution.uniform(c.n),
        lambda q, c: q.probab.uniform(c.n),
    ),
)


def _joint(d: Any, c: Inputs) -> Any:
    """Return the secret and the output as dit's distribution of two letters."""
    cells = [(x, z) for x in range(c.n) for z in range(c.k.shape[1]) if c.k[x, z] > 0]
    return d.Distribution([f"{x}{z}" for x, z in cells], [c.pi[x] * c.k[x, z] for x, z in cells])


def _priors(d: Any, c: Inputs) -> Any:
    names = [str(x) for x in range(c.n)]
    return (d.Distribution(names, p) for p in (c.pi, floats(c.other.array)))


DIT = (
    Row(
        "algorithms.channel_capacity",
        "`shannon_capacity`, proved",
        lambda c: lt.shannon_capacity(c.a).lower,
        lambda d, c: d.algorithms.channel_capacity(c.k)[0],
    ),
    Row(
        "channelorder.is_input_degraded",
        "`left_factorisation`",
        lambda c: bool(C.left_factorisation(c.row, c.a)),
        lambda d, c: d.channelorder.is_input_degraded(c.k, floats(c.row.matrix)),
    ),
    Row(
        "channelorder.is_output_degraded",
        "`refinement`, with its witness",
        lambda c: bool(lt.refinement(c.a, c.b)),
        lambda d, c: d.channelorder.is_output_degraded(c.k, floats(c.b.matrix)),
    ),
    Row("channelorder.is_less_noisy", "not here: no attacker's gain is known by it"),
    Row("channelorder.is_more_capable", "not here: no attacker's gain is known by it"),
    Row(
        "channelorder.weighted_le_cam_deficiency",
        "`refinement_distance`, the like for what attackers gain, is never less",
        lambda c: True,
        lambda d, c: (
            d.channelorder.weighted_le_cam_deficiency(c.k, floats(c.b.matrix), c.pi)
            <= float(C.refinement_distance(c.a, c.b, c.prior).upper) + 1e-9
        ),
        "never less",
    ),
    Row(
        "divergences.chernoff_information",
        "`chernoff_information`, enclosed",
        lambda c: lt.chernoff_information(c.prior, c.other).lower,
        lambda d, c: d.divergences.chernoff_information(*_priors(d, c)),
    ),
    Row(
        "divergences.earth_movers_distance",
        "`kantorovich`",
        lambda c: C.kantorovich(c.prior, c.other, lambda i, j: abs(i - j)),
        lambda d, c: d.divergences.earth_movers_distance(
            *_priors(d, c), distances=floats(c.loss.matrix)
        ),
    ),
    Row(
        "divergences.variational_distance",
        "`total_variation`",
        lambda c: C.total_variation(c.prior, c.other),
        lambda d, c: d.divergences.variational_distance(*_priors(d, c)),
    ),
    Row(
        "multivariate.entropy",
        "`shannon_entropy`, `joint_entropy`, `conditional_entropy`",
        lambda c: (L.joint_entropy(c.a, c.prior), L.conditional_entropy(c.a, c.prior)),
        lambda d, c: (
            d.multivariate.entropy(_joint(d, c)),
            d.multivariate.entropy(_joint(d, c), [[0]], [1]),
        ),
    ),
    Row(
        "other.maximal_leakage",
        "`min_capacity`, its `bits`",
        lambda c: lt.min_capacity(c.a).bits,
        lambda d, c: d.other.maximal_leakage(_joint(d, c), [0], [1]),
    ),
    Row(
        "other.renyi_entropy",
        "`renyi_entropy`",
        lambda c: L.renyi_entropy(c.prior, 2),
        lambda d, c: d.other.renyi_entropy(next(_priors(d, c)), 2),
    ),
    Row(
        "rate_distortion",
        "`rate_distortion`, proved, for the loss that is asked",
    ),
    Row(
        "shannon.mutual_information",
        "`mutual_information`, correctly rounded",
        lambda c: lt.mutual_information(c.a, c.prior),
        lambda d, c: d.shannon.mutual_information(_joint(d, c), [0], [1]),
    ),
)


def _table(c: Inputs) -> Any:
    """Return thirty people, two columns that may be known, and a secret."""
    pandas = import_module("pandas")
    rng = np.random.default_rng(c.number)
    columns = {
        name: rng.integers(0, size, 30) for name, size in (("age", 5), ("sex", 2), ("ill", 3))
    }
    return pandas.DataFrame({name: [f"{v}" for v in column] for name, column in columns.items()})


def _our_risk(c: Inputs) -> Any:
    found = lt.tables.risk(_table(c), ["age", "sex"], "ill")
    return found.find, found.exposure.find, found.guess, found.exposure.guess


def _their_risk(b: Any, c: Inputs) -> Any:
    asked = b.BVM(_table(c))
    asked.qids(["age", "sex"])
    asked.sensitive(["ill"])
    found, guessed = (asked.assess()[name].iloc[0] for name in ("re_id", "att_inf"))
    return [found["Prior"], found["Posterior"], guessed["Prior"], guessed["Posterior"]]


BVMLIB = (
    Row(
        "BVM.assess",
        "`tables.risk`, of millions of rows too",
        _our_risk,
        _their_risk,
        "all four chances",
    ),
    Row("BVM.ids", "not needed: columns that nobody names are not looked at"),
    Row("BVM.qids", "`tables.risk`, the columns that are known; subsets by its `combinations`"),
    Row("BVM.sensitive", "`tables.risk`, the secret"),
    Row("BVM.worth", "`posterior_vulnerability` with a gain, of the channel of a column"),
    Row("BVMLongitudinal", "join the tables first, then `tables.risk`"),
)
