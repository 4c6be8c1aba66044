"""How much does the running time of a password check give away?

The check compares digit by digit and stops at the first wrong one. Its answer alone leaks one
bit at most; whoever can time it learns where it stopped.
"""

from itertools import product

import leaktight as lt

PASSWORD = "110"
SECRETS = ["".join(digits) for digits in product("01", repeat=3)]


def answer(typed: str) -> str:
    """What everybody sees."""
    return "OK" if typed == PASSWORD else "Fail"


def timed_answer(typed: str) -> tuple[str, int]:
    """What is seen with a clock: the answer and the number of digits compared."""
    compared = 0
    for a, b in zip(typed, PASSWORD, strict=True):
        compared += 1
        if a != b:
            break
    return answer(typed), compared


def main() -> None:
    """Print how likely the secret is guessed before and after."""
    for name, program in (("answer", answer), ("answer and time", timed_answer)):
        channel = lt.Channel.deterministic(program, SECRETS)
        leak = lt.min_entropy_leakage(channel)
        print(f"{name}: guessed with chance {leak.before} before, {leak.after} after")
        print(
            f"    that is {leak.bits:g} bits; Shannon's measure: {lt.mutual_information(channel):g}"
        )
    timed = lt.Channel.deterministic(timed_answer, SECRETS)
    plain = lt.Channel.deterministic(answer, SECRETS)
    print(f"is the plain check always at least as safe? {lt.refinement(timed, plain).holds}")


if __name__ == "__main__":
    main()
