"""Regular expressions of any shape on a running server: an answer before the timeout, and no delay of others."""

import json
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.servers import Server, serving
from tests.effort import tries
from tests.wire.clients import HANDRAIL
from tests.wire.stage import put

LONG = "a" * 150_000 + "!\n"
EVIL = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(.*)*x",
    "(.*a){12}x",
    "(a*)*b",
    "(?:a?){30}a{30}$",
    "([a-zA-Z]+)*[0-9]$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "(?i)(?:(?:a|b|ab)*)*c",
    "a{0,500}a{0,500}b",
    "(|a|b)*c",
    "(?:)",
    "|",
    "a||b",
    "()*",
    "^",
    "$",
    r"\b",
    r"\B",
    "[^a]",
    r"(?s).*",
    r"\pL+\pN",
]
REFUSED = [
    "(",
    ")",
    "[",
    "a{2,1}",
    "*",
    "+a",
    "a{1000}{1000}",
    "(a{1000}){1000}",
    "((a{100}){100}){100}",
    "(?=a)",
    "(?<=a)b",
    r"(a)\1",
    "(?P<n>",
    "[z-a]",
    r"\pQ",
    "(?z)",
    "(" * 5000,
]


@pytest.fixture
def texts(project: Path) -> Path:
    put(project, "long.txt", LONG)
    put(project, "lines.txt", "ab cd 12\n" * 12_000)
    return project


def test_every_search_is_answered_in_time(texts: Path, state: Path) -> None:
    with serving(texts, state) as server:
        for regex in EVIL:
            outcome = server.call("search_files", {"path": ".", "regex": regex, "maxMatches": 50})
            assert outcome.code in (None, "E_BAD_ARGS"), (regex, outcome.error)
        for regex in REFUSED:
            assert server.code("search_files", path=".", regex=regex) == "E_BAD_ARGS", regex


@pytest.mark.trial("regexes")
def test_every_replacement_is_answered_in_time(texts: Path, state: Path) -> None:
    with serving(texts, state) as server:
        for number, regex in enumerate(EVIL[:: tries(3, 1)]):
            path = ("long.txt", "lines.txt")[number % 2]
            outcome = server.call("replace_in_file", {"path": path, "find": f"/{regex}/", "replace": ""})
            # If too many lines would change, or the result had no bounds, the policy and the limits refuse it.
            assert outcome.code in (None, "E_POLICY_VIOLATION", "E_TOO_LARGE"), (regex, outcome.error)
            put(texts, "long.txt", LONG)
        for regex in REFUSED[:: tries(3, 1)]:
            assert server.code("replace_in_file", path="long.txt", find=f"/{regex}/", replace="") == "E_BAD_ARGS", regex


@pytest.mark.alone
@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("replace_in_file", {"find": "/(a?){500}a{500}b/", "replace": ""}),
        ("replace_in_file", {"find": "/x*/", "replace": "-"}),
        ("search_files", {"regex": "[ab]*a[ab]{900}Z"}),
    ],
)
def test_a_search_beyond_the_deadline_times_out_at_once_and_leaves_no_process(
    project: Path, state: Path, tool: str, params: dict[str, str]
) -> None:
    noise = random.Random(5).randbytes(20_000_000).translate(bytes(b"ab"[number % 2] for number in range(256)))
    text = b"a" * 20_000_000 if tool == "replace_in_file" else noise
    put(project, "huge.txt", text)
    place = ["--project", str(project), "--state", str(state), "--answer", "allow", "--timeout", "1500"]
    start = time.monotonic()
    result = subprocess.run(
        [HANDRAIL, "call", tool, json.dumps({"path": "huge.txt", **params}), *place], capture_output=True, check=False
    )
    assert time.monotonic() - start < 8
    answer = json.loads(result.stdout)
    assert answer["error"]["code"] == "E_TIMEOUT", answer
    assert answer["error"]["details"]["timeoutMs"] == 1500
    assert processes_below(project) == []
    assert (project / "huge.txt").stat().st_size == 20_000_000


def processes_below(project: Path) -> list[str]:
    """Returns the processes that still work in the project, such as ripgrep, or were started with it."""
    matches = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if str(project).encode() in command or (process / "cwd").resolve() == project:
                matches.append(command.decode(errors="replace"))
        except OSError:
            continue
    return matches


def test_a_long_replacement_does_not_delay_other_calls(project: Path, state: Path) -> None:
    put(project, "huge.txt", "a" * 40_000_000)
    with serving(project, state) as server:
        params = {"name": "replace_in_file", "arguments": {"path": "huge.txt", "find": "/(a?){500}b/", "replace": ""}}
        server.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": params})
        for _ in range(3):  # if they were delayed, the long one's answer would come first
            assert server.ok("read_file", path="notes.md")["bytes"]
        cancel(server, "long")
        assert server.ok("replace_in_file", path="notes.md", find="Notes", replace="Done") == {"count": 1}


def cancel(server: Server, request: str) -> None:
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}})
