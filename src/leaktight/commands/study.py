"""``audit``: the answer to a study."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from leaktight.commands.arguments import CertificateOption, JsonOption
from leaktight.commands.output import (
    about_to_write,
    expect_different,
    expect_page,
    print_json,
    show,
    spinner,
    write_page,
)


def audit(
    study: Annotated[Path, typer.Argument(help="A study, a TOML file.")],
    report: Annotated[Path | None, typer.Option(help="Write a page, .html or .md.")] = None,
    certificate: CertificateOption = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run the Python function that the study names.")
    ] = False,
) -> int:
    """Answer a study: what does it tell of one person?

    It says how private the mechanism is, what any as private could tell, and how useful the best
    one is. The certificate proves the worst case, or that the mechanism is the best if the study
    asks for it.

    \b
    Example:
      leaktight audit examples/studies/hospital.toml --report ward.html
    """
    from leaktight.studies import read_study

    expect_page(report)
    asked = read_study(study, allow_code=allow_code)
    read = [(f"the file {path.name} of the study", path) for path in asked.files]
    expect_different(*read, ("--report", report), ("--certificate", certificate))
    about_to_write(report, certificate)

    from leaktight.reports.audit import report as reported
    from leaktight.reports.audit import summarised
    from leaktight.studies import audit as answered  # what a mistake need not wait for
    from leaktight.studies.audit import PARTS
    from leaktight.studies.schema import to_json
    from leaktight.worst_case.certificate import write_certificate

    with spinner(quiet or as_json) as progress:
        progress.expect(part.name for part in PARTS if part.compute is not None)
        answer = answered(asked, progress)
    if certificate is not None:
        write_certificate(answer.provable(), certificate)
        answer = answer.proved_by(str(certificate))
    if report is not None:
        words = ["leaktight", "audit", str(study), "--report", report.name]
        words += ["--certificate", certificate.name] if certificate is not None else []
        words += ["--allow-code"] if allow_code else []
        moves = report.suffix.lower() != ".md"
        write_page(report, reported(answer, shlex.join(words), moves=moves))
    if as_json:
        print_json(to_json(answer))
    elif quiet:
        print(answer.verdict.line)
    else:
        show(summarised(answer))
        if report is not None:
            print(f"\nreport: {report}")
    return 1 if answer.holds is False else 0
