"""Which path leads where, and how a fault is spelled when nothing else spelled it."""

import os

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail import __version__
from handrail.faces.http import access, page, passkeys, session, tools
from handrail.faces.http.answers import failed, refused, success
from handrail.faces.http.console_files import ConsoleFiles
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.entrance import Entrance
from handrail.faces.http.guard import IsOpen
from handrail.faces.socketio import sockets
from handrail.ports.errors import Failure

HEALTH = "/health"


def site(
    context: HttpContext,
    mcp_endpoint: ASGIApp,
    address: str,
    console: ConsoleFiles | None,
    entrance: Entrance,
    mounted: Mount,
) -> ASGIApp:
    mcp = _Elsewhere(mcp_endpoint)
    app = Starlette(
        routes=[
            *mounted.routes,
            *(console.routes() if console is not None else ()),
            *page.routes(context.project.registry, address),
            Route(HEALTH, _health),
            *session.routes(context, entrance),
            *access.routes(context, entrance),
            *passkeys.routes(context),
            *tools.routes(context),
            Route("/mcp", mcp),
            Route("/mcp/", mcp),
        ],
        exception_handlers={HTTPException: _on_http, Failure: _on_failure, Exception: _on_fault},
    )
    app.router.redirect_slashes = False
    return app


def open_for(console: ConsoleFiles | None, mounted: Mount) -> IsOpen:
    """What needs no credential: pages and /health, exchanging a code, connecting a socket, and what features say."""

    def is_open(scope: Scope) -> bool:
        path: str = scope["path"]
        if sockets.is_open(scope) or mounted.is_open(scope):
            return True
        if scope["type"] != "http":
            return False
        if scope["method"] in ("GET", "HEAD"):
            return path == HEALTH or path in page.PATHS or (console is not None and console.has(path))
        return path == session.PATH and scope["method"] == "POST"

    return is_open


class _Elsewhere:
    """Marks an app as ASGI for the router, which takes plain functions for request handlers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def _health(request: Request) -> Response:
    return success({"name": "handrail", "version": __version__, "pid": os.getpid()})


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return refused("NOT_FOUND", "There is nothing at this path.")
    return refused("BAD_REQUEST", f"{error.detail}.", status=error.status_code, headers=error.headers)


async def _on_failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, Failure)
    return failed(error)


async def _on_fault(request: Request, error: Exception) -> Response:
    """What happened goes to the log, with its stack; to the client only that it did."""
    return refused("INTERNAL", "handrail failed; its log says why.")
