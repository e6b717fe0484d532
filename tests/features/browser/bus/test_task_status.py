"""A task's status follows from who works on it, together with its run's status."""

import pytest

from handrail.features.browser.bus.tasks import Task
from handrail.ports.agent import Run
from handrail.ports.browser import TaskRecord, TaskStatus
from handrail.ports.errors import Conflict, InvalidParams, Offline

RUN = Run(task_id="t", status="waiting")


def task(status: TaskStatus = "created") -> Task:
    return Task(TaskRecord(task_id="t", title="", status=status, created_at=1, updated_at=1), lambda: 2)


def test_it_runs_as_long_as_any_action_or_the_agent_is_at_work() -> None:
    one = task()
    one.begin_action()
    run = one.set_agent_status(RUN, "running")
    one.end_action(None, stops=False)
    assert (one.status, run.status) == ("running", "running")
    one.begin_action()
    run = one.set_agent_status(run, "paused")
    assert (one.status, run.status) == ("running", "paused")
    one.end_action(None, stops=False)
    assert one.status == "ongoing"


def test_an_action_that_was_never_begun_leaves_no_trace() -> None:
    for status in ("created", "completed", "error"):
        one = task(status)
        was_over = one.begin_action()
        assert one.status == "running"
        one.cancel_action(was_over=was_over)
        assert one.status == status


def test_a_browser_that_is_lost_is_an_error_and_a_refusal_is_none() -> None:
    one = task()
    for failure, status in ((Offline("gone"), "error"), (InvalidParams("no"), "ongoing")):
        one.begin_action()
        one.end_action(failure, stops=False)
        assert one.status == status


def test_while_a_person_has_it_nothing_else_shows() -> None:
    one = task("ongoing")
    one.take_over()
    run = one.set_agent_status(RUN, "running")
    one.begin_action()
    assert (one.status, one.is_free.is_set()) == ("takeover", False)
    one.hand_back()
    assert (one.status, one.is_free.is_set()) == ("running", True)
    one.end_action(None, stops=False)
    one.set_agent_status(run, "waiting", trouble="no credit")
    assert one.status == "error"
    with pytest.raises(Conflict):
        one.hand_back()


def test_a_task_stays_completed_until_a_new_message_or_action() -> None:
    one = task()
    run = one.set_agent_status(RUN, "waiting", is_completed=True, is_settled=True)
    assert (one.status, run.is_completed) == ("completed", True)
    with pytest.raises(Conflict):
        one.take_over()
    one.receive_message("And now?")
    assert (one.status, one.record.title) == ("ongoing", "And now?")
    one.stop()
    assert one.set_agent_status(run, "ended").status == "ended"
    assert one.status == "completed"
    one.begin_action()
    assert one.record.status == "running"


def test_a_run_without_a_model_leaves_its_task_as_it_was() -> None:
    one = task()
    run = one.set_agent_status(RUN, "running", has_begun=False)
    run = one.set_agent_status(run, "waiting", has_begun=False, trouble="no model")
    assert (one.status, run.status, run.trouble) == ("created", "waiting", "no model")


def test_a_server_that_ended_leaves_an_error_where_something_was_under_way() -> None:
    ends: dict[TaskStatus, TaskStatus] = {
        "created": "error", "running": "error", "ongoing": "error",
        "takeover": "takeover", "completed": "completed", "error": "error",
    }  # fmt: skip
    for before, after in ends.items():
        one = task(before)
        one.interrupt()
        assert one.status == after
