"""Is the count above the threshold? Sparse vector techniques that are broken, and how they are.

The technique adds noise to a threshold once, and says of many counts whether they are above it.
With noise on each count as well, and an end at the first "above", its privacy does not depend on
the number of questions: here it is private at ratio 4·2² = 16. Lyu, Su and Li ("Understanding the
sparse vector technique for differential privacy", 2017) list published variants that leave out one
or the other. Two of them are found out here. So is a third mistake that is easily made in code: to
cut off the noise, which shows only when many questions are asked.
"""

from fractions import Fraction
from functools import cache, partial

import leaktight as lt

Database = tuple[str, ...]


@cache
def geometric(ratio: int, width: int) -> lt.Distribution:
    """Noise whose neighbouring values differ by ``ratio``; what is beyond is moved to the ends."""
    return lt.Distribution(
        {
            z: Fraction(ratio if abs(z) == width else ratio - 1, (ratio + 1) * ratio ** abs(z))
            for z in range(-width, width + 1)
        }
    )


def counts(database: Database, questions: int) -> list[int]:
    """Ask in turns how many have a and how many have b."""
    return [database.count("ab"[i % 2]) for i in range(questions)]


def noisy_threshold(chance: lt.Chance, width: int) -> int:
    """Return the threshold 1 with noise."""
    return 1 + chance.choose(geometric(4, width))


def is_above(count: int, threshold: int, chance: lt.Chance, width: int) -> bool:
    """Compare a noisy count. The noise itself is not needed later, so its paths are merged."""
    return chance.merge(lambda: count + chance.choose(geometric(2, width)) >= threshold)


def right(database: Database, chance: lt.Chance, questions: int, width: int) -> None:
    """Noise on the threshold and on the counts; stop at the first above."""
    threshold = noisy_threshold(chance, width)
    for count in counts(database, questions):
        above = is_above(count, threshold, chance, width)
        chance.observe(above)
        if above:
            return


def endless(database: Database, chance: lt.Chance, questions: int, width: int) -> None:
    """No stop: Algorithm 6 of Lyu, Su and Li."""
    threshold = noisy_threshold(chance, width)
    for count in counts(database, questions):
        chance.observe(is_above(count, threshold, chance, width))


def noiseless(database: Database, chance: lt.Chance, questions: int, width: int) -> None:
    """No noise on the counts, and no stop: Algorithm 5 of Lyu, Su and Li."""
    threshold = noisy_threshold(chance, width)
    for count in counts(database, questions):
        chance.observe(count >= threshold)


def main() -> None:
    """Print the privacy level of each for more and more questions."""
    policy = lt.Policy(lt.SecretGraph.complete(["a", "b"]), records=2)
    for program, width, numbers in (
        (right, 8, (1, 2, 6, 30)),
        (right, 3, (1, 2, 6, 30)),
        (endless, 3, (1, 2, 6)),
        (noiseless, 3, (1, 2, 6)),
    ):
        for questions in numbers:
            asked = partial(program, questions=questions, width=width)
            ratio = lt.privacy_level(lt.channel_of(asked, policy), policy).ratio
            said = "more than 16" if ratio > 16 else "at most 16"
            print(
                f"{program.__name__}, noise up to ±{width}, {questions} questions: "
                f"ratio {float(ratio):.4g}, {said}"
            )


if __name__ == "__main__":
    main()
