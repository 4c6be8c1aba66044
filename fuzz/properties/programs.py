"""What does an observer see of a program? Programs that are drawn, and followed by hand."""

from fractions import Fraction
from typing import Any

import leaktight as lt
from fuzz import direct
from fuzz.drawn import Draw
from fuzz.property import searched

SHARES = ("1/2", "1/3", "2/3", "0", "1", "1/1000000", "0.1")


def tree(draw: Draw, depth: int = 0) -> Any:
    """A program as nested lists: what it returns, shows, or does by chance or by its input."""
    kinds = ("return", "flip", "uniform", "observe", "input")
    match draw.pick(kinds if depth < 3 else kinds[:1]):
        case "flip":
            return ["flip", draw.pick(SHARES), tree(draw, depth + 1), tree(draw, depth + 1)]
        case "uniform":
            return ["uniform", [tree(draw, depth + 1) for _ in range(draw.integer(1, 3))]]
        case "observe":
            return ["observe", draw.pick(("x", "y", 1)), tree(draw, depth + 1)]
        case "input":
            return ["input", tree(draw, depth + 1), tree(draw, depth + 1)]
    return ["return", draw.pick(("x", "y", 1, 2, None))]


def run(node: Any, x: int, chance: lt.Chance) -> Any:
    """Run a tree as a program."""
    match node:
        case ["flip", share, yes, no]:
            return run(yes if chance.flip(share) else no, x, chance)
        case ["uniform", options]:
            return run(options[chance.uniform(len(options))], x, chance)
        case ["observe", value, rest]:
            chance.observe(value)
            return run(rest, x, chance)
        case ["input", zero, other]:
            return run(other if x else zero, x, chance)
    return node[1]


def followed(node: Any, x: int, share: Fraction, trace: tuple[Any, ...], found: Any) -> None:
    """Add up the probability of each trace and result."""
    match node:
        case ["flip", p, yes, no]:
            followed(yes, x, share * Fraction(p), trace, found)
            followed(no, x, share * (1 - Fraction(p)), trace, found)
        case ["uniform", options]:
            for each in options:
                followed(each, x, share / len(options), trace, found)
        case ["observe", value, rest]:
            followed(rest, x, share, (*trace, value), found)
        case ["input", zero, other]:
            followed(other if x else zero, x, share, trace, found)
        case ["return", result]:
            key = (trace, result)
            found[key] = found.get(key, Fraction(0)) + share


@searched(program=tree)
def drawn_programs(program: Any) -> int:
    """Runs that an observer tells apart are one output, or probabilities are not theirs."""
    channel = lt.channel_of(lambda x, chance: run(program, x, chance), 2)
    rows: list[dict[Any, Fraction]] = [{}, {}]
    for x in (0, 1):
        followed(program, x, Fraction(1), (), rows[x])
    seen = [key for key in dict.fromkeys([*rows[0], *rows[1]]) if any(r.get(key) for r in rows)]
    assert channel.shape[1] == len(seen)
    expected = sorted(tuple(row.get(key, Fraction(0)) for row in rows) for key in seen)
    assert sorted(zip(*direct.rows_of(channel), strict=True)) == expected
    return 2
