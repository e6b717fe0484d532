"""An editor: pygls's own client on a real server process, driven from tests without an event loop of their own."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.waiting import PATIENCE

T = TypeVar("T")

CAPABILITIES: dict[str, Any] = {
    "textDocument": {"rename": {"prepareSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "didChangeWatchedFiles": {"dynamicRegistration": True}},
}


class Editor:
    def __init__(self, *command: str, **environ: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._changed = threading.Condition()
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.registered: list[str] = []
        self.errors: list[str] = []
        self._versions: dict[str, int] = {}
        self.client = self._do(self._start(command, {**os.environ, **environ}))

    async def _start(self, command: tuple[str, ...], environ: dict[str, str]) -> LanguageClient:
        client = LanguageClient("test", "1")

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            with self._changed:
                self.diagnostics[params.uri] = params
                self._changed.notify_all()

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            with self._changed:
                self.messages.append(params.message)
                self._changed.notify_all()

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            with self._changed:
                self.registered += [each.method for each in params.registrations]
                self._changed.notify_all()

        await client.start_io(sys.executable, "-m", "handrail", "webgal", "lsp", *command, env=environ)
        assert client._server is not None
        self._listening = asyncio.ensure_future(self._listen(client._server))
        return client

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self.errors.append(line.decode())

    @property
    def process(self) -> asyncio.subprocess.Process:
        process = self.client._server
        assert process is not None
        return process

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _gone(self) -> None:
        await self._listening
        await self.client.stop()  # type: ignore[no-untyped-call]

    def call(self, work: Callable[[], T]) -> T:
        async def done() -> T:
            return work()

        return self._do(done())

    def request(self, method: str, params: Any) -> Any:
        async def answered() -> Any:
            return await self.client.protocol.send_request_async(method, params)

        return self._do(answered())

    def request_raw(self, method: str, params: Any) -> Any:
        """Whatever the parameters are."""

        async def answered() -> Any:
            protocol, number = self.client.protocol, str(time.monotonic_ns())
            future: Future[Any] = Future()
            protocol._request_futures[number] = future
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            protocol._send_data(message)
            return await asyncio.wrap_future(future)

        return self._do(answered())

    def notify(self, method: str, params: Any) -> None:
        self.call(lambda: self.client.protocol.notify(method, params))

    def initialize(
        self, root: Path | None, options: Any = None, capabilities: dict[str, Any] = CAPABILITIES
    ) -> types.InitializeResult:
        structured = self.client.protocol._converter.structure(capabilities, types.ClientCapabilities)
        folders = [types.WorkspaceFolder(root.as_uri(), root.name)] if root is not None else None
        params = types.InitializeParams(structured, initialization_options=options, workspace_folders=folders)
        answer: types.InitializeResult = self.request(types.INITIALIZE, params)
        self.notify(types.INITIALIZED, types.InitializedParams())
        return answer

    def open(self, uri: str, text: str) -> None:
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "webgal", 1, text)
        self.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> int:
        version = self._versions[uri] = self._versions[uri] + 1
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.notify(types.TEXT_DOCUMENT_DID_CHANGE, types.DidChangeTextDocumentParams(document, changes))
        return version

    def write(self, uri: str, text: str) -> int:
        """The whole text anew."""
        return self.change(uri, types.TextDocumentContentChangeWholeDocument(text))

    def close(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(document))

    def wait(self, is_so: Callable[[], bool], what: str = "") -> None:
        end = time.monotonic() + PATIENCE
        with self._changed:
            while not is_so():
                assert self._changed.wait(end - time.monotonic()), (
                    f"{what} never came: {self.codes()!s:.500} {self.errors}"
                )

    def codes(self) -> dict[str, list[str]]:
        return {uri: [str(each.code) for each in published.diagnostics] for uri, published in self.diagnostics.items()}

    def wait_for(self, uri: str, *codes: str) -> list[types.Diagnostic]:
        """Until exactly these are told of a file."""
        self.wait(lambda: self.codes().get(uri) == list(codes), f"{codes} for {uri}")
        return list(self.diagnostics[uri].diagnostics)

    def wait_for_message(self, uri: str, message: str) -> None:
        self.wait(lambda: [each.message for each in self.diagnostics[uri].diagnostics] == [message], message)

    def wait_for_version(self, uri: str, version: int) -> list[types.Diagnostic]:
        self.wait(lambda: uri in self.diagnostics and self.diagnostics[uri].version == version, f"version {version}")
        return list(self.diagnostics[uri].diagnostics)

    def end(self) -> int | None:
        """In order; the status that the server ends with."""
        if self.process.returncode is None:
            self.request(types.SHUTDOWN, None)
            self.notify(types.EXIT, None)
        status = self._do(self.process.wait())
        self._stop()
        return status

    def vanish(self) -> int | None:
        """As an editor that was killed."""
        assert self.process.stdin is not None
        self.call(self.process.stdin.close)
        status = self._do(self.process.wait())
        self._stop()
        return status

    def _stop(self) -> None:
        self._do(self._gone())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
