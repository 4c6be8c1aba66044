"""What does each item of the papers say, what computes it, and which claim shows it?

``python -m leaktight_papers.items docs/papers.md`` writes the page of all items, from the register.
"""

import re
import sys
from collections.abc import Iterable

from leaktight.files import new_file
from leaktight_papers.calls import CALLS, COMMANDS, SETUP
from leaktight_papers.claim import PAPERS, Claim, Verdict
from leaktight_papers.register import REGISTER

OPENING = f"""\
# The papers, item by item

Every numbered item of the five papers, and what stands between them: what it says, what became of
it, and the call that computes it. `leaktight reproduce E-T11` checks one before your eyes, by the
name at its head; the [errata](errata.md) say what is not as printed. The calls go on from these
lines, and each is run by a test:

```python
{SETUP.strip()}
```

What the papers construct is in `leaktight_papers.constructions`. Commands read the channel from
`rows.csv`, which `lt.write_channel(rows, "rows.csv")` writes.
"""


def items() -> list[Claim]:
    """Return the claims of the papers, not ours, paper by paper in the order of the register."""
    return [claim for claim in REGISTER.values() if claim.id in CALLS]


def items_page(claims: Iterable[Claim]) -> str:
    """Return the page of these items, as Markdown.

    >>> print(items_page([REGISTER["B-T1"]]).split("[Barthe2011]", 1)[1])
    <BLANKLINE>
    <BLANKLINE>
    **B-T1**, Theorem 1 (holds). ML = log2 Σ_y max_x P(y|x), attained by the uniform prior.
    <BLANKLINE>
    ```python
    lt.min_capacity(rows).prior
    ```
    <BLANKLINE>
    """
    by_paper: dict[str, list[Claim]] = {}
    for claim in claims:
        by_paper.setdefault(PAPERS[claim.id[0]], []).append(claim)
    told = [OPENING]
    for paper, some in by_paper.items():
        told.append(f"## [{paper}]\n")
        told.extend(map(_item, some))
    return "\n".join(told)


def _item(claim: Claim) -> str:
    place = claim.source.split(" of [")[0]
    place = place[0].upper() + place[1:]
    errata = ", ".join(f"{erratum.number}" for erratum in claim.errata)
    verdict = claim.verdict.value + (f"; errata {errata}" if errata else "")
    said = re.sub(r"([\\`*<]|\[(?![A-Z]\w+\d{4}\w?\]))", r"\\\1", claim.statement)
    if claim.verdict is Verdict.DRAWING:
        verdict = f"{verdict}, `leaktight reproduce {claim.id} --figures folder`"
    lines = [f"**{claim.id}**, {place} ({verdict}). {said}", ""]
    lines += ["```python", CALLS[claim.id], "```", ""]
    if claim.id in COMMANDS:
        lines += ["```console", f"$ {COMMANDS[claim.id]}", "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    with new_file(sys.argv[1]) as file:
        file.write(items_page(items()))
