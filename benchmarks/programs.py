"""How long does a program take to become a channel, path by path and with equal states merged?

python -m benchmarks.programs

The other way is what a person would write: run the program on all sequences of coins.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

import leaktight as lt
from benchmarks.timing import medians, once


class Given:
    """Coins that fell already."""

    def __init__(self, coins: tuple[bool, ...]) -> None:
        self.coins: Iterator[bool] = iter(coins)

    def flip(self) -> bool:
        """Return the next one."""
        return next(self.coins)


def plain(coins: int, chance: lt.Chance | Given) -> int:
    """Count heads, on a path for each sequence of coins."""
    return sum(chance.flip() for _ in range(coins))


def merging(coins: int, chance: lt.Chance) -> int:
    """Count heads; paths with equally many are one."""
    return chance.loop(lambda heads: heads + chance.flip(), 0, times=coins)


def by_hand(coins: int) -> dict[int, Fraction]:
    """Count heads in all sequences."""
    found: dict[int, Fraction] = {}
    each = Fraction(1, 2**coins)
    for fallen in product((True, False), repeat=coins):
        heads = plain(coins, Given(fallen))
        found[heads] = found.get(heads, Fraction(0)) + each
    return found


def crowd(members: int, chance: lt.Chance) -> tuple[int, str]:
    """Crowds with one corrupted member: a loop without a bound, of as many states."""

    def hop(state: tuple[int, str]) -> tuple[int, str]:
        reached = chance.uniform(members)
        if reached == 0:
            return state[0], "seen"
        return reached, "on" if chance.flip("3/4") else "sent"

    return chance.loop(hop, (1, "on"), until=lambda state: state[1] != "on")


def endless(stop: str, chance: lt.Chance) -> int:
    """Flip until the first head."""
    return 0 if chance.flip(stop) else 1 + endless(stop, chance)


def main() -> None:
    """Print a line per size, the time per path, and how it grows."""
    curves: dict[str, list[float]] = {"path by path": [], "by hand": [], "merged": []}
    sizes = (6, 8, 10, 12, 14)
    for coins in sizes:
        channel, hand = lt.channel_of(plain, [coins]), by_hand(coins)
        assert dict(channel.row(coins).items()) == hand
        assert channel == lt.channel_of(merging, [coins])
        times = medians(
            {
                "path by path": lambda coins=coins: lt.channel_of(plain, [coins]),  # type: ignore[misc]
                "by hand": lambda coins=coins: by_hand(coins),  # type: ignore[misc]
                "merged": lambda coins=coins: lt.channel_of(merging, [coins]),  # type: ignore[misc]
            },
            3,
        )
        each = ", ".join(f"{name} {t / 2**coins * 1e6:.2f} µs a path" for name, t in times.items())
        print(f"{coins} coins: {each}", flush=True)
        for name, seconds in times.items():
            curves[name].append(seconds)
    for name, curve in curves.items():
        exponent = np.polyfit(np.log(2) * np.array(sizes), np.log(curve), 1)[0]
        print(f"{name}: time grows like (paths)^{exponent:.2f}")

    print(f"20 coins, 2^20 paths: {once(lambda: lt.channel_of(plain, [20])):.1f} s")
    for coins in (20, 40, 400):
        seconds = once(lambda coins=coins: lt.channel_of(merging, [coins]))  # type: ignore[misc]
        print(f"{coins} coins, merged: {seconds:.4f} s", flush=True)

    def too_many() -> None:
        try:
            lt.channel_of(plain, [40])
        except lt.TooLarge as error:
            print(str(error)[:120], "…")

    print(f"2^40 paths are refused after {once(too_many):.1f} s", flush=True)
    lt.channel_of(crowd, [3])  # the first one imports scipy
    for members in (10, 30, 100):
        seconds = once(lambda members=members: lt.channel_of(crowd, [members]))  # type: ignore[misc]
        print(f"a loop without a bound, {members} states: {seconds:.3f} s", flush=True)
    for paths in (100, 1000):
        cut = lt.truncated_channel_of(endless, ["1/10"], most_paths=paths, most_choices=900)
        print(f"{paths} likely paths leave {float(cut.unaccounted['1/10']):.1e}")


if __name__ == "__main__":
    main()
