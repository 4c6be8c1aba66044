"""The start of the page, and where it is."""

import os
import socket
import sys
import webbrowser
from html import escape
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory

from leaktight.errors import InvalidInput
from leaktight.studies.table import load
from leaktight.web.document import Document, address_of, kept

PORT = 8440
"""Where the page is, if nothing else is there: so an address that was mailed fits."""

TABLES = (".csv", ".parquet")
"""How the name of a table ends."""

FIRST: Document = {
    "title": "A question",
    "policy": {
        "values": ["<20k", "20-40k", "40-60k", ">60k"],
        "secrets": "threshold",
        "distance": 1,
    },
    "mechanism": {"kind": "best"},
    "question": {"epsilon": 1, "observations": 10, "what": "one person's salary band"},
}
"""What the page begins with if no study is given."""


def explore(study: str | None, port: int | None, browser: bool) -> None:
    """Show a page in the browser, and serve it until it is interrupted.

    ``study`` is a TOML file, the address of a page that somebody else had open, or a table, of
    which the page makes a study.
    """
    try:
        import uvicorn

        from leaktight.web.app import make_app
        from leaktight.web.pool import Pool
    except ModuleNotFoundError as missing:
        raise InvalidInput(f"the page needs {missing.name}: pip install 'leaktight[web]'") from None
    table = Path(study) if study is not None and study.lower().endswith(TABLES) else None
    if table is not None and not table.is_file():
        raise InvalidInput(f"there is no file {table}")
    state = _state(None if table else study)
    listening = _listening(port)
    own, token = listening.getsockname()[1], token_urlsafe(24)
    address = f"http://127.0.0.1:{own}/#token={token}&study={state}{'&table=1' if table else ''}"

    quick, slow, way = Pool(), Pool(), Redirect(address)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(f"The page is at {address}\nCtrl-C ends it.", flush=True)
            if browser:
                webbrowser.open(way.open())

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            way.close()
            quick.close()
            slow.close()  # nobody waits for what is still being answered
            await super().shutdown(sockets)

    config = uvicorn.Config(
        make_app(token, own, quick, slow, table),
        log_level="warning",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    try:
        Server(config).run(sockets=[listening])
    finally:
        way.close()


class Redirect:
    """A file of this user alone that leads a browser to an address.

    What a browser is started with is seen by everybody on the machine, and the address has the
    token.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._folder: TemporaryDirectory[str] | None = None

    def open(self) -> str:
        """Write the file, and return where it is; nobody else may look into its folder."""
        self._folder = TemporaryDirectory(prefix="leaktight-")
        file = Path(self._folder.name) / "page.html"
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as text:
            text.write(
                '<!doctype html><meta charset="utf-8"><title>leaktight</title>'
                '<meta name="referrer" content="no-referrer">'
                f'<meta http-equiv="refresh" content="0;url={escape(self.address)}">'
            )
        return file.as_uri()

    def close(self) -> None:
        """Remove it."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _state(study: str | None) -> str:
    """Return what the address carries, for a file or for another address."""
    if study is None:
        return address_of(FIRST)
    if study.startswith(("http://", "https://")):
        state = dict(part.partition("=")[::2] for part in study.partition("#")[2].split("&")).get(
            "study"
        )
        if not state:
            raise InvalidInput("the address must carry a study, #study=…, got one that does not")
        return state
    return address_of(kept(load(Path(study)), Path(study)))


def _listening(port: int | None) -> socket.socket:
    """Return a socket on this machine alone: on the usual port, or any that is free."""
    wanted = (PORT, 0) if port is None else (port,)
    for number in wanted:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", number))
            return found
        except (OSError, OverflowError):
            found.close()
    raise InvalidInput(f"--port {port} cannot be used; leave it out, and a free one is taken")
