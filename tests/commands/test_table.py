"""From a CSV file to published numbers, and what a ledger tells, on the command line."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from math import exp
from pathlib import Path

import pytest

from tests.commands.conftest import Run

TABLES = Path(__file__).parent.parent.parent / "examples" / "tables"


@pytest.fixture
def wages(run: Run) -> Path:
    """The wage table and its study, in the folder where commands run."""
    for name in ("wages.toml", "wages.csv"):
        shutil.copy(TABLES / name, name)
    return Path("wages.toml")


def changed(study: Path, old: str, new: str) -> None:
    text = study.read_text("utf-8")
    assert old in text
    study.write_text(text.replace(old, new), "utf-8")


def test_three_commands_take_a_csv_file_to_published_numbers(run: Run, wages: Path) -> None:
    planned = run("release", "wages.toml", "--plan")
    assert planned.code == 0
    assert "by band (ordered histogram)" in planned.out
    assert not Path("wages.ledger").exists()
    assert run("ledger", "wages.ledger", "--new", "wages.toml").code == 0
    done = run("release", "wages.toml")
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    assert "ε ≤ 1; all releases of the ledger together: ε ≤ 1 of ε = 2" in told
    assert "16.7% before, and at most 57.9% after" in told
    with Path("wages-2024.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["query"] for row in rows] == ["by band"] * 6 + ["up to"] * 6 + ["top band"]
    assert rows[11]["number"] == "595"
    for row in rows:
        assert int(row["low"]) <= int(row["number"]) <= int(row["high"])
    bands = [float(row["fitted"]) for row in rows[:6]]
    assert min(bands) >= 0
    assert abs(sum(bands) - 595) < 0.001
    shown = run("ledger", "wages.ledger")
    assert "2024: by band, up to, top band; ε ≤ 1" in shown.out
    told = shown.out.replace("\n", " ").replace("      ", "")
    assert "60-90k – >90k: ε ≤ 1 spent (ρ ≤ 0." in told
    assert "ε = 1 left" in told
    assert "<20k – 20-30k and 3 more: ε ≤ 0.666667 spent (ρ ≤ 0." in told
    assert "ε = 1.33333 left" in told
    for said in (planned, done, shown):
        assert max(map(len, said.out.splitlines())) <= 80


@pytest.fixture
def ledger(run: Run, wages: Path) -> Path:
    run("ledger", "wages.ledger", "--new", "wages.toml")
    return Path("wages.ledger")


def test_asked_again_the_same_numbers_come_back(run: Run, ledger: Path) -> None:
    first = json.loads(run("release", "wages.toml", "--json").out)
    kept = Path("wages-2024.csv").read_bytes(), Path("wages-2024.csv.release.json").read_bytes()
    again = json.loads(run("release", "wages.toml", "--json").out)
    assert first.pop("new") is True
    assert again.pop("new") is False
    assert again == first
    assert kept == (
        Path("wages-2024.csv").read_bytes(),
        Path("wages-2024.csv.release.json").read_bytes(),
    )
    said = " ".join(run("release", "wages.toml").out.split())
    assert re.search(r"Drawn on \S+ from wages.csv, written \S+; nothing was spent now\.", said)


def test_numbers_of_another_table_are_not_shown_as_its_own(run: Run, ledger: Path) -> None:
    first = json.loads(run("release", "wages.toml", "--json").out)
    written = Path("wages.csv").stat().st_mtime_ns
    shutil.copy("wages.csv", "february.csv")
    os.utime("wages.csv", ns=(written, written + 1))
    for source in ("wages.csv", "february.csv", "nowhere.csv"):
        changed(Path("wages.toml"), 'source = "wages.csv"', f'source = "{source}"')
        refused = run("release", "wages.toml")
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert "was drawn on" in refused.err
        assert f"and this is {source}" in refused.err
        assert refused.out == ""
        again = json.loads(run("release", "wages.toml", "--again", "--json").out)
        assert again["numbers"] == first["numbers"]
        changed(Path("wages.toml"), f'source = "{source}"', 'source = "wages.csv"')
    assert len(json.loads(run("ledger", "wages.ledger", "--json").out)["releases"]) == 1
    never = run("release", "wages.toml", "--name", "2025", "--output", "2025.csv", "--again")
    assert "has no numbers of a release '2025' to show" in never.err


def test_a_name_may_have_the_month_in_it(run: Run, ledger: Path) -> None:
    changed(Path("wages.toml"), 'name = "2024"', 'name = "wages of {year}-{month}"')
    changed(Path("wages.toml"), 'output = "wages-2024.csv"', 'output = "{year}-{month}-{day}.csv"')
    before = date.today()
    done = json.loads(run("release", "wages.toml", "--json").out)
    days = {before, date.today()}
    assert done["record"]["name"] in {f"wages of {day:%Y-%m}" for day in days}
    assert any(Path(f"{day:%Y-%m-%d}.csv").exists() for day in days)


def test_the_record_has_hashes_versions_and_the_guarantee(run: Run, ledger: Path) -> None:
    record = json.loads(run("release", "wages.toml", "--json").out)["record"]
    assert record["guarantee"]["epsilon"] == 1
    assert record["policy"]["secret pairs"] == 5
    assert record["data"]["columns"] == [["wage", "Float64"], ["employee", "String"]]
    assert {len(query["weights hash"]) for query in record["queries"]} == {64}
    assert set(record["versions"]) >= {"leaktight", "duckdb", "narwhals"}
    assert record["one person"]["before"] == "1/6"
    assert json.loads(Path("wages-2024.csv.release.json").read_text("utf-8")) == record


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_other_kinds_of_output_have_the_same_numbers(run: Run, ledger: Path, kind: str) -> None:
    import duckdb

    first = json.loads(run("release", "wages.toml", "--json").out)["numbers"]
    done = run("release", "wages.toml", "--output", f"other.{kind}")
    assert done.code == 0, done.err
    if kind == "json":
        assert json.loads(Path("other.json").read_text("utf-8")) == first
    else:
        rows = duckdb.connect().read_parquet("other.parquet").fetchall()
        assert rows == [tuple(row.values()) for row in first]


def test_the_histograms_are_drawn(run: Run, ledger: Path) -> None:
    from xml.etree import ElementTree

    assert run("release", "wages.toml", "--picture", "wages.svg").code == 0
    text = "".join(ElementTree.parse("wages.svg").getroot().itertext())
    assert "by band" in text
    assert "20-30k" in text
    assert "95%" in text
    assert "must end in .svg" in run("release", "wages.toml", "--picture", "wages.png").err


def test_the_budget_ends(run: Run, ledger: Path) -> None:
    for name in ("2024", "2025"):
        done = run("release", "wages.toml", "--name", name, "--output", f"{name}.csv")
        assert done.code == 0, done.err
    refused = run("release", "wages.toml", "--name", "2026", "--output", "2026.csv")
    assert refused.code == 2
    assert "would bring the privacy loss of 60-90k – >90k to ε ≤ 3" in refused.err
    assert refused.err.count("\n") == 1
    assert not Path("2026.csv").exists()


def test_a_ledger_is_shown_to_machines_and_to_the_registry(run: Run, ledger: Path) -> None:
    run("release", "wages.toml")
    shown = json.loads(run("ledger", "wages.ledger", "--json").out)
    assert shown["releases"][0]["queries"] == ["by band", "up to", "top band"]
    assert [pair["alike"] for pair in shown["pairs"]] == [1, 4]
    asked = json.loads(run("ledger", "wages.ledger", "--registry").out)["deployment"]
    assert asked["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}
    assert asked["product"]["data_curators"] is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("records = 595", "records = 594", "was made for another policy"),
        ('"60-90k", ">90k"]', '"60-90k", "more"]', "there is no value of 'top band': '>90k'"),
        ("epsilon = 1", "epsilon = 3", "would bring the privacy loss of"),
        ("epsilon = 1", "", "[release] needs epsilon or ratio"),
        ('ledger = "wages.ledger"', 'ledger = "none.ledger"', "there is no ledger none.ledger"),
        (
            'columns = "wage"',
            'columns = "wages"',
            "cuts must be of ['wages'], got 'wage'",
        ),
        ('person = "employee"', 'person = "name"', "no column 'name'"),
        ("90_000]", "]", "6 declared values, which need 5 cuts"),
        ('kind = "count"', 'kind = "counts"', "did you mean 'count'?"),
        ('kind = "cumulative"', 'kind = "cumulative"\nvalues = [1]', "is for count"),
        ('source = "wages.csv"', 'source = "wages.txt"', "must end in .csv"),
        ('source = "wages.csv"', "", "[data] needs source"),
        ('output = "wages-2024.csv"', 'output = "wages.csv"', "is there already, and no release"),
        ('output = "wages-2024.csv"', 'output = "wages.txt"', "output must end in"),
        ('name = "2024"', "name = 2024", "must be text in quotes"),
        ("employee", "employees", "no column 'employees'; did you mean 'employee'?"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_costs_nothing(
    run: Run, ledger: Path, wages: Path, old: str, new: str, said: str
) -> None:
    changed(wages, old, new)
    wrong = run("release", "wages.toml")
    assert wrong.code == 2
    assert said in wrong.err
    assert wrong.err.count("\n") == 1
    assert "0 releases" in run("ledger", "wages.ledger").out


def test_an_old_copy_of_a_ledger_and_another_one_are_found_out(run: Run, ledger: Path) -> None:
    shutil.copy(ledger, "old")
    run("release", "wages.toml")
    shutil.copy(ledger, "new")
    shutil.copy("old", ledger)
    assert "does not know the release '2024'" in run("release", "wages.toml").err
    ledger.unlink()
    run("ledger", "wages.ledger", "--new", "wages.toml")
    assert "was released from another ledger" in run("release", "wages.toml").err
    shutil.copy("new", ledger)
    other = run("release", "wages.toml", "--name", "2025")
    assert "has the release '2024'; name another output" in other.err


def test_a_state_that_was_noted_finds_out_an_older_copy(run: Run, ledger: Path) -> None:
    shutil.copy(ledger, "old")
    run("release", "wages.toml")
    shown = run("ledger", "wages.ledger")
    noted = shown.out.splitlines()[-1].removeprefix("State ").removesuffix(".")
    assert json.loads(run("ledger", "wages.ledger", "--json").out)["state"].startswith(noted)
    assert run("ledger", "wages.ledger", "--expect", noted).out == shown.out
    shutil.copy("old", ledger)
    assert run("ledger", "wages.ledger").code == 0  # an older copy is sound by itself
    refused = run("ledger", "wages.ledger", "--expect", noted)
    assert refused.code == 2
    assert f"was never in the state {noted}: it is an older copy" in refused.err
    assert refused.err.count("\n") == 1


def test_a_ledger_is_made_once_and_with_a_budget(run: Run, ledger: Path, wages: Path) -> None:
    assert "made only once" in run("ledger", "wages.ledger", "--new", "wages.toml").err
    assert "ledger is wages.ledger, not other" in run("ledger", "other", "--new", "wages.toml").err
    changed(wages, "budget = 2\n", "")
    ledger.unlink()
    assert "needs budget" in run("ledger", "wages.ledger", "--new", "wages.toml").err


def test_a_cell_of_the_data_appears_in_no_error_record_or_output(run: Run, wages: Path) -> None:
    canary, study = "CANARY-7731", wages.read_text("utf-8")
    rows = Path("wages.csv").read_text("utf-8")
    run("ledger", "wages.ledger", "--new", "wages.toml")
    for at, bad in enumerate(
        (
            rows.replace("\n1001,", f"\n{canary},"),  # a person: this one may be released
            rows.replace("\n1001,", f"\n1001,{canary}"),
            rows.replace("\n1001,", f'\n1001,"{canary}'),
            rows.replace("\n1001,", f"\n1001,{canary},"),
            rows + f"1595,{canary}\n",
        )
    ):
        Path("wages.csv").write_text(bad, "utf-8")
        text = study.replace('name = "2024"', f'name = "{at}"').replace("-2024.csv", f"-{at}.csv")
        wages.write_text(text, "utf-8")
        said = run("release", "wages.toml")
        assert said.code == (0 if at == 0 else 2)
        assert canary not in said.out + said.err
    for file in Path().iterdir():
        if file.is_file() and file.name != "wages.csv":
            assert canary.encode() not in file.read_bytes()


def test_it_runs_as_a_program(wages: Path) -> None:
    words = ["-m", "leaktight", "ledger", "wages.ledger", "--new", "wages.toml"]
    done = subprocess.run([sys.executable, *words], capture_output=True, check=True)
    assert b"0 releases" in done.stdout


@pytest.mark.parametrize("policy", ["edges:no-yes", "asked.toml"])
def test_a_released_column_states_its_guarantee_if_the_policy_is_given(
    run: Run, policy: str
) -> None:
    Path("asked.toml").write_text('[policy]\nvalues = ["no", "yes"]\nrecords = 2\n', "utf-8")
    words = "sample coin.csv --table people.csv --column answer --output o.csv --json --policy"
    said = run(*words.split(), policy)
    assert json.loads(said.out)["guarantee"]["ratio"] == "2"
    assert json.loads(Path("o.csv.release.json").read_text("utf-8"))["guarantee"]["ratio"] == "2"


def test_a_cell_that_is_no_input_is_named_by_its_line_alone(run: Run) -> None:
    words = ("--table", "people.csv", "--column", "name", "--output", "o.csv")
    said = run("sample", "coin.csv", *words)
    assert said.code == 2
    assert "line 2, column 'name': the cell is no input of the channel" in said.err
    assert "Ada" not in said.err


VOTES = """
title = "A vote"
[policy]
values = ["no", "yes"]
records = 40
[mechanism]
kind = "randomised response"
ratio = 3
[data]
source = "votes.csv"
columns = "vote"
[release]
rows = true
budget = 2
ledger = "votes.ledger"
output = "noisy.csv"
"""


@pytest.fixture
def votes(run: Run) -> Path:
    Path("votes.csv").write_text("vote,name\n" + "yes,Ada\nno,Bob\n" * 20)
    Path("votes.toml").write_text(VOTES, "utf-8")
    assert run("ledger", "votes.ledger", "--new", "votes.toml").code == 0
    return Path("noisy.csv")


def test_every_row_of_a_column_is_published_with_its_record(run: Run, votes: Path) -> None:
    done = run("release", "votes.toml")
    assert done.code == 0, done.err
    assert "40 rows, each answered by itself" in done.out
    assert "ε ≤ 1.09862 of ε = 2" in done.out
    assert "at most 75% after" in " ".join(done.out.split())
    rows = votes.read_text().splitlines()
    assert rows[0] == "vote"
    assert len(rows) == 41
    assert set(rows[1:]) <= {"no", "yes"}
    record = json.loads(Path("noisy.csv.release.json").read_text("utf-8"))
    assert record["guarantee"]["ratio"] == "3"
    assert record["file"]["rows"] == 40
    again = run("release", "votes.toml", "--json")
    assert json.loads(again.out)["record"]["file"] == record["file"]
    assert votes.read_text().splitlines() == rows
    more = run("release", "votes.toml", "--name", "b", "--output", "b.csv")
    assert (more.code, Path("b.csv").exists()) == (2, False)
    assert "budget" in more.err


def test_a_record_of_rows_that_was_never_written_is_written_when_asked_again(
    run: Run, votes: Path
) -> None:
    assert run("release", "votes.toml").code == 0
    Path("noisy.csv.release.json").unlink()
    assert run("release", "votes.toml").code == 0
    assert Path("noisy.csv.release.json").exists()


@pytest.mark.parametrize("option", [["--plan"], ["--picture", "p.svg"]])
def test_rows_have_no_plan_and_no_picture(run: Run, votes: Path, option: list[str]) -> None:
    refused = run("release", "votes.toml", *option)
    assert refused.code == 2
    assert "are for queries" in refused.err


def test_a_noisy_number_is_not_called_exact_however_little_noise_it_has(run: Run) -> None:
    Path("t.csv").write_text("v\n" + "a\n" * 5 + "b\n" * 4)
    Path("t.toml").write_text(
        '[policy]\nvalues = ["a", "b"]\nrecords = 9\n[data]\nsource = "t.csv"\ncolumns = "v"\n'
        '[release]\nname = "one"\nepsilon = 20\nbudget = 100\nledger = "t.ledger"\n'
        '[[release.queries]]\nname = "some"\nkind = "count"\nvalues = ["a"]\n'
        '[[release.queries]]\nname = "each"\nkind = "count"\nvalues = ["a", "b"]\n'
    )
    assert run("ledger", "t.ledger", "--new", "t.toml").code == 0
    said = run("release", "t.toml")
    assert said.code == 0, said
    told = {line.split()[0]: line for line in said.out.splitlines() if line[:4] in ("some", "each")}
    assert "exactly" not in told["some"]  # 2/(e^20 + 1) is not 0
    assert re.search(r"(-?\d+) to \1$", told["some"])
    assert told["each"].endswith("9  exactly")


# --- the officer's page, and the check of a record -----------------------------------------


PEOPLE = """
title = "Ward"
[policy]
records = 40
[policy.attributes]
sex = ["female", "male"]
age = ["0-64", "65+"]
[data]
source = "ward.csv"
columns = ["sex", "age"]
[release]
name = "June"
epsilon = 1
budget = 2
ledger = "ward.ledger"
output = "june.OUT"
[[release.queries]]
name = "sex by age"
kind = "plain histogram"
[[release.queries]]
name = "by age"
kind = "plain histogram"
by = ["age"]
"""


def ward(run: Run, ends: str = "csv") -> None:
    Path("ward.toml").write_text(PEOPLE.replace("OUT", ends), "utf-8")
    rows = ["female,0-64"] * 11 + ["female,65+"] * 9 + ["male,0-64"] * 16 + ["male,65+"] * 4
    Path("ward.csv").write_text("\n".join(["sex,age", *rows]) + "\n", "utf-8")
    assert run("ledger", "ward.ledger", "--new", "ward.toml").code == 0


@pytest.mark.parametrize("page", ["page.html", "page.md"])
def test_a_release_is_defended_on_one_page(run: Run, page: str) -> None:
    ward(run)
    done = run("release", "ward.toml", "--report", page)
    assert done.code == 0, done.err
    assert f"report: {page}" in done.out
    text = Path(page).read_text("utf-8")
    record = json.loads(Path("june.csv.release.json").read_text("utf-8"))
    with Path("june.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["cell"] for row in rows[:2]] == ["female, 0-64", "female, 65+"]
    for said in (
        "Published: sex by age", "Published: by age", "ward.csv, written", "June",
        "What has been spent", "What is promised, and what is assumed", "How to check it",
        "leaktight verify june.csv.release.json --study ward.toml",
        record["numbers"]["hash"], record["policy"]["hash"], record["ledger"]["chain"],
        rows[0]["cell"], "one person's age right",
    ):  # fmt: skip
        assert said.replace("'", "&#39;" if page.endswith("html") else "'") in text, said
    assert "('female" not in text
    again = run("release", "ward.toml", "--again", "--report", page)
    assert again.code == 0, again.err


@pytest.mark.parametrize(
    ("outside", "said"),
    [
        ('{ age = "65+", sex = "male" }', "rule: outside | age: 65+; sex: male |"),
        ('{ age = "65+" }', "rule: outside | age: 65+ |"),
    ],
)
def test_the_page_says_where_cells_outside_belong_by_column(
    run: Run, outside: str, said: str
) -> None:
    ward(run)
    text = Path("ward.toml").read_text("utf-8")
    Path("ward.toml").write_text(text.replace("[release]", f"outside = {outside}\n[release]"))
    assert run("release", "ward.toml", "--report", "page.md").code == 0
    page = Path("page.md").read_text("utf-8")
    assert said in page
    assert "((" not in page


def test_the_page_writes_a_day_to_which_cells_outside_belong_as_people_do(run: Run) -> None:
    Path("d.csv").write_text("day,ill\n2024-01-01,yes\n2024-01-02,no\n2023-05-05,no\n")
    Path("d.toml").write_text("""
        [policy]
        records = 3
        attributes = { day = [2024-01-01, 2024-01-02], ill = ["yes", "no"] }
        [data]
        source = "d.csv"
        columns = ["day", "ill"]
        outside = { day = 2024-01-02 }
        [release]
        name = "June"
        epsilon = 1
        budget = 2
        ledger = "d.ledger"
        queries = [{ name = "ill", kind = "plain histogram", by = ["ill"] }]
    """)
    assert run("ledger", "d.ledger", "--new", "d.toml").code == 0
    told = run("release", "d.toml", "--report", "page.md")
    assert told.err.endswith("'day' and is counted as '2024-01-02'\n")
    assert "rule: outside | day: 2024-01-02 |" in Path("page.md").read_text("utf-8")


def test_the_odds_of_one_attribute_follow_from_what_was_asked_about_it(run: Run) -> None:
    """The histogram of both has 2 units for a pair, that by age 2 more for a pair of ages.

    So r = e^(1/4); of sex alone e^(1/2) is paid: 1/(1 + e^(-1/2)) = 62.25%, of age e: 73.1%.
    """
    ward(run)
    told = json.loads(run("release", "ward.toml", "--json").out)["record"]["one attribute"]
    near = {each["attribute"]: each["after at most"] for each in told}
    assert near["sex"] == pytest.approx(0.622459, abs=1e-6)
    assert near["age"] == pytest.approx(0.731059, abs=1e-6)


@pytest.mark.parametrize("ends", ["csv", "json", "parquet"])
def test_a_record_is_checked_by_numbers_ledger_and_study(run: Run, ends: str) -> None:
    ward(run, ends)
    assert run("release", "ward.toml").code == 0
    record = f"june.{ends}.release.json"
    found = run("verify", record, "--study", "ward.toml", "--json")
    assert found.code == 0, found.err
    checks = {each["what"]: each["holds"] for each in json.loads(found.out)["checks"]}
    assert checks == dict.fromkeys(
        ["record", "numbers", "ledger", "cost", "budget", "stored", "policy", "queries",
         "guarantee"], True
    )  # fmt: skip
    alone = run("verify", record)
    assert alone.code == 0
    assert "– ledger: it was not given" in alone.out


@pytest.mark.parametrize(
    ("edit", "fails"),
    [
        (lambda r: r["data"]["columns"][0].__setitem__(0, "name"), "record"),
        (lambda r: r["numbers"].__setitem__("hash", "0" * 64), "numbers"),
        (lambda r: r["ledger"].__setitem__("identity", "other"), "ledger"),
        (lambda r: r["ledger"].__setitem__("chain", "0" * 64), "ledger"),
        (lambda r: r["guarantee"].__setitem__("ratio", "2"), "cost"),
        (lambda r: r["guarantee"].__setitem__("budget", "epsilon 9"), "budget"),
        (lambda r: r["policy"].__setitem__("hash", "0" * 64), "policy"),
        (lambda r: r["queries"][0].__setitem__("alpha", "1/2"), "queries"),
    ],
)
def test_a_record_that_was_changed_is_refuted(run: Run, edit: object, fails: str) -> None:
    ward(run)
    run("release", "ward.toml")
    file = Path("june.csv.release.json")
    record = json.loads(file.read_text("utf-8"))
    edit(record)  # type: ignore[operator]
    file.write_text(json.dumps(record), "utf-8")
    found = run("verify", str(file), "--study", "ward.toml")
    assert found.code == 1
    assert f"✗ {fails}" in found.out
    assert "Traceback" not in found.err


def test_numbers_that_were_changed_are_noticed_and_half_a_record_is_refused(run: Run) -> None:
    ward(run)
    run("release", "ward.toml")
    text = Path("june.csv").read_text("utf-8").splitlines()
    text[1] = text[1].replace(text[1].split(",")[3], "99999", 1)
    Path("june.csv").write_text("\n".join(text), "utf-8")
    found = run("verify", "june.csv.release.json")
    assert found.code == 1
    assert "✗ numbers: those in june.csv are not those that were published" in found.out
    Path("june.csv.release.json").write_text('{"format": "leaktight table release"}', "utf-8")
    found = run("verify", "june.csv.release.json")
    assert found.code != 0
    assert "no whole record of a release" in found.err
    Path("list.json").write_text("[]", "utf-8")
    assert run("verify", "list.json").code != 0


def test_a_plan_has_no_page_and_a_page_has_a_known_form(run: Run) -> None:
    ward(run)
    assert run("release", "ward.toml", "--plan", "--report", "p.html").code == 2
    assert run("release", "ward.toml", "--report", "p.pdf").code == 2
    assert not Path("june.csv").exists()


MARGINS = """
[policy]
attributes = { sex = ["f", "m"], town = ["A", "B"], ill = ["no", "yes"] }
margins = ["sex, town"]
differ = "all"
records = 40
[data]
source = "t.csv"
columns = ["sex", "town", "ill"]
[release]
name = "a"
epsilon = 1
budget = 2
ledger = "book"
queries = [{ name = "ill", kind = "plain histogram", by = ["ill"] }]
"""


def test_a_plan_says_what_is_left_and_what_public_margins_do(run: Run) -> None:
    Path("m.toml").write_text(MARGINS)
    told = run("release", "m.toml", "--plan")
    assert told.code == 0
    text = " ".join(told.out.split())
    assert (
        "a new one would be there with ε = 2 left of ε = 2, and ε = 1 after this release." in text
    )
    assert "neighbours differ in up to 4 records at once, such as (" in text
    # Four records become ill at once in place of one: ε/8 for each unit, and not ε/2.
    wide = [(2 * a / (1 - a) ** 2) ** 0.5 for a in (exp(-1 / 8), exp(-1 / 2))]
    assert f"That makes the noise {wide[0] / wide[1]:.3g} times as wide as if nothing" in text
    assert "only town public, not sex, town: ±" in text
    assert "sex and town not secret: ±" in text
    told = run("release", "m.toml", "--plan", "--json")
    assert json.loads(told.out)["fits"] is True
    assert json.loads(told.out)["queries"][0]["taken"] is True


def test_a_plan_that_does_not_fit_says_so(run: Run) -> None:
    Path("m.toml").write_text(MARGINS.replace("epsilon = 1", "epsilon = 3"))
    told = run("release", "m.toml", "--plan")
    assert told.code == 1
    assert "the release does not fit" in " ".join(told.out.split())


def test_a_plan_is_of_the_name_that_is_asked_for(run: Run, wages: Path) -> None:
    """What a plan says, the release does: the budget pays for two of these, and each once."""
    assert run("ledger", "wages.ledger", "--new", "wages.toml").code == 0

    def both(name: str) -> tuple[str, int]:
        planned = run("release", "wages.toml", "--name", name, "--plan")
        done = run("release", "wages.toml", "--name", name, "--output", f"{name}.csv")
        assert (planned.code == 0) == (done.code == 0), planned.out + done.err
        return " ".join(planned.out.split()), planned.code

    assert "ε = 1 after this release" in both("2024")[0]
    assert "'2024' is in the ledger already: asked again, it costs nothing" in both("2024")[0]
    assert "ε = 0 after this release" in both("2025")[0]
    told, code = both("2026")
    assert (code, "ε = 0 left of ε = 2: the release does not fit" in told) == (1, True)
    changed(wages, "epsilon = 1", 'epsilon = "1/2"')
    told, code = both("2025")
    assert (code, "has another release called '2025', of" in told) == (1, True)


def test_a_plan_says_what_an_error_costs(run: Run) -> None:
    text = MARGINS.replace("epsilon = 1\n", "").replace('by = ["ill"]', 'by = ["ill"], error = 20')
    Path("m.toml").write_text(text.replace('margins = ["sex, town"]\n', ""))
    told = run("release", "m.toml", "--plan")
    # ±20: 2α/(1−α)² = 400 with α = e^(−ε/2), as one record changes two numbers.
    assert "ε ≤ 0.141" in told.out
    assert "one number is off by ±20," in told.out


def test_the_page_of_gaussian_noise_says_that_its_odds_are_on_average(run: Run) -> None:
    text = PEOPLE.replace("OUT", "csv").replace("epsilon = 1", 'noise = "gaussian"\nrho = "1/10"')
    ward(run)
    Path("gauss.toml").write_text(
        text.replace("budget = 2", 'budget = { rho = "1/2" }').replace("ward.ledger", "g.ledger"),
        "utf-8",
    )
    assert run("ledger", "g.ledger", "--new", "gauss.toml").code == 0
    assert run("release", "gauss.toml", "--report", "page.md").code == 0
    page = Path("page.md").read_text("utf-8")
    assert "after all of it, on average over what may come out" in page
    assert "outcomes on average, not for each of them" in page
    assert "by the outcome that speaks for it most" not in page
    assert run("verify", "june.csv.release.json", "--study", "gauss.toml").code == 0


SMOKING = """
[policy]
values = ["never", "former", "heavy"]
records = 4
[question]
prior = { never = "0.6", former = "0.3", heavy = "0.1" }
[data]
source = "smoking.csv"
columns = ["smoking"]
[release]
name = "first"
ratio = 3
ledger = "smoking.ledger"
budget = { ratio = 3 }
[[release.queries]]
name = "all"
kind = "histogram"
by = ["smoking"]
"""


def test_a_release_and_its_ledger_tell_the_odds_of_each_value(run: Run) -> None:
    """With λ = 3 a belief p becomes at most 3p/(1 + 2p), of whoever knows all others."""
    Path("smoking.toml").write_text(SMOKING)
    Path("smoking.csv").write_text("smoking\nnever\nnever\nformer\nheavy\n")
    assert "one person\n" not in run("ledger", "smoking.ledger", "--new", "smoking.toml").out
    rows = [" ".join(line.split()) for line in run("release", "smoking.toml").out.splitlines()]
    assert "smoking heavy 10% ≤ 25% ≤ ×2.5" in rows
    assert "smoking former 30% ≤ 56.3% ≤ ×1.88" in rows
    told = run("ledger", "smoking.ledger").out.splitlines()
    assert "smoking heavy 33.3% ≤ 60% ≤ ×1.8" in [" ".join(line.split()) for line in told]
    assert "before, all values are taken to be equally likely." in " ".join(told)
    assert told[-1].startswith("State ")
    (found,) = json.loads(run("ledger", "smoking.ledger", "--json").out)["one attribute"]
    assert [each["value"] for each in found["values"]] == ["never", "former", "heavy"]
    assert all(0.6 <= each["after at most"] < 0.6 + 1e-12 for each in found["values"])


def test_numbers_stand_under_their_heading_however_short_the_names_of_cells_are(run: Run) -> None:
    short = SMOKING.replace("never", "n").replace("former", "f").replace("heavy", "h")
    Path("smoking.toml").write_text(short)
    Path("smoking.csv").write_text("smoking\nn\nn\nf\nh\n")
    run("ledger", "smoking.ledger", "--new", "smoking.toml")
    lines = run("release", "smoking.toml").out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("query"))
    ends = lines[first].index("number") + len("number")
    assert all(
        line[ends - 1].isdigit() and line[ends] == " " for line in lines[first + 1 : first + 4]
    )
