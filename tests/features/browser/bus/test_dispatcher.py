"""The life of an action: timeouts, retries, health, lanes, takeover. Time is virtual."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from handrail.features.browser.bus.action import Action
from handrail.ports import own_servers
from handrail.ports.errors import (
    Aborted,
    BadAnswer,
    Busy,
    Conflict,
    InputOutput,
    InvalidParams,
    Offline,
    Reported,
    Unacknowledged,
    Unfinished,
    WrongTab,
)
from handrail.ports.own_servers import announce_port
from tests.features.browser.bus.bench_bus import CLICK, LOOK, OTHER_TASK, TASK, Stage
from tests.features.browser.bus.conftest import Play


def begun(stage: Stage, actions: Any = CLICK, task: str = TASK, **how: Any) -> "asyncio.Task[Any]":
    return asyncio.ensure_future(stage.bus.act(task, actions, **how))


def now() -> float:
    return asyncio.get_running_loop().time()


def test_an_action_is_sent_acknowledged_and_answered(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        with announce_port(6145):
            acting = begun(stage, trace_id="trace-1")
            message = await line.next()
        assert 6145 in message["ownPorts"], "the browser must know which ports are handrail's own"
        assert {**message, "id": "", "timestamp": 0, "ownPorts": []} == {
            "v": 1, "type": "browser_action", "id": "", "taskId": TASK, "clientId": "p1", "timestamp": 0,
            "action": CLICK, "traceId": "trace-1", "ownPorts": [],
        }  # fmt: skip
        line.acknowledge()
        stage.answer(message, taskId=TASK, clientId="p1", result={"clicked": True})
        result = await acting
        assert (result.status, result.result, result.warnings) == ("success", {"clicked": True}, ())
        record = await stage.bus.actions.find(message["id"])
        assert record is not None
        assert (record.record.status, record.record.trace_id) == ("success", "trace-1")

    play(scene)


def test_actions_of_one_moment_share_a_look_for_handrails_own_ports(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    class Counted(type(Path())):  # type: ignore[misc]
        def read_text(self, *args: Any, **kwargs: Any) -> str:
            looks.append(self)
            return str(super().read_text(*args, **kwargs))

    monkeypatch.setattr(own_servers, "_NAMES", Counted(own_servers._NAMES))

    async def scene(stage: Stage) -> None:
        line = stage.connect()

        async def act() -> Any:
            acting = begun(stage, LOOK)
            message = await line.next(len(line.sent) + 1)
            stage.answer(message)
            await acting
            return message["ownPorts"]

        for _ in range(20):
            await act()
        assert len(looks) == 1
        with announce_port(6145):
            await asyncio.sleep(0.2)
            assert 6145 in await act()

    play(scene)


def test_a_partial_result_carries_its_warnings(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        stage.answer(await line.next(), status="partial", result={"warnings": ["no CDP"], "missing": ["screenshot"]})
        result = await acting
        assert (result.status, result.warnings) == ("partial", ("no CDP",))

    play(scene)


def test_a_result_before_its_ack_is_accepted(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        stage.answer(await line.next())
        assert (await acting).status == "success"
        line.acknowledge()

    play(scene)


def test_a_whole_result_inside_the_ack_is_taken(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        await line.next()
        line.acknowledge(ack={"ok": True, "status": "success", "result": {"clicked": True}})
        assert (await acting).result == {"clicked": True}

    play(scene)


def test_an_ack_that_refuses_ends_the_action_with_the_plugins_code(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        await line.next()
        line.acknowledge(ack={"ok": False, "error": {"code": "INVALID_TARGET", "message": "gone"}})
        with pytest.raises(Reported) as refused:
            await acting
        assert (refused.value.code, refused.value.message) == ("INVALID_TARGET", "gone")

    play(scene)


def test_without_an_ack_it_ends_after_a_second_and_a_half(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        with pytest.raises(Unacknowledged):
            await stage.bus.act(TASK, CLICK)
        assert now() == pytest.approx(1.5, abs=0.1)
        assert len(line.sent) == 1, "a click is not idempotent"

    play(scene)


@pytest.mark.parametrize(
    ("actions", "seconds"),
    [
        ({"task_start": {}}, 20), ({"browser_debugger_attach": {"tabId": 1}}, 5),
        ({"browser_wait_for_loaded": {"tabId": 1}}, 20), ({"browser_screenshot": {"tabId": 1}}, 10),
        ({"browser_readability_extract": {"tabId": 1}}, 10), ({"browser_dom_index": {"tabId": 1}}, 10),
        ({"browser_xpath_scan": {"tabId": 1}}, 10), ({"browser_click": {"tabId": 1}}, 5),
        ({"browser_type": {"tabId": 1, "text": "x"}}, 10), ({"browser_get_html": {"tabId": 1}}, 10),
        ({"task_stop": {}}, 5), ({"browser_navigate": {"tabId": 1, "url": "https://a.b"}}, 30),
        ({"browser_debugger_detach": {"tabId": 1}}, 5), ({"task_group_update": {}}, 5),
        ({"browser_click": {"tabId": 1, "timeoutMs": 700}}, 0.7),
        ({"browser_click": {"tabId": 1}, "browser_type": {"tabId": 1, "text": "x"}}, 15),
    ],
)  # fmt: skip
def test_each_action_has_its_own_timeout(actions: Any, seconds: float, play: Play) -> None:
    async def scene(stage: Stage) -> float:
        line = stage.connect()
        acting = begun(stage, actions)
        message = await line.next()
        exchange, sent_at = stage.bus.plugins.get_or_add("p1").exchanges[message["id"]], now()
        line.acknowledge()
        await asyncio.wait({exchange.answer})
        took = now() - sent_at
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)
        return took

    assert play(scene) == pytest.approx(seconds, abs=0.01)


def test_a_callers_timeout_applies_to_the_whole_message(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, timeout_ms=250)
        await line.next()
        line.acknowledge()
        with pytest.raises(Unfinished):
            await acting
        assert now() == pytest.approx(0.25, abs=0.05)

    play(scene)


def test_an_idempotent_action_without_a_result_is_sent_again_with_the_same_id(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, LOOK)
        first = await line.next()
        second = await line.next(2)
        assert first["id"] == second["id"]
        assert now() == pytest.approx(1.5 + 1, abs=0.1)
        line.acknowledge(2)
        stage.answer(second, result={"elements": []})
        assert (await acting).status == "success"

    play(scene)


def test_a_retryable_error_gets_one_retry_under_an_id_of_its_own(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, LOOK)
        error = {"code": "CDP_UNAVAILABLE", "message": "busy", "retryable": True}
        stage.answer(await line.next(), status="error", error=error)
        second = await line.next(2)
        assert second["id"] != line.sent[0][0]["id"]
        stage.answer(second, status="error", error=error)
        with pytest.raises(Reported) as failed:
            await acting
        assert failed.value.code == "CDP_UNAVAILABLE"
        assert len(line.sent) == 2

    play(scene)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (CLICK, {"code": "X", "message": "x", "retryable": True}),
        (LOOK, {"code": "X", "message": "x"}),
        (LOOK, "timeout"),
    ],
)
def test_nothing_else_is_retried(actions: Any, error: Any, play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, actions)
        stage.answer(await line.next(), status="error", error=error)
        with pytest.raises(Reported):
            await acting
        assert len(line.sent) == 1

    play(scene)


def test_two_timeouts_in_a_row_mark_the_plugin_unhealthy_and_fail_its_queue(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        with pytest.raises(Unacknowledged):
            await stage.bus.act(TASK, CLICK)
        assert not line.is_dropped
        failing, other = begun(stage), begun(stage, task=OTHER_TASK)
        waiting = [begun(stage) for _ in range(3)]
        await line.next(3)
        line.acknowledge(1 + [message["taskId"] for message, _ in line.sent].index(OTHER_TASK))
        with pytest.raises(Unacknowledged):
            await failing
        for cleared in (other, *waiting):
            with pytest.raises(Offline):
                await cleared
        assert line.is_dropped
        with pytest.raises(Offline) as refused:
            await stage.bus.act(TASK, CLICK)
        assert refused.value.details["reason"] == "unhealthy"
        stage.bus.plugins.disconnect("p1", line)
        again = stage.connect()
        acting = begun(stage)
        stage.answer(await again.next())
        assert (await acting).status == "success"

    play(scene)


def test_a_result_in_between_keeps_the_plugin_healthy(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        for number in (1, 3, 5):
            with pytest.raises(Unacknowledged):
                await stage.bus.act(TASK, CLICK)
            acting = begun(stage)
            stage.answer(await line.next(number + 1))
            await acting
        assert not line.is_dropped

    play(scene)


def test_after_a_missing_ack_nothing_that_waits_is_sent(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        first, second = begun(stage), begun(stage)
        with pytest.raises(Unacknowledged):
            await first
        with pytest.raises(Offline):
            await second
        assert len(line.sent) == 1

    play(scene)


def test_actions_of_one_task_run_in_order_and_tasks_run_in_parallel(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        first, second, beside = begun(stage), begun(stage), begun(stage, task=OTHER_TASK)
        await line.next(2)
        await asyncio.sleep(1)
        assert {message["taskId"] for message, _ in line.sent} == {TASK, OTHER_TASK}
        for number in (1, 2):
            line.acknowledge(number)
            stage.answer(line.sent[number - 1][0])
        stage.answer(await line.next(3))
        await asyncio.gather(first, second, beside)

    play(scene)


def test_an_action_without_a_connected_browser_fails_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        with pytest.raises(Offline):
            await stage.bus.act(TASK, CLICK)
        line = stage.connect()
        stage.bus.plugins.disconnect("p1", line)
        with pytest.raises(Offline):
            await stage.bus.act(TASK, CLICK)
        assert now() < 0.1

    play(scene)


def test_a_plugin_that_goes_in_the_middle_ends_the_action(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        message = await line.next()
        line.acknowledge()
        stage.bus.plugins.disconnect("p1", line)
        with pytest.raises(Offline):
            await acting
        assert now() < 0.1
        stage.connect()
        with pytest.raises(InvalidParams):
            stage.answer(message)

    play(scene)


def test_idempotent_actions_survive_a_reconnect_of_the_plugin(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, LOOK)
        await line.next()
        stage.bus.plugins.disconnect("p1", line)
        again = stage.connect()
        stage.answer(await again.next())
        assert (await acting).status == "success"

    play(scene)


def test_a_caller_that_gives_up_ends_the_action(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        message = await line.next()
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        record = await stage.bus.actions.find(message["id"])
        assert record is not None
        assert record.record.status == "error"
        assert record.failure is not None
        with pytest.raises(InvalidParams):
            stage.answer(message)
        following = begun(stage)
        stage.answer(await line.next(2))
        await following

    play(scene)


def test_a_result_is_taken_once_from_the_right_plugin_for_the_right_task(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line, _ = stage.connect(), stage.connect("p2")
        await stage.bus.takeover.select(await stage.bus.tasks.ensure(TASK), "p1")
        acting = begun(stage)
        message = await line.next()
        for wrong in ({"client_id": "p2"}, {"taskId": OTHER_TASK}, {"clientId": "p2"}, {"actionId": "unknown"}):
            with pytest.raises(InvalidParams):
                stage.answer(message, **wrong)
        stage.answer(message)
        with pytest.raises(InvalidParams):
            stage.answer(message)
        assert (await acting).status == "success"
        with pytest.raises(InvalidParams):
            stage.answer(message)

    play(scene)


@pytest.mark.parametrize("members", [{"status": "done"}, {"status": None}, {"result": []}, {"result": "x"}])
def test_an_invalid_result_fails_the_action_with_a_reason(members: Any, play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage)
        message = await line.next()
        with pytest.raises(BadAnswer):
            stage.answer(message, **members)
        with pytest.raises(BadAnswer):
            await acting

    play(scene)


def test_while_a_person_has_the_task_nothing_is_sent_and_no_deadline_runs(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        task = await stage.bus.tasks.ensure(TASK)
        await stage.bus.takeover.take_over(task)
        acting = begun(stage)
        await asyncio.sleep(3600)
        assert line.sent == []
        await stage.bus.takeover.hand_back(task)
        stage.answer(await line.next())
        assert (await acting).status == "success"
        with pytest.raises(Conflict):
            await stage.bus.takeover.hand_back(task)

    play(scene)


def test_with_a_persons_permission_reads_run_during_a_takeover_before_waiting_actions(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        task = await stage.bus.tasks.ensure(TASK)
        await stage.bus.takeover.take_over(task)
        clicks = [begun(stage, {"browser_click": {"tabId": 1, "clickId": number}}) for number in ("1", "2")]
        looks = [begun(stage, LOOK) for _ in range(2)]
        await asyncio.sleep(60)
        assert line.sent == []
        await stage.bus.takeover.let_read(task, True)
        for number, look in enumerate(looks, 1):
            message = await line.next(number)
            assert list(message["action"]) == list(LOOK)
            stage.answer(message)
            assert (await look).status == "success"
        await stage.bus.takeover.let_read(task, False)
        late = begun(stage, LOOK)
        await asyncio.sleep(60)
        assert len(line.sent) == 2
        await stage.bus.takeover.hand_back(task)
        for number, acting in enumerate((*clicks, late), 3):
            message = await line.next(number)
            if number < 5:
                assert message["action"]["browser_click"]["clickId"] == str(number - 2)
            stage.answer(message)
            await acting
        assert task.record.reading is UNSET

    play(scene)


def test_stopping_a_task_ends_waiting_and_running_actions(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        running, waiting = begun(stage), begun(stage)
        await line.next()
        line.acknowledge()
        task = await stage.bus.tasks.find(TASK)
        await stage.bus.takeover.stop(task)
        for stopped in (running, waiting):
            with pytest.raises(Aborted):
                await stopped
        with pytest.raises(Conflict):
            await stage.bus.act(TASK, CLICK)
        beginning = begun(stage, {"task_start": {}})
        stage.answer(await line.next(2), result={"tabId": 7})
        await beginning
        assert (await stage.bus.tasks.find(TASK)).record.status == "ongoing"

    play(scene)


def test_a_task_that_stops_itself_is_completed(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, {"task_stop": {}})
        stage.answer(await line.next(), result={"stopped": True})
        await acting
        assert (await stage.bus.tasks.find(TASK)).record.status == "completed"

    play(scene)


def test_too_many_at_once_are_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.connect()
        waiting = [begun(stage) for _ in range(64)]
        await asyncio.sleep(0.1)
        with pytest.raises(Busy):
            await stage.bus.act(TASK, CLICK)
        await stage.bus.takeover.stop(await stage.bus.tasks.find(TASK))
        await asyncio.gather(*waiting, return_exceptions=True)

    play(scene)


def test_the_same_action_id_is_carried_out_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        first = begun(stage, action_id="mine")
        await line.next()
        second = begun(stage, action_id="mine")
        await asyncio.sleep(0.01)
        stage.answer(line.sent[0][0], result={"n": 1})
        third = begun(stage, action_id="mine")
        assert [(await acting).result for acting in (first, second, third)] == [{"n": 1}] * 3
        assert (await stage.bus.act(TASK, CLICK, action_id="mine")).result == {"n": 1}
        assert len(line.sent) == 1
        for task, actions in ((OTHER_TASK, CLICK), (TASK, LOOK)):
            with pytest.raises(Conflict):
                await stage.bus.act(task, actions, action_id="mine")
        failing = begun(stage, action_id="failing")
        stage.answer(await line.next(2), status="error", error={"code": "INVALID_TARGET", "message": "gone"})
        for again in (failing, stage.bus.act(TASK, CLICK, action_id="failing")):
            with pytest.raises(Reported) as failed:
                await again
            assert failed.value.code == "INVALID_TARGET"

    play(scene)


def test_concurrent_requests_for_the_same_action_share_its_answer(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        both = [begun(stage, action_id="mine") for _ in range(2)]
        stage.answer(await line.next(), result={"n": 1})
        assert [(await acting).result for acting in both] == [{"n": 1}] * 2
        assert len(line.sent) == 1
        assert [id for id, _ in stage.ends] == ["mine"]
        assert (await stage.bus.tasks.find(TASK)).record.status == "ongoing"
        record = await stage.bus.actions.find("mine")
        assert record is not None
        assert record.record.status == "success"
        first, other = begun(stage, action_id="shared"), begun(stage, LOOK, OTHER_TASK, action_id="shared")
        with pytest.raises(Conflict):
            await other
        stage.answer(await line.next(2))
        await first

    play(scene)


def test_an_action_that_can_not_be_written_down_leaves_its_task_as_it_was(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        task = await stage.bus.tasks.ensure(TASK)
        earlier = begun(stage, action_id="known")
        stage.answer(await line.next())
        await earlier
        record = await stage.bus.actions.find("known")
        assert record is not None
        with pytest.raises(Conflict):
            await stage.bus.dispatcher.run(task, stage.bus.plugins.get_or_add("p1"), Action(record.record))
        assert (task.record.status, task.actions) == ("ongoing", 0)

    play(scene)


def test_a_stop_is_seen_however_far_an_action_has_been_prepared(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        task = await stage.bus.tasks.ensure(TASK)
        await stage.bus.takeover.select(task, "p1")
        artifact = await stage.bus.store_artifact(TASK, "file", "text/plain", b"hello", "hello.txt")
        upload = {"browser_upload": {"tabId": 1, "clickId": "3", "artifactIds": [artifact]}}
        for turns in range(20):
            task.receive_message("more")
            acting = begun(stage, upload)
            for _ in range(turns):
                await asyncio.sleep(0)
            await stage.bus.takeover.stop(task)
            count = len(line.sent)
            with pytest.raises((Aborted, Conflict)):
                await acting
            assert (len(line.sent), task.record.status) == (count, "completed")

    play(scene)


def test_a_tab_that_is_not_there_or_another_tasks_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        view = stage.bus.plugins.get_or_add("p1").view
        starting = begun(stage, {"task_start": {}})
        stage.answer(await line.next(), result={"tabId": 7, "windowId": 1})
        await starting
        tabs = [{"tabId": 7, "windowId": 1}, {"tabId": 8, "windowId": 1, "openerTabId": 7}, {"tabId": 9, "windowId": 1}]
        view.replace({"windows": [], "tabs": tabs, "tabGroups": []}, 1)
        for task, tab in ((TASK, 5), (OTHER_TASK, 7), (OTHER_TASK, 8)):
            with pytest.raises(WrongTab):
                await stage.bus.act(task, {"browser_click": {"tabId": tab}})
        for tab in (7, 8, 9):
            acting = begun(stage, {"browser_click": {"tabId": tab}})
            stage.answer(await line.next(len(stage.begun) + 1))
            await acting

    play(scene)


def test_a_task_without_a_browser_gets_the_only_the_last_selected_or_the_last_one(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        stage.connect("p1")
        assert stage.bus.plugins.choose().client_id == "p1"
        stage.connect("p2")
        assert stage.bus.plugins.choose().client_id == "p2"
        await stage.bus.takeover.select(await stage.bus.tasks.ensure(TASK), "p1")
        assert stage.bus.plugins.choose().client_id == "p1"
        with pytest.raises(InvalidParams):
            stage.bus.plugins.select("p3")

    play(scene)


def test_a_caller_without_a_task_gets_its_own_until_it_ends(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        first = await stage.bus.task_for("mcp:agent:1", None)
        assert (await stage.bus.task_for("mcp:agent:1", None)).task_id == first.task_id
        assert (await stage.bus.task_for("mcp:agent:2", None)).task_id != first.task_id
        await stage.bus.takeover.stop(await stage.bus.tasks.find(first.task_id))
        assert (await stage.bus.task_for("mcp:agent:1", None)).task_id != first.task_id
        assert (await stage.bus.task_for("mcp:agent:1", TASK)).task_id == TASK
        with pytest.raises(InvalidParams):
            await stage.bus.task_for("mcp:agent:1", "no-id")

    play(scene)


def test_slots_for_what_an_action_produces_come_with_the_message(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        both = {"browser_screenshot": {"tabId": 1}, "browser_readability_extract": {"tabId": 1}}
        acting = begun(stage, both)
        message = await line.next()
        assert message["screenshotArtifactId"] in message["screenshotPresignedUrl"]
        assert message["artifactId"] in message["artifactPresignedUrl"]
        stage.answer(message)
        await acting
        acting = begun(stage, {"browser_screenshot": {"tabId": 1}})
        message = await line.next(2)
        assert message["artifactId"] in message["screenshotPresignedUrl"]
        assert "artifactPresignedUrl" not in message
        stage.answer(message)
        await acting

    play(scene)


def test_files_to_upload_into_a_page_come_with_the_message(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        artifact = await stage.bus.store_artifact(TASK, "file", "text/plain", b"hello", "hello.txt")
        acting = begun(stage, {"browser_upload": {"tabId": 1, "clickId": "3", "artifactIds": [artifact]}})
        message = await line.next()
        (told,) = message["artifacts"]
        assert (told["artifactId"], told["name"], told["contentType"]) == (artifact, "hello.txt", "text/plain")
        assert told["url"].endswith(f"/api/artifacts/{artifact}")
        stage.answer(message)
        await acting
        assert (await stage.bus.artifact(artifact)).data == b"hello"

    play(scene)


def test_actions_running_when_the_server_ended_are_recorded_as_errors(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()
        acting = begun(stage, action_id="cut-off")
        await line.next()
        second = Stage(stage.state.path)
        await second.bus.start()
        record = await second.bus.actions.find("cut-off")
        assert record is not None
        assert (record.record.status, type(record.failure)) == ("error", Offline)
        await second.bus.close()
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)

    play(scene)


def test_a_read_is_sent_while_its_start_is_being_stored_and_an_act_only_after(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(stage: Stage) -> None:
        line, stored = stage.connect(), asyncio.Event()
        begin = stage.bus.actions.begin

        async def late(record: Any) -> None:
            await stored.wait()
            await begin(record)

        monkeypatch.setattr(stage.bus.actions, "begin", lambda record: asyncio.ensure_future(late(record)))
        acting, reading = begun(stage, task=OTHER_TASK), begun(stage, LOOK)
        assert (await line.next())["action"] == LOOK
        stage.answer(line.sent[0][0], result={"elements": []})
        await asyncio.sleep(1)
        assert len(line.sent) == 1
        assert not reading.done(), "a read is over once it is on record"
        stored.set()
        assert (await reading).status == "success"
        stage.answer(await line.next(2))
        assert (await acting).status == "success"
        assert await stage.bus.actions.find(line.sent[0][0]["id"]) is not None

    play(scene)


def test_a_read_whose_start_cannot_be_stored_fails(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(stage: Stage) -> None:
        line = stage.connect()

        async def refuse() -> None:
            raise InputOutput("The disk is full.")

        with monkeypatch.context() as full:
            full.setattr(stage.bus.actions, "begin", lambda record: asyncio.ensure_future(refuse()))
            reading = begun(stage, LOOK)
            stage.answer(await line.next(), result={"elements": []})
            with pytest.raises(InputOutput):
                await reading
        again = begun(stage, LOOK)
        stage.answer(await line.next(2), result={"elements": []})
        assert (await again).status == "success"

    play(scene)
