"""uvicorn's HTTP/1.1 protocol with a limit on what it buffers, and with contract 2's envelope for its errors."""

from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from handrail.ports.browser_errors import error_envelope

MAX_HEAD = 64 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """Limits heads, trailers and chunk extensions, which the parser buffers at any length."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._buffered = 0  # bytes since the parser last reported something
        self._is_in_head = False

    def data_received(self, data: bytes) -> None:
        self._buffered += len(data)
        super().data_received(data)
        if self._buffered > MAX_HEAD and not self.transport.is_closing():
            self._refuse(431, f"The head of a request must not be longer than {MAX_HEAD} bytes.")

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # trailers come after the checks, so they are dropped
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._buffered, self._is_in_head = 0, False
        if not self.url.startswith(b"/"):
            raise ValueError("only origin-form: a second host in the request line could contradict the checked one")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._buffered = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._buffered = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _refuse(self, status: int, message: str) -> None:
        body = msgspec.json.encode(error_envelope("BAD_REQUEST", message))
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + head.encode() + body)
        self.transport.close()
