"""Invalid lines on stdin, again and again: each is answered, the server keeps running, its memory stays bounded."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.servers import Server, serving
from tests.effort import tries
from tests.waiting import PATIENCE
from tests.wire.clients import Json
from tests.wire.stage import START

MEMORY = 600_000_000
LARGE = tries(12_000_000, 60_000_000)
"""Above what a line may have, in bytes."""
LONGEST = tries(20_000_000, 100_000_000)
CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":%s}}}'


def many(value: bytes) -> bytes:
    return b"[" + (value + b",") * (LARGE // (len(value) + 1)) + value + b"]"


HUGE: dict[str, Callable[[], bytes]] = {
    "a long line": lambda: CALL % (7, b'"' + b"x" * LONGEST + b'"'),
    "a long line without a quote": lambda: b"x" * LONGEST,
    "a long path": lambda: CALL % (7, b'"' + b"x" * LARGE + b'"'),
    "a long path in escapes": lambda: CALL % (7, b'"' + b"\\u0041" * (LARGE // 6) + b'"'),
    "millions of arrays": lambda: CALL % (7, many(b"[]")),
    "millions of objects": lambda: CALL % (7, many(b"{}")),
    "millions of numbers": lambda: CALL % (7, many(b"0")),
    "millions of texts": lambda: CALL % (7, many(b'""')),
    "millions of keys": lambda: CALL % (7, b"{" + b'"k":0,' * (LARGE // 6) + b'"k":0}'),
    "millions of brackets": lambda: CALL % (7, b"[" * (LARGE // 2) + b"]" * (LARGE // 2)),
    "a batch of very many calls": lambda: b"[" + b'{"jsonrpc":"2.0","id":7},' * (LARGE // 25) + b"{}]",
    "a number of millions of digits": lambda: CALL % (7, b"9" * LARGE),
    "millions of blanks": lambda: CALL % (7, b" " * LARGE + b"1"),
}


def is_refused(answer: Json) -> bool:
    if "error" in answer:
        return answer["error"]["code"] in (-32700, -32600)
    return json.loads(answer["result"]["content"][0]["text"])["error"]["code"] in ("E_BAD_ARGS", "E_TOO_LARGE")


@pytest.mark.trial("huge lines")
def test_huge_lines_are_refused_one_after_the_other_in_bounded_memory(project: Path, state: Path) -> None:
    with serving(project, state) as server:
        for name, line in HUGE.items():
            server.send_line(line())
            answer = server.receive()
            assert is_refused(answer), (name, answer)
            assert answer["id"] in (7, None), name
            assert server.ok("read_file", path=START)["bytes"] > 0, name
            assert server.greatest_memory < MEMORY, (name, server.greatest_memory)


BATCHES = [
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    b"[%s]" % (CALL % (3, b'"notes.md"')),
    b"[1,2,3]",
    b"[[]]",
]
BROKEN = [
    CALL[:40],
    CALL % (7, b'"notes.md"') + b"}",
    CALL % (7, b'"notes.md') + b"",
    b"\0" * 100,
    CALL % (7, b'"notes\0.md"'),
    b"\xff\xfe{\0}\0",
    CALL % (7, b'"\xc3("'),
    CALL % (7, b'"\xed\xa0\x80"'),
    b"\xef\xbb\xbf" + CALL % (7, b'"notes.md"'),
    b'{"jsonrpc":"1.0","id":7,"method":"ping"}',
    b'{"jsonrpc":2.0,"id":7,"method":"ping"}',
    b'{"id":7,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":7,"method":7}',
    b'{"jsonrpc":"2.0","id":7}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":[]}}',
    b"null",
    b"true",
    b'"ping"',
    b"NaN",
]


def test_every_line_that_is_not_a_message_is_answered_with_an_error(project: Path, state: Path) -> None:
    with serving(project, state) as server:
        for line in [*BROKEN, *BATCHES] * 5:
            server.send_line(line)
            answer = server.receive()
            assert "error" in answer or answer["result"]["isError"], (line, answer)
        assert server.greatest_memory < MEMORY


def test_valid_lines_between_invalid_ones_are_all_answered(project: Path, state: Path) -> None:
    """Splits the input at random places, so that no line arrives in one read."""
    chance = random.Random(11)
    good, bad = 0, 0
    stream = b""
    for number in range(400):
        if chance.random() < 0.5:
            good += 1
            stream += CALL % (number, b'"notes.md"') + b"\n"
        else:
            bad += 1
            stream += chance.choice([*BROKEN, *BATCHES]) + chance.choice([b"\n", b"\r\n", b" \n\n"])
    with serving(project, state) as server:
        answers = _exchanged(server, stream, good + bad, chance)
        assert sum("result" in answer and not answer["result"]["isError"] for answer in answers) == good


def _exchanged(server: Server, stream: bytes, count: int, chance: random.Random) -> list[Json]:
    assert server.process.stdin is not None
    at = 0
    while at < len(stream):
        end = at + chance.randint(1, 2000)
        os.write(server.process.stdin.fileno(), stream[at:end])
        at = end
    return [server.receive() for _ in range(count)]


def test_a_message_that_is_cut_off_by_the_end_ends_the_server_in_order(project: Path, state: Path) -> None:
    server = Server(project, state)
    try:
        assert server.process.stdin is not None
        server.process.stdin.write(CALL % (5, b'"notes.md"') + b"\n" + CALL[:60])
        server.process.stdin.close()
        answers = [server.receive(), server.receive()]
        assert {answer["id"] for answer in answers} == {5, None}
        assert server.process.wait(timeout=PATIENCE) == 0
    finally:
        server.kill()
