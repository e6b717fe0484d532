"""Many and long tasks at once: no event is lost or out of order."""

import asyncio
import json
from pathlib import Path

import pytest

from handrail.kernel.task_ids import new_task_id
from handrail.ports.model import AssistantTurn, Note, ToolResult, ToolUse, UserTurn
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.browser_tables import browser_database
from handrail.stores.shared.agent_runs import RunRows
from tests.faces.http.listener import Listener, listening
from tests.faces.http.running import Running
from tests.features.agent.server.chat import add_turns, chatting, person_at

TASKS = 100


@pytest.mark.trial("models", is_long=True)
def test_a_hundred_tasks_stream_at_once_and_no_delta_is_lost_or_out_of_order(rig: Running, tmp_path: Path) -> None:
    words = "".join(f"{number:04d} " for number in range(60))
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [{"text": words}]}))

    async def begin(page: Listener, task: str) -> None:
        message = {"v": 1, "type": "user_message", "id": f"evt-{task}", "taskId": task, "content": "Count"}
        assert await page.send("frontend_message", {**message, "model": f"script:{script}"}) == {"ok": True}

    async def run() -> None:
        tasks = [new_task_id() for _ in range(TASKS)]
        texts = dict.fromkeys(tasks, "")
        unfinished = set(tasks)
        headers = await asyncio.to_thread(person_at, rig)
        async with listening(rig, headers=headers, transports=["websocket"]) as page:
            await asyncio.gather(*(begin(page, task) for task in tasks))
            while unfinished:
                told = await page.next("frontend_event")
                event = told["event"]
                if event["type"] != "chatDelta":
                    continue
                if event["finished"]:
                    unfinished.discard(told["taskId"])
                else:
                    texts[told["taskId"]] += event["delta"]["content"]
        assert set(texts.values()) == {words}

    asyncio.run(run())


def test_a_task_of_five_thousand_messages_is_shown_page_by_page(rig: Running) -> None:
    async def run() -> None:
        async with chatting(rig) as chat:
            await chat.say("Begin", model="nonsense:model")
            await chat.of("structuredOutput", status="error")
            turns = [{"type": "user", "id": f"m{n}", "text": str(n)} for n in range(4999)]
            add_turns(rig.state, chat.task, turns)
            views: list[str] = []
            page = await chat.entries("?limit=500")
            while True:
                assert len(page["entries"]) <= 500
                views = [entry["text"] for entry in page["entries"]] + views
                if "next" not in page:
                    break
                page = await chat.entries(f"?limit=500&before={page['next']}")
            assert views == ["Begin", *map(str, range(4999))]

    asyncio.run(run())


def test_a_page_keeps_a_call_with_its_outcome_and_shows_compacted_turns(tmp_path: Path) -> None:
    uses = tuple(ToolUse(f"use_{n}", "list_files", "{}", f"exec_{n}") for n in range(3))
    outcomes = [ToolResult(use.id, use.execution_id, use.name, "none") for use in uses]

    async def run() -> None:
        batches = SqliteBatches(browser_database(tmp_path))
        runs = RunRows(batches)
        await runs.add("t", UserTurn("a", "old"), AssistantTurn("words", uses), *outcomes, UserTurn("b", "new"))
        last = await runs.page("t", None, 2)
        assert [type(one.turn) for one in last] == [
            UserTurn,
            AssistantTurn,
            ToolResult,
            ToolResult,
            ToolResult,
            UserTurn,
        ]
        await runs.compact("t", 5, "all of it")
        assert await runs.turns("t") == [Note("all of it"), UserTurn("b", "new")]
        everything = [one.turn for one in await runs.page("t", None, 50)]
        assert everything == [
            UserTurn("a", "old"),
            AssistantTurn("words", uses),
            *outcomes,
            UserTurn("b", "new"),
            Note("all of it"),
        ]
        await batches.close()

    asyncio.run(run())


def test_tasks_are_found_by_words_of_their_titles_and_messages_and_paged(rig: Running) -> None:
    async def run() -> None:
        async with chatting(rig) as chat:
            titles = {"zebra 100% striped": "a", "the second ZEBRA": "b", "unrelated": "c"}
            tasks = {name: new_task_id() for name in titles.values()}
            for content, name in titles.items():
                chat.task = tasks[name]
                await chat.say(content, model="nonsense:model")
            await chat.ask("POST", f"/api/agent/task/{tasks['a']}", json={"title": "Horses"})

            async def found(query: str) -> list[str]:
                listing = await chat.ask("GET", f"/api/task/list?{query}")
                assert listing.status == 200, listing.body
                names = {id: name for name, id in tasks.items()}
                return [names[task["taskId"]] for task in listing.json["data"] if task["taskId"] in names]

            assert sorted(await found("query=zebra")) == ["a", "b"]
            assert await found("query=STRIPED+zebra") == ["a"]
            assert await found("query=horses") == ["a"]
            assert await found("query=100%25") == ["a"]
            assert await found("query=1_0") == []
            order = await found("limit=500")
            assert await found(f"limit=500&before={tasks[order[0]]}") == order[1:]
            assert (await chat.ask("GET", "/api/task/list?before=nonsense")).status == 400
            assert (await chat.ask("GET", f"/api/task/list?query={'x' * 257}")).status == 400
            data = (await chat.ask("GET", f"/api/agent/task/{tasks['a']}")).json["data"]
            assert (data["task"]["title"], data["run"]["canResume"]) == ("Horses", True)

    asyncio.run(run())
