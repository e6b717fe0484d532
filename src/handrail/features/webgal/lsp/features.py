"""Which of our questions each of the client's becomes, and what each of its news is to us."""

from typing import TYPE_CHECKING

from lsprotocol import types

from handrail.features.webgal.lsp import answers, edits

if TYPE_CHECKING:
    from handrail.features.webgal.lsp.server import EditorServer

_TRIGGERS = [":", "-", "{", "=", "|", "/", "(", "["]


def register(server: "EditorServer") -> None:
    _register_news(server)
    _register_questions(server)


def _register_news(server: "EditorServer") -> None:
    """What the client tells."""
    desk, checker = server.desk, server.checker

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.set_up(params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await server.start()

    def stir(uri: str, *, is_on_disk: bool) -> None:
        """Where a text bears on a game; deep, where it is not just one scene's."""
        found = desk.studio_of(uri)
        if found is not None:
            studio, path = found
            is_deep = studio.is_touched_by(path) if is_on_disk else studio.is_told_by(path)
            if is_deep or not is_on_disk:
                checker.stir(is_deep=is_deep)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        desk.documents.open(document.uri, document.text, document.version)
        stir(document.uri, is_on_disk=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = desk.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version, desk.columns)
            stir(document.uri, is_on_disk=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        desk.documents.close(params.text_document.uri)
        stir(params.text_document.uri, is_on_disk=True)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        stir(params.text_document.uri, is_on_disk=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            stir(change.uri, is_on_disk=True)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.change_projects(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.settings(params.settings)


def _register_questions(server: "EditorServer") -> None:
    """What the client asks."""
    desk = server.desk

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        return await desk.ask(params.text_document.uri, lambda sight: answers.completion(sight, params.position))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await desk.ask(params.text_document.uri, lambda sight: answers.hover(sight, params.position))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def define(params: types.DefinitionParams) -> list[types.Location] | None:
        return await desk.ask(params.text_document.uri, lambda sight: answers.definition(sight, params.position))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def refer(params: types.ReferenceParams) -> list[types.Location] | None:
        position, with_definition = params.position, params.context.include_declaration
        return await desk.ask(
            params.text_document.uri,
            lambda sight: answers.references(sight, position, with_definition=with_definition),
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        return await desk.ask(params.text_document.uri, answers.symbols)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def link(params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        return await desk.ask(params.text_document.uri, answers.links)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        return await desk.ask(params.text_document.uri, lambda sight: edits.prepare_rename(sight, params.position))

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        position, new, is_versioned = params.position, params.new_name, server.edits_versions
        return await desk.ask(
            params.text_document.uri, lambda sight: edits.rename(sight, position, new, is_versioned=is_versioned)
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=edits.ACTION_KINDS))
    async def act(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        marked, context, is_versioned = params.range, params.context, server.edits_versions
        return await desk.ask(
            params.text_document.uri,
            lambda sight: edits.code_actions(sight, marked, context, is_versioned=is_versioned),
        )
