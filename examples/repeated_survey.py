"""Ask the same person ten times, and randomised response hides nothing.

Each answer is private at ε = ln 3. The answers together are a channel of their own, kept as
counts, so that asking a hundred times costs no more than a table of 101 columns.
"""

import leaktight as lt

RESPONSE = lt.Channel([["3/4", "1/4"], ["1/4", "3/4"]], inputs=["no", "yes"], outputs=["no", "yes"])
RARE = {"no": "99/100", "yes": "1/100"}


def main() -> None:
    """Print the chance to guess right after n answers, for a common and for a rare secret."""
    for n in (1, 2, 5, 10, 100):
        answers = lt.repeated(RESPONSE, n)
        common = float(lt.posterior_vulnerability(answers))
        rare = float(lt.posterior_vulnerability(answers, RARE))
        print(f"after {n:3} answers: {common:.1%} if both are alike, {rare:.2%} if one is rare")


if __name__ == "__main__":
    main()
