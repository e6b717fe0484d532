"""Secret answers only reach the call that waits for them, and are asked for again after a restart."""

import asyncio
from pathlib import Path
from typing import Any

from handrail.features.people.tools.prompt_key_values import Params, Result, prompt_key_values
from handrail.kernel.call import Call
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.identity import Caller
from handrail.ports.prompt_queue import PromptQueue
from handrail.stores.local.prompt_store import prompt_store
from tests.waiting import eventually

FIELDS = [{"key": "password", "secret": True}]
TYPED = {"status": "ok", "values": {"password": "TOP-SECRET-17"}}


async def prompt_of(queue: PromptQueue, request_id: str) -> Any:
    """Once somebody waits for the answer to it."""

    async def asked() -> list[Any]:
        return [
            entry.prompt
            for entry in await queue.pending()
            if entry.request_id == request_id and await queue.is_waiting(request_id)
        ]

    return (await eventually(asked, request_id))[0]


def test_a_secret_typed_while_no_run_waited_is_asked_for_again(tmp_path: Path) -> None:
    async def run() -> None:
        queue = LogPromptQueue(prompt_store(tmp_path))
        form = {"kind": "kv", "fields": FIELDS, "source": "handrail/prompt_key_values"}
        await queue.request(form, request_id="ask_exec_1", run_id="task")  # by a process that died then
        await queue.respond("ask_exec_1", TYPED, by="console:ada")
        call = Call(
            "prompt_key_values", {}, Caller("agent", "m", "handrail", "chat:person"), "task", execution_id="exec_1"
        )
        asking = asyncio.create_task(prompt_key_values(queue, call, Params(FIELDS), None))
        assert "type it again" in (await prompt_of(queue, "ask_exec_1_2")).message
        await queue.respond("ask_exec_1_2", TYPED, by="console:ada")
        reply = await asyncio.wait_for(asking, 20)
        assert reply.result == Result("ok", "ask_exec_1_2", "task", {"password": "TOP-SECRET-17"})
        assert reply.kept_result.values == {"password": "******"}
        await queue.close()

    asyncio.run(run())
