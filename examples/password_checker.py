"""How much does the running time of a password check give away?

The check compares digit by digit and stops at the first wrong one. Its answer alone leaks one
bit at most; whoever can time it learns where it stopped. Comparing all digits mends that.
"""

from itertools import product

import leaktight as lt

PASSWORD = "110"
TYPED = ["".join(digits) for digits in product("01", repeat=3)]


def plain(typed: str) -> str:
    """Return the answer, which is all that is seen."""
    return "OK" if typed == PASSWORD else "Fail"


def timed(typed: str, chance: lt.Chance) -> str:
    """Stop at the first wrong digit; a clock sees every comparison."""
    for digit, right in zip(typed, PASSWORD, strict=True):
        chance.observe("tick")
        if digit != right:
            return "Fail"
    return "OK"


def mended(typed: str, chance: lt.Chance) -> str:
    """Compare all digits, whatever they are; the clock sees the same every time."""
    wrong = False
    for digit, right in zip(typed, PASSWORD, strict=True):
        chance.observe("tick")
        wrong |= digit != right
    return "Fail" if wrong else "OK"


def main() -> None:
    """Print how likely the secret is guessed before and after."""
    channels = {
        "answer": lt.channel_of(plain, TYPED),
        "answer and time": lt.channel_of(timed, TYPED),
        "answer and time, mended": lt.channel_of(mended, TYPED),
    }
    for name, channel in channels.items():
        leak = lt.min_entropy_leakage(channel)
        print(f"{name}: guessed with chance {leak.before} before, {leak.after} after")
        print(
            f"    that is {leak.bits:g} bits; Shannon's measure: {lt.mutual_information(channel):g}"
        )
    safe = channels["answer"]
    for name, channel in channels.items():
        print(f"is '{name}' always as safe as the answer? {lt.refinement(safe, channel).holds}")


if __name__ == "__main__":
    main()
