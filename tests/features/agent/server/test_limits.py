"""Limits of a task: the error names the limit; once it is raised, the run continues where it was."""

import asyncio
import json
import threading

from tests.faces.http.running import Running
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.model_server import Answer, ModelServer, Use, says, wishes


def test_a_task_stops_at_its_step_limit_and_continues_once_that_is_raised(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        looks = [wishes("list_files", path=".", maxDepth=depth) for depth in (1, 2, 3)]
        models.script("stepping", *looks, says("Looked."))
        async with chatting(rig) as chat:
            await chat.say("Look", model="openai-compatible:stepping", mostSteps=2)
            rested = await chat.rested()
            assert (rested["steps"], rested["mostSteps"], rested["reached"]) == (2, 2, "mostSteps")
            assert "may take 2" in rested["trouble"]
            assert "resume" in rested["trouble"]
            output = chat.events_of("structuredOutput")[-1]
            assert output["error"]["details"]["context"]["limit"] == "mostSteps"
            await chat.steer("resume")  # not raised, it is still there
            assert (await chat.rested())["reached"] == "mostSteps"
            changed = await chat.ask("POST", f"/api/agent/task/{chat.task}", json={"mostSteps": 4})
            assert changed.json["data"]["run"]["mostSteps"] == 4
            await chat.steer("resume")
            await chat.of("runStatus", status="running")
            rested = await chat.rested()
            assert "trouble" not in rested
            assert "reached" not in rested
            assert chat.streamed == "Looked."
            assert len(models.requests["stepping"]) == 4
            path = f"/api/agent/task/{chat.task}"
            assert (await chat.ask("POST", path, json={"mostSteps": None})).json["data"]["run"]["mostSteps"] == 100
            for wrong in ({"mostSteps": 0}, {"mostCost": -1}, {"mostSteps": "many"}):
                assert (await chat.ask("POST", path, json=wrong)).status == 400
            assert (await chat.say("Look", mostSteps=0))["ok"] is False

    asyncio.run(run())


def test_limits_change_while_the_agent_is_at_work_and_its_model_does_not(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        gate = threading.Event()
        models.script("at-work", Answer(uses=(Use("list_files", {"path": "."}),), gate=gate), says("On."))
        async with chatting(rig) as chat:
            await chat.say("Go", model="openai-compatible:at-work", mostSteps=1, mostCost=0.5)
            await asyncio.to_thread(models.asked, "at-work")
            path = f"/api/agent/task/{chat.task}"
            assert (await chat.ask("POST", path, json={"model": "openai:x"})).status == 409
            changed = (await chat.ask("POST", path, json={"mostSteps": 2, "mostCost": 0})).json["data"]["run"]
            assert (changed["status"], changed["mostSteps"], changed["mostCost"]) == ("running", 2, 0)
            gate.set()
            assert "trouble" not in await chat.rested()
            assert chat.streamed == "On."

    asyncio.run(run())


def test_a_reached_cost_limit_is_reported_and_can_be_raised(rig: Running, models: ModelServer) -> None:
    """The price of this model is known, and two replies of these tokens cost more than that."""

    async def run() -> None:
        name = "claude-sonnet-4-5"
        models.script(name, wishes("list_files", path="."), says("Paid."))
        async with chatting(rig) as chat:
            await chat.say("Look", model=f"anthropic:{name}", mostCost=0.00001)
            rested = await chat.rested()
            assert rested["reached"] == "mostCost", json.dumps(chat.events)
            assert rested["usage"]["cost"] > 0
            await chat.ask("POST", f"/api/agent/task/{chat.task}", json={"mostCost": 1})
            await chat.steer("resume")
            await chat.of("runStatus", status="running")
            assert "trouble" not in await chat.rested()
            assert chat.streamed == "Paid."

    asyncio.run(run())
