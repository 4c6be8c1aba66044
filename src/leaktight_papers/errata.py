"""What is wrong in the papers, what is right, and what shows it?

``python -m leaktight_papers.errata docs/errata.md`` checks every claim that has an erratum and
writes the page of all errata, with the evidence that came out.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable

from leaktight.files import new_file
from leaktight_papers.claim import Claim, Erratum, Outcome, run
from leaktight_papers.register import REGISTER

KINDS = {
    "false": "False",
    "gap": "Gap in the proof",
    "typo": "Slip",
    "improvable": "Improvable",
}

OPENING = """\
# Errata

What we found in the five papers that is not as printed, or could be better. Each entry says what
stands there and what is right; the lines below it are evidence, computed when this page was made.
`leaktight reproduce E-T11` checks one claim before your eyes, `leaktight reproduce` all of them.

We read the papers as text: what stands in a picture, or in a part of a table that the text leaves
out, is not judged, and a symbol may have suffered on the way. Of [Alvim2011b] we read the second
version of the research report (HAL inria-00580122, May 2011), of [Boreale2012] the version of the
conference (HAL hal-01556211), not the full one with the proofs; what a later version mends, we
cannot tell. The numbers 4, 11, 16, 32 and 41 were taken back, as what they said was no error of the
papers, and 10, as the text does not decide it.

| kind | entries |
| --- | --- |
{counts}

"""


def claims_with_errata() -> list[Claim]:
    """Return the claims of the register that have an erratum, in its order."""
    return [claim for claim in REGISTER.values() if claim.errata]


def errata_page(outcomes: Iterable[Outcome]) -> str:
    """Return the page of all errata of checked claims, as Markdown.

    Every number stands there once, with each way in which it is told and each claim it concerns.

    >>> page = errata_page([run(REGISTER["A-Ex1"])])
    >>> print(page[page.index("## 15") :])
    ## 15. Example 1 of [Alvim2011b]
    <BLANKLINE>
    *False.* The largest entry is printed as 3λ/(2 + λ), which is 3/2 at λ = 2.
    <BLANKLINE>
    **Right:** It is (λ/(2 + λ))², a probability.
    <BLANKLINE>
    Evidence, A-Ex1 (holds as corrected):
    <BLANKLINE>
    - λ = 2: a = 1/4, Σ max = 9/4; printed a = 3/2 > 1
    <BLANKLINE>
    """
    found: dict[int, list[tuple[Erratum, Outcome]]] = {}
    for outcome in outcomes:
        for erratum in outcome.claim.errata:
            found.setdefault(erratum.number, []).append((erratum, outcome))
    kinds = Counter(told[0][0].kind for told in found.values())
    counts = "\n".join(f"| {KINDS[kind]} | {kinds[kind]} |" for kind in KINDS if kinds[kind])
    sections = [_section(number, found[number]) for number in sorted(found)]
    return OPENING.format(counts=counts) + "\n".join(sections)


def _section(number: int, told: list[tuple[Erratum, Outcome]]) -> str:
    lines = [f"## {number}. {_places(outcome.claim.source for _, outcome in told)}", ""]
    for erratum in dict.fromkeys(erratum for erratum, _ in told):
        lines += [f"*{KINDS[erratum.kind]}.* {_sentence(erratum.wrong)}", ""]
        lines += [f"**Right:** {_sentence(erratum.right)}", ""]
    for outcome in dict.fromkeys(outcome for _, outcome in told):
        lines += [f"Evidence, {outcome.claim.id} ({outcome.claim.verdict.value}):", ""]
        lines += [f"- {_plain(line)}" for line in outcome.evidence]
        if outcome.failure is not None:
            lines.append(f"- FAILED: {_plain(outcome.failure)}")
        lines.append("")
    return "\n".join(lines)


def _places(sources: Iterable[str]) -> str:
    """Name each paper once: "Theorem 9, Theorem 11 of [Edwards2021]"."""
    by_paper: dict[str, dict[str, None]] = {}
    for source in sources:
        place, _, rest = source.partition(" of ")
        by_paper.setdefault(rest.partition("]")[0] + "]", {})[place] = None
    return "; ".join(f"{', '.join(places)} of {paper}" for paper, places in by_paper.items())


def _sentence(text: str) -> str:
    """Begin with a capital, unless a symbol begins it, and end with a full stop."""
    begun = text[0].upper() + text[1:] if re.match("[a-z]{2}|a [a-z]", text) else text
    return _plain(begun if begun.endswith(".") else begun + ".")


def _plain(text: str) -> str:
    """Let no character mean anything to Markdown, but for the keys of the bibliography."""
    return re.sub(r"([\\`*<]|\[(?![A-Z]\w+\d{4}\w?\]))", r"\\\1", text)


if __name__ == "__main__":
    page = errata_page(map(run, claims_with_errata()))
    with new_file(sys.argv[1]) as file:
        file.write(page)
