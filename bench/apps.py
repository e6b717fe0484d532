"""Apps: a warm call over D-Bus and a bare one, the list of many apps and reading their files, tokens for a model."""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
from dbus_fast import Message
from dbus_fast.aio import MessageBus

from bench.browser.drivers import Tokenizer
from bench.comparison import Comparison, format_ms, in_turns
from bench.rig import CALLER, Bench
from handrail import wiring as app
from handrail.faces.mcp.listing import tool_listing
from handrail.features.apps.app_tools import AppTools
from handrail.features.apps.backends.catalogue import Catalogue
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.evidence import CallEvidence, Evidence
from handrail.stores.local.tokens import SqliteTokens
from tests.odd_app import descriptor
from tests.session_bus import SessionBus

_ID = "com.example.bench"
_ROUNDS = 1500
_APPS, _TOOLS = 500, 10
_ODD_APP = Path(__file__).parents[1] / "tests" / "odd_app.py"


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        many = Path(folder, "apps")
        _install_many(many)
        return [_warm_call(Path(folder)), _start(many), _tokens(many)]


def _warm_call(folder: Path) -> Comparison:
    with _session() as bus, mock.patch.dict(os.environ, bus.env):
        own = bus.home / ".aai" / _ID / "aai.json"
        own.parent.mkdir(parents=True)
        own.write_text(json.dumps(descriptor(_ID, {"type": "ipc"})))
        (folder / "project").mkdir()
        bench = Bench(folder / "project", folder / "state")
        try:
            ours, kept, theirs = bench.run(_measure_calls(bench))
        finally:
            bench.run(bench.rig.part("apps").disconnect())
            bench.close()
    what = "a warm `apps_call` through gate and D-Bus, p50, without evidence, records and tokens"
    return Comparison(f"{what} ({format_ms(ours)} with them)", "a bare dbus-fast call", ours - kept, theirs, 3)


async def _measure_calls(bench: Bench) -> tuple[float, float, float]:
    """Returns medians in milliseconds: our call, its part spent on records, and the bare call."""
    request = {"app": _ID, "tool": "echo", "params": {"text": "hello"}}
    envelope = {"version": "1.0", "tool": "echo", "params": {"text": "hello"}, "request_id": "req_1"}
    text = json.dumps(envelope)
    bus = await MessageBus().connect()

    def bare() -> Awaitable[object]:
        return bus.call(
            Message(
                destination=_ID,
                path="/com/aai/Executor",
                interface="com.aai.Executor",
                member="Execute",
                signature="s",
                body=[text],
            )
        )

    def gated() -> Awaitable[object]:
        return bench.rig.gate.run(Call("apps_call", request, CALLER))

    with _patch_record_keeping() as spent:
        ours, records, theirs = [], [], []
        for _ in range(_ROUNDS):
            before = spent[0]
            ours.append(await _measure_once(gated))
            records.append((spent[0] - before) * 1000)
            theirs.append(await _measure_once(bare))
            await asyncio.sleep(0)
    bus.disconnect()
    warm = slice(_ROUNDS // 10, None)
    rest = statistics.median(a - b for a, b in zip(ours[warm], records[warm], strict=True))
    whole = statistics.median(ours[warm])
    return whole, whole - rest, statistics.median(theirs[warm])


async def _measure_once(call: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


@contextmanager
def _patch_record_keeping() -> Iterator[list[float]]:
    """Yields the seconds spent on evidence, audit and tokens."""
    spent = [0.0]

    def timed(kind: type, name: str) -> Any:
        inner = getattr(kind, name)

        def outer(*given: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*given, **named)
            finally:
                spent[0] += time.perf_counter() - started

        return mock.patch.object(kind, name, outer)

    methods = (
        (Evidence, "open"),
        (CallEvidence, "add"),
        (Audit, "append"),
        (SqliteTokens, "issue"),
        (SqliteTokens, "consume"),
    )
    patches = [timed(kind, name) for kind, name in methods]
    for patch in patches:
        patch.start()
    try:
        yield spent
    finally:
        for patch in patches:
            patch.stop()


@contextmanager
def _session() -> Iterator[SessionBus]:
    with SessionBus() as bus:
        services = bus.data / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        line = f"[D-BUS Service]\nName={_ID}\nExec={sys.executable} {_ODD_APP} dbus {_ID}\n"
        (services / f"{_ID}.service").write_text(line)
        yield bus


def _install_many(folder: Path) -> None:
    for number in range(_APPS):
        id = f"com.example.app{number}"
        (folder / id).mkdir(parents=True)
        (folder / id / "aai.json").write_text(json.dumps(_descriptor(id, number), indent=2))


def _descriptor(id: str, number: int) -> dict[str, Any]:
    query = {"type": "string", "description": "What to look for."}
    limit = {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many at most."}
    parameters = {"type": "object", "properties": {"query": query, "limit": limit}, "required": ["query"]}
    returns = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object"}}}}
    tools = [
        {
            "name": f"find_{what}",
            "description": f"Find {what} in application {number}, newest first.",
            "parameters": parameters,
            "returns": returns,
        }
        for what in ("notes", "events", "mails", "files", "tasks", "people", "pages", "songs", "photos", "places")
    ]
    about = {"id": id, "name": f"Application {number}", "description": f"Keeps what belongs to subject {number}."}
    return {"schema_version": "1.0", "app": about, "execution": {"type": "ipc"}, "tools": tools[:_TOOLS]}


def _start(folder: Path) -> Comparison:
    paths = sorted(folder.glob("*/aai.json"))

    def ours() -> None:
        assert len(Catalogue(folder, []).apps()) == _APPS

    def theirs() -> None:
        for path in paths:
            with path.open("rb") as file:
                file.read()

    what = f"the list of {_APPS} apps with {_APPS * _TOOLS:,} tools at the start"
    return Comparison(what, "reading their files", *in_turns(ours, theirs, 20), 3)


def _tokens(folder: Path) -> Comparison:
    """Ours: the declarations of three tools, a search, and the description of the tool that was found."""
    catalogue = Catalogue(folder, [])
    tools = [entry for entry in app.Wiring().describe() if entry.surface.name == "apps"]
    texts = [tool_listing(entry.tool) for entry in tools]
    port = mock.Mock(catalogue=catalogue)
    for name, params in (
        ("apps_list", {"query": "mails 77"}),
        ("apps_describe", {"app": "com.example.app77", "tool": "find_mails"}),
    ):
        entry = next(entry for entry in tools if entry.tool.name == name)
        call = Call(name, params, CALLER)
        reply = asyncio.run(_as_coroutine(entry.tool.run(port, call, msgspec.convert(params, entry.tool.params), None)))
        texts.append(reply.text)
    tokenizer = Tokenizer()
    try:
        ours = tokenizer.count(json.dumps(texts))
        theirs = tokenizer.count(json.dumps([tool_listing(tool) for tool in AppTools(catalogue).tools()]))
    finally:
        tokenizer.close()
    what = f"tokens before the first call, {_APPS} apps"
    return Comparison(what, "each app tool as an MCP tool", ours, theirs, 0.02, "tokens")


async def _as_coroutine(work: Awaitable[Any]) -> Any:
    return await work
