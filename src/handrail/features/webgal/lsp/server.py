"""The server: which projects it looks at, in which language, and what it tells of its own accord."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.lsp.server import LanguageServer

import handrail
from handrail.features.webgal.lsp.addresses import path_of
from handrail.features.webgal.lsp.checker import Checker
from handrail.features.webgal.lsp.columns import Columns
from handrail.features.webgal.lsp.desk import Desk
from handrail.features.webgal.lsp.features import register
from handrail.features.webgal.lsp.ground import Ground
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.protocol import Protocol
from handrail.features.webgal.lsp.studio import Studio
from handrail.features.webgal.script.findings import Language, language_of
from handrail.ports.errors import Failure

OpenGround = Callable[[str], Ground]

_log = logging.getLogger(__name__)
_WATCHED = "**/*"


class EditorServer(LanguageServer):
    """`open_ground` opens a project's folder; `project` is the only one where it is given."""

    protocol: Protocol

    def __init__(self, open_ground: OpenGround, language: Language, project: str | None = None) -> None:
        super().__init__("handrail", handrail.__version__, protocol_cls=Protocol)
        self.desk = Desk(language)
        self.checker = Checker(self.desk, self._publish, self._complain)
        self._open_ground = open_ground
        self._project = project
        self._checking: asyncio.Task[None] | None = None
        self._has_refused = False
        register(self)

    async def end(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
            with suppress(asyncio.CancelledError):
                await self._checking
        self.desk.close()

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Into the log, without a window over somebody's text; what the client was told needs no log."""
        if isinstance(error, JsonRpcInternalError):
            _log.error("%s\n%s", error, "".join((error.data or {}).get("traceback", ())))
        elif not isinstance(error, JsonRpcException):
            _log.error("%s: %s", source.__name__, error)

    def set_up(self, params: types.InitializeParams) -> None:
        self.desk.columns = Columns(self.workspace.position_encoding)
        self.settings(params.initialization_options)
        self.open_projects([self._project] if self._project is not None else _folders(params))

    def open_projects(self, folders: Sequence[str]) -> None:
        for folder in folders:
            try:
                self.desk.studios.append(Studio(self._open_ground(folder), folder))
            except Failure as failure:
                self._complain(f"{failure.message} {failure.hint or ''}".rstrip())
                self._has_refused = True

    def change_projects(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        if self._project is not None:
            return
        for gone in filter(None, (path_of(folder.uri) for folder in event.removed)):
            self.desk.leave(gone)
        self.open_projects([path for folder in event.added if (path := path_of(folder.uri)) is not None])
        self.checker.stir(is_deep=True)

    async def start(self) -> None:
        """Once the client listens."""
        if self._checking is not None:
            return
        self._checking = asyncio.ensure_future(self.checker.run())
        self._checking.add_done_callback(_tell_of_its_end)
        self.checker.stir(is_deep=True)
        if not self.desk.studios:
            if not self._has_refused:
                self._complain(phrase("no folder", self.desk.language))
            return
        games = [await self.desk.worker.do(partial(studio.game_for, None)) for studio in self.desk.studios]
        if not any(games):
            where = ", ".join(studio.ground.location for studio in self.desk.studios)
            self._complain(phrase("no game", self.desk.language, where=where))
        self._watch()

    def settings(self, given: Any) -> None:
        """`{"language": "en"}`, by itself or as the section `handrail`."""
        given = given.get("handrail", given) if isinstance(given, dict) else {}
        wanted = given.get("language") if isinstance(given, dict) else None
        if isinstance(wanted, str) and language_of(wanted) != self.desk.language:
            self.desk.language = language_of(wanted)
            if self._checking is not None:
                self.checker.forget()

    @property
    def edits_versions(self) -> bool:
        """Whether the client understands edits of exactly one version."""
        workspace = self.client_capabilities.workspace
        editing = workspace.workspace_edit if workspace is not None else None
        return editing is not None and bool(editing.document_changes)

    def _watch(self) -> None:
        """What changes on the disk is told by the client, who watches it anyway."""
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
        wish = types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([wish]))

    def _publish(self, uri: str, version: int | None, found: Sequence[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _complain(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"handrail: {message}"))


def _folders(params: types.InitializeParams) -> list[str]:
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri is not None:
        uris = [params.root_uri]
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    return paths or ([params.root_path] if params.root_path else [])


def _tell_of_its_end(checking: "asyncio.Task[None]") -> None:
    if not checking.cancelled():
        _log.error("The checks have ended; start the server anew.", exc_info=checking.exception())
