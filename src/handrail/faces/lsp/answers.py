"""Questions that change nothing, from the client's words to ours and back."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from lsprotocol import types

from handrail.core.webgal.anatomy import Role
from handrail.core.webgal.listing import Standing
from handrail.faces.lsp.completion import Offer, Offers, offers
from handrail.faces.lsp.definitions import definitions
from handrail.faces.lsp.definitions import references as named
from handrail.faces.lsp.desk import Desk
from handrail.faces.lsp.diagnostics import span
from handrail.faces.lsp.game import Game
from handrail.faces.lsp.hover import told
from handrail.faces.lsp.statements import Placed, part_at, parts_on
from handrail.faces.lsp.usages import Place

T = TypeVar("T")


class AtPosition(Protocol):
    """Of every question about the cursor."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


def bears_on_a_game(desk: Desk, uri: str) -> bool:
    """Whether a change of this file on the disk may change what is wrong with a game."""
    found = desk.studio_of(uri)
    if found is None:
        return False
    studio, path = found
    if path.startswith("."):
        return path.startswith(".handrail/")
    games = studio.games.values()
    return not games or any(game.scene_name(path) is not None or game.bears_on_all(path) for game in games)


async def at_cursor(desk: Desk, params: AtPosition, work: Callable[[Game, str, Placed], T]) -> T | None:
    """An answer about the part of a statement that the cursor stands on."""

    def answer(game: Game, path: str) -> T | None:
        if game.scene(path) is None:
            return None
        placed = part_at(game.lines(path), *_place(desk, game.lines(path), params.position))
        return work(game, path, placed) if placed is not None else None

    return await desk.ask(params.text_document.uri, answer)


async def completion(desk: Desk, params: types.CompletionParams) -> types.CompletionList | None:
    def answer(game: Game, path: str) -> types.CompletionList:
        lines = game.lines(path)
        line, column = _place(desk, lines, params.position)
        found = offers(game, path, line, column, desk.language)
        return _listed(found, span(lines, line, found.start, column, desk.columns))

    return await desk.ask(params.text_document.uri, answer)


async def hover(desk: Desk, params: types.HoverParams) -> types.Hover | None:
    def answer(game: Game, path: str, placed: Placed) -> types.Hover | None:
        text = told(game, path, placed.part, desk.language)
        if text is None:
            return None
        place = span(game.lines(path), placed.line, placed.start, placed.end, desk.columns)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)

    return await at_cursor(desk, params, answer)


async def definition(desk: Desk, params: types.DefinitionParams) -> list[types.Location] | None:
    return await at_cursor(
        desk, params, lambda game, path, placed: locations(desk, game, definitions(game, path, placed.part))
    )


async def references(desk: Desk, params: types.ReferenceParams) -> list[types.Location] | None:
    with_definition = params.context.include_declaration

    def answer(game: Game, path: str, placed: Placed) -> list[types.Location]:
        return locations(desk, game, named(game, path, placed.part, with_definition=with_definition))

    return await at_cursor(desk, params, answer)


async def symbols(desk: Desk, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
    """The labels."""

    def answer(game: Game, path: str) -> list[types.DocumentSymbol]:
        scene = game.scene(path)
        found = []
        for line in sorted({line for lines in scene.labels.values() for line in lines} if scene is not None else ()):
            for placed in parts_on(game.lines(path), line - 1):
                if placed.part.role is Role.LABEL:
                    place = span(game.lines(path), placed.line, placed.start, placed.end, desk.columns)
                    whole = span(game.lines(path), placed.line, 0, placed.end, desk.columns)
                    found.append(types.DocumentSymbol(placed.part.text, types.SymbolKind.Key, whole, place))
        return found

    return await desk.ask(params.text_document.uri, answer)


async def links(desk: Desk, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
    """To the files and scenes that are there."""

    def answer(game: Game, path: str) -> list[types.DocumentLink]:
        scene, lines, found = game.scene(path), game.lines(path), []
        naming = {each.line for each in scene.references if each.what in ("file", "scene")} if scene is not None else ()
        for line in sorted(naming):
            for placed in parts_on(lines, line - 1):
                if placed.part.role in (Role.FILE, Role.SCENE):
                    standing, target = game.project.around.listing.find(placed.part.folder, placed.part.text)
                    if standing is Standing.THERE:
                        place = span(lines, placed.line, placed.start, placed.end, desk.columns)
                        found.append(types.DocumentLink(place, uri_of(desk, game, game.prefix + target)))
        return found

    return await desk.ask(params.text_document.uri, answer)


def locations(desk: Desk, game: Game, places: Sequence[Place]) -> list[types.Location]:
    return [types.Location(uri_of(desk, game, place.path), range_of(desk, game, place)) for place in places]


def range_of(desk: Desk, game: Game, place: Place) -> types.Range:
    if not (place.line or place.end):  # the whole file, which may be a picture
        return types.Range(types.Position(0, 0), types.Position(0, 0))
    return span(game.lines(place.path), place.line, place.start, place.end, desk.columns)


def uri_of(desk: Desk, game: Game, path: str) -> str:
    """As the client spells it, where it has the file open."""
    studio = next(studio for studio in desk.studios if studio.ground is game.ground)
    return studio.uri(path, {known: document.uri for known, document in studio.open_paths(desk.documents)})


def _place(desk: Desk, lines: Sequence[str], position: types.Position) -> tuple[int, int]:
    if position.line >= len(lines):
        return len(lines), 0
    return position.line, desk.columns.characters(lines[position.line], position.character)


def _listed(found: Offers, place: types.Range) -> types.CompletionList:
    items = [_item(number, offer, place) for number, offer in enumerate(found.items)]
    return types.CompletionList(found.is_incomplete, items)


def _item(number: int, offer: Offer, place: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        offer.shown,
        kind=offer.kind,
        detail=offer.detail or None,
        sort_text=f"{number:04}",
        text_edit=types.TextEdit(place, offer.text),
    )
