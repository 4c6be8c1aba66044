"""A published count can void differential privacy.

Two people answer a yes/no question by randomised response. That is private at ε = ln 2. Then it
becomes known that both gave the same answer. Now the two possible databases differ in both
records, and the same mechanism has ε = ln 4 for what is secret. A Blowfish policy says so.
"""

import leaktight as lt

RESPONSE = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"], outputs=["no", "yes"])


def main() -> None:
    """Print the privacy level without and with the public fact."""
    secrets = lt.SecretGraph.complete(["no", "yes"])
    survey = lt.parallel(RESPONSE, RESPONSE).expand()

    plain = lt.Policy(secrets, records=2)
    print("without the public fact:", lt.privacy_level(survey, plain).ratio)

    alike = [("no", "no"), ("yes", "yes")]
    known = lt.Policy(secrets, records=2, databases=alike)
    level = lt.privacy_level(survey.restrict(alike), known)
    print("with it:", level.ratio, "because of", level.witness)


if __name__ == "__main__":
    main()
