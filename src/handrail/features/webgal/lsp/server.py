"""The language server: its projects, its language, and the notifications it sends."""

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

import handrail
from handrail.features.webgal.editor_project import ProjectReader
from handrail.features.webgal.lsp.checker import Checker
from handrail.features.webgal.lsp.documents import Columns, path_of
from handrail.features.webgal.lsp.editor_state import EditorProject, EditorState
from handrail.features.webgal.lsp.features import register
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.previews import EditorPreviews
from handrail.features.webgal.script.findings import Language, language_of
from handrail.ports.errors import Failure


class Protocol(LanguageServerProtocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.on_exit: Callable[[int], None] = lambda status: None

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Answers a request with invalid parameters instead of dropping it."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], None, error.to_response_error())
            raise

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        self.on_exit(0 if self._shutdown else 1)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        yield self._own(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self._own(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        yield self._own(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _own(self, method: str, params: object) -> tuple[Callable[..., Any], tuple[Any, ...], None]:
        return cast(Callable[..., Any], self.fm.features[method]), (params,), None


OpenReader = Callable[[str], ProjectReader]

_log = logging.getLogger(__name__)
_WATCHED = "**/*"
PREVIEW_STATE = "handrail/previewState"


class EditorServer(LanguageServer):
    """`open_reader` opens a project's folder. If `project` is given, it is the only one."""

    protocol: Protocol

    def __init__(self, open_reader: OpenReader, language: Language, project: str | None = None) -> None:
        super().__init__("handrail", handrail.__version__, protocol_cls=Protocol)
        self.state = EditorState(language)
        self.checker = Checker(self.state, self._publish, self._warn)
        self.previews = EditorPreviews(lambda stage: self.protocol.notify(PREVIEW_STATE, msgspec.to_builtins(stage)))
        self._open_reader = open_reader
        self._project = project
        self._checking: asyncio.Task[None] | None = None
        self._has_failed = False
        register(self)

    async def end(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
            with suppress(asyncio.CancelledError):
                await self._checking
        await self.previews.close()
        self.state.close()

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Logs the error instead of opening a window. Errors that the client received are not logged."""
        if isinstance(error, JsonRpcInternalError):
            _log.error("%s\n%s", error, "".join((error.data or {}).get("traceback", ())))
        elif not isinstance(error, JsonRpcException):
            _log.error("%s: %s", source.__name__, error)

    def set_up(self, params: types.InitializeParams) -> None:
        self.state.columns = Columns(self.workspace.position_encoding)
        workspace = params.capabilities.workspace
        editing = workspace.workspace_edit if workspace is not None else None
        self.state.edits_versions = editing is not None and bool(editing.document_changes)
        self.settings(params.initialization_options)
        self.open_projects([self._project] if self._project is not None else _folders(params))

    def open_projects(self, folders: Sequence[str]) -> None:
        for folder in folders:
            try:
                self.state.projects.append(EditorProject(self._open_reader(folder), folder))
            except Failure as failure:
                self._warn(f"{failure.message} {failure.hint or ''}".rstrip())
                self._has_failed = True

    def change_projects(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        if self._project is not None:
            return
        for gone in filter(None, (path_of(folder.uri) for folder in event.removed)):
            self.state.close_project(gone)
        self.open_projects([path for folder in event.added if (path := path_of(folder.uri)) is not None])
        self.checker.schedule(is_deep=True)

    async def start(self) -> None:
        """Called once the client is ready."""
        if self._checking is not None:
            return
        self._checking = asyncio.ensure_future(self.checker.run())
        self._checking.add_done_callback(_log_end)
        self.checker.schedule(is_deep=True)
        if not self.state.projects:
            if not self._has_failed:
                self._warn(phrase("no folder", self.state.language))
            return
        games = [await self.state.worker.do(partial(project.game_for, None)) for project in self.state.projects]
        if not any(games):
            where = ", ".join(project.reader.location for project in self.state.projects)
            self._warn(phrase("no game", self.state.language, where=where))
        self._watch()

    def settings(self, options: Any) -> None:
        """Reads `{"language": "en"}`, directly or in the section `handrail`."""
        options = options.get("handrail", options) if isinstance(options, dict) else {}
        language = options.get("language") if isinstance(options, dict) else None
        if isinstance(language, str) and language_of(language) != self.state.language:
            self.state.language = language_of(language)
            if self._checking is not None:
                self.checker.republish()

    def _watch(self) -> None:
        """Asks the client, which watches files anyway, to report changes on disk."""
        workspace = self.client_capabilities.workspace
        watch_support = workspace.did_change_watched_files if workspace is not None else None
        if watch_support is None or not watch_support.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
        registration = types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([registration]))

    def _publish(self, uri: str, version: int | None, found: Sequence[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _warn(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"handrail: {message}"))


def _folders(params: types.InitializeParams) -> list[str]:
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri is not None:
        uris = [params.root_uri]
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    return paths or ([params.root_path] if params.root_path else [])


def _log_end(checking: "asyncio.Task[None]") -> None:
    if not checking.cancelled():
        _log.error("The checks have ended; restart the server.", exc_info=checking.exception())
