"""What a client is told about a call whose server ended before it answered."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.faces.mcp.local import find_outcome
from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.ports.errors import Aborted, Unfinished
from handrail.ports.identity import Caller
from handrail.wiring import Wiring

AGENT = Caller("mcp", "agent", "uid:0", "stdio:test")
TRACE = "stdio:test#7"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "project").mkdir()
    open_project = Wiring().open_project(tmp_path / "project", tmp_path / "state", PresetAnswer("allow"))
    yield open_project
    open_project.close()


def written(**more: object) -> Call:
    params = {"path": "new.txt", "content": "new\n", **more}
    return Call("write_to_file", params, AGENT, trace_id=TRACE)


def asked(project: Project, since: float = 0) -> object:
    return find_outcome(project, written(dryRun=False), int(since))


def test_a_call_that_has_not_begun_may_run(project: Project) -> None:
    asyncio.run(project.gate.run(written(dryRun=True)))  # leaves an `end`, and has changed nothing
    assert asked(project) is None


def test_of_a_call_that_was_done_the_client_gets_the_result(project: Project) -> None:
    async def write() -> object:
        await project.gate.run(written(dryRun=True))
        return (await project.gate.run(written(dryRun=False))).result

    result = asyncio.run(write())
    reply = asked(project)
    assert reply is not None
    assert reply.result["snapshotId"] == result.snapshot_id  # type: ignore[attr-defined]
    assert asked(project, since=time.time() + 60) is None  # a call of an earlier session doesn't count


def test_of_a_call_that_failed_the_client_learns_why(project: Project) -> None:
    project.audit.append({"event": "begin", "traceId": TRACE, "executionId": "exec_1"})
    error = {"condition": "InputOutput", "message": "the disk is full"}
    project.audit.append({"event": "end", "traceId": TRACE, "executionId": "exec_1", "ok": False, "error": error})
    with pytest.raises(Aborted, match="the disk is full"):
        asked(project)


def test_the_outcome_of_an_unfinished_call_is_reported_as_unknown(project: Project) -> None:
    project.audit.append({"event": "begin", "traceId": TRACE, "executionId": "exec_1"})
    with pytest.raises(Unfinished, match="may have been done") as caught:
        asked(project)
    assert not caught.value.retryable
    assert caught.value.details["mayHaveBeenDone"] is True


def test_a_lost_result_is_reported_as_lost(project: Project) -> None:
    project.audit.append({"event": "begin", "traceId": TRACE, "executionId": "exec_1"})
    project.audit.append({"event": "end", "traceId": TRACE, "executionId": "exec_1", "ok": True})
    with pytest.raises(Unfinished, match="It was done") as caught:
        asked(project)
    assert not caught.value.retryable
