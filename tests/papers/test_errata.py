"""The page of errata says what the register says, with the evidence that comes out."""

import re
from pathlib import Path

from leaktight_papers.claim import ITEMS, Claim, Erratum, Outcome, Verdict
from leaktight_papers.errata import claims_with_errata, errata_page
from leaktight_papers.register import REGISTER
from tests.papers.outcomes import outcome_of
from tests.papers.test_register import PAPERS

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"


def outcome(
    *errata: Erratum, evidence: tuple[str, ...] = (), failure: str | None = None
) -> Outcome:
    made = Claim(
        "X-T1", "Theorem 1 of [Edwards2021]", "", Verdict.CORRECTED, errata, lambda: iter(())
    )
    return Outcome(made, evidence, 0.5, failure)


def test_the_page_in_the_docs_is_what_the_claims_give_today() -> None:
    """If it fails: ``python -m leaktight_papers.errata docs/errata.md``."""
    assert PAGE.read_text(encoding="utf-8") == errata_page(map(outcome_of, claims_with_errata()))


def test_every_number_of_the_register_has_one_entry_in_order() -> None:
    numbers = {e.number for claim in REGISTER.values() for e in claim.errata}
    entries = re.findall(r"^## (\d+)\. ", PAGE.read_text(encoding="utf-8"), re.M)
    assert entries == [str(number) for number in sorted(numbers)]


def test_the_overview_counts_claims_and_errata_as_they_are() -> None:
    said = " ".join((PAGE.parent / "overview.md").read_text(encoding="utf-8").split())
    ids = [id for ids in PAPERS.values() for id in ids.split()]
    numbered = [id for id in ids if re.fullmatch(rf".-({'|'.join(ITEMS)})\d+", id)]
    errata = {e.number for claim in REGISTER.values() for e in claim.errata}
    assert f"checks {len(ids)} claims of the five papers" in said
    assert f"(all {len(numbered)} numbered items, {len(ids) - len(numbered)} statements" in said
    assert f"and {len(errata)} errata" in said


def test_an_entry_tells_each_wording_once_and_each_claim() -> None:
    first = Erratum(3, "false", "all do", "some do")
    second = Erratum(3, "gap", "no proof", "a proof")
    page = errata_page([outcome(first), outcome(first, second)])
    assert page.count("*False.* All do.") == 1
    assert page.count("*Gap in the proof.* No proof.") == 1
    assert page.count("Evidence, X-T1") == 2
    assert "## 3. Theorem 1 of [Edwards2021]\n" in page


def test_a_claim_that_fails_says_so_on_the_page() -> None:
    page = errata_page([outcome(Erratum(1, "typo", "x", "y"), failure="1 + 1 must be 2, got 3")])
    assert "- FAILED: 1 + 1 must be 2, got 3" in page


def test_symbols_are_not_taken_for_markup_and_keep_their_case() -> None:
    wrong = Erratum(1, "typo", "α·λ*d*", "c divides [4] in [Alvim2011a]")
    page = errata_page([outcome(wrong, evidence=("K<2 and `x`",))])
    assert r"α·λ\*d\*." in page
    assert r"c divides \[4] in [Alvim2011a]." in page
    assert r"- K\<2 and \`x\`" in page
