"""Questions that change nothing, from the client's words to ours and back."""

from lsprotocol import types

from handrail.features.webgal.lsp.completion import Offer, offers
from handrail.features.webgal.lsp.definitions import definitions
from handrail.features.webgal.lsp.definitions import references as named
from handrail.features.webgal.lsp.hover import told
from handrail.features.webgal.lsp.sight import Sight
from handrail.features.webgal.lsp.statements import parts_on
from handrail.features.webgal.script.anatomy import Role
from handrail.features.webgal.script.listing import Standing

_MOST_LINKS = 1000
"""Lines with some: an editor asks again after every change."""


def completion(sight: Sight, position: types.Position) -> types.CompletionList:
    line, column = sight.at(position)
    found = offers(sight.game, sight.path, line, column, sight.language)
    place = sight.span(line, found.start, column)
    items = [_item(number, offer, place) for number, offer in enumerate(found.items)]
    return types.CompletionList(found.is_incomplete, items)


def hover(sight: Sight, position: types.Position) -> types.Hover | None:
    placed = sight.part(position)
    text = told(sight.game, sight.path, placed.part, sight.language) if placed is not None else None
    if placed is None or text is None:
        return None
    place = sight.span(placed.line, placed.start, placed.end)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)


def definition(sight: Sight, position: types.Position) -> list[types.Location]:
    placed = sight.part(position)
    return sight.locations(definitions(sight.game, sight.path, placed.part)) if placed is not None else []


def references(sight: Sight, position: types.Position, *, with_definition: bool) -> list[types.Location]:
    placed = sight.part(position)
    if placed is None:
        return []
    return sight.locations(named(sight.game, sight.path, placed.part, with_definition=with_definition))


def symbols(sight: Sight) -> list[types.DocumentSymbol]:
    """The labels."""
    scene = sight.game.scene(sight.path)
    numbers = sorted(number for lines in scene.labels.values() for number in lines) if scene is not None else []
    return [
        types.DocumentSymbol(
            placed.part.text,
            types.SymbolKind.Key,
            sight.span(placed.line, 0, placed.end),
            sight.span(placed.line, placed.start, placed.end),
        )
        for number in numbers
        for placed in parts_on(sight.lines, number - 1)
        if placed.part.role is Role.LABEL
    ]


def links(sight: Sight) -> list[types.DocumentLink]:
    """To the files and scenes that are there."""
    scene, find = sight.game.scene(sight.path), sight.game.project.around.listing.find
    naming = {each.line for each in scene.references if each.what in ("file", "scene")} if scene is not None else set()
    found = []
    for number in sorted(naming)[:_MOST_LINKS]:
        for placed in parts_on(sight.lines, number - 1):
            if placed.part.role in (Role.FILE, Role.SCENE):
                standing, target = find(placed.part.folder, placed.part.text)
                if standing is Standing.THERE:
                    place = sight.span(placed.line, placed.start, placed.end)
                    found.append(types.DocumentLink(place, sight.snapshot.uri(sight.game.prefix + target)))
    return found


def _item(number: int, offer: Offer, place: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        offer.shown,
        kind=offer.kind,
        detail=offer.detail or None,
        sort_text=f"{number:04}",
        text_edit=types.TextEdit(place, offer.text),
    )
