"""What does an observer see of the programs of [Alvim2011a]: a password checker and dc-nets?"""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import product

from leaktight.channels import Chance, Channel, Distribution, channel_of
from leaktight.leakage import hyper, min_capacity, mutual_information
from leaktight.policies import Graph, SecretGraph
from leaktight_papers.claim import Verdict, claim, demand, expect
from leaktight_papers.evidence import SEED, any_prior, small_graphs, sum_of_maxima

# --- the password checker ------------------------------------------------------------------

PASSWORD = "110"
STRINGS = ["".join(digits) for digits in product("01", repeat=3)]
COUNTED = [("Fail", 1), ("Fail", 2), ("Fail", 3), "OK"]
"""What is seen of the checker by someone who counts its iterations."""


def answered(typed: str, password: str = PASSWORD) -> str:
    """Answer as Table 1 does: out is Fail at the first digit that differs, and then exit.

    >>> answered("110"), answered("111")
    ('OK', 'Fail')
    """
    out = "OK"
    for x, k in zip(typed, password, strict=True):
        if x != k:
            out = "Fail"
            break
    return out


def timed(typed: str, chance: Chance, password: str = PASSWORD) -> str:
    """Do the same, seen by someone who counts the iterations."""
    for x, k in zip(typed, password, strict=True):
        chance.observe("iteration")
        if x != k:
            return "Fail"
    return "OK"


def iterations(seen: tuple[tuple[str, ...], str]) -> Hashable:
    """Name what was seen as Table 2(b) does.

    >>> iterations((("iteration", "iteration"), "Fail"))
    ('Fail', 2)
    """
    steps, out = seen
    return "OK" if out == "OK" else (out, len(steps))


def checkers() -> tuple[Channel, Channel]:
    """Return the channels from what is typed to the answer, and to what a counter sees."""
    counting = channel_of(timed, STRINGS).merge(iterations)
    return channel_of(answered, STRINGS).permute(["Fail", "OK"]), counting.permute(COUNTED)


def _about_the_password(typed: str) -> tuple[Channel, Channel]:
    """Return the same channels from the password, for a string that is typed."""
    plain = channel_of(lambda password: answered(typed, password), STRINGS)
    counting = channel_of(lambda password, chance: timed(typed, chance, password), STRINGS)
    return plain, counting.merge(iterations)


@claim(
    "Q-Ex1",
    "Whoever types a wrong password learns that it is another, and whoever times the checker "
    "learns a prefix of the right one even so.",
)
def wrong_guesses() -> Iterator[str]:
    """The passwords that are left after each observation."""
    for typed in STRINGS:
        plain, counting = (hyper(channel) for channel in _about_the_password(typed))
        others = [password for password in STRINGS if password != typed]
        expect(plain.posterior("Fail").support, tuple(others), f"what is left after {typed} fails")
        for i in (1, 2, 3):
            start = typed[: i - 1] + ("1" if typed[i - 1] == "0" else "0")
            left = tuple(p for p in STRINGS if p.startswith(start))
            expect(counting.posterior(("Fail", i)).support, left, f"{typed}, {i} iterations: left")
    yield f"each of {len(STRINGS)} strings: {len(others)} passwords are left if it fails"
    known = hyper(_about_the_password("000")[1]).posterior(("Fail", 2)).support
    expect(known, ("010", "011"), "what is left after 000 and 2 iterations")
    one, other = known
    yield f"000 and 2 iterations: {len(known)} of {len(STRINGS)} are left, {one} and {other}"


@claim(
    "Q-Tab1",
    "The checker says OK exactly if all digits agree, after as many iterations as there are "
    "digits up to the first that differs.",
)
def pseudocode() -> Iterator[str]:
    """The program for every password and every string, against what it is meant to say."""
    pairs = 0
    for typed in STRINGS:
        plain, counting = _about_the_password(typed)
        for password in STRINGS:
            wrong = [i for i in (1, 2, 3) if typed[i - 1] != password[i - 1]]
            expect(plain[password, "Fail" if wrong else "OK"], 1, f"{typed} for {password}: chance")
            seen = ("Fail", wrong[0]) if wrong else "OK"
            expect(counting[password, seen], 1, f"{typed} for {password}: chance of {seen}")
            pairs += 1
    yield f"{pairs} pairs of a password and a string: answers and iterations as said"


@claim(
    "Q-Ex4",
    "With the password 110 the checker is a deterministic channel from the string typed, to two "
    "outputs, or to four for someone who counts. With the password as the secret it leaks as much.",
)
def password_channels() -> Iterator[str]:
    """Both channels in both directions."""
    for channel, sums in zip(checkers(), (2, 4), strict=True):
        for typed in STRINGS:
            expect(len(channel.row(typed).support), 1, f"the number of outputs of {typed}")
        capacity = min_capacity(channel)
        expect((capacity.factor, sum_of_maxima(channel)), (sums, sums), "Σ max of the checker")
        names = ", ".join(map(str, channel.outputs))
        yield f"outputs {names}: Σ max {capacity.factor}, its log2 {capacity.bits:g}"
    found = {
        tuple(min_capacity(channel).factor for channel in _about_the_password(typed))
        for typed in STRINGS
    }
    expect(found, {(2, 4)}, "Σ max for the password, whatever is typed,")
    [(plain, counting)] = found
    yield f"the password as the secret, any string typed: Σ max is {plain} and {counting} as well"


@claim(
    "Q-Fig3", "The two channels of the checker: one arrow from each string typed.", Verdict.DRAWING
)
def password_arrows() -> Iterator[str]:
    """The strings from which arrows lead to each output."""
    known = {("Fail", 1): "0", ("Fail", 2): "10", ("Fail", 3): "111", "OK": "110"}
    plain, counting = checkers()
    arrows = {z: [x for x in STRINGS if counting[x, z] == 1] for z in COUNTED}
    for z, start in known.items():
        expect(arrows[z], [x for x in STRINGS if x.startswith(start)], f"the arrows to {z}")
        expect({plain[x, "OK" if z == "OK" else "Fail"] for x in arrows[z]}, {1}, "chances in (a)")
    yield f"(a): {sum(len(arrows[z]) for z in COUNTED[:3])} to Fail, {len(arrows['OK'])} to OK"
    yield "(b): " + "; ".join(f"{', '.join(arrows[z])} to {z}" for z in COUNTED)


TABLE_2 = (
    ["10", "10", "10", "10", "10", "10", "01", "10"],
    ["1000", "1000", "1000", "1000", "0100", "0100", "0001", "0010"],
)
"""The rows of both tables, for the strings 000, 001, …, 111."""


@claim(
    "Q-Ex6", "The matrix of a channel has only 0s and 1s exactly if the channel is deterministic."
)
def zeros_and_ones() -> Iterator[str]:
    """The checker's matrices, and those of all channels with small entries."""
    for channel in checkers():
        entries = {Fraction(channel[x, z]) for x, z in product(STRINGS, channel.outputs)}
        expect(entries, {0, 1}, "the entries of the checker's matrix")
        expect(min_capacity(channel).factor, len(channel.outputs), "Σ max of a function onto them")
    yield f"the checker's matrices have the entries {' and '.join(map(str, sorted(entries)))}"
    rows = [row for row in product(range(4), repeat=3) if sum(row) == 3]
    for pair in product(rows, repeat=2):
        channel = Channel.normalised(pair)
        only = {Fraction(channel[x, z]) for x, z in product(range(2), range(3))} <= {0, 1}
        decided = all(len(channel.row(x).support) == 1 for x in range(2))
        expect(only, decided, f"0s and 1s alone in {pair}, if that is a function,")
    yield f"{len(rows) ** 2} channels with thirds: 0s and 1s alone exactly if they are functions"


@claim(
    "Q-Tab2",
    "The matrices of the password checker. Its answer tells 0.543564 bits of a string typed at "
    "random in Shannon's measure, and answer and iterations tell 1.75 bits.",
)
def password_tables() -> Iterator[str]:
    """Every printed entry, and the information by counting strings."""
    bits = []
    for channel, table in zip(checkers(), TABLE_2, strict=True):
        printed = Channel([list(map(int, row)) for row in table], STRINGS, channel.outputs)
        expect(channel, printed, "the matrix of the program")
        columns = [sum(row[z] == "1" for row in table) for z in range(len(table[0]))]
        by_hand = Distribution.from_counts(columns)  # a function tells the entropy of its output
        bits.append(mutual_information(channel))
        expect(bits[-1], mutual_information(Channel.identity(len(columns)), by_hand), "I(X;Y)")
    expect([round(found, 6) for found in bits], [0.543564, 1.75], "the bits of both channels")
    entries = sum(len(row) for table in TABLE_2 for row in table)
    yield f"all {entries} entries are right; I(X;Y) is {bits[0]:.6f} and {bits[1]:g} bits"


# --- dc-nets -------------------------------------------------------------------------------


def dc_net(
    graph: Graph, zero: str = "1/2"
) -> Callable[[tuple[Hashable, int], Chance], tuple[int, ...]]:
    """Return the protocol of Example 2: a coin for each edge, 0 with the chance ``zero``.

    >>> channel_of(dc_net(SecretGraph.complete(2), "2/3"), [(0, 1), (1, 1)])
    exact channel, 2 inputs × 2 outputs
            (0, 1)  (1, 0)
    (0, 1)     1/3     2/3
    (1, 1)     2/3     1/3
    """

    def protocol(sending: tuple[Hashable, int], chance: Chance) -> tuple[int, ...]:
        sender, bit = sending
        declared = [bit if node == sender else 0 for node in graph.vertices]
        for i, j in graph.edges.tolist():
            coin = int(not chance.flip(zero))
            declared[i] ^= coin
            declared[j] ^= coin
        return tuple(declared)

    return protocol


@claim(
    "Q-Ex2",
    "On a connected graph with fair coins, the declarations of a dc-net sum to the bit that is "
    "sent and leave every belief about the sender as it is. On others they tell its component.",
)
def dining_cryptographers() -> Iterator[str]:
    """All graphs of up to 5 nodes: every row in closed form, and the beliefs by Bayes' rule."""
    draw, connected, parted, beliefs = random.Random(SEED), 0, 0, 0
    for graph in small_graphs(5):
        inputs = list(product(graph.vertices, (0, 1)))
        channel = channel_of(dc_net(graph), inputs)
        told = sum_of_maxima(channel.restrict([(sender, 1) for sender in graph.vertices]))
        expect(told, len(graph.components), f"Σ max over the senders of a 1 on {graph!r}")
        if not graph.is_connected:
            parted += 1
            continue
        connected += 1
        words, share = list(product((0, 1), repeat=graph.order)), Fraction(2, 2**graph.order)
        for sender, bit in inputs:
            row = {z: p for z, p in channel.row((sender, bit)).items() if p > 0}
            alike = dict.fromkeys((word for word in words if sum(word) % 2 == bit), share)
            expect(row, alike, f"the declarations if {sender} sends {bit} on {graph!r}")
        senders, sent = any_prior(graph.order, draw), (Fraction(2, 3), Fraction(1, 3))
        after = hyper(channel, [Fraction(senders[s]) * sent[bit] for s, bit in inputs])
        for word in words:
            belief = after.posterior(word)
            who = {s: Fraction(belief[s, 0]) + Fraction(belief[s, 1]) for s in graph.vertices}
            expect(who, dict(senders.items()), "what is believed of the sender")
            beliefs += 1
    expect(connected, 1 + 1 + 2 + 6 + 21, "the number of connected graphs of up to 5 nodes")
    yield f"{connected} connected graphs of 1 to 5 nodes: all declarations of parity b are alike"
    yield f"random priors of the sender there: {beliefs} posteriors, all equal to their prior"
    yield f"{parted} other graphs of up to 5 nodes: Σ max over the senders is the number of parts"
    pairs = Graph(4, [(0, 1), (2, 3)])
    split = channel_of(dc_net(pairs), [(sender, 1) for sender in range(4)])
    rows = [split.row((sender, 1)) for sender in range(4)]
    demand(rows[0] == rows[1] != rows[2] == rows[3], "two pairs must be told apart, and no more")
    yield f"two pairs of nodes: Σ max {min_capacity(split).factor}, each pair has one row"


@claim(
    "Q-Fig1",
    "A dc-net with its coins and declarations. Each coin is counted twice, so the declarations "
    "sum to the bit.",
    Verdict.DRAWING,
)
def drawn_net() -> Iterator[str]:
    """All tosses on a wheel of 5 nodes by hand, and the chances of the program."""
    nodes, edges = range(5), [(i, (i + 1) % 4) for i in range(4)] + [(i, 4) for i in range(4)]
    cases = list(product(product((0, 1), repeat=len(edges)), nodes, (0, 1)))
    seen: dict[tuple[int, int], Counter[tuple[int, ...]]] = {}
    for coins, sender, bit in cases:
        sums = [sum(c for c, e in zip(coins, edges, strict=True) if i in e) for i in nodes]
        declared = [(sums[i] + (bit if i == sender else 0)) % 2 for i in nodes]
        expect(sum(declared) % 2, bit, f"the sum of {declared} when {bit} is sent")
        seen.setdefault((sender, bit), Counter())[tuple(declared)] += 1
    program = channel_of(dc_net(Graph(5, edges)), list(seen))
    for sending, counts in seen.items():
        chances = {word: Fraction(times, 2 ** len(edges)) for word, times in counts.items()}
        row = {word: p for word, p in program.row(sending).items() if p > 0}
        expect(row, chances, f"the chances of what is declared for {sending}")
    yield f"a wheel of {len(nodes)} nodes, {len(cases)} cases of tosses, sender and bit: sum = bit"


# --- the net of two nodes ------------------------------------------------------------------

PAIR = SecretGraph.complete(["a", "b"])
SENDING = [("a", 1), ("b", 1), ("a", 0), ("b", 0)]
TABLE_3 = {
    "1/2": ["1/2 1/2 0 0", "1/2 1/2 0 0", "0 0 1/2 1/2", "0 0 1/2 1/2"],
    "2/3": ["2/3 1/3 0 0", "1/3 2/3 0 0", "0 0 2/3 1/3", "0 0 2/3 1/3"],
}
"""The rows of both tables, by the chance of a 0."""


def net_of_two(zero: str) -> Channel:
    """Return the channel of Example 5 for a coin that is 0 with the chance ``zero``."""
    channel = channel_of(dc_net(PAIR, zero), SENDING).merge(lambda seen: f"{seen[0]}{seen[1]}")
    return channel.permute([z for z in ("10", "01", "00", "11") if z in channel.outputs])


@claim(
    "Q-Ex5",
    "In a dc-net of two nodes, a that sends 1 leads to the declarations 10 if the coin is 0, and "
    "to 01 if it is 1.",
)
def one_coin() -> Iterator[str]:
    """A coin that always falls on one side."""
    ends = {"0": net_of_two("1"), "1": net_of_two("0")}
    seen = {coin: channel.row(("a", 1)).support for coin, channel in ends.items()}
    expect(seen, {"0": ("10",), "1": ("01",)}, "the declarations for (a, 1)")
    yield "; ".join(f"(a, 1) and the coin {coin}: {found[0]}" for coin, found in seen.items())


@claim(
    "Q-Fig4",
    "The dc-net of two nodes as a channel: 1 is declared as 10 or 01, 0 as 00 or 11.",
    Verdict.DRAWING,
)
def two_nodes() -> Iterator[str]:
    """The outputs that each input can have."""
    channel = net_of_two("1/2")
    arrows = {x: channel.row(x).support for x in SENDING}
    expect(arrows, {(s, b): ("10", "01") if b else ("00", "11") for s, b in SENDING}, "the arrows")
    yield "; ".join(f"{s}, {b}: {' or '.join(map(str, seen))}" for (s, b), seen in arrows.items())


@claim(
    "Q-Ex7",
    "How much a dc-net leaks depends on its coins: a fair one tells the bit and nothing else, one "
    "that is 0 with chance 2/3 tells something of the sender too.",
)
def fair_and_biased() -> Iterator[str]:
    """Σ max of the whole channel, and for the senders of a 1 and of a 0."""
    for zero, known in (("1/2", (2, 1, 1)), ("2/3", (Fraction(7, 3), Fraction(4, 3), 1))):
        whole = net_of_two(zero)
        parts = [whole.restrict([("a", bit), ("b", bit)]) for bit in (1, 0)]
        found = tuple(sum_of_maxima(channel) for channel in (whole, *parts))
        expect(found, known, f"Σ max of all, of the senders of 1 and of 0, for a coin {zero},")
        expect(min_capacity(whole).factor, found[1] + found[2], "Σ max, if the bit is told apart,")
        bits = min_capacity(whole).bits
        yield f"0 with chance {zero}: Σ max {found[0]} = {found[1]} + {found[2]}, {bits:.5f} bits"
    expect(round(bits, 5), 1.22239, "the bits of the biased net")


@claim(
    "Q-Tab3",
    "The matrices of the net of two nodes for a fair coin and for one that is 0 with chance 2/3. "
    "The rows of the two senders of 0 are equal, since a 0 changes nothing.",
)
def two_node_tables() -> Iterator[str]:
    """Every printed entry."""
    for zero, table in TABLE_3.items():
        printed = Channel([row.split() for row in table], SENDING, ["10", "01", "00", "11"])
        expect(net_of_two(zero), printed, f"the matrix for a coin {zero}")
        a, b = (printed.row((sender, 0)) for sender in "ab")
        demand(a == b, f"the rows of the senders of 0 must be equal, got {a} and {b}")
        yield f"0 with chance {zero}: all {printed.matrix.size} entries are right"
