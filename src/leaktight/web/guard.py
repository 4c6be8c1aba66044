"""Who may talk to the page: a browser on this machine, from the page itself, with the token.

Another site that a browser has open could send requests to any address on this machine. It cannot
write another Host or Origin than its own, and does not know the token, which is in the part of the
page's address that no browser sends.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any, TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN = "x-leaktight-token"
"""The header that has the token."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""What every answer tells the browser: nothing comes from elsewhere, nothing goes elsewhere."""


class Guard:
    """Lets a request through if it comes from the page; what asks something needs the token."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self.token = app, token.encode()
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            return await refused(scope, receive, sent)
        return await self.app(scope, receive, sent)

    def _refused(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if scope["type"] != "http":
            return PlainTextResponse("only HTTP is spoken here", 400)
        if len(hosts := headers.getlist("host")) != 1 or hosts[0] not in self.hosts:
            return PlainTextResponse("this page is for this machine alone", 421)
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return PlainTextResponse("another page must not ask", 403)
        if scope["method"] in ("GET", "HEAD"):
            return None
        token = headers.get(TOKEN, "").encode("latin-1")
        if not compare_digest(token, self.token):
            return PlainTextResponse("the token is missing: open the address as printed", 403)
        return None
