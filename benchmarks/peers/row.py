"""One function of a peer: what is its counterpart, and do the two agree on random inputs?"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import leaktight as lt

TRIES = 500
NEAR = 1e-9
"""How far floats may be from the exact answer and count as the same."""


@dataclass(frozen=True)
class Inputs:
    """Two exact channels on the same inputs, two priors, two gains, a set, a loss, a ratio."""

    a: lt.Channel
    b: lt.Channel
    prior: lt.Distribution
    other: lt.Distribution
    gain: lt.Gain
    second: lt.Gain
    members: list[int]
    loss: lt.Loss
    ratio: Fraction
    number: int

    @cached_property
    def pi(self) -> npt.NDArray[np.float64]:
        """The prior, for peers that want floats."""
        return floats(self.prior.array)

    @cached_property
    def k(self) -> npt.NDArray[np.float64]:
        """The first channel, for peers that want floats."""
        return floats(self.a.matrix)

    @cached_property
    def g(self) -> npt.NDArray[np.float64]:
        """The gain, for peers that want floats."""
        return floats(self.gain.matrix)

    @property
    def n(self) -> int:
        """The number of inputs."""
        return len(self.a.inputs)

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio."""
        return math.log(self.ratio)

    @property
    def line(self) -> lt.SecretGraph:
        """The inputs in a line."""
        return lt.SecretGraph.line(self.n)

    @property
    def row(self) -> lt.Channel:
        """A mixture of the first channel's rows, or now and then one that need not be."""
        if self.number % 2:
            return lt.Channel.no_interference(1, lt.Distribution.uniform(self.a.outputs))
        return lt.Channel([self.prior.array], outputs=self.a.inputs).then(self.a)

    def apart(self, i: int, j: int) -> float:
        """How far the inputs of the line are apart, in ε."""
        return self.epsilon * abs(i - j)


def inputs() -> Iterator[Inputs]:
    """Yield random ones, always the same."""
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
        loss = lt.Loss.by_distance(range(n), lambda x, y: abs(x - y))
        members = sorted(rng.choice(n, rng.integers(1, n), replace=False).tolist())
        ratio = Fraction(int(rng.integers(11, 40)), 10)
        yield Inputs(a, b, prior, other, gain, second, members, loss, ratio, number)


def floats(array: Any) -> npt.NDArray[np.float64]:
    """Return exact numbers as the nearest floats."""
    return np.array([float(Fraction(int(v.p), int(v.q))) for v in array.flat]).reshape(array.shape)


def fractions(array: Any) -> npt.NDArray[np.object_]:
    """Return exact numbers as fractions."""
    made = np.empty(array.size, dtype=object)
    made[:] = [Fraction(int(v.p), int(v.q)) for v in array.flat]
    return made.reshape(array.shape)


@dataclass(frozen=True)
class Row:
    """A function of a peer and what does the same here.

    ``ours`` names the counterpart, in backquotes, or says why there is none. ``us`` and ``them``
    answer for the same inputs, ours in exact arithmetic. ``note`` says what is not alike.
    """

    theirs: str
    ours: str
    us: Callable[[Inputs], Any] | None = None
    them: Callable[[Any, Inputs], Any] | None = None
    note: str = ""

    def compared(self, peer: Any, cases: Iterable[Inputs]) -> str:
        """Say how often the answers agree, and how far off the others are."""
        if self.us is None or self.them is None:
            return self.note or "–"
        same, failed, furthest, count = 0, 0, 0.0, 0
        for case in cases:
            count += 1
            mine = numbers(self.us(case))
            try:
                theirs = numbers(self.them(peer, case))
            except Exception:
                failed += 1
                continue
            off = distance(mine, theirs)
            same += off <= NEAR
            furthest = max(furthest, off)
        told = [f"{same} of {count}"]
        if failed:
            told.append(f"{failed} fail")
        if count - same - failed:
            told.append("differs" if furthest == math.inf else f"off by up to {furthest:.0e}")
        return "; ".join([*told, *[self.note] * bool(self.note)])


def numbers(answer: Any) -> list[float]:
    """Return an answer as a list: a number, a verdict, a table."""
    if isinstance(answer, lt.Channel | lt.Gain | lt.Loss):
        answer = answer.matrix
    if isinstance(answer, lt.Distribution):
        answer = answer.array
    return [float(Fraction(int(v.p), int(v.q)) if hasattr(v, "p") else v) for v in np.ravel(answer)]


def distance(mine: list[float], theirs: list[float]) -> float:
    """Return the largest difference, relative where the numbers exceed 1; ∞ if shapes differ."""
    if len(mine) != len(theirs):
        return math.inf
    pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    gaps = [abs(a - b) / max(1.0, abs(a)) for a, b in pairs]
    return max((math.inf if math.isnan(gap) else gap for gap in gaps), default=0.0)
