"""Who may send messages to the agent: a person with the console's cookie, and a program with a token."""

import asyncio
import json

from tests.faces.http.running import Running
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.model_server import Answer, ModelServer, Use, says, wishes
from tests.features.agent.server.test_talking import PIXEL


def test_the_token_is_not_enough_to_write_or_answer_in_a_persons_task(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        models.script("asked", wishes("ask_followup_question", question="Which one?"), says("Thanks."), says("Again."))
        async with chatting(rig) as person, chatting(rig, person.task, is_person=False) as program:
            await person.say("Take one", model="openai-compatible:asked")
            await person.question("Which one?")
            assert (await program.say("the red one"))["error"]["code"] == "FORBIDDEN"
            await person.say("the blue one")
            await person.rested()
            assert (await program.say("Do more"))["error"]["code"] == "FORBIDDEN"
            assert [one["text"] for one in (await person.entries())["entries"] if one["kind"] == "user"] == ["Take one"]
        assert "the blue one" in json.dumps(models.requests["asked"][1])

    asyncio.run(run())


def test_a_program_can_only_use_its_own_tasks_and_cannot_change_paid_settings(
    rig: Running, models: ModelServer
) -> None:
    async def run() -> None:
        async with chatting(rig, is_person=False) as program:
            for settings in ({"model": "openai-compatible:own"}, {"mostCost": 100}, {"mostSteps": 1000}):
                assert (await program.say("Go", **settings))["error"]["code"] == "FORBIDDEN"
            assert await program.say("Go", mode="act") == {"ok": True}
            assert (await program.until(lambda event: event["type"] in ("structuredOutput", "runStatus"))) is not None
            await program.look(lambda view: view["run"]["status"] == "waiting")
            async with chatting(rig, program.task) as person:
                models.script("taken-over", says("Yes, you."))
                assert await person.say("It is mine now", model="openai-compatible:taken-over") == {"ok": True}
                await person.rested()
            assert (await program.say("Go on"))["error"]["code"] == "FORBIDDEN"

    asyncio.run(run())


def test_attachments_to_an_answer_are_refused_and_the_question_stays(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        models.script("asking", wishes("ask_followup_question", question="Which picture?"), says("I see."))
        async with chatting(rig) as chat:
            await chat.say("Take one", model="openai-compatible:asking")
            await chat.question("Which picture?")
            body = {"taskId": chat.task, "kind": "attachment", "contentType": "image/png", "name": "a.png"}
            slot = (await chat.ask("POST", "/api/artifacts/presign", json=body)).json["data"]
            await chat.ask("POST", slot["uploadUrl"].removeprefix(rig.address), content=PIXEL)
            assert (await chat.say("this one", attachments=[slot["artifactId"]]))["error"]["code"] == "BAD_REQUEST"
            assert await chat.say("the first one") == {"ok": True}
            await chat.rested()
            await chat.say("And this?", attachments=[slot["artifactId"]])
            await chat.rested()
            entries = [one["attachments"] for one in (await chat.entries())["entries"] if "attachments" in one]
            assert entries == [[{"id": slot["artifactId"], "name": "a.png", "type": "image/png"}]]

    asyncio.run(run())


def test_confidential_answers_reach_only_the_model(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        form = {"fields": [{"key": "user"}, {"key": "password", "secret": True}]}
        models.script("trusted", wishes("prompt_key_values", **form), says("Signed in."))
        async with chatting(rig) as chat:
            await chat.say("Sign in", model="openai-compatible:trusted")
            question = await chat.question("password")
            await chat.answer(question, status="ok", values={"user": "ada", "password": "TOP-SECRET-17"})
            await chat.rested()
            assert "TOP-SECRET-17" in json.dumps(models.requests["trusted"][1])
            text = json.dumps([chat.events, await chat.entries()])
            assert "TOP-SECRET-17" not in text
            assert "ada" in text
            assert "****** stands for a secret" in text
            content = b"".join(path.read_bytes() for path in (rig.state / "browser").glob("browser.db*"))
            assert b"TOP-SECRET-17" not in content

    asyncio.run(run())


def test_a_plan_that_was_stopped_is_shown_again_when_it_is_resumed(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        models.script("planned", says("- [ ] only this"), says("Done so."))
        async with chatting(rig) as chat:
            await chat.say("Plan", mode="plan", model="openai-compatible:planned")
            first = await chat.question("only this")
            stopped = (await chat.steer("stop")).json["data"]
            assert (stopped["status"], stopped["canResume"]) == ("ended", True)
            assert (await chat.steer("resume")).json["data"]["status"] == "running"
            again = await chat.question("only this")
            assert again["requestId"] != first["requestId"]
            await chat.answer(again, status="ok", tasks=again["prompt"]["tasks"])
            await chat.of("chatDelta", finished=True, content="Done so.")
            assert (await chat.rested())["canResume"] is False

    asyncio.run(run())


def test_errors_with_foreign_text_are_marked_and_our_own_are_not(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        wrong = Use("apps_call", {"appId": "no.such.app"})
        uses = (Use("apps_call", {"app": "no.such.app", "tool": "x"}), Use("read_file", {"path": "no"}), wrong)
        models.script("failing", Answer(uses=uses), says("All failed."))
        async with chatting(rig) as chat:
            await chat.say("Try", model="openai-compatible:failing")
            await chat.rested()
        tool_results = [said["content"] for said in models.requests["failing"][1]["messages"] if said["role"] == "tool"]
        assert ["<untrusted" in one for one in tool_results] == [True, False, False], tool_results

    asyncio.run(run())
