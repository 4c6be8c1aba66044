"""Refinement: leaktight beside libqif, in one run.

libqif's ``refined_by`` says only yes or no; ``refined_by_witness`` says why, as we always do. With
``--full`` it is also asked for 50×1000, which takes it minutes.

    python -m benchmarks.refinement [--full]
"""

import sys
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import qif

import leaktight as lt
from benchmarks.timing import medians, once, show

Floats = npt.NDArray[np.float64]


def rank_one(inputs: int, outputs: int, *, witness: bool) -> None:
    """A tells nothing, through many outputs; B tells nothing, or something."""
    rng = np.random.default_rng(0)
    nothing, same = (np.tile(rng.dirichlet(np.ones(outputs)), (inputs, 1)) for _ in range(2))
    something = rng.dirichlet(np.ones(outputs), inputs)
    for name, a, b in (
        ("refined", nothing, same),
        ("not refined", nothing, something),
        ("to nothing", something, same),
    ):
        compare(f"A of rank one, {inputs}×{outputs}, {name}", a, b, witness=witness)


def generic(inputs: int, outputs: int) -> None:
    """A remapped at random, and a channel that has nothing to do with A."""
    rng = np.random.default_rng(1)
    a = rng.dirichlet(np.ones(outputs), inputs)
    b = a @ rng.dirichlet(np.ones(outputs), outputs)
    other = rng.dirichlet(np.ones(outputs), inputs)
    compare(f"generic, {inputs}×{outputs}, refined", a, b, witness=True)
    compare(f"generic, {inputs}×{outputs}, not refined", a, other, witness=True)


def compare(task: str, a: Floats, b: Floats, *, witness: bool) -> None:
    """Time both, and check that they say the same."""
    one, other = lt.Channel(a), lt.Channel(b)
    theirs: list[bool] = []
    times = {"qif": once(lambda: theirs.append(qif.refinement.refined_by(a, b)))}
    if witness:
        times["with witness"] = once(lambda: qif.refinement.refined_by_witness(a, b))
    assert lt.refinement(one, other).holds is theirs[0]
    show(task, medians({"ours": lambda: lt.refinement(one, other)}, 3)["ours"], times)


def exact(inputs: int, outputs: int) -> None:
    """Rational channels, against libqif's exact factorisation."""
    a, remap = fractions(inputs, outputs, 2), fractions(outputs, outputs, 3)
    for name, b in (("refined", a.dot(remap)), ("not refined", fractions(inputs, outputs, 4))):
        one, other = lt.Channel(a), lt.Channel(b)
        found: list[bool] = []
        slow = once(lambda: found.append(qif.channel.factorize(b, a).size > 0))  # noqa: B023
        assert lt.refinement(one, other).holds is found[0]
        quick = once(lambda: lt.refinement(one, other))  # noqa: B023
        show(f"exact, {inputs}×{outputs}, {name}", quick, {"qif": slow})


def fractions(inputs: int, outputs: int, seed: int) -> npt.NDArray[np.object_]:
    """Return a random stochastic matrix of ``Fraction``, with zeros."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, (inputs, outputs)) * (rng.random((inputs, outputs)) < 0.8)
    weights[:, 0] += 1
    return np.array([[Fraction(int(w), int(row.sum())) for w in row] for row in weights])


def agreement(count: int = 200) -> None:
    """Small rational channels: the same answer as libqif's exact factorisation, every time."""
    rng = np.random.default_rng(5)
    yes = 0
    for seed in range(count):
        n, k, m = (int(size) for size in rng.integers(2, 7, 3))
        a = fractions(n, k, seed)
        b = a.dot(fractions(k, m, ~seed & 0xFFFF)) if seed % 2 else fractions(n, m, seed + count)
        holds = lt.refinement(lt.Channel(a), lt.Channel(b)).holds
        assert holds is bool(qif.channel.factorize(b, a).size)
        yes += holds
    print(f"exact, {count} small pairs: all as libqif's factorisation says, {yes} refined")


def small_differences() -> None:
    """B is A remapped and then changed by 1e-4: no longer refined, as exact arithmetic shows."""
    rng = np.random.default_rng(6)
    a = rng.dirichlet(np.ones(4), 6)
    b = a.copy()
    b[0, 0] += 1e-4
    b[0, 1] -= 1e-4
    verdict = lt.refinement(lt.Channel(a), lt.Channel(b))
    assert isinstance(verdict, lt.NotRefined)
    print(
        f"changed by 1e-4: qif says {qif.refinement.refined_by(a, b)}, we say {verdict.holds}, "
        f"with an advantage of {float(verdict.advantage):.2g}"
    )


def main() -> None:
    """Print one line per task."""
    agreement()
    small_differences()
    for n in (10, 20):
        exact(n, n)
    rank_one(20, 200, witness=True)
    rank_one(50, 1000, witness="--full" in sys.argv)
    for shape in ((20, 20), (60, 60), (20, 40)):
        generic(*shape)


if __name__ == "__main__":
    main()
