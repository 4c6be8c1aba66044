"""Every public function of libqif 1.6.0 for channels: a counterpart or a reason."""

from fractions import Fraction
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.row import Inputs, Row, floats, fractions

L = lt.leakage


def _exact(channel: lt.Channel) -> Any:
    return fractions(channel.matrix)


def _sorted_hyper(outer: Any, inner: Any) -> Any:
    """Return the posteriors and their probabilities in an order of their own, equal ones merged."""
    merged: dict[tuple[float, ...], float] = {}
    for p, column in zip(outer, np.array(inner).T, strict=True):
        key = tuple(np.round(column.astype(float), 9))
        merged[key] = merged.get(key, 0.0) + float(p)
    return [number for key in sorted(merged) for number in (*key, merged[key])]


def _our_hyper(c: Inputs) -> Any:
    after = L.hyper(c.a, c.prior)
    return _sorted_hyper(floats(after.outer.array), floats(after.inner))


def _proper(c: Inputs) -> tuple[Any, bool]:
    """Return a matrix, every second time with a row that does not sum to 1."""
    matrix = _exact(c.a).copy()
    if c.number % 2:
        matrix[0, 0] += Fraction(1, 10**6)
    return matrix, not c.number % 2


def _is_channel(c: Inputs) -> bool:
    try:
        lt.Channel(_proper(c)[0])
    except lt.LeaktightError:
        return False
    return True


def _likelihood(c: Inputs, prior: Any) -> float:
    counts = floats(c.a.matrix).sum(axis=0)  # as good as any
    return float(counts @ np.log(np.maximum(prior @ c.k, 1e-300)) / counts.sum())


def _counts(c: Inputs) -> Any:
    return c.k.sum(axis=0) / c.n


def _our_prior(c: Inputs) -> Any:
    found = lt.samples.estimate_prior(c.a, np.round(_counts(c) * 10**8).astype(int))
    return _likelihood(c, found.prior.array)


ROWS = (
    Row(
        "channel.assert_proper",
        "`Channel`, which refuses what is none and says where",
        _is_channel,
        lambda q, c: q.channel.is_proper(_proper(c)[0]),
    ),
    Row(
        "channel.compose.parallel",
        "`sequential`; `parallel` is for secrets of their own",
        lambda c: lt.channels.sequential(c.a, c.b),
        lambda q, c: q.channel.compose.parallel(_exact(c.a), _exact(c.b)),
    ),
    Row(
        "channel.compose.repeated_independent",
        "`repeated`",
        lambda c: lt.min_capacity(lt.channels.repeated(c.a, 3)).factor,
        lambda q, c: q.channel.compose.repeated_independent(c.k, 3).max(axis=0).sum(),
        "their capacities: here counts are outputs, and n may be large",
    ),
    Row(
        "channel.deterministic",
        "`Channel.deterministic`",
        lambda c: lt.Channel.deterministic(lambda x: x // 2, range(c.n)),
        lambda q, c: q.channel.deterministic(lambda x: x // 2, c.n, (c.n + 1) // 2),
    ),
    Row(
        "channel.factorize",
        "`refinement`, whose `remap` it is",
        lambda c: bool(lt.refinement(c.a, c.b)),
        lambda q, c: q.channel.factorize(_exact(c.b), _exact(c.a)).size > 0,
    ),
    Row(
        "channel.hyper",
        "`hyper`",
        _our_hyper,
        lambda q, c: _sorted_hyper(*q.channel.hyper(c.k, c.pi)),
    ),
    Row(
        "channel.identity",
        "`Channel.identity`",
        lambda c: lt.Channel.identity(c.n),
        lambda q, c: q.channel.identity(c.n),
    ),
    Row(
        "channel.is_proper",
        "`Channel`, which makes or refuses it",
        _is_channel,
        lambda q, c: q.channel.is_proper(_proper(c)[0]),
    ),
    Row(
        "channel.iterative_bayesian_update",
        "`estimate_prior`, with a proof of how near it is, and standard errors",
        _our_prior,
        lambda q, c: _likelihood(c, q.channel.iterative_bayesian_update(c.k, _counts(c))[0]),
        "log-likelihoods",
    ),
    Row(
        "channel.left_factorize",
        "`left_factorisation`",
        lambda c: bool(lt.channels.left_factorisation(c.row, c.a)),
        lambda q, c: q.channel.left_factorize(_exact(c.row), _exact(c.a)).size > 0,
    ),
    Row(
        "channel.no_interference",
        "`Channel.no_interference`",
        lambda c: lt.Channel.no_interference(c.n),
        lambda q, c: q.channel.no_interference(c.n),
    ),
    Row(
        "channel.normalize",
        "`Channel.normalised`",
        lambda c: lt.Channel.normalised(c.gain.matrix + 1),
        lambda q, c: q.channel.normalize(c.g + 1),
    ),
    Row(
        "channel.posterior",
        "`Channel.reverse`, a row",
        lambda c: c.a.reverse(c.prior).row(0),
        lambda q, c: q.channel.posterior(c.k, c.pi, 0),
    ),
    Row(
        "channel.posteriors",
        "`Channel.reverse`",
        lambda c: c.a.reverse(c.prior),
        lambda q, c: q.channel.posteriors(c.k, c.pi).T[c.k.max(axis=0) > 0],
    ),
    Row("channel.randu", "`Channel.random`, the same for the same seed"),
    Row(
        "channel.reduced",
        "`Channel.reduced`",
        lambda c: sorted(c.a.reduced().matrix.ravel().tolist()),
        lambda q, c: sorted(np.ravel(q.channel.reduced(_exact(c.a)))),
    ),
    Row("channel.sample", "`sample`, exact, from the operating system's randomness"),
    Row(
        "channel.sum_column_min",
        "`additive_capacity`, which is 1 less it",
        lambda c: 1 - Fraction(L.additive_capacity(c.a)),
        lambda q, c: q.channel.sum_column_min(c.k),
    ),
    Row("double", "numbers are exact if they are given so; `Channel.float`, `Channel.exact`"),
    Row("lp.defaults", "nothing to set: what the solver says is checked exactly"),
)
