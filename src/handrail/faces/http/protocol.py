"""uvicorn's HTTP/1.1 protocol with a bound on what it buffers and contract 2's envelope where it refuses."""

from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from handrail.ports.browser_errors import error_envelope

MAX_HEAD = 64 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """The parser keeps heads, trailers and chunk extensions of any length; here it may not."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unheard = 0  # bytes since the parser last had something to say
        self._is_in_head = False

    def data_received(self, data: bytes) -> None:
        self._unheard += len(data)
        super().data_received(data)
        if self._unheard > MAX_HEAD and not self.transport.is_closing():
            self._refuse(431, f"The head of a request must not be longer than {MAX_HEAD} bytes.")

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # a trailer isn't a header: it comes after the checks
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unheard, self._is_in_head = 0, False
        if not self.url.startswith(b"/"):
            raise ValueError("only origin-form: a second host in the request line would contradict the checked one")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unheard = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unheard = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _refuse(self, status: int, message: str) -> None:
        body = msgspec.json.encode(error_envelope("BAD_REQUEST", message))
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + head.encode() + body)
        self.transport.close()
