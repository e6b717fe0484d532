import socket

import pytest

from handrail.faces.http.body_limit import MAX_BODY
from handrail.faces.http.protocol import MAX_HEAD
from tests.faces.http.running import Running, read_answer


def head(server: Running, *lines: str) -> bytes:
    own = [f"Host: localhost:{server.port}", f"Authorization: Bearer {server.token}"]
    return "\r\n".join(["POST /api/tools/echo HTTP/1.1", *own, *lines, "", ""]).encode()


def test_a_body_of_exactly_the_limit_is_read(server: Running) -> None:
    text = b'{"value":"' + b"x" * (MAX_BODY - 12) + b'"}'
    assert len(text) == MAX_BODY
    assert server.request("POST", "/api/tools/echo", content=text).status == 200


def test_a_body_that_announces_too_much_is_refused_before_it_is_sent(server: Running) -> None:
    answer = server.raw(head(server, f"Content-Length: {MAX_BODY + 1}"))
    assert (answer.status, answer.code) == (413, "BAD_REQUEST")


def test_a_client_that_waits_for_100_continue_is_not_invited(server: Running) -> None:
    answer = server.raw(head(server, f"Content-Length: {MAX_BODY + 1}", "Expect: 100-continue"))
    assert answer.status == 413


def test_a_client_that_sends_too_much_all_the_same_reads_why(server: Running) -> None:
    answer = server.request("POST", "/api/tools/echo", content=b"x" * (MAX_BODY + 1))
    assert (answer.status, answer.code) == (413, "BAD_REQUEST")


@pytest.mark.parametrize("path", ["/api/tools/echo", "/mcp"])
def test_a_stream_is_counted_while_it_comes(path: str, server: Running) -> None:
    with server.connect() as connection:
        accept = "Accept: application/json, text/event-stream\r\nContent-Type: application/json"
        start = head(server, "Transfer-Encoding: chunked", accept).replace(b"/api/tools/echo", path.encode())
        connection.sendall(start)
        block = b"100000\r\n" + b"[" * 0x100000 + b"\r\n"
        for _ in range(MAX_BODY // 0x100000 + 1):
            connection.sendall(block)
        answer = read_answer(connection)
        assert answer.status == 413
        if path != "/mcp":
            assert answer.code == "BAD_REQUEST"
    assert server.call("echo").status == 200


def test_a_head_without_end_is_refused(server: Running) -> None:
    one, many = b"x" * 10_000, b"X: y\r\n" * 2_000
    for start, more in ((b"GET /", one), (b"GET / HTTP/1.1\r\nX: ", one), (b"GET / HTTP/1.1\r\n", many)):
        with server.connect() as connection:
            assert flood(connection, start, more) == 431
    assert server.call("echo").status == 200


def test_trailers_and_chunk_extensions_without_end_are_refused(server: Running) -> None:
    chunked = head(server, "Transfer-Encoding: chunked")
    for endless in (chunked + b"2\r\n{}\r\n0\r\nX: ", chunked + b"2;"):
        with server.connect() as connection:
            assert flood(connection, endless, b"x" * 10_000) in (413, 431)
    assert server.call("echo").status == 200


def flood(connection: socket.socket, start: bytes, more: bytes) -> int:
    """Returns the status of the answer that ends the flood."""
    connection.sendall(start)
    byte_count = 0
    try:
        while byte_count < 16 * MAX_HEAD:
            connection.sendall(more)
            byte_count += len(more)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return read_answer(connection).status


@pytest.mark.parametrize(
    "request_text",
    [
        "nonsense\r\n\r\n",
        "GET /health HTTP/9.9\r\nHost: localhost:PORT\r\n\r\n",
        "CONNECT localhost:PORT HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        "POST /health HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: x\r\n\r\n",
        "POST /health HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /health HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost : localhost:PORT\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost:PORT\r\nX: a\x00b\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_invalid_requests_are_answered_with_the_error_envelope(request_text: str, server: Running) -> None:
    answer = server.raw(request_text)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert server.request("GET", "/health").status == 200
