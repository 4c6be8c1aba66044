"""Which candidate leads? Report noisy max, and what a tie gives away.

Three people vote. Each candidate's count gets noise that is private at ratio 2, and only the
candidate with the largest noisy count is named. A vote that changes moves two counts, so the noisy
counts together are private at ratio 4. To name only the winner is more private than that, but not
if ties always go to the first candidate in the list.
"""

from fractions import Fraction

import leaktight as lt

CANDIDATES = ["ann", "bob", "cy"]
VOTERS = 3

Votes = tuple[str, ...]


def noisy(count: int) -> dict[int, Fraction]:
    """The truncated geometric mechanism at ratio 2, on the counts 0, …, VOTERS."""
    ends = (0, VOTERS)
    return {z: Fraction(2 if z in ends else 1, 3 * 2 ** abs(z - count)) for z in range(VOTERS + 1)}


def all_counts(votes: Votes, chance: lt.Chance) -> tuple[int, ...]:
    """Show every noisy count."""
    return tuple(chance.choose(noisy(votes.count(name))) for name in CANDIDATES)


def first_winner(votes: Votes, chance: lt.Chance) -> str:
    """Name the winner; of several, the first in the list."""
    counts = all_counts(votes, chance)
    return CANDIDATES[counts.index(max(counts))]


def fair_winner(votes: Votes, chance: lt.Chance) -> str:
    """Name the winner; of several, any."""
    counts = all_counts(votes, chance)
    leading = [name for name, count in zip(CANDIDATES, counts, strict=True) if count == max(counts)]
    return chance.uniform(leading)


def main() -> None:
    """Print how private each is, and how much it can leak."""
    policy = lt.Policy(lt.SecretGraph.complete(CANDIDATES), records=VOTERS)
    for name, program in (
        ("all noisy counts", all_counts),
        ("the winner, ties to the first", first_winner),
        ("the winner, ties by chance", fair_winner),
    ):
        channel = lt.channel_of(program, policy)
        level = lt.privacy_level(channel, policy)
        leak = lt.min_capacity(channel)
        print(f"{name}: ratio {level.ratio}, at most {leak.bits:.3f} bits; worst: {level.witness}")


if __name__ == "__main__":
    main()
