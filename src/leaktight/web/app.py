"""What does the server answer? The page, its parts, and what the page asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

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


LONGER = ("looks", "curves", "formula", "choice", "report", "certificate")
"""What may take long: it is answered by processes of its own, so that a slider need not wait."""


def make_app(token: str, port: int, quick: Pool, slow: Pool) -> Guard:
    """Return the page as an application that answers on a port of this machine."""

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

    routes = [
        Route("/", page),
        Mount("/assets", StaticFiles(directory=ASSETS)),
        Route("/ask/{task}", ask, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), token, port)
