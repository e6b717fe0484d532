"""The ASGI app: all routes, the paths that need no credential, and answers for errors that no route has handled."""

import os

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail import __version__
from handrail.faces.http import access, page, passkeys, session, tools
from handrail.faces.http.access_control import AccessControl
from handrail.faces.http.answers import failed, refused, success
from handrail.faces.http.console_files import ConsoleFiles
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.guard import IsOpen
from handrail.faces.socketio import sockets
from handrail.ports.errors import Failure

HEALTH = "/health"


def site(
    context: HttpContext,
    mcp_endpoint: ASGIApp,
    address: str,
    console: ConsoleFiles | None,
    access_control: AccessControl,
    mounted: Mount,
) -> ASGIApp:
    mcp = _AsgiEndpoint(mcp_endpoint)
    app = Starlette(
        routes=[
            *mounted.routes,
            *(console.routes() if console is not None else ()),
            *page.routes(context.project.registry, address),
            Route(HEALTH, _health),
            *session.routes(context, access_control),
            *access.routes(context, access_control),
            *passkeys.routes(context),
            *tools.routes(context),
            Route("/mcp", mcp),
            Route("/mcp/", mcp),
        ],
        exception_handlers={HTTPException: _on_http, Failure: _on_failure, Exception: _on_fault},
    )
    app.router.redirect_slashes = False
    return app


def open_paths(console: ConsoleFiles | None, mounted: Mount) -> IsOpen:
    """Requests without credentials: pages, /health, exchanging a code, connecting a socket, and what features allow."""

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


class _AsgiEndpoint:
    """Wraps an ASGI app, because the router treats plain functions as request handlers."""

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
    """The details and the stack go to the log, not to the client."""
    return refused("INTERNAL", "handrail failed; its log has the details.")
