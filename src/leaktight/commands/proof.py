"""``verify`` of a certificate, and ``reproduce`` of the claims of the papers."""

import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import CLAIM, PATH, json_option
from leaktight.commands.output import print_json

if TYPE_CHECKING:
    from leaktight.studies import Study


@click.command()
@click.argument(
    "certificate", type=PATH, help="A certificate, or the record of a release, as JSON."
)
@click.option("--study", type=PATH, help="A study: is it this that the certificate is about?")
@click.option("--ledger", help="Of a release: the ledger, if not the study's.")
@json_option
@click.option("--allow-code", is_flag=True, help="Run the Python function that the study names.")
def verify(
    certificate: Path, study: Path | None, ledger: str | None, as_json: bool, allow_code: bool
) -> int:
    """Check a certificate or a released record, by arithmetic alone.

    The exit code is 1 if it proves nothing, or something else than the study asks. Of a release,
    the numbers beside the record are compared with it; with a study noise and cost are worked out
    anew, and the ledger must have the release and keep its budget.

    \b
    Example:
      leaktight verify best.json --study study.toml
      leaktight verify wages-2024.csv.release.json --study wages.toml
    """
    from leaktight.check import Refuted, Unreadable, check, complaint, loaded, told
    from leaktight.errors import InvalidFile
    from leaktight.exact.shown import wrapped

    if certificate.is_char_device():
        raise InvalidFile(f"{certificate} is a device; a certificate is a JSON file")
    found: dict[str, Any] = {}
    try:
        content = loaded(str(certificate))
        if isinstance(content, dict) and content.get("format") == RELEASE:
            return _verify_release(content, certificate, study, ledger, as_json)
        if ledger is not None:
            raise click.BadParameter("--ledger is for the record of a release")
        found |= {"accepted": True, "says": told(content, check(content))}
    except Refuted as wrong:
        found |= {"accepted": False, "says": [f"refuted: {wrong}"]}
    except (Unreadable, OSError) as wrong:
        raise InvalidFile(complaint(certificate, wrong)) from None
    if study is not None:
        from leaktight.studies import read_study

        asked = read_study(study, allow_code=allow_code)
        other = found["accepted"] and _difference(content, asked)
        found["fits"] = found["accepted"] and not other
        found["says"] += [f"the study {study}: {other or 'it is about this'}"] * found["accepted"]
    if as_json:
        print_json(found)
    else:
        first, *rest = found["says"]
        print("\n".join([wrapped(first, "  "), *rest]))
    return 0 if found["accepted"] and found.get("fits", True) else 1


RELEASE = "leaktight table release"
"""The format of the record of a release."""


def _verify_release(
    content: dict[str, Any], record: Path, study: Path | None, ledger: str | None, as_json: bool
) -> int:
    """Check the record of a release by the numbers beside it, the study and the ledger."""
    from leaktight.exact.shown import wrapped
    from leaktight.tables.ledger import Ledger
    from leaktight.tables.verification import verify_record

    given: dict[str, Any] = {}
    if study is not None:
        from leaktight.studies.release import read_release

        asked = read_release(study)
        given = {"protection": asked.protection, "noise": asked.noise}
        ledger = ledger or str(asked.ledger)
    if ledger is not None:
        given["ledger"] = Ledger.open(ledger)
    output = record.with_name(record.name.removesuffix(".release.json"))
    checks = verify_record(content, output=None if output == record else output, **given)
    accepted = all(each.holds is not False for each in checks)
    if as_json:
        told = [{"what": c.what, "holds": c.holds, "says": c.says} for c in checks]
        print_json({"accepted": accepted, "checks": told})
    else:
        for each in checks:
            print(wrapped(str(each), "  "))
    return 0 if accepted else 1


def _difference(content: dict[str, Any], study: "Study") -> str:
    """Say what a study asks that a certificate is not about; nothing if there is nothing."""
    from leaktight.check import CURVE, MECHANISM, digest, ratios
    from leaktight.errors import TooLarge
    from leaktight.worst_case.certificate import digest_of

    if (content["format"] == CURVE) != (study.curve is not None):
        return "it asks for another kind of promise"
    if study.curve is not None:
        return _other_curve(content, study)
    ratio, asked = study.ratio, ""
    if content["format"] != MECHANISM:
        asked = digest_of(study.policy)
    elif study.best is not None:
        ratio, asked = study.best.ratio, study.best.digest
    elif study.aim is not None:
        asked = digest_of(study.apart, study.input_prior, study.aim)
    else:
        raise TooLarge(f"what guesses earn is not tabled for {study.graph.order:,} values")
    if digest(content) != asked:
        return f"it asks something else, whose digest is {asked}"
    below, above = ratios(content)
    if ratio is not None and not below <= ratio.lower <= ratio.upper <= above:
        return f"it asks for another ratio, {ratio}"
    return ""


def _other_curve(content: dict[str, Any], study: "Study") -> str:
    """Say the same of a promise other than pure ε, about one record of which all is alike likely.

    What no mechanism exceeds is proved for all that keep the upper pairs, which must follow from
    the promise, and what one attains for one that keeps the lower pairs.
    """
    from leaktight.channels.distribution import Distribution
    from leaktight.channels.gain import Gain
    from leaktight.check import digest
    from leaktight.curves.curve import PrivacyCurve
    from leaktight.curves.keeping import keeps
    from leaktight.exact.numbers import rational
    from leaktight.exact.ratio import Ratio
    from leaktight.policies.neighbours import adjacency_of
    from leaktight.worst_case.certificate import digest_of

    curve = study.curve
    assert curve is not None
    graph = adjacency_of(study.policy).explicit()
    asked = digest_of(graph, Distribution.uniform(graph.vertices), Gain.binary(graph.vertices))
    if digest(content) != asked:
        return f"it asks something else, whose digest is {asked}"
    upper = [tuple(map(rational, pair)) for pair in content["upper pairs"]]
    within = PrivacyCurve.pairs((Ratio.of(r), d) for r, d in content["lower pairs"])
    if any(curve.profile(r)[1] > d for r, d in upper) or not keeps(within, curve):
        return f"it asks for another promise, {curve}"
    return ""


@click.command()
@click.argument("claim", type=CLAIM, required=False, help="Such as E-T11; all if not given.")
@click.option("--figures", type=PATH, help="Draw what is a figure into this folder.")
@json_option
def reproduce(claim: str | None, figures: Path | None, as_json: bool) -> int:
    """Check every claim of the five papers before your eyes.

    \b
    Example:
      leaktight reproduce E-T11
    """
    from leaktight_papers.claim import run
    from leaktight_papers.register import claims_named
    from leaktight_papers.show import detail, line, summary, to_dict

    chosen, outcomes = claims_named(claim), []
    if figures is not None:
        from leaktight_papers.figures import draw_figures

        before = {*figures.glob("*")}
        for path in draw_figures(figures, (one.id for one in chosen)):
            told = ", which replaces the one before" if path in before else ""
            print(f"drawn: {path}{told}", file=sys.stderr)
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    for one in chosen:
        outcome = run(one)
        outcomes.append(outcome)
        if not as_json:
            print(detail(outcome) if claim else line(outcome, width), flush=True)
    if as_json:
        print_json([to_dict(outcome) for outcome in outcomes])
    elif claim is None:
        print(summary(outcomes))
    return 0 if all(outcome.holds for outcome in outcomes) else 1
