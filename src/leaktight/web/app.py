"""What the server answers: the page, its parts, and what the page asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from leaktight.web.answer import TASKS
from leaktight.web.guard import Guard
from leaktight.web.pool import Pool

ASSETS = Path(__file__).parent / "assets"

MOST_BYTES = 2**18
"""The most bytes of a request."""

MOST_OF_TABLE = 2**31
"""The most bytes of a table that is looked at."""


LONGER = ("looks", "curves", "formula", "choice", "report", "certificate")
"""What may take long: it is answered by processes of its own, so that a slider need not wait."""


def make_app(token: str, port: int, quick: Pool, slow: Pool, table: Path | None = None) -> Guard:
    """Return the page as an application that answers on a port of this machine.

    :param token: what a page must send to be answered.
    :param port: where it is.
    :param quick: who answers while a slider is moved.
    :param slow: who answers what takes longer.
    :param table: the file that the page begins with, if it was started with one.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with quick, slow:
            yield

    async def page(request: Request) -> Response:
        return FileResponse(ASSETS / "index.html")

    async def ask(request: Request) -> Response:
        task, body = request.path_params["task"], bytearray()
        if task not in TASKS:
            return PlainTextResponse(f"nothing is known of {task[:60]!r}", 404)
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return PlainTextResponse(f"a request has at most {MOST_BYTES:,} bytes", 413)
        pool = slow if task in LONGER else quick
        return StreamingResponse(pool.ask(task, bytes(body)), media_type="application/x-ndjson")

    async def look(request: Request) -> Response:
        """Say what is in a table: the one that is sent, or else the one that was named."""
        name = Path(request.query_params.get("name", "")).name
        with TemporaryDirectory(prefix="leaktight-") as folder:  # which nobody else may read
            file, size = Path(folder) / f"table{Path(name).suffix.lower()}", 0
            with file.open("wb") as copy:
                async for part in request.stream():
                    size += len(part)
                    if size > MOST_OF_TABLE:
                        return PlainTextResponse("a table has at most 2 GB here", 413)
                    copy.write(part)
            if not size and table is not None:
                name, file = table.name, table
            asked = json.encode({"table": [name, str(file)]})
            return Response(b"".join([line async for line in slow.ask("table", asked)]))

    routes = [
        Route("/", page),
        Mount("/assets", StaticFiles(directory=ASSETS)),
        Route("/table", look, methods=["POST"]),
        Route("/ask/{task}", ask, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), token, port)
