"""Who is sending? Dining cryptographers on any graph, with fair and with biased coins.

Each edge of the graph is a coin that its two ends see. Everybody declares the sum of their coins,
modulo 2, and the sender adds a bit to it. The sum of all declarations is the bit. Fair coins hide
the sender completely, as far as the graph is connected; biased ones do not.
"""

from collections.abc import Callable

import leaktight as lt

Declarations = tuple[int, ...]


def dc_net(graph: lt.Graph, tails: str) -> Callable[[int, lt.Chance], Declarations]:
    """Return the protocol in which somebody sends the bit 1; a coin is 1 with chance ``tails``."""

    def protocol(sender: int, chance: lt.Chance) -> Declarations:
        declared = [int(person == sender) for person in graph.vertices]
        for a, b in graph.edges.tolist():
            coin = chance.flip(tails)
            declared[a] ^= coin
            declared[b] ^= coin
        return tuple(declared)

    return protocol


GRAPHS = {
    "a triangle": lt.Graph(3, [(0, 1), (1, 2), (2, 0)]),
    "a ring of 5": lt.Graph(5, [(i, (i + 1) % 5) for i in range(5)]),
    "two pairs": lt.Graph(4, [(0, 1), (2, 3)]),
}


def main() -> None:
    """Print how likely the sender is guessed, who is one of all with the same chance."""
    for name, graph in GRAPHS.items():
        for tails in ("1/2", "1/3", "1/10"):
            channel = lt.channel_of(dc_net(graph, tails), graph)
            leak = lt.min_entropy_leakage(channel)
            print(
                f"{name}, coins {tails}: the sender is guessed with chance {leak.before} before, "
                f"{leak.after} after"
            )


if __name__ == "__main__":
    main()
