"""Shelves as MCP resources: listed page by page, read by address."""

from collections.abc import Sequence
from typing import Any

from handrail.faces.mcp.content import as_resource
from handrail.kernel.content import Resource
from handrail.kernel.tool import Listed, Reply, Shelf
from handrail.ports.errors import InvalidParams, NotFound

_PAGE = 1000


def template(shelf: Shelf) -> dict[str, Any]:
    return {
        "uriTemplate": shelf.template,
        "name": shelf.name,
        "title": shelf.title,
        "description": shelf.description,
        "mimeType": shelf.mime,
    }


def page(known: Sequence[tuple[Shelf, Listed]], cursor: str | None) -> dict[str, Any]:
    """The cursor is how many came before. InvalidParams."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and 0 < int(cursor) < 10**9):
        raise InvalidParams("That cursor was never given out.")
    start = int(cursor or 0)
    shown: dict[str, Any] = {"resources": [_listed(shelf, listed) for shelf, listed in known[start : start + _PAGE]]}
    if start + _PAGE < len(known):
        shown["nextCursor"] = str(start + _PAGE)
    return shown


def _listed(shelf: Shelf, listed: Listed) -> dict[str, Any]:
    title = {"title": listed.title} if listed.title else {}
    description = listed.description or shelf.title
    return {"uri": listed.uri, "name": listed.name, **title, "description": description, "mimeType": shelf.mime}


def shelf_of(shelves: Sequence[Shelf], uri: str) -> Shelf:
    """By what its addresses begin with. NotFound."""
    for shelf in shelves:
        if uri.startswith(shelf.template.partition("{")[0]):
            return shelf
    raise NotFound(f"There is no resource {uri}.", hint="resources/list tells what there is.")


def contents(reply: Reply) -> dict[str, Any]:
    return {"contents": [as_resource(part) for part in reply.content if isinstance(part, Resource)]}
