"""What do the words mean that a row of a table uses besides leaktight's own and its inputs?"""

import math
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.peers.inputs import floats, fractions

WORDS = {
    **{"np": np, "math": math, "Fraction": Fraction, "floats": floats, "fractions": fractions},
    **{
        name: getattr(room, name)
        for room in (lt.channels, lt.leakage, lt.mechanisms, lt.privacy, lt.samples, lt)
        for name in dir(room)
        if name[0] != "_"
    },
}


def word(function: Any) -> Any:
    """Let the rows use a function by its name."""
    WORDS[function.__name__] = function
    return function


@word
def is_channel(matrix: Any) -> bool:
    """Return whether a matrix is taken."""
    try:
        lt.Channel(matrix)
    except lt.LeaktightError:
        return False
    return True


@word
def in_order(outer: Any, inner: Any) -> list[float]:
    """Return the posteriors and their probabilities in an order of their own, equal ones merged."""
    merged: dict[tuple[float, ...], float] = {}
    for p, column in zip(outer, np.array(inner).T, strict=True):
        key = tuple(np.round(column, 9))
        merged[key] = merged.get(key, 0.0) + float(p)
    return [number for key in sorted(merged) for number in (*key, merged[key])]


@word
def likelihood(prior: Any, k: Any) -> float:
    """Return the logarithm of how likely a prior makes outputs as frequent as in the matrix."""
    counts = k.sum(axis=0)  # as good as any
    return float(counts @ np.log(np.maximum(prior @ k, 1e-300)) / counts.sum())


@word
def worth(guesses: Any, table: Any, pi: Any, k: Any) -> float:
    """Return what guesses are worth; where several are best, any may be named."""
    joint = pi[:, None] * k
    return float(sum(table[w] @ joint[:, z] for z, w in enumerate(np.ravel(guesses).astype(int))))


@word
def gained(matrix: Any, gain: Any, pi: Any) -> float:
    """Return what an attacker gains by the best guess for each output."""
    return float((gain @ (pi[:, None] * matrix)).max(axis=0).sum())


@word
def lost(matrix: Any, pi: Any, losses: Any) -> float:
    """Return what is lost by taking each output for the secret."""
    return float(pi @ (matrix * losses.T).sum(axis=1))


@word
def lost_if_private(matrix: Any, pi: Any, losses: Any, line: Any, epsilon: float) -> float:
    """Return what a mechanism loses, no number if it is not as private as was asked."""
    level = lt.privacy_level(lt.Channel.normalised(matrix), line).epsilon
    return lost(matrix, pi, losses) if level <= epsilon + 1e-9 else math.nan


@word
def above_least(matrix: Any, pi: Any, losses: Any, prior: Any, loss: Any) -> float:
    """Return by how many bits a channel is above the least at its own loss."""
    least = lt.mechanisms.rate_distortion(prior, loss, lost(matrix, pi, losses))
    told = lt.mutual_information(lt.Channel.normalised(matrix), prior.float())
    return max(0.0, told - least.upper)


@word
def joint(dit: Any, pi: Any, k: Any) -> Any:
    """Return the secret and the output as dit's distribution of two letters."""
    cells = [(x, z) for x, z in np.ndindex(k.shape) if k[x, z] > 0]
    return dit.Distribution([f"{x}{z}" for x, z in cells], [pi[x] * k[x, z] for x, z in cells])


@word
def priors(dit: Any, *given: Any) -> Iterator[Any]:
    """Yield priors as dit's distributions."""
    for pi in given:
        yield dit.Distribution([str(x) for x in range(len(pi))], pi)


@word
def people(number: int) -> Any:
    """Return thirty people, two columns that may be known, and a secret."""
    rng = np.random.default_rng(number)
    sizes = {"age": 5, "sex": 2, "ill": 3}
    columns = {name: rng.integers(0, size, 30) for name, size in sizes.items()}
    return import_module("pandas").DataFrame(columns).astype(str)


@word
def four_chances(table: Any) -> list[Any]:
    """Return how likely a person is found and the secret is guessed, before and after."""
    found = lt.tables.risk(table, ["age", "sex"], "ill")
    return [found.find, found.exposure.find, found.guess, found.exposure.guess]


@word
def assessed(asked: Any) -> list[Any]:
    """Return the same of bvmlib's."""
    asked.qids(["age", "sex"])
    asked.sensitive(["ill"])
    found, guessed = (asked.assess()[name].iloc[0] for name in ("re_id", "att_inf"))
    return [found["Prior"], found["Posterior"], guessed["Prior"], guessed["Posterior"]]
