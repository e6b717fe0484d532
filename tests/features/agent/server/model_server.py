"""A server that speaks the wire formats of OpenAI, Anthropic and Google, and says a script.

Which script is named by the model that a request asks for; each request gets its next answer.
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_GOOGLE = re.compile(r"/v1(?:beta)?/models/(.+):streamGenerateContent\?alt=sse")


@dataclass(frozen=True)
class Use:
    name: str
    arguments: Any = field(default_factory=dict)
    """An object, or a text that is sent as it is."""

    @property
    def spelled(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Answer:
    """`status` other than 200 refuses; `is_cut`: the connection ends in the middle; `gate` is waited for first."""

    pieces: Sequence[str] = ()
    uses: Sequence[Use] = ()
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False
    gate: threading.Event | None = None
    thoughts: Sequence[str] = ()


def says(*pieces: str, uses: Sequence[Use] = ()) -> Answer:
    return Answer(pieces, uses)


def wishes(name: str, **arguments: Any) -> Answer:
    return Answer((), (Use(name, arguments),))


class ModelServer:
    def __init__(self) -> None:
        self.requests: dict[str, list[dict[str, Any]]] = {}
        self._scripts: dict[str, list[Answer]] = {}
        self._turn = threading.Condition()
        owner = self

        class Handler(_Handler):
            server_of_models = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, model: str, *answers: Answer) -> None:
        with self._turn:
            self._scripts[model] = list(answers)
            self.requests[model] = []

    def next(self, model: str, request: dict[str, Any]) -> Answer:
        with self._turn:
            self.requests.setdefault(model, []).append(request)
            self._turn.notify_all()
            remaining = self._scripts.get(model, [])
            return remaining.pop(0) if remaining else says("That is all.")

    def asked(self, model: str, times: int = 1) -> None:
        """Returns once it was, so often."""
        with self._turn:
            assert self._turn.wait_for(lambda: len(self.requests.get(model, ())) >= times, 30)

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_of_models: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        request["headers"] = {name.lower(): value for name, value in self.headers.items()}
        model = request.get("model") or _GOOGLE.fullmatch(self.path)[1]  # type: ignore[index]
        answer = self.server_of_models.next(model, request)
        if answer.gate is not None:
            answer.gate.wait(30)
        if answer.status != 200:
            self._refuse(answer)
            return
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for line in _spoken(self.path, model, answer):
            self.wfile.write(line.encode())
            self.wfile.flush()

    def _refuse(self, answer: Answer) -> None:
        error = {"code": answer.status, "status": "", **answer.error} if _GOOGLE.fullmatch(self.path) else answer.error
        body = json.dumps({"type": "error", "error": error}).encode()
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _spoken(path: str, model: str, answer: Answer) -> Iterator[str]:
    if _GOOGLE.fullmatch(path):
        return _google(model, answer)
    return _anthropic(model, answer) if path.endswith("/messages") else _openai(model, answer)


def _openai(model: str, answer: Answer) -> Iterator[str]:
    head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**head, 'choices': [choice], **more})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for thought in answer.thoughts:
        yield chunk({"reasoning_content": thought})
    for piece in answer.pieces:
        yield chunk({"content": piece})
    if answer.is_cut:
        return
    for index, use in enumerate(answer.uses):
        function = {"name": use.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]})
        half = len(use.spelled) // 2
        for part in (use.spelled[:half], use.spelled[half:]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, "tool_calls" if answer.uses else "stop")
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


def _anthropic(model: str, answer: Answer) -> Iterator[str]:
    def event(type: str, **members: Any) -> str:
        return f"event: {type}\ndata: {json.dumps({'type': type, **members})}\n\n"

    usage = {"input_tokens": 11, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield event("message_start", message=message)
    index = 0
    if answer.pieces:
        yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in answer.pieces:
            yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        if answer.is_cut:
            return
        yield event("content_block_stop", index=0)
        index = 1
    for use in answer.uses:
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": use.name, "input": {}}
        yield event("content_block_start", index=index, content_block=block)
        yield event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": use.spelled})
        yield event("content_block_stop", index=index)
        index += 1
    reason = "tool_use" if answer.uses else "end_turn"
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 7})
    yield event("message_stop")


def _google(model: str, answer: Answer) -> Iterator[str]:
    def chunk(parts: list[dict[str, Any]], finish: str | None = None) -> str:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish is not None:
            candidate["finishReason"] = finish
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
        response = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "r1"}
        return f"data: {json.dumps(response)}\r\n\r\n"

    for piece in answer.pieces:
        yield chunk([{"text": piece}])
    if answer.is_cut:
        return
    for use in answer.uses:
        yield chunk([{"functionCall": {"name": use.name, "args": json.loads(use.spelled)}}])
    yield chunk([{"text": ""}], "STOP")
