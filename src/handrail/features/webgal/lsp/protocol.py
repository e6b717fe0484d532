"""The protocol as pygls speaks it, with texts of our own, an answer to every request, and an end without exceptions.

pygls reads files that are not open, and counts more marks as the ends of lines than the protocol does.
"""

from collections.abc import Callable, Generator
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method


class Protocol(LanguageServerProtocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.on_exit: Callable[[int], None] = lambda status: None

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A request whose parameters make no sense is answered, not just dropped."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], None, error.to_response_error())
            raise

    @lsp_method(types.EXIT)
    def lsp_exit(self, *given: Any) -> Generator[Any, Any, None]:
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
