"""A call that reaches another place than the one it was allowed for: the policy decides again."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.approval import Answer, Approver
from handrail.kernel.call import Call
from handrail.kernel.content import Image
from handrail.kernel.target import Target
from handrail.kernel.tool import Picture, Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, Timeout
from tests.kernel.gate_rig import Clock, GateRig, others, tool

pytestmark = pytest.mark.anyio

ELSEWHERE = Target(place="https://elsewhere.test")
Open = Callable[..., GateRig]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    rigs: list[GateRig] = []

    def opening(*tools: Any, **more: Any) -> GateRig:
        rigs.append(GateRig(tmp_path, tools, **more))
        return rigs[-1]

    yield opening
    for rig in rigs:
        rig.close()


async def go(call: Call, params: Any) -> str:
    await call.check(ELSEWHERE)
    return "there"


def rule(decision: str, **more: str) -> dict[str, str]:
    return {"tool": "*", "host": "elsewhere.test", "decision": decision, **more}


async def test_a_place_that_a_rule_denies_is_refused_and_recorded(opened: Open) -> None:
    rig = opened(tool("go", go), rules=[rule("deny")])
    with pytest.raises(Declined) as refused:
        await rig.call("go")
    assert refused.value.details["reason"] == "policy"
    assert rig.last["reached"] == {"https://elsewhere.test": "deny (project rule)"}


async def test_a_place_that_no_rule_names_may_be_read(opened: Open) -> None:
    rig = opened(tool("go", go))
    assert await rig.call("go") == "there"
    assert rig.person.questions == []


async def test_a_place_that_a_rule_asks_about_is_asked_about_once(opened: Open) -> None:
    async def go_twice(call: Call, params: Any) -> str:
        await go(call, params)
        return await go(call, params)

    rig = opened(tool("go", go_twice), rules=[rule("ask")])
    assert await rig.call("go") == "there"
    (question,) = rig.person.questions
    assert question.preview.place == "https://elsewhere.test"


async def test_an_allowed_change_that_leads_elsewhere_is_asked_about(opened: Open) -> None:
    allowed = {"tool": "go", "path": "a.txt", "decision": "allow"}
    rig = opened(tool("go", go, Effect.UI_CONTROL), rules=[allowed])
    rig.person.answers = [Answer("canceled", by="somebody")]
    with pytest.raises(Declined):
        await rig.call("go")
    assert [question.preview.summary for question in rig.person.questions] == [
        "Go: it has led to https://elsewhere.test"
    ]


async def test_approving_the_call_covers_places_that_no_rule_names(opened: Open) -> None:
    rig = opened(tool("go", go, Effect.UI_CONTROL))
    assert await rig.call("go") == "there"
    assert len(rig.person.questions) == 1


async def test_the_second_question_is_bound_to_the_place_too(opened: Open) -> None:
    rig = opened(tool("go", go, Effect.UI_CONTROL), rules=[rule("ask")])
    await rig.call("go")
    first, second = rig.person.questions
    assert first.digest != second.digest


async def test_no_time_of_the_call_passes_while_a_person_is_asked(opened: Open) -> None:
    clock = Clock()

    class Slow(Approver):
        async def ask(self, question: Any) -> Answer:
            clock.advance(3600)
            await others()
            return Answer("ok", by="somebody")

    async def go_and_stay(call: Call, params: Any) -> str:
        await go(call, params)
        clock.advance(params.value)
        await asyncio.sleep(0)
        await others()
        return "there"

    rig = opened(tool("go", go_and_stay, deadline_ms=1000), rules=[rule("ask")], approver=Slow())
    assert await rig.call("go", 0.5) == "there"
    with pytest.raises(Timeout):
        await rig.call("go", 1.5)


async def test_an_unknown_place_is_whatever_is_forbidden(opened: Open) -> None:
    async def go_somewhere(call: Call, params: Any) -> None:
        await call.check(Target(place=""))

    rig = opened(tool("go", go_somewhere), rules=[rule("deny")])
    with pytest.raises(Declined):
        await rig.call("go")


async def test_a_preview_knows_whether_a_person_will_see_it(opened: Open) -> None:
    seen: list[bool] = []

    async def plan(call: Call, params: Any) -> Preview:
        seen.append(call.is_shown)
        return Preview("do it")

    async def work(call: Call, params: Any) -> None:
        return None

    free = {"tool": "free", "decision": "allow"}
    rig = opened(
        tool("free", work, Effect.UI_CONTROL, plan), tool("asked", work, Effect.UI_CONTROL, plan), rules=[free]
    )
    await rig.call("free")
    await rig.call("asked")
    assert seen == [False, True]


async def test_pictures_of_a_question_are_evidence_before_it_is_asked(opened: Open) -> None:
    async def plan(call: Call, params: Any) -> Preview:
        return Preview("do it", pictures=[Picture("before.png", "the page", b"png")])

    async def work(call: Call, params: Any) -> str:
        return "done"

    rig = opened(tool("act", work, Effect.UI_CONTROL, plan))
    await rig.call("act")
    (question,) = rig.person.questions
    (image,) = question.images
    assert image.path == str(rig.exhibits()[0] / "before.png")
    assert (rig.exhibits()[0] / "before.png").read_bytes() == b"png"
    assert image.alt == "the page"
    assert rig.events() == ["ask", "begin", "end"]
    assert "before.png" in rig.records()[0]["evidence"]["sha256"]


async def test_pictures_in_a_reply_are_evidence(opened: Open) -> None:
    async def look(call: Call, params: Any) -> Reply:
        return Reply("seen", [Image(b"png")])

    rig = opened(tool("look", look))
    assert await rig.call("look") == "seen"
    (exhibit,) = rig.exhibits()
    assert (exhibit / "picture-1.png").read_bytes() == b"png"


async def test_a_picture_that_can_not_be_kept_does_not_make_a_deed_undone(opened: Open) -> None:
    async def act(call: Call, params: Any) -> Reply:
        (exhibit,) = rig.exhibits()
        shutil.rmtree(exhibit)
        exhibit.write_text("in the way")
        return Reply("done", [Image(b"png")])

    rig = opened(tool("act", act, Effect.UI_CONTROL))
    assert await rig.call("act") == "done"
    assert (rig.last["event"], rig.last["ok"]) == ("end", True)
