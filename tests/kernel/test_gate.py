"""The one way through the rig, step by step: who is asked, what is kept, and how each call can end."""

import asyncio
import gc
import hashlib
import threading
from collections.abc import Callable
from traceback import format_exception
from typing import Any

import pytest

from handrail.kernel.approval import Answer, Approver, NoApprover, PresetAnswer, Question
from handrail.kernel.call import Call, CallApproval
from handrail.kernel.call_state import CallState
from handrail.kernel.dialect import DIALECT
from handrail.kernel.policy import Policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.registry import Registry, UnknownTool
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Reply, Surface
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    Aborted,
    Declined,
    Disabled,
    Failure,
    InputOutput,
    Internal,
    InvalidParams,
    OutsideRoot,
    Timeout,
)
from handrail.ports.node import NeededVotes, TeamPolicy
from handrail.ports.team import Limits
from tests.kernel.gate_rig import AGENT, NOON, PERSON, Clock, GateRig, Params, content, echo, others, tool

Build = Callable[..., GateRig]

CHANGES = [Effect.WRITE, Effect.UI_CONTROL, Effect.EXECUTE]
HARMLESS = [Effect.READ, Effect.ASK, Effect.PROCESS_CONTROL]
WRONG: list[Any] = [{"path": 1}, {"unknown": 1}, [], None]


async def shown(call: Call, params: Params) -> Preview:
    """A plan that depends on the world, here on `value`."""
    return Preview("Change a.txt", path="a.txt", diff=f"-old\n+{params.value}\n", binding={"baseHash": "b" * 64})


# What each effect passes through


@pytest.mark.parametrize("effect", HARMLESS)
async def test_what_changes_nothing_runs_unasked_and_leaves_one_record(build: Build, effect: Effect) -> None:
    rig = build(tool("look", echo, effect))
    assert await rig.call("look", 7) == {"value": 7}
    assert (rig.person.questions, rig.tokens.issued, rig.exhibits()) == ([], {}, [])
    (record,) = rig.records()
    assert record["event"] == "end"
    assert (record["ok"], record["effect"], record["decision"]) == (True, effect.value, "allow (default)")
    assert record["durationMs"] >= 0


async def test_what_a_call_leaves_in_memory_goes_without_the_garbage_collector(build: Build) -> None:
    rig = build(tool("look", echo))
    gc.collect()
    gc.disable()
    try:
        others = [each for each in gc.get_objects() if isinstance(each, Call | CallState)]  # of other tests
        await rig.call("look", 7)
        now = [each for each in gc.get_objects() if isinstance(each, Call | CallState)]
        left = [each for each in now if not any(each is other for other in others)]
    finally:
        gc.enable()
    assert left == []


@pytest.mark.parametrize("effect", CHANGES)
async def test_what_changes_something_is_asked_for_and_gets_a_token_that_is_used_up(
    build: Build, effect: Effect
) -> None:
    rig = build(tool("change", echo, effect, shown))
    assert await rig.call("change", "new") == {"value": "new"}
    (question,) = rig.person.questions
    assert (question.effect, question.preview.diff) == (effect, "-old\n+new\n")
    assert rig.tokens.consumed == list(rig.tokens.issued) == ["token 0"]
    (scope,) = rig.tokens.issued.values()
    assert (scope.caller, scope.method, scope.params_digest) == (AGENT.identity, "change", question.digest)


async def test_evidence_and_a_beginning_are_on_record_before_the_token_is_used_and_anything_happens(
    build: Build,
) -> None:
    at_run: list[list[str]] = []

    async def work(call: Call, params: Params) -> None:
        at_run.append([*rig.events(), *rig.tokens.consumed])

    rig = build(tool("change", work, Effect.WRITE, shown))
    await rig.call("change")
    assert rig.at_consumption == [["begin", "diff.patch", "request.json"]]
    assert at_run == [["begin", "token 0"]]
    assert rig.events() == ["begin", "end"]


async def test_records_tell_who_did_what_for_which_task(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE, shown))
    await rig.call("change", task="t1", trace_id="trace")
    begin, end = rig.records()
    for record in (begin, end):
        assert record["tool"] == "change"
        assert (record["caller"], record["task"], record["traceId"]) == (str(AGENT), "t1", "trace")
        assert (record["project"], record["target"]) == ("/the/project", "a.txt")
        assert record["decision"] == "ask (default)"
        assert record["answer"] == {"status": "ok", "by": "somebody"}
        assert record["executionId"] == begin["executionId"]
    assert "ok" not in begin
    assert end["ok"] is True


async def test_the_hashes_in_the_audit_are_those_of_the_files(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE, shown))
    await rig.call("change", "new")
    (exhibit,) = rig.exhibits()
    begin, end = rig.records()
    assert begin["evidence"]["dir"] == end["evidence"]["dir"] == f"artifacts/stage/2026-02-14/{exhibit.name}"
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in exhibit.iterdir()}
    assert set(hashes) == {"request.json", "diff.patch", "result.json"}
    assert end["evidence"]["sha256"] == hashes
    assert begin["evidence"]["sha256"] == {"request.json": hashes["request.json"]}  # what no power cut can take


async def test_evidence_holds_the_request_the_diff_and_the_result(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE, shown))
    await rig.call("change", "new", task="t1")
    (exhibit,) = rig.exhibits()
    assert (exhibit / "diff.patch").read_text() == "-old\n+new\n"
    assert content(exhibit, "request.json") == {
        "executionId": exhibit.name,
        "tool": "change",
        "caller": str(AGENT),
        "identity": AGENT.identity,
        "task": "t1",
        "params": {"value": "new", "path": "a.txt"},
        "binding": {"baseHash": "b" * 64},
        "about": {"object": "a.txt"},
        "summary": "Change a.txt",
        "diff": "-old\n+new\n",
    }
    assert content(exhibit, "result.json") == {"ok": True, "result": {"value": "new"}}


async def test_a_failed_change_has_evidence_of_its_failure(build: Build) -> None:
    async def work(call: Call, params: Params) -> None:
        raise InputOutput("The disk is full.")

    rig = build(tool("change", work, Effect.WRITE, shown))
    with pytest.raises(InputOutput):
        await rig.call("change")
    (exhibit,) = rig.exhibits()
    error = {"condition": "InputOutput", "message": "The disk is full."}
    assert content(exhibit, "result.json") == {"ok": False, "error": error, "result": None}
    assert (rig.last["ok"], rig.last["error"]) == (False, error)


async def test_the_digest_covers_every_parameter_and_what_the_preview_is_bound_to(build: Build) -> None:
    bases = iter("aab")

    async def plan(call: Call, params: Params) -> Preview:
        return Preview("Change", binding={"baseHash": next(bases)})

    rig = build(tool("change", echo, Effect.WRITE, plan))
    for value in (1, 1, 1):
        await rig.call("change", value)
    same, again, other_base = (scope.params_digest for scope in rig.tokens.issued.values())
    assert same == again != other_base
    assert len(same) == 64


async def test_a_reply_with_attachments_comes_back_whole(build: Build) -> None:
    async def work(call: Call, params: Params) -> Reply:
        return Reply({"value": 1}, ())

    rig = build(tool("change", work, Effect.WRITE))
    assert await rig.call("change") == {"value": 1}


# Answers


@pytest.mark.parametrize(("status", "reason"), [("canceled", "denied"), ("timeout", "timeout")])
@pytest.mark.parametrize("remark", [None, "not this one"])
async def test_a_denial_and_a_timeout_are_two_things_and_a_remark_reaches_the_caller(
    build: Build, status: Any, reason: str, remark: str | None
) -> None:
    rig = build(tool("change", echo, Effect.WRITE, shown))
    rig.person.answers.append(Answer(status, by="ada", remark=remark))
    with pytest.raises(Declined) as caught:
        await rig.call("change")
    assert caught.value.details == {"reason": reason, **({"remark": remark} if remark else {})}
    assert (rig.tokens.issued, rig.exhibits(), rig.events()) == ({}, [], ["end"])
    assert rig.last["answer"] == {"status": status, "by": "ada", **({"remark": remark} if remark else {})}
    assert rig.last["error"]["condition"] == "Declined"


async def test_a_preset_answer_is_recorded_as_such(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE), approver=PresetAnswer("allow"))
    await rig.call("change")
    assert rig.last["answer"] == {"status": "ok", "by": "--answer allow"}


async def test_a_preset_answer_does_not_stand_for_the_people_of_a_team(build: Build) -> None:
    team = TeamPolicy(version="1", approvals=(NeededVotes(limits=Limits(tools=("change",)), votes=1),))
    change, other = tool("change", echo, Effect.WRITE), tool("other", echo, Effect.WRITE)
    rig = build(change, other, approver=PresetAnswer("allow"), policy=lambda: Policy(PolicyDocument(), (), team=team))
    with pytest.raises(Declined) as caught:
        await rig.call("change")
    assert caught.value.details == {"reason": "team"}
    await rig.call("other")


async def test_a_preset_denial_denies(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE), approver=PresetAnswer("deny"))
    with pytest.raises(Declined) as caught:
        await rig.call("change")
    assert caught.value.details == {"reason": "denied"}


async def test_where_nobody_is_asked_an_ask_is_a_refusal(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE), approver=NoApprover())
    with pytest.raises(Declined) as caught:
        await rig.call("change")
    assert caught.value.details == {"reason": "nobody"}
    assert rig.events() == ["end"]


async def test_the_caller_is_told_that_a_person_is_being_asked(build: Build) -> None:
    told: list[str] = []

    async def progress(message: str) -> None:
        assert rig.person.questions == []
        told.append(message)

    rig = build(tool("change", echo, Effect.WRITE))
    await rig.call("change", progress=progress)
    assert told == ["Waiting for a person's approval."]


# Policy


async def test_a_denied_call_asks_nobody_and_runs_nothing(build: Build) -> None:
    rig = build(tool("change", never, Effect.WRITE, never_planned), rules=[{"tool": "change", "decision": "deny"}])
    with pytest.raises(Declined) as caught:
        await rig.call("change")
    assert caught.value.details == {"reason": "policy"}
    assert rig.person.questions == []
    assert rig.last["decision"] == "deny (project rule)"


async def test_an_allowed_change_asks_nobody_and_still_gets_token_and_evidence(build: Build) -> None:
    rig = build(tool("change", echo, Effect.WRITE), rules=[{"tool": "change", "decision": "allow"}])
    await rig.call("change")
    assert rig.person.questions == []
    assert rig.tokens.consumed == ["token 0"]
    assert [len(rig.exhibits()), rig.events()] == [1, ["begin", "end"]]


async def test_a_read_that_must_be_asked_for_is_asked_for_and_needs_no_token(build: Build) -> None:
    rig = build(tool("look", echo), rules=[{"effect": "READ", "decision": "ask"}])
    await rig.call("look", 7)
    (question,) = rig.person.questions
    assert (question.params, question.preview.path) == (Params(7), "a.txt")
    assert (rig.tokens.issued, rig.exhibits(), rig.events()) == ({}, [], ["end"])


async def test_a_policy_that_can_not_be_read_now_refuses_the_call(build: Build) -> None:
    def broken() -> Any:
        raise Declined("line 3 is wrong")

    rig = build(tool("look", never), policy=broken)
    with pytest.raises(Declined, match="line 3"):
        await rig.call("look")
    assert rig.last["ok"] is False


async def test_the_effect_may_depend_on_the_parameters(build: Build) -> None:
    def effect(params: Params) -> Effect:
        return Effect.READ if params.value == "dry" else Effect.WRITE

    rig = build(tool("change", echo, effect, shown))  # type: ignore[arg-type]
    await rig.call("change", "dry")
    assert rig.person.questions == []
    await rig.call("change", "wet")
    assert len(rig.person.questions) == 1


async def test_a_preview_that_knows_the_answer_asks_nobody(build: Build) -> None:
    async def settled(call: Call, params: Params) -> NoChange:
        return NoChange({"already": True})

    rig = build(tool("change", never, Effect.WRITE, settled))
    assert await rig.call("change") == {"already": True}
    assert (rig.person.questions, rig.tokens.issued, rig.exhibits()) == ([], {}, [])
    assert (rig.events(), rig.last["decision"], rig.last["ok"]) == (["end"], "settled", True)


# Tools that are not for everybody


async def test_a_persons_own_command_exists_for_nobody_else(build: Build) -> None:
    rig = build(tool("undo", echo, Effect.WRITE, is_for_agents=False))
    for face in ("mcp", "http"):
        with pytest.raises(UnknownTool):
            await rig.call("undo", caller=type(AGENT)(face, "agent", "uid:1000", "agent:one"))
    assert rig.records() == []
    await rig.call("undo", caller=PERSON)
    assert rig.tokens.consumed == ["token 0"]


async def test_an_unknown_tool_names_its_neighbours(build: Build) -> None:
    rig = build(tool("read_file", echo))
    with pytest.raises(UnknownTool) as caught:
        await rig.call("read_flie")
    assert caught.value.hint == "Did you mean read_file?"


async def test_a_tool_that_is_switched_off_is_refused_on_record(build: Build) -> None:
    rig = build(tool("look", never))
    rig.gate.registry = Registry([Surface("stage", DIALECT, None, [tool("look", never)])], enabled=())
    with pytest.raises(Disabled):
        await rig.call("look")
    assert rig.last["error"]["condition"] == "Disabled"


async def test_a_tool_for_developers_is_switched_off_and_unlisted_in_any_other_mode(build: Build) -> None:
    rig = build(tool("look", echo))
    modes = [True]
    surface = Surface("stage", DIALECT, None, [tool("look", echo), tool("build", echo, is_for_developers=True)])
    rig.gate.registry = Registry([surface], in_developer_mode=lambda: modes[-1])
    assert [entry.tool.name for entry in rig.gate.registry] == ["look", "build"]
    assert await rig.call("build", 7) == {"value": 7}
    modes.append(False)
    assert [entry.tool.name for entry in rig.gate.registry] == ["look"]
    with pytest.raises(Disabled) as caught:
        await rig.call("build")
    assert "developer" in (caught.value.hint or "")


async def test_what_a_tool_keeps_is_evidence(build: Build) -> None:
    async def work(call: Call, params: Params) -> Any:
        call.add_evidence("output.log", b"all of it")
        raise OutsideRoot("No.")

    rig = build(tool("run", work, Effect.EXECUTE, shown))
    with pytest.raises(OutsideRoot):
        await rig.call("run")
    assert rig.last["evidence"]["sha256"]["output.log"] == hashlib.sha256(b"all of it").hexdigest()


async def test_wrong_parameters_are_refused_before_anything_is_decided(build: Build) -> None:
    rig = build(tool("change", never, Effect.WRITE, never_planned))
    for wrong in WRONG:
        with pytest.raises(InvalidParams):
            await rig.gate.run(Call("change", wrong, AGENT))
        assert rig.last["error"]["condition"] == "InvalidParams"
        assert "decision" not in rig.last
    assert rig.person.questions == []


# Nothing runs without a trace


async def test_where_no_evidence_can_be_kept_nothing_runs(build: Build) -> None:
    rig = build(tool("change", never, Effect.WRITE, shown))
    rig.artifacts.write_text("a file in the folder's place")
    with pytest.raises(InputOutput):
        await rig.call("change")
    assert rig.tokens.consumed == []
    assert rig.events() == ["end"]
    assert rig.last["ok"] is False


async def test_where_evidence_would_pass_a_link_nothing_runs(build: Build, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    rig = build(tool("change", never, Effect.WRITE, shown))
    rig.artifacts.symlink_to(outside)
    with pytest.raises(OutsideRoot):
        await rig.call("change")
    assert rig.tokens.consumed == []
    assert list(outside.iterdir()) == []


async def test_where_no_record_can_be_kept_nothing_runs(build: Build) -> None:
    rig = build(tool("change", never, Effect.WRITE, shown))
    rig.log.parent.write_text("a file in the folder's place")
    with pytest.raises(InputOutput):
        await rig.call("change")
    assert rig.tokens.consumed == []
    rig.log.parent.unlink()


async def test_a_token_that_is_refused_stops_the_call(build: Build) -> None:
    rig = build(tool("change", never, Effect.WRITE))
    rig.tokens.consumed.append("token 0")
    with pytest.raises(Declined):
        await rig.call("change")
    assert rig.events() == ["begin", "end"]
    assert rig.last["ok"] is False


async def test_a_result_that_can_not_be_kept_does_not_undo_what_was_done(build: Build) -> None:
    async def work(call: Call, params: Params) -> str:
        (exhibit,) = rig.exhibits()
        (exhibit / "result.json").mkdir()
        return "done"

    rig = build(tool("change", work, Effect.WRITE))
    assert await rig.call("change") == "done"
    assert (rig.last["ok"], set(rig.last["evidence"]["sha256"])) == (True, {"request.json"})


async def test_an_end_that_can_not_be_recorded_does_not_deny_what_was_done(build: Build) -> None:
    async def work(call: Call, params: Params) -> str:
        rig.log.rename(rig.log.with_suffix(".aside"))
        rig.log.mkdir()
        return "done"

    rig = build(tool("change", work, Effect.WRITE))
    assert await rig.call("change") == "done"
    rig.log.rmdir()
    rig.log.with_suffix(".aside").rename(rig.log)
    assert rig.events() == ["begin"]


async def test_a_read_that_can_not_be_recorded_is_refused(build: Build) -> None:
    rig = build(tool("look", echo))
    rig.log.mkdir(parents=True)
    with pytest.raises(InputOutput):
        await rig.call("look")
    rig.log.rmdir()


# Faults


@pytest.mark.parametrize(
    ("fault", "condition"),
    [
        (RuntimeError("oh"), Internal),
        (KeyError("oh"), Internal),
        (RecursionError(), Internal),
        (MemoryError(), Internal),
        (OSError(28, "No space left on device"), InputOutput),
        (TimeoutError("of its own"), InputOutput),
    ],
)
async def test_an_unexpected_exception_becomes_a_condition_and_is_recorded(
    build: Build, fault: Exception, condition: type[Failure]
) -> None:
    async def work(call: Call, params: Params) -> None:
        raise fault

    rig = build(tool("change", work, Effect.WRITE))
    with pytest.raises(condition) as caught:
        await rig.call("change")
    assert type(caught.value) is condition
    assert (rig.last["ok"], rig.last["error"]["condition"]) == (False, condition.__name__)
    assert caught.value.recoverable is (condition is not Internal)


async def test_the_words_of_a_foreign_exception_are_told_nowhere(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(call: Call, params: Params) -> None:
        key = "sk-" + "12345678"
        raise RuntimeError(f"illegal header {key}")

    rig = build(tool("change", work, Effect.WRITE))
    with pytest.raises(Internal) as caught:
        await rig.call("change")
    shown = "".join(format_exception(caught.value))
    told = [shown, caplog.text, str(rig.last), *(file.read_text() for file in rig.exhibits()[0].iterdir())]
    assert not [text for text in told if "sk-12345678" in text]
    assert "RuntimeError" in caught.value.message
    assert "in work" in caplog.text


async def test_a_fault_while_a_person_is_asked_runs_nothing(build: Build) -> None:
    class Broken(Approver):
        async def ask(self, question: Question) -> Answer:
            raise RuntimeError("no screen")

    rig = build(tool("change", never, Effect.WRITE), approver=Broken())
    with pytest.raises(Internal):
        await rig.call("change")
    assert (rig.tokens.issued, rig.events()) == ({}, ["end"])


# Deadlines


async def test_a_deadline_ends_a_run_and_names_it(build: Build) -> None:
    clock = Clock()

    async def work(call: Call, params: Params) -> None:
        clock.advance(30.1)
        await asyncio.Event().wait()

    rig = build(tool("look", work))
    with pytest.raises(Timeout) as caught:
        await rig.call("look")
    assert caught.value.details == {"timeoutMs": 30_000}
    assert rig.last["error"]["condition"] == "Timeout"


async def test_a_caller_may_set_another_deadline(build: Build) -> None:
    clock = Clock()

    async def work(call: Call, params: Params) -> str:
        clock.advance(40)
        await others()
        return "in time"

    rig = build(tool("look", work))
    assert await rig.call("look", deadline_ms=50_000) == "in time"
    with pytest.raises(Timeout) as caught:
        await rig.call("look", deadline_ms=39_000)
    assert caught.value.details == {"timeoutMs": 39_000}


async def test_a_preview_has_a_deadline_too(build: Build) -> None:
    clock = Clock()

    async def plan(call: Call, params: Params) -> Preview:
        clock.advance(31)
        await asyncio.Event().wait()
        raise AssertionError

    rig = build(tool("change", never, Effect.WRITE, plan))
    with pytest.raises(Timeout):
        await rig.call("change")
    assert rig.person.questions == []


async def test_the_time_that_a_person_takes_does_not_count(build: Build) -> None:
    clock = Clock()

    class Slow(Approver):
        async def ask(self, question: Question) -> Answer:
            clock.advance(24 * 3600)
            await others()
            return Answer("ok", by="ada, a day later")

    rig = build(tool("change", echo, Effect.WRITE, shown), approver=Slow())
    assert await rig.call("change", 1) == {"value": 1}


async def test_a_timeout_of_the_tools_own_is_not_taken_for_the_deadline(build: Build) -> None:
    async def work(call: Call, params: Params) -> None:
        async with asyncio.timeout(0):
            await asyncio.Event().wait()

    rig = build(tool("look", work))
    with pytest.raises(InputOutput):
        await rig.call("look")


# Cancelling


async def test_cancelling_reaches_the_running_call_and_is_recorded(build: Build) -> None:
    is_running = asyncio.Event()
    calls: list[Call] = []

    async def work(call: Call, params: Params) -> None:
        calls.append(call)
        is_running.set()
        await asyncio.Event().wait()

    rig = build(tool("change", work, Effect.WRITE))
    running = asyncio.create_task(rig.call("change"))
    await is_running.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert calls[0].is_aborted
    assert rig.events() == ["begin", "end"]
    assert rig.last["error"]["condition"] == "Aborted"
    (exhibit,) = rig.exhibits()
    assert content(exhibit, "result.json")["ok"] is False


async def test_a_preview_knows_whether_anybody_will_see_it(build: Build) -> None:
    seen: list[bool] = []

    async def plan(call: Call, params: Params) -> Preview:
        seen.append(call.is_shown)
        return Preview("Change a.txt")

    await build(tool("change", echo, Effect.WRITE, plan)).call("change")
    assert seen == [True]


async def test_an_answer_that_is_known_beforehand_is_given_without_a_look(build: Build) -> None:
    seen: list[bool] = []

    async def plan(call: Call, params: Params) -> Preview:
        seen.append(call.is_shown)
        return Preview("Change a.txt")

    rig = build(tool("change", echo, Effect.WRITE, plan), approver=PresetAnswer("allow"))
    await rig.call("change")
    assert (seen, rig.last["answer"]) == ([False], {"status": "ok", "by": "--answer allow"})


async def test_a_call_knows_the_prompt_that_a_person_answered(build: Build) -> None:
    known: list[Any] = []

    async def note(call: Call, params: Params) -> None:
        known.append(call.approved)

    rig = build(tool("change", note, Effect.WRITE))
    rig.person.answers = [Answer("ok", by="ada", prompt_id="approval_1")]
    await rig.call("change")
    assert known == [CallApproval("ada", NOON, "approval_1")]


async def test_a_call_allowed_by_a_rule_has_no_approval(build: Build) -> None:
    known: list[Any] = []

    async def note(call: Call, params: Params) -> None:
        known.append(call.approved)

    await build(tool("change", note, Effect.WRITE), rules=[{"tool": "change", "decision": "allow"}]).call("change")
    assert known == [None]


async def test_what_moves_to_where_the_answer_is_not_known_is_looked_at_after_all(build: Build) -> None:
    class KnowsNothingOfB(Approver):
        async def will_ask(self, call: Call, target: Target) -> bool:
            return target.place == "https://b.example"

        async def ask(self, question: Question) -> Answer:
            return Answer("ok", by="ada")

    seen: list[bool] = []

    async def plan(call: Call, params: Params) -> Preview:
        seen.append(call.is_shown)
        return Preview("Press the button", place="https://b.example")

    await build(tool("press", echo, Effect.UI_CONTROL, plan), approver=KnowsNothingOfB()).call("press")
    assert seen == [False, True]


async def test_cancelling_while_a_person_is_asked_runs_nothing(build: Build) -> None:
    is_asked = asyncio.Event()

    class Thinking(Approver):
        async def ask(self, question: Question) -> Answer:
            is_asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    rig = build(tool("change", never, Effect.WRITE), approver=Thinking())
    running = asyncio.create_task(rig.call("change"))
    await is_asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (rig.tokens.issued, rig.events()) == ({}, ["end"])
    assert rig.last["error"]["condition"] == "Aborted"


async def test_cancelling_during_the_preview_asks_nobody(build: Build) -> None:
    is_running, may_go_on = threading.Event(), threading.Event()

    def look() -> Preview:
        is_running.set()
        assert may_go_on.wait(10)
        return Preview("Change a.txt")

    async def plan(call: Call, params: Params) -> Preview:
        return await in_thread(call, look)

    rig = build(tool("change", never, Effect.WRITE, plan))
    running = asyncio.create_task(rig.call("change"))
    await asyncio.to_thread(is_running.wait, 10)
    running.cancel()
    await others()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert rig.person.questions == []
    assert rig.last["error"]["condition"] == "Aborted"


@pytest.mark.parametrize("is_past_checkpoint", [True, False])
async def test_a_cancelled_write_is_finished_after_its_last_checkpoint_and_stopped_before_it(
    build: Build, is_past_checkpoint: bool
) -> None:
    is_running, may_go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def write(call: Call) -> str:
        if is_past_checkpoint:
            call.checkpoint()
        is_running.set()
        assert may_go_on.wait(10)
        if not is_past_checkpoint:
            call.checkpoint()
        done.append("written")
        return "written"

    async def work(call: Call, params: Params) -> str:
        return await in_thread(call, lambda: write(call), is_final=True)

    rig = build(tool("change", work, Effect.WRITE))
    running = asyncio.create_task(rig.call("change"))
    await asyncio.to_thread(is_running.wait, 10)
    running.cancel()
    await others()
    assert not running.done(), "the answer waits for the thread"
    may_go_on.set()
    if is_past_checkpoint:
        assert await running == "written"
        assert done == ["written"]
        assert rig.last["ok"] is True
    else:
        with pytest.raises(asyncio.CancelledError):
            await running
        assert done == []
        assert rig.last["error"]["condition"] == "Aborted"


async def test_a_deadline_that_passes_during_the_last_step_of_a_write_does_not_deny_it(build: Build) -> None:
    is_running, may_go_on = threading.Event(), threading.Event()
    clock = Clock()

    def write() -> str:
        is_running.set()
        assert may_go_on.wait(10)
        return "written"

    async def work(call: Call, params: Params) -> str:
        return await in_thread(call, write, is_final=True)

    rig = build(tool("change", work, Effect.WRITE))
    running = asyncio.create_task(rig.call("change"))
    await asyncio.to_thread(is_running.wait, 10)
    clock.advance(60)
    await others()
    may_go_on.set()
    assert await running == "written"
    assert rig.last["ok"] is True


async def test_a_deadline_that_stops_a_write_at_its_checkpoint_is_a_timeout(build: Build) -> None:
    is_running, may_go_on = threading.Event(), threading.Event()
    clock = Clock()

    def write(call: Call) -> None:
        is_running.set()
        assert may_go_on.wait(10)
        call.checkpoint()
        raise AssertionError

    async def work(call: Call, params: Params) -> None:
        await in_thread(call, lambda: write(call))

    rig = build(tool("change", work, Effect.WRITE))
    running = asyncio.create_task(rig.call("change"))
    await asyncio.to_thread(is_running.wait, 10)
    clock.advance(60)
    await others()
    may_go_on.set()
    with pytest.raises(Timeout):
        await running


# Order


class Crossing:
    """A tool that stays inside until it is let out, and tells who is in."""

    def __init__(self) -> None:
        self.inside: list[Any] = []
        self.entered: list[Any] = []
        self._doors: dict[Any, asyncio.Event] = {}
        self._somebody = asyncio.Event()

    async def until(self, *values: Any) -> None:
        """Until they are inside, and nobody else can come any more."""
        async with asyncio.timeout(10):
            while not {*values} <= {*self.inside}:
                self._somebody.clear()
                await self._somebody.wait()
        await others()

    async def work(self, call: Call, params: Params) -> None:
        self.inside.append(params.value)
        self.entered.append(params.value)
        self._somebody.set()
        self._doors[params.value] = asyncio.Event()
        await self._doors[params.value].wait()
        self.inside.remove(params.value)

    def let_out(self, value: Any) -> None:
        self._doors[value].set()


@pytest.mark.parametrize("effect", [Effect.READ, Effect.WRITE])
async def test_calls_of_one_task_run_in_order_of_arrival_and_others_beside_them(build: Build, effect: Effect) -> None:
    crossing = Crossing()
    rig = build(tool("cross", crossing.work, effect))
    async with asyncio.TaskGroup() as group:
        for value, task in ((1, "a"), (2, "a"), (3, "b"), (4, "a"), (5, "b")):
            group.create_task(rig.call("cross", value, task=task))
        await crossing.until(1, 3)
        assert sorted(crossing.inside) == [1, 3]
        crossing.let_out(1)
        await crossing.until(3, 2)
        assert crossing.inside == [3, 2]
        crossing.let_out(3)
        crossing.let_out(2)
        await crossing.until(4, 5)
        assert sorted(crossing.inside) == [4, 5]
        crossing.let_out(4)
        crossing.let_out(5)
    assert [value for value in crossing.entered if value in (1, 2, 4)] == [1, 2, 4]


async def test_without_a_task_a_callers_changes_keep_their_order_and_reads_do_not_wait(build: Build) -> None:
    crossing = Crossing()
    rig = build(tool("change", crossing.work, Effect.WRITE), tool("look", crossing.work))
    other = type(AGENT)("mcp", AGENT.name, "uid:1000", "agent:another")
    async with asyncio.TaskGroup() as group:
        group.create_task(rig.call("change", "first"))
        group.create_task(rig.call("change", "second"))
        group.create_task(rig.call("look", "read"))
        group.create_task(rig.call("change", "other", caller=other))
        await crossing.until("first", "other", "read")
        assert sorted(crossing.inside) == ["first", "other", "read"]
        crossing.let_out("first")
        await crossing.until("second")
        for value in ("second", "read", "other"):
            crossing.let_out(value)


async def test_a_tool_with_lanes_of_its_own_holds_up_those_in_the_same_lane_alone(build: Build) -> None:
    crossing = Crossing()
    rig = build(
        tool("reach", crossing.work, Effect.EXECUTE, lane=lambda params: params.value[0]),
        tool("change", crossing.work, Effect.WRITE),
    )
    async with asyncio.TaskGroup() as group:
        for name, value in (("reach", "a1"), ("reach", "a2"), ("reach", "b1"), ("change", "c")):
            group.create_task(rig.call(name, value))
        await crossing.until("a1", "b1", "c")
        assert sorted(crossing.inside) == ["a1", "b1", "c"]
        crossing.let_out("a1")
        await crossing.until("a2")
        for value in ("a2", "b1", "c"):
            crossing.let_out(value)


async def test_an_open_question_holds_up_its_own_task_alone(build: Build) -> None:
    answered = asyncio.Event()

    class Thinking(Approver):
        async def ask(self, question: Question) -> Answer:
            await answered.wait()
            return Answer("ok", by="ada")

    crossing = Crossing()
    rig = build(tool("change", echo, Effect.WRITE), tool("look", crossing.work), approver=Thinking())
    async with asyncio.TaskGroup() as group:
        group.create_task(rig.call("change", task="a"))
        group.create_task(rig.call("look", "a", task="a"))
        group.create_task(rig.call("look", "b", task="b"))
        await crossing.until("b")
        assert crossing.inside == ["b"]
        answered.set()
        await crossing.until("b", "a")
        assert crossing.inside == ["b", "a"]
        crossing.let_out("a")
        crossing.let_out("b")


async def test_a_failed_or_cancelled_call_gives_its_turn_to_the_next(build: Build) -> None:
    async def fail(call: Call, params: Params) -> None:
        raise Aborted("stopped")

    crossing = Crossing()
    rig = build(tool("fail", fail), tool("cross", crossing.work))
    first = asyncio.create_task(rig.call("cross", 1, task="a"))
    second = asyncio.create_task(rig.call("cross", 2, task="a"))
    third = asyncio.create_task(rig.call("fail", task="a"))
    fourth = asyncio.create_task(rig.call("cross", 4, task="a"))
    await crossing.until(1)
    second.cancel()
    first.cancel()
    await crossing.until(4)
    assert crossing.inside[1:] == [4]
    assert isinstance(third.exception(), Aborted)
    crossing.let_out(4)
    await fourth
    await asyncio.gather(first, second, return_exceptions=True)


async def never(call: Call, params: Params) -> None:
    raise AssertionError("it ran")


async def never_planned(call: Call, params: Params) -> Preview:
    raise AssertionError("it was planned")
