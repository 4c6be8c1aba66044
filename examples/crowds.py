"""Who asked first? Crowds: everybody passes a request on to somebody at random.

The initiator hands the request to a member chosen at random, perhaps itself. Each honest member
that gets it hands it on again with chance p, and otherwise sends it to the server. The first
corrupted member on the way sees who handed it over. The way has no bound, but all that matters is
who holds the request, so the loop is solved exactly.

Reiter and Rubin ("Crowds", 1998) call the initiator *probably innocent* if whoever is seen is the
initiator with chance 1/2 at most, and prove that this is so in a crowd of at least
p/(p − 1/2)·(c + 1) members of which c are corrupted.
"""

from collections.abc import Callable
from fractions import Fraction

import leaktight as lt

SERVER = "nobody"


def crowds(members: int, corrupted: int, p: str) -> Callable[[int, lt.Chance], int | str]:
    """Return the protocol; the last members are corrupted, the others are the inputs."""
    honest = members - corrupted

    def protocol(initiator: int, chance: lt.Chance) -> int | str:
        def hand_on(state: tuple[str, int]) -> tuple[str, int]:
            _, holder = state
            reached = chance.uniform(members)
            if reached >= honest:
                return ("seen", holder)
            return ("held" if chance.flip(p) else "sent", reached)

        end, holder = chance.loop(hand_on, ("held", initiator), until=lambda s: s[0] != "held")
        return holder if end == "seen" else SERVER

    return protocol


def main() -> None:
    """Print how suspicious the initiator is, for crowds of growing size."""
    p, corrupted = "3/4", 1
    enough = Fraction(p) / (Fraction(p) - Fraction(1, 2)) * (corrupted + 1)
    print(f"probable innocence from {enough} members on, says the theorem")
    for members in range(3, 9):
        channel = lt.channel_of(crowds(members, corrupted, p), members - corrupted)
        seen = 1 - Fraction(channel[0, SERVER])
        suspicion = Fraction(channel[0, 0]) / seen
        capacity = lt.min_capacity(channel).factor
        print(
            f"{members} members: whoever is seen is the initiator with chance {suspicion}, "
            f"guessing is at most {capacity} times as likely to succeed"
        )


if __name__ == "__main__":
    main()
