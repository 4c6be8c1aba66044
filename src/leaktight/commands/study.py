"""``audit``: the answer to a study."""

import shlex
from pathlib import Path

import click

from leaktight.commands.arguments import PATH, certificate_option, json_option, report_option
from leaktight.commands.output import (
    about_to_write,
    expect_different,
    expect_page,
    print_json,
    show,
    spinner,
    write_page,
)


@click.command()
@click.argument("study", type=PATH, help="A study, a TOML file.")
@report_option
@certificate_option
@json_option
@click.option("--quiet", is_flag=True, help="Print only the verdict.")
@click.option("--allow-code", is_flag=True, help="Run the Python function that the study names.")
def audit(
    study: Path,
    report: Path | None,
    certificate: Path | None,
    as_json: bool,
    quiet: bool,
    allow_code: bool,
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

    parts = (part.name for part in PARTS if part.compute is not None)
    with spinner(quiet or as_json, *parts) as progress:
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
