"""What can be asked on the command line? Each command parses, calls, prints.

Exit codes: 0 if all is well, 1 if a policy or a claim is violated, 2 on bad input, with one line.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from leaktight.arguments import read_aim, read_numbers, read_ratio, read_whole

app = typer.Typer(
    name="leaktight",
    help="How much does a release of data leak? Exact answers, with proofs.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

RatioOption = Annotated[str | None, typer.Option("--ratio", help="λ = e^ε, such as 2 or 3/2.")]
EpsilonOption = Annotated[str | None, typer.Option("--epsilon", help='ε, such as 1 or "ln 2".')]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
CLOSED = 141
"""The exit code if nobody reads the answer, as a shell has it for a closed pipe."""

MOST_DESIGNED = 400
"""The most values for which a mechanism is designed; more takes an hour."""

GraphArgument = Annotated[
    str, typer.Argument(help="complete:6, line:4, cycle:7, threshold:10:2, grid:3x4, edges:a-b,b-c")
]
RecordsOption = Annotated[int, typer.Option(help="How many independent records there are.")]
PriorOption = Annotated[str | None, typer.Option(help="Such as 1/2,1/4,1/4; uniform if not given.")]


def main() -> NoReturn:
    """Run a command; whatever is wrong with its input is said in one line."""
    from typer.exceptions import TyperException

    from leaktight.errors import LeaktightError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # λ and ε must not stop a terminal that has none
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except LeaktightError as wrong:
        _fail(str(wrong))
    except TyperException as wrong:
        _fail(f"{wrong.format_message()} (leaktight --help)")
    except RecursionError:
        _fail("the file is nested too deeply")
    except MemoryError:
        _fail("there is not enough memory for this; ask for something smaller")
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (nobody reads what is left)
        sys.exit(CLOSED)
    except SystemExit:  # how typer itself leaves when nobody reads; 1 would be a violation
        sys.exit(CLOSED)
    except OSError as wrong:
        _fail(f"{wrong.filename or 'the output'} cannot be used: {wrong.strerror}")
    except typer.Abort:
        sys.exit(130)
    sys.exit(code or 0)


def _fail(text: str) -> NoReturn:
    print("leaktight: " + " ".join(text.split()), file=sys.stderr)
    sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        from leaktight import __version__

        print(f"leaktight {__version__}")
        raise typer.Exit


@app.callback()
def version_option(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """How much does a release of data leak? Exact answers, with proofs."""


@app.command()
def audit(
    study: Annotated[Path, typer.Argument(help="A study, a TOML file.")],
    report: Annotated[Path | None, typer.Option(help="Write a page, .html or .md.")] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run the Python function that the study names.")
    ] = False,
) -> int:
    """Answer a study: is the mechanism private, what does it leak, could another leak more?

    \b
    Example:
      leaktight audit examples/studies/hospital.toml --report ward.html
    """
    from leaktight.audit import audit as answered
    from leaktight.facts import facts
    from leaktight.study import read_study
    from leaktight.terminal import summary, verdict

    pages = (".html", ".htm", ".md")
    if report is not None and report.suffix.lower() not in pages:
        raise typer.BadParameter(f"--report must end in .html or .md, got {report}")
    asked = read_study(study, allow_code=allow_code)
    with _spinner(quiet or as_json) as progress:
        found = facts(answered(asked, progress))
    if report is not None:
        from leaktight.report import html, markdown

        page = markdown if report.suffix.lower() == ".md" else html
        words = ["leaktight", "audit", str(study), "--report", report.name]
        command = shlex.join(words + ["--allow-code"] * allow_code)
        _write(report, page(found, command=command))
    if as_json:
        _print_json(found)
    elif quiet:
        print(verdict(found))
    else:
        print(summary(found))
        if report is not None:
            print(f"\nreport: {report}")
    return 1 if found["holds"] is False else 0


@app.command()
def bound(
    graph: GraphArgument,
    records: RecordsOption = 1,
    ratio: RatioOption = None,
    epsilon: EpsilonOption = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof, as JSON.")] = None,
    as_json: JsonOption = False,
) -> int:
    """How much could any private mechanism leak? Exactly, and by the published bounds.

    \b
    Example:
      leaktight bound line:4 --records 100 --ratio 2
    """
    from leaktight.certificate import write_certificate
    from leaktight.facts import bound_facts, worst_facts
    from leaktight.graph_text import graph_of
    from leaktight.policy import Policy
    from leaktight.worst_case.optimum import worst_case_leakage
    from leaktight.worst_case.published import leakage_bounds

    policy, given = Policy(graph_of(graph), records), read_ratio(ratio, epsilon)
    with _spinner(as_json) as progress:
        progress("worst case")
        worst = worst_case_leakage(policy, *given)
        progress("published bounds")
        table = leakage_bounds(policy, *given)
    if certificate is not None:
        write_certificate(worst, certificate)
    if as_json:
        _print_json(
            {
                "policy": repr(policy),
                "ratio": str(worst.ratio),
                "worst case": worst_facts(worst),
                "bounds": bound_facts(table),
                "not applicable": [str(one) for one in table.inapplicable],
            }
        )
    else:
        how = "exactly" if worst.is_exact else "at most"
        print(f"Any mechanism that is private at λ = {worst.ratio} leaks {how}")
        print(f"{worst.bits:.9g} bits at worst: Σ max = {worst.upper_factors} ({worst.route}).\n")
        print(table)
    return 0


@app.command()
def design(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option(help="Write the mechanism, .csv or .json.")],
    ratio: RatioOption = None,
    epsilon: EpsilonOption = None,
    prior: PriorOption = None,
    gain: Annotated[str, typer.Option(help="guess, distance, difference or squared.")] = "guess",
    certificate: Annotated[Path | None, typer.Option(help="Write the proof, as JSON.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Design the best private mechanism, with a proof that none is better.

    \b
    Example:
      leaktight design line:5 --epsilon 1 --gain distance --output best.csv --certificate best.json
    """
    from leaktight.certificate import write_certificate
    from leaktight.channel_file import write_channel
    from leaktight.errors import TooLarge
    from leaktight.graph_text import graph_of
    from leaktight.mechanisms.design import optimal_mechanism

    values = graph_of(graph)
    if certificate is not None and certificate.resolve() == output.resolve():
        raise typer.BadParameter("--output and --certificate must be two files")
    if values.order > MOST_DESIGNED:
        raise TooLarge(f"at most {MOST_DESIGNED} values have a design, got {values.order:,}")
    given = read_ratio(ratio, epsilon)
    with _spinner(as_json) as progress:
        progress("best mechanism")
        best = optimal_mechanism(values, read_numbers(prior), read_aim(gain, values), *given)
    write_channel(best.channel, output)
    if certificate is not None:
        write_certificate(best, certificate)
    if as_json:
        _print_json(
            {
                "utility": str(best.utility),
                "upper": str(best.upper),
                "gap": float(best.gap),
                "guarantee": str(best.guarantee),
                "mechanism": str(output),
                "certificate": None if certificate is None else str(certificate),
            }
        )
    else:
        print(f"{best!r}\n{best.guarantee}\nmechanism: {output}")
        if certificate is not None:
            print(f"certificate: {certificate}  (leaktight verify {certificate})")
    return 0


@app.command()
def decide(
    graph: GraphArgument,
    numerator: Annotated[str, typer.Argument(help="Coefficients of r(λ) from the constant: 0,2")],
    denominator: Annotated[str, typer.Argument(help="Coefficients of s(λ): 1,1")],
    as_json: JsonOption = False,
) -> int:
    """Decide whether r(λ)/s(λ) bounds the leakage at every ε: exit code 0 if so, 1 if not.

    \b
    Example:
      leaktight decide complete:2 0,2 1,1
    """
    from leaktight.graph_text import graph_of
    from leaktight.worst_case.decision import decide_bound

    decision = decide_bound(graph_of(graph), read_whole(numerator), read_whole(denominator))
    if as_json:
        _print_json(
            {
                "bound": decision.is_bound,
                "attained": decision.is_attained,
                "counterexample": str(decision.counterexample) if decision.counterexample else None,
                "worst case": str(decision.function),
            }
        )
    else:
        print(f"{decision}\nthe worst case is\n{decision.function}")
    return 0 if decision else 1


@app.command()
def repeat(
    channel: Annotated[Path, typer.Argument(help="A channel, .csv or .json.")],
    observations: Annotated[str, typer.Option(help="Such as 10 or 1,10,100.")] = "1,2,5,10,20,50",
    prior: PriorOption = None,
    below: Annotated[str | None, typer.Option(help="A chance that shall not be reached.")] = None,
    as_json: JsonOption = False,
) -> int:
    """What does an attacker know after n observations of one secret?

    \b
    Example:
      leaktight repeat coin.csv --observations 1,10,100 --below 0.99
    """
    from leaktight.attacker import largest_n
    from leaktight.channel_file import read_channel
    from leaktight.exact import shown
    from leaktight.percent import percent, percent_above
    from leaktight.repetition.curve import success_curve

    seen, belief = read_channel(channel), read_numbers(prior)
    curve = success_curve(seen, belief, read_whole(observations))
    most = None if below is None else largest_n(seen, below, belief)
    if as_json:
        points = [
            {"observations": n, "lower": float(p.lower), "upper": float(p.upper), "how": p.method}
            for n, p in curve.items()
        ]
        _print_json({"curve": points, "most below": None if most is None else str(most)})
        return 0
    print("observations  a guess is right")
    for n, p in curve.items():
        low, high = Fraction(p.lower), Fraction(p.upper)
        chance = percent(low) if p.is_exact else f"at most {percent_above(high)}"
        print(f"{n:>12,}  {chance}  ({p.method})")
    if most is not None:
        print(f"at most {most} observations keep it below {shown(read_numbers(below)[0])}")
    return 0


@app.command()
def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate, as JSON.")],
) -> int:
    """Check a certificate, trusting nothing but arithmetic: exit code 1 if it proves nothing.

    \b
    Example:
      leaktight verify best.json
    """
    from leaktight.check import main as check
    from leaktight.errors import InvalidFile

    with redirect_stdout(StringIO()) as said:
        code = check([str(certificate)])
    if code == 2:
        raise InvalidFile(f"{certificate}: {said.getvalue()}")
    print(said.getvalue(), end="")
    return code


@app.command()
def sample(
    channel: Annotated[Path, typer.Argument(help="A channel, .csv or .json.")],
    inputs: Annotated[list[str] | None, typer.Argument(help="Inputs to draw for.")] = None,
    table: Annotated[Path | None, typer.Option(help="A CSV file of answers.")] = None,
    column: Annotated[str | None, typer.Option(help="Its column to be replaced.")] = None,
    output: Annotated[Path | None, typer.Option(help="Where to write the released file.")] = None,
) -> int:
    """Draw from a channel, exactly: for inputs, or for a column of a CSV file.

    \b
    Example:
      leaktight sample coin.csv yes no yes
    """
    from leaktight.channel_file import read_channel
    from leaktight.release import release_csv
    from leaktight.sampling import sample as drawn

    seen = read_channel(channel)
    if table is not None and column is not None and output is not None:
        print(release_csv(seen, table, output, column))
    elif inputs and table is None:
        named = {str(x): x for x in seen.inputs}
        print("\n".join(map(str, drawn(seen, [named.get(text, text) for text in inputs]))))
    else:
        raise typer.BadParameter("give inputs, or all of --table, --column and --output")
    return 0


@app.command()
def reproduce(
    claim: Annotated[str | None, typer.Argument(help="Such as E-T11; all if not given.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Draw the figures into this folder.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Check every claim of the five papers before your eyes.

    \b
    Example:
      leaktight reproduce E-T11
    """
    from leaktight.claims.claim import run
    from leaktight.claims.register import claims_named
    from leaktight.claims.show import detail, line, to_dict

    chosen, outcomes = claims_named(claim), []
    for one in chosen:
        outcome = run(one)
        outcomes.append(outcome)
        if not as_json:
            print(detail(outcome) if claim else line(outcome), flush=True)
    if figures is not None:
        from leaktight.claims.figures import draw_all

        for path in draw_all(figures):
            print(f"drawn: {path}", file=sys.stderr)
    failed = [outcome for outcome in outcomes if not outcome.holds]
    if as_json:
        _print_json([to_dict(outcome) for outcome in outcomes])
    elif claim is None:
        seconds = sum(outcome.seconds for outcome in outcomes)
        print(f"{len(outcomes)} claims in {seconds:.0f} s, {len(failed)} not as stated")
    return 1 if failed else 0


# --- writing -------------------------------------------------------------------


def _print_json(content: Any) -> None:
    print(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def _write(path: Path, text: str) -> None:
    from leaktight.errors import InvalidFile

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be written: {wrong.strerror}") from None


@contextmanager
def _spinner(silent: bool) -> Iterator[Callable[[str], object]]:
    """Show what is being computed, on a terminal."""
    if silent or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(f"computing: {what}")
