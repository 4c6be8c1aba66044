"""Only the page itself is answered, and nothing that is asked ends the server."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.web import server
from leaktight.web.app import ASSETS, MOST_BYTES, make_app
from leaktight.web.guard import TOKEN
from leaktight.web.pool import Pool

PORT, OWN = 8440, "http://127.0.0.1:8440"
ASKED = {"study": {"policy": {"values": ["no", "yes"]}, "question": {"ratio": 3}}}
LONG = {"study": {"policy": {"values": 40, "secrets": "threshold", "distance": 3}}}
"""A formula of which takes a minute."""
HOUR = 3600
"""As long as nobody waits: no test fails because a machine is slow."""


@pytest.fixture(scope="module")
def page() -> Iterator[TestClient]:
    """A page that answers one question at a time, and waits as long as a busy machine may need."""
    app = make_app("secret", PORT, Pool(workers=1, seconds=HOUR), Pool(workers=1, seconds=HOUR))
    with TestClient(app, OWN, headers={TOKEN: "secret", "origin": OWN}) as client:
        yield client


def said(page: TestClient, task: str, asked: Any) -> dict[str, Any]:
    """Return the last line of an answer."""
    lines = page.post(f"/ask/{task}", json=asked).text.splitlines()
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def test_the_page_is_there_with_all_its_parts(page: TestClient) -> None:
    assert page.get("/").headers["content-type"].startswith("text/html")
    for part in ASSETS.iterdir():
        assert page.get(f"/assets/{part.name}").status_code == 200
    assert page.get("/assets/../app.py").status_code == 404
    assert page.get("/other").status_code == 404


def test_a_question_is_answered(page: TestClient) -> None:
    assert said(page, "answer", ASKED)["answer"]["audit"]["worst_case"]["factor"] == "3/2"
    assert "must not be" not in said(page, "answer", ASKED)
    assert "values" in said(page, "answer", {"study": {"policy": {}}})["wrong"]


def test_another_host_is_misdirected(page: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:8440.evil.example", ""):
        assert page.get("/", headers={"host": host}).status_code == 421
        assert page.post("/ask/answer", json=ASKED, headers={"host": host}).status_code == 421
    assert page.get("/", headers={"host": "localhost:8440"}).status_code == 200


def test_another_origin_is_forbidden(page: TestClient) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1:8440", "http://127.0.0.1"):
        assert page.post("/ask/answer", json=ASKED, headers={"origin": origin}).status_code == 403
        assert page.get("/", headers={"origin": origin}).status_code == 403


def test_nothing_is_answered_without_the_token(page: TestClient) -> None:
    for token in ("", "secre", "secret2", "SECRET", "secret, secret"):
        answer = page.post("/ask/answer", json=ASKED, headers={TOKEN: token})
        assert answer.status_code == 403
    assert page.post("/ask/answer?token=secret", json=ASKED, headers={TOKEN: ""}).status_code == 403


def test_too_much_is_refused_whether_or_not_its_length_is_told(page: TestClient) -> None:
    assert page.post("/ask/answer", content=b" " * MOST_BYTES).status_code == 200
    assert page.post("/ask/answer", content=b" " * (MOST_BYTES + 1)).status_code == 413
    parts = (b" " * 2**16 for _ in range(5))
    assert page.post("/ask/answer", content=parts).status_code == 413


def test_what_is_not_known_is_not_found(page: TestClient) -> None:
    assert page.post("/ask/other", json=ASKED).status_code == 404
    assert page.get("/ask/answer").status_code == 405
    assert page.put("/ask/answer", json=ASKED).status_code == 405


def test_nothing_comes_from_elsewhere(page: TestClient) -> None:
    answers = [page.get("/"), page.get("/assets/page.js"), page.get("/", headers={"host": "x"})]
    for answer in answers:
        rules = answer.headers["content-security-policy"]
        assert rules.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in rules
        assert answer.headers["x-content-type-options"] == "nosniff"
    for part in ASSETS.iterdir():
        text = part.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text
        assert "innerHTML" not in text
        assert " style=" not in text


def test_what_takes_too_long_is_stopped_and_the_next_question_is_answered() -> None:
    quick, patient = Pool(workers=1, seconds=HOUR), Pool(workers=1, seconds=0.01)
    app = make_app("secret", PORT, quick, patient)
    with TestClient(app, OWN, headers={TOKEN: "secret"}) as page:
        stopped = said(page, "formula", LONG)
        assert "longer than 0.01 seconds" in stopped["wrong"]
        assert "leaktight audit study.toml" in stopped["wrong"]
        patient.seconds = HOUR
        assert "answer" in said(page, "formula", ASKED)
        assert "answer" in said(page, "answer", ASKED)


def test_a_process_that_was_killed_is_replaced() -> None:
    pool = Pool(workers=1, seconds=HOUR)
    app = make_app("secret", PORT, pool, Pool(workers=0))
    with TestClient(app, OWN, headers={TOKEN: "secret"}) as page:
        assert "answer" in said(page, "save", ASKED)
        [process] = pool._alive
        process.kill()
        assert said(page, "save", ASKED) == {
            "wrong": "its process was ended, for want of memory or by somebody"
        }
        assert "answer" in said(page, "save", ASKED)
        assert len(pool._alive) == 1


def test_a_table_is_looked_at_and_kept_nowhere(page: TestClient, tmp_path: Path) -> None:
    before = set(Path(tempfile.gettempdir()).glob("leaktight-*/table*"))
    cells = b"age,illness\n31,flu\n47,cold\n52,flu\n"
    found = json.loads(page.post("/table?name=../ward.csv", content=cells).text)["answer"]
    assert (found["name"], found["rows"]) == ("ward.csv", 3)
    assert [column["values"] for column in found["columns"]] == [[31, 47, 52], ["cold", "flu"]]
    assert set(Path(tempfile.gettempdir()).glob("leaktight-*/table*")) == before
    broken = json.loads(page.post("/table?name=ward.csv", content=b"a,b\n1\n").text)
    assert broken["wrong"].startswith("the table cannot be read, line 2")
    assert "must end in" in json.loads(page.post("/table?name=x.exe", content=cells).text)["wrong"]


def test_no_page_names_the_file_that_is_looked_at(page: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("a\n1\n", "utf-8")
    named = {"table": ["own.csv", str(file)]}
    assert page.post("/ask/table", json=named).status_code == 404
    assert "rows" not in page.post(f"/table?name={file}", content=b"").text
    assert page.post("/table?name=own.csv", headers={TOKEN: ""}).status_code == 403


def test_a_page_that_was_started_with_a_table_looks_at_it(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("a\n1\n2\n", "utf-8")
    pools = Pool(workers=0), Pool(workers=1, seconds=HOUR)
    with TestClient(make_app("secret", PORT, *pools, file), OWN, headers={TOKEN: "secret"}) as page:
        found = json.loads(page.post("/table?name=").text)["answer"]
    assert (found["name"], found["rows"]) == ("own.csv", 2)


# --- how it is started ---------------------------------------------------------------------


def test_an_address_that_was_mailed_is_a_study(tmp_path: Path) -> None:
    (tmp_path / "vote.toml").write_text('title = "A vote"\n[policy]\nvalues = ["no", "yes"]\n')
    state = server._state(str(tmp_path / "vote.toml"))
    assert server._state(f"http://127.0.0.1:9/#study={state}") == state
    assert server._state(f"http://127.0.0.1:9/#token=x&study={state}") == state
    with pytest.raises(InvalidInput, match="must carry a study"):
        server._state("http://127.0.0.1:9/")
    with pytest.raises(InvalidFile, match="there is no file"):
        server._state(str(tmp_path / "other.toml"))


def test_the_page_is_on_this_machine_alone_and_on_a_free_port() -> None:
    with server._listening(0) as one:
        host, port = one.getsockname()
        assert host == "127.0.0.1"
        one.listen()
        with pytest.raises(InvalidInput, match="cannot be used; leave it out"):
            server._listening(port)
    with pytest.raises(InvalidInput, match="cannot be used"):
        server._listening(10**6)
    with server._listening(None) as first:
        first.listen()
        with server._listening(None) as second, socket.socket() as other:
            second.listen()
            other.connect(second.getsockname())


# --- how a browser is led to the page --------------------------------------------------------


def test_a_browser_is_led_to_the_page_by_a_file_of_this_user_alone() -> None:
    way = server.Redirect("http://127.0.0.1:8440/#token=secret&study=abc")
    led = way.open()
    file = Path(led.removeprefix("file://"))
    assert "secret" not in led  # which everybody sees among the arguments of the browser
    assert "url=http://127.0.0.1:8440/#token=secret&amp;study=abc" in file.read_text()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    way.close()
    way.close()
    assert not file.parent.exists()


LISTEN = """
import pathlib, sys, urllib.parse
urls = sys.argv[1:]
file = pathlib.Path(urllib.parse.unquote(urls[0].removeprefix("file://")))
page = file.read_text() if file.is_file() else "no file"
pathlib.Path({said!r}).write_text("\\n".join([*urls, page]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_token_is_not_among_the_arguments_of_the_browser(tmp_path: Path, stop: int) -> None:
    said, script = tmp_path / "said", tmp_path / "browser.py"
    script.write_text(LISTEN.format(said=str(said)))
    browser = f"{sys.executable} {script} %s"
    command = [sys.executable, "-m", "leaktight", "explore", "--port", "0"]
    changed = os.environ | {"BROWSER": browser, "TMPDIR": str(tmp_path)}
    errors = tmp_path / "errors"
    with (
        open(errors, "w") as told,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=told, text=True, env=changed, process_group=0
        ) as served,
    ):
        try:
            assert served.stdout is not None
            address = served.stdout.readline().split()[-1]
            token = address.partition("#token=")[2].partition("&")[0]
            while not said.exists() or not said.read_text():
                assert served.poll() is None
                time.sleep(0.01)
            arguments, page = said.read_text().split("\n", 1)
            assert token
            assert token not in arguments
            assert token in page
            assert list(tmp_path.glob("leaktight-*/page.html"))
            os.killpg(served.pid, stop)  # as a terminal does
        except BaseException:  # or it would be waited for
            served.kill()
            raise
    assert not list(tmp_path.glob("leaktight-*"))
    assert "Traceback" not in errors.read_text()
