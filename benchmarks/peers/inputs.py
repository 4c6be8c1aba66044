"""On what are functions compared? Random small channels, priors, gains, sets and losses."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

import leaktight as lt

TRIES = 500

Inputs = dict[str, Any]
"""What a row of a table may name, by its name."""


def inputs() -> Iterator[Inputs]:
    """Yield random ones, always the same: exact, and in the forms that peers want."""
    rng = np.random.default_rng(22)

    def weights(*shape: int) -> Any:
        table = rng.integers(0, 10, shape) * (rng.random(shape) < rng.choice([0.6, 1.0]))
        table[..., 0] += 1  # none may vanish
        return table.tolist()

    for number in range(TRIES):
        n, m, k = (int(size) for size in rng.integers(2, 6, 3))
        a = lt.Channel.normalised(weights(n, m))
        b = lt.Channel.normalised(weights(n, k))
        if number % 3 == 0:  # so that orders hold now and then
            b = a.then(lt.Channel.normalised(weights(m, k)))
        prior, other = (lt.Distribution.from_counts(rng.integers(1, 10, n).tolist()) for _ in "01")
        gain, second = (lt.Gain(rng.integers(0, 10, (3, n)).tolist()) for _ in "01")
        members = sorted(rng.choice(n, rng.integers(1, n), replace=False).tolist())
        ratio = Fraction(int(rng.integers(11, 40)), 10)
        yield {
            **{"number": number, "n": n, "a": a, "b": b, "prior": prior, "other": other},
            **{"gain": gain, "second": second, "members": members},
            **_in_floats(a, b, prior, other, gain, second),
            **_odd(number, a, prior),
            **_guesses(n, gain, members),
            **_on_a_line(n, ratio),
            **_limits(n, prior, gain),
        }


def _in_floats(a: Any, b: Any, prior: Any, other: Any, gain: Any, second: Any) -> Inputs:
    """Return the two channels, priors and gains for peers that want floats, or fractions."""
    return {
        "k": floats(a.matrix),
        "k2": floats(b.matrix),
        "pi": floats(prior.array),
        "pi2": floats(other.array),
        "g": floats(gain.matrix),
        "g2": floats(second.matrix),
        "exact": fractions(a.matrix),
        "exact2": fractions(b.matrix),
    }


def _odd(number: int, a: lt.Channel, prior: lt.Distribution) -> Inputs:
    """Return a mixture of the channel's rows, and its matrix; every second time what is neither."""
    mixture = lt.Channel([prior.array], outputs=a.inputs).then(a)
    matrix = fractions(a.matrix)
    if number % 2:
        mixture = lt.Channel.no_interference(1, lt.Distribution.uniform(a.outputs))
        matrix[0, 0] += Fraction(1, 10**6)
    return {"row": mixture, "matrix": matrix}


def _guesses(n: int, gain: lt.Gain, members: list[int]) -> Inputs:
    """Return other gains and losses: of membership in the set, of what the gain takes away."""
    of_set = lt.Gain.membership(range(n), members)
    return {
        "indicator": np.array([int(x in members) for x in range(n)], dtype=np.uint64),
        "of_set": of_set,
        "off_set": lt.Loss(1 - of_set.matrix, of_set.guesses, of_set.inputs),
        "cost": lt.Loss(gain.matrix, gain.guesses, gain.inputs),
        "adverse": lt.Gain(10 - gain.matrix, gain.guesses, gain.inputs),
        "beyond_1": lt.Loss.from_function(lambda w, x: int(abs(w - x) > 1), range(n)),
    }


def _on_a_line(n: int, ratio: Fraction) -> Inputs:
    """Return the secrets on a line: how far apart they are, also in ε, and what that costs."""
    loss = lt.Loss.by_distance(range(n), lambda x, y: abs(x - y))
    epsilon = math.log(ratio)
    return {
        "ratio": ratio,
        "epsilon": epsilon,
        "line": lt.SecretGraph.line(n),
        "secrets": np.arange(n),
        "apart": lambda i, j: abs(i - j),
        "apart_in_epsilon": lambda i, j: epsilon * abs(i - j),
        "bent": lambda i, j: Fraction(abs(i - j) * (7 - abs(i - j)), 6),
        "loss": loss,
        "losses": floats(loss.matrix),
    }


def _limits(n: int, prior: lt.Distribution, gain: lt.Gain) -> Inputs:
    """Return what may be lost or gained, halfway between nothing released and everything."""

    def most(gain: lt.Gain | None) -> Fraction:
        everything = lt.posterior_vulnerability(lt.Channel.identity(n), prior, gain)
        return (Fraction(lt.vulnerability(prior, gain)) + Fraction(everything)) / 2

    loss = lt.Loss.by_distance(range(n), lambda x, y: abs(x - y))
    return {
        "most_lost": Fraction(lt.leakage.risk(prior, loss)) / 2,
        "most_guessed": most(None),
        "most_gained": most(gain),
        "most_adverse": most(lt.Gain(10 - gain.matrix, gain.guesses, gain.inputs)),
    }


def floats(array: Any) -> npt.NDArray[np.float64]:
    """Return exact numbers as the nearest floats."""
    return fractions(array).astype(float)


def fractions(array: Any) -> npt.NDArray[np.object_]:
    """Return exact numbers as fractions."""
    made = np.empty(array.size, dtype=object)
    made[:] = [Fraction(int(v.p), int(v.q)) for v in array.flat]
    return made.reshape(array.shape)
