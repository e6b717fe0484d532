"""Maps each request and notification of the client to our functions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from handrail.features.webgal.lsp import edits, layout, outline, previews
from handrail.features.webgal.lsp.completion import Completion, completions_at
from handrail.features.webgal.lsp.documents import Document
from handrail.features.webgal.lsp.editor_state import FileView, RequestFailed
from handrail.features.webgal.lsp.hover import hover_text
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.usages import definitions, parts_on
from handrail.features.webgal.lsp.usages import references as find_references
from handrail.features.webgal.lsp.variables import all_variables
from handrail.features.webgal.script.anatomy import Role
from handrail.features.webgal.script.listing import FileStatus
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from handrail.features.webgal.lsp.server import EditorServer

T = TypeVar("T")

PREVIEW = "handrail.server.preview"
VARIABLES = "handrail.server.variables"
_TRIGGERS = [":", "-", "{", "=", "|", "/", "(", "["]
_MOST_LINKS = 1000
"""Lines with links; editors ask again after every change."""


def completion(view: FileView, params: types.CompletionParams) -> types.CompletionList:
    line, column = view.at(params.position)
    completions = completions_at(view.game, view.path, line, column, view.language)
    place = view.span(line, completions.start, column)
    items = [_item(number, offer, place) for number, offer in enumerate(completions.items)]
    return types.CompletionList(completions.is_incomplete, items)


def hover(view: FileView, params: types.HoverParams) -> types.Hover | None:
    placed = view.part(params.position)
    text = hover_text(view.game, view.path, placed.part, view.language) if placed is not None else None
    if placed is None or text is None:
        return None
    place = view.span(placed.line, placed.start, placed.end)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)


def definition(view: FileView, params: types.DefinitionParams) -> list[types.Location]:
    placed = view.part(params.position)
    return view.locations(definitions(view.game, view.path, placed.part)) if placed is not None else []


def references(view: FileView, params: types.ReferenceParams) -> list[types.Location]:
    placed = view.part(params.position)
    if placed is None:
        return []
    with_definition = params.context.include_declaration
    return view.locations(find_references(view.game, view.path, placed.part, with_definition=with_definition))


def links(view: FileView, params: types.DocumentLinkParams | None = None) -> list[types.DocumentLink]:
    """Returns links to files and scenes that exist."""
    scene, find = view.game.scene(view.path), view.game.project.assets.listing.find
    lines = {each.line for each in scene.references if each.kind in ("file", "scene")} if scene is not None else set()
    result = []
    for number in sorted(lines)[:_MOST_LINKS]:
        for placed in parts_on(view.lines, number - 1):
            if placed.part.role in (Role.FILE, Role.SCENE):
                status, target = find(placed.part.folder, placed.part.text)
                if status is FileStatus.EXISTS:
                    place = view.span(placed.line, placed.start, placed.end)
                    result.append(types.DocumentLink(place, view.snapshot.uri(view.game.prefix + target)))
    return result


def _item(number: int, offer: Completion, place: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        offer.display_text,
        kind=offer.kind,
        detail=offer.detail or None,
        sort_text=f"{number:04}",
        text_edit=types.TextEdit(place, offer.text),
    )


_REQUESTS: tuple[tuple[str, Callable[[FileView, Any], Any], object], ...] = (
    (types.TEXT_DOCUMENT_COMPLETION, completion, types.CompletionOptions(trigger_characters=_TRIGGERS)),
    (types.TEXT_DOCUMENT_HOVER, hover, None),
    (types.TEXT_DOCUMENT_DEFINITION, definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, outline.symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, outline.folding_ranges, None),
    (types.TEXT_DOCUMENT_FORMATTING, layout.formatting, None),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, layout.range_formatting, None),
    (types.TEXT_DOCUMENT_INLAY_HINT, layout.inlay_hints, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, links, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, edits.prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, edits.rename, None),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        edits.code_actions,
        types.CodeActionOptions(code_action_kinds=edits.ACTION_KINDS),
    ),
)


def register(server: "EditorServer") -> None:
    _register_notifications(server)
    _register_commands(server)
    for method, answer, options in _REQUESTS:
        _register_request(server, method, answer, options)


def _register_commands(server: "EditorServer") -> None:
    """Registers what concerns all games, and our own commands."""
    state = server.state

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return await state.ask_all(lambda view: outline.workspace_symbols(view, params.query))

    @server.command(PREVIEW)
    async def preview(arguments: Any) -> Any:
        request = _read(arguments, previews.PreviewParams)
        try:
            plan = await state.ask(request.uri, lambda view: previews.plan_preview(view, request))
            match = state.project_of(request.uri)
            if plan is None or match is None:
                raise RequestFailed(phrase("no scene", state.language))
            return msgspec.to_builtins(await server.previews.show(match[0], plan))
        except Failure as failure:
            raise RequestFailed(f"{failure.message} {failure.hint or ''}".rstrip()) from None

    @server.command(VARIABLES)
    async def variables(arguments: Any) -> Any:
        match = await state.ask(_read(arguments, previews.PreviewParams).uri, all_variables)
        return [] if match is None else match


def _read(arguments: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(str(error)) from None


def _register_request(
    server: "EditorServer", method: str, answer: Callable[[FileView, Any], Any], options: object
) -> None:
    @server.feature(method, options)
    async def ask(params: Any) -> Any:
        return await server.state.ask(params.text_document.uri, lambda view: answer(view, params))


def _register_notifications(server: "EditorServer") -> None:
    """Registers the notifications."""
    state, checker = server.state, server.checker

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.set_up(params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await server.start()

    def schedule_check(uri: str, *, is_on_disk: bool) -> None:
        """Schedules a check if the text affects a game; a deep one if it affects more than one scene."""
        match = state.project_of(uri)
        if match is not None:
            project, path = match
            is_deep = project.depends_on_file(path) if is_on_disk else project.depends_on_text(path)
            if is_deep or not is_on_disk:
                checker.schedule(is_deep=is_deep)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        state.documents[document.uri] = Document(document.uri, document.text, document.version)
        schedule_check(document.uri, is_on_disk=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = state.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version, state.columns)
            schedule_check(document.uri, is_on_disk=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        state.documents.pop(params.text_document.uri, None)
        schedule_check(params.text_document.uri, is_on_disk=True)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        schedule_check(params.text_document.uri, is_on_disk=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            schedule_check(change.uri, is_on_disk=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.change_projects(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.settings(params.settings)
