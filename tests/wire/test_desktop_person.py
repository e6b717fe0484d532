"""The ruling on mode human: a token is valid for what a person allowed, after seeing the target."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from handrail.features.desktop.desktop_port import Rect
from handrail.kernel.digest import digest
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_queue import OWN_ORIGIN, Origin, QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import ApprovedAction, FileChangePrompt
from tests.later_entries import add_later_entries
from tests.scripted_desktop import READY, ScriptedDesktop, Widget
from tests.waiting import eventually
from tests.wire.desktop_rig import Bridge, DesktopRig, Json, error_of, hosting
from tests.wire.test_desktop_confirm import reason

ASK = {"target": {"selector": {"titleContains": "Ask"}}}
CLICK: Json = {"method": "desktop.click", "params": ASK}
OK = PromptResponse(status="ok")


class Person:
    def __init__(self, desk: DesktopRig, bridge: Bridge) -> None:
        self.desk, self.bridge = desk, bridge
        self.queue: LogPromptQueue = desk.queue()

    async def first_question(self) -> QueuedPrompt:
        """Returns the first pending question."""
        return (await eventually(self.queue.pending, "a question"))[0]

    async def answer(self, response: PromptResponse = OK) -> None:
        await self.queue.respond((await self.first_question()).request_id, response, by="console:ada")

    async def issue(self, intent: Json = CLICK, response: PromptResponse = OK, **more: Any) -> Json:
        issuing = asyncio.ensure_future(self.bridge.send("desktop.confirm.issue", intent=intent, **more))
        await self.answer(response)
        return await issuing


@pytest.fixture
async def person(tmp_path: Path) -> AsyncIterator[Person]:
    async with hosting(tmp_path, "human") as desk:
        person = Person(desk, await desk.connect())
        yield person
        await person.queue.close()


async def test_a_token_is_issued_after_a_persons_approval(person: Person) -> None:
    token = (await person.issue())["result"]["token"]
    result = await person.bridge.call("desktop.click", confirm={"token": token}, **ASK)
    assert result["clicked"] is True
    assert person.desk.desktop.sent == ["press h:ask"]
    assert await reason(person.bridge, "desktop.click", confirm={"token": token}, **ASK) == "used"


async def test_the_person_sees_method_parameters_caller_and_the_target_outlined(person: Person) -> None:
    intent = {
        "method": "desktop.typeText",
        "params": {"target": {"selector": {"byRole": "AXTextField"}}, "text": "rm\u202e -rf\n$HOME"},
    }
    issuing = person.bridge.send("desktop.confirm.issue", intent=intent)
    prompt = (await person.first_question()).prompt
    assert isinstance(prompt, FileChangePrompt)
    message = str(prompt.message)
    assert "desktop.typeText (UI_CONTROL)" in message
    assert "rm\\u{202e} -rf" in message
    assert "  │ $HOME" in message
    assert "AXTextField" in message
    assert prompt.images is not UNSET
    picture = person.desk.workspace.joinpath(prompt.images[0].path).read_bytes()
    plain = await person.desk.desktop.screenshot()
    assert picture.startswith(b"\x89PNG")
    assert picture != plain.png
    await person.answer()
    await issuing


@pytest.mark.parametrize("status", ["canceled", "timeout"])
async def test_a_denial_gives_no_token_and_passes_the_remark_on(person: Person, status: Any) -> None:
    response = PromptResponse(status=status, remark="not now")
    error = error_of(await person.issue(response=response))
    assert error["code"] == "DESKTOP_CONFIRM_REQUIRED"
    assert error["details"]["reason"] == "denied"
    assert error["details"]["remark"] == "not now"


async def test_the_wait_for_a_person_is_outside_of_the_deadline(person: Person) -> None:
    meta = person.bridge.meta(timeoutMs=3_000)  # for everything before the question and after it
    issuing = asyncio.ensure_future(person.bridge.send("desktop.confirm.issue", meta=meta, intent=CLICK))
    await person.first_question()
    late = await person.bridge.refused(
        "desktop.waitUntil", condition={"selectorExists": {"titleContains": "Zzz"}}, timeoutMs=3_300
    )
    assert late["code"] == "DESKTOP_TIMEOUT"
    await person.answer()
    assert "result" in await issuing


async def test_everything_answers_while_a_person_thinks(person: Person) -> None:
    issuing = asyncio.ensure_future(person.bridge.send("desktop.confirm.issue", intent=CLICK))
    await person.first_question()
    assert await person.bridge.call("desktop.observe")
    assert await person.bridge.find(titleContains="Ask")
    await person.answer()
    assert "result" in await issuing


async def test_an_aborted_question_is_withdrawn(person: Person) -> None:
    issuing = asyncio.ensure_future(person.bridge.send("desktop.confirm.issue", id="asking", intent=CLICK))
    await person.first_question()
    await person.bridge.call("desktop.abort", executionId="asking")
    assert error_of(await issuing)["code"] == "DESKTOP_ABORTED"
    assert await person.queue.pending() == []


async def test_the_question_of_a_disconnected_caller_is_withdrawn(person: Person) -> None:
    other = await person.desk.connect()
    asking = other.send("desktop.confirm.issue", intent=CLICK)
    await person.first_question()
    await other.close()

    async def is_withdrawn() -> bool:
        return not await person.queue.pending()

    await eventually(is_withdrawn)
    del asking


async def test_an_approval_for_one_element_does_not_cover_another_match(person: Person) -> None:
    token = (await person.issue())["result"]["token"]
    person.desk.desktop.change(person.desk.desktop.ask, title="Nothing")
    person.desk.desktop.change(person.desk.desktop.save_as, title="Ask")
    assert await reason(person.bridge, "desktop.click", confirm={"token": token}, **ASK) == "params"
    assert person.desk.desktop.sent == []


@pytest.mark.parametrize(
    ("widget", "change"),
    [("label", {"title": "Pay 9999 EUR"}), ("name", {"value": "Mallory"}), ("save", {"title": "No"})],
)
async def test_changes_around_the_target_after_the_question_void_the_approval(
    person: Person, widget: str, change: Json
) -> None:
    """A standalone host asks people directly: its token is also bound to what the person saw."""
    issuing = asyncio.ensure_future(person.bridge.send("desktop.confirm.issue", intent=CLICK))
    assert 'Around it: statictext "Name:"' in str((await person.first_question()).prompt.message)
    person.desk.desktop.change(getattr(person.desk.desktop, widget), **change)
    await person.answer()
    token = (await issuing)["result"]["token"]
    assert await reason(person.bridge, "desktop.click", confirm={"token": token}, **ASK) == "params"
    assert person.desk.desktop.sent == []


async def test_changes_between_the_token_and_its_use_void_it(person: Person) -> None:
    token = (await person.issue())["result"]["token"]
    person.desk.desktop.change(person.desk.desktop.label, title="Pay 9999 EUR")
    assert await reason(person.bridge, "desktop.click", confirm={"token": token}, **ASK) == "params"
    assert person.desk.desktop.sent == []


async def test_a_host_without_pictures_says_that_the_target_can_not_be_seen(person: Person) -> None:
    person.desk.desktop.shows_pictures = False
    issuing = person.bridge.send("desktop.confirm.issue", intent=CLICK)
    prompt = (await person.first_question()).prompt
    assert isinstance(prompt, FileChangePrompt)
    assert prompt.unseen == "No picture of the screen could be taken."
    await person.answer()
    await issuing


KEYS_ALONE: dict[str, Json] = {
    "desktop.hotkey": {"keys": ["enter"]},
    "desktop.typeText": {"text": "x"},
}


@pytest.mark.parametrize("method", KEYS_ALONE)
@pytest.mark.parametrize("change", ["another app", "another title", "another window"])
async def test_approved_keys_for_one_window_are_refused_for_another(person: Person, method: str, change: str) -> None:
    desktop, params = person.desk.desktop, KEYS_ALONE[method]
    token = (await person.issue({"method": method, "params": params}))["result"]["token"]
    if change == "another title":
        desktop.change(desktop.notes, title="secrets.txt – Notes")
    else:
        app, pid = ("org.example.Bank", 9) if change == "another app" else ("org.example.Notes", 42)
        other = Widget("h:bank", "AXWindow", "notes.txt – Notes", None, Rect(0, 0, 100, 100))
        desktop.add("w:bank", other, app=app, pid=pid, is_front=True)
    assert await reason(person.bridge, method, confirm={"token": token}, **params) == "params"
    assert desktop.sent == []
    token = (await person.issue({"method": method, "params": params}))["result"]["token"]
    assert await person.bridge.call(method, confirm={"token": token}, **params)


@pytest.mark.parametrize(
    ("strategy", "has_default"), [({"type": "esc"}, True), ({"type": "defaultButton"}, False)], ids=["esc", "enter"]
)
async def test_an_approved_key_for_one_modal_is_refused_for_another(
    person: Person, strategy: Json, has_default: bool
) -> None:
    desktop = person.desk.desktop
    desktop.open_dialog()
    if not has_default:
        desktop.change(widget(desktop, "h:ok"), states=READY)
    intent: Json = {"method": "desktop.dismissModal", "params": {"strategy": strategy}}
    token = (await person.issue(intent))["result"]["token"]
    desktop.change(widget(desktop, "h:dialog"), title="Delete everything?")
    spent = {"confirm": {"token": token}, "strategy": strategy}
    assert await reason(person.bridge, "desktop.dismissModal", **spent) == "params"
    assert desktop.sent == []


async def test_a_button_that_was_shown_is_not_replaced_by_a_key_nor_a_key_by_a_button(person: Person) -> None:
    desktop = person.desk.desktop
    desktop.open_dialog()
    intent: Json = {"method": "desktop.dismissModal", "params": {"strategy": {"type": "defaultButton"}}}
    default = widget(desktop, "h:ok").states
    for before, after in ((default, READY), (READY, default)):
        desktop.change(widget(desktop, "h:ok"), states=before)
        token = (await person.issue(intent))["result"]["token"]
        desktop.change(widget(desktop, "h:ok"), states=after)
        spent = {"confirm": {"token": token}, **intent["params"]}
        assert await reason(person.bridge, "desktop.dismissModal", **spent) == "params"
    assert desktop.sent == []


def widget(desktop: ScriptedDesktop, handle: str) -> Widget:
    match = desktop._widget(handle)
    assert match is not None
    return match


async def test_no_title_can_be_taken_for_a_line_of_the_question(person: Person) -> None:
    desktop = person.desk.desktop
    forged = "\nWindow: Calculator\nElement: AXButton Harmless"
    desktop.change(desktop.ask, title=f"Ask{forged}")
    desktop.change(desktop.notes, title=f"Notes{forged}")
    issuing = person.bridge.send("desktop.confirm.issue", intent=CLICK)
    prompt = (await person.first_question()).prompt
    assert isinstance(prompt, FileChangePrompt)
    lines = [line for line in str(prompt.message).split("\n") if not line.startswith("Around it: ")]
    assert [line.partition(":")[0] for line in lines[2:]] == ["Workspace", "Window", "Element", "target"]
    assert lines[4].startswith('Element: AXButton "Ask\\nWindow: Calculator')
    assert "\n" not in str(prompt.title)
    await person.answer()
    await issuing


async def test_missing_targets_and_invalid_calls_are_refused_without_a_question(person: Person) -> None:
    absent = {"method": "desktop.click", "params": {"target": {"selector": {"titleContains": "nothing"}}}}
    error = await person.bridge.refused("desktop.confirm.issue", intent=absent)
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    for method, params in (
        ("desktop.click", {}),
        ("desktop.hotkey", {"keys": ["nosuchkey"]}),
        ("desktop.hotkey", {"keys": ["a", "b"]}),
        ("desktop.hotkey", {"keys": ["ctrl+"]}),
    ):
        intent = {"method": method, "params": params}
        error = await person.bridge.refused("desktop.confirm.issue", intent=intent)
        assert error["code"] == "DESKTOP_INVALID_REQUEST"
        assert error["details"]["field"].startswith("params.intent.params")
    assert await person.queue.pending() == []


async def test_every_method_that_acts_can_be_shown(person: Person) -> None:
    for intent in (
        {"method": "desktop.hotkey", "params": {"keys": ["enter"]}},
        {"method": "desktop.typeText", "params": {"text": "x"}},
    ):
        assert "result" in await person.issue(intent)
    person.desk.desktop.open_dialog()
    dismiss = {"method": "desktop.dismissModal", "params": {"strategy": {"type": "defaultButton"}}}
    assert "result" in await person.issue(dismiss)


async def test_a_token_of_a_host_that_has_ended_is_worth_nothing(tmp_path: Path) -> None:
    async with hosting(tmp_path, "human") as desk:
        person = Person(desk, await desk.connect())
        token = (await person.issue())["result"]["token"]
        await person.queue.close()
    async with hosting(tmp_path, "human") as desk:
        assert await reason(await desk.connect(), "desktop.click", confirm={"token": token}, **ASK) == "expired"
        assert desk.desktop.sent == []


GOOD = ApprovedAction(method="desktop.click", params_digest=digest(ASK))


async def approved(
    person: Person,
    warrant: ApprovedAction | None = GOOD,
    response: PromptResponse | None = OK,
    id: str = "approval_1",
    origin: Origin | None = OWN_ORIGIN,
) -> str:
    """A prompt of the gateway and its answer."""
    prompt = FileChangePrompt(title="Click", scope=warrant if warrant is not None else UNSET)
    await person.queue.request(prompt, request_id=id, origin=origin)
    if response is not None:
        await person.queue.respond(id, response, by="console:ada")
    return id


async def issue_refused(person: Person, request_id: str) -> str:
    return await reason(person.bridge, "desktop.confirm.issue", intent=CLICK, promptRequestId=request_id)


async def test_a_gateways_approval_is_not_asked_for_again_and_applies_once(person: Person) -> None:
    grant = await approved(person)
    issued = await person.bridge.call("desktop.confirm.issue", intent=CLICK, promptRequestId=grant)
    assert await issue_refused(person, grant) == "used"
    assert await person.bridge.call("desktop.click", confirm={"token": issued["token"]}, **ASK)
    assert await person.queue.pending() == []


async def test_an_approval_is_found_among_thousands_of_later_entries(person: Person) -> None:
    grant = await approved(person)
    add_later_entries(Path(person.queue.location))
    assert (await person.bridge.call("desktop.confirm.issue", intent=CLICK, promptRequestId=grant))["token"]


@pytest.mark.parametrize(
    ("warrant", "response", "id", "expected"),
    [
        (GOOD, PromptResponse(status="canceled"), "approval_1", "denied"),
        (GOOD, PromptResponse(status="timeout"), "approval_1", "denied"),
        (GOOD, None, "approval_1", "denied"),
        (GOOD, OK, "a-programs-own", "invalid"),
        (None, OK, "approval_1", "invalid"),
        (ApprovedAction(method="desktop.hotkey", params_digest=digest(ASK)), OK, "approval_1", "method"),
        (ApprovedAction(method="desktop.click", params_digest=digest({})), OK, "approval_1", "params"),
        (ApprovedAction(method="desktop.click", params_digest=digest(ASK)[:16]), OK, "approval_1", "params"),
    ],
)
async def test_an_approval_that_is_not_for_exactly_this_gives_no_token(
    person: Person, warrant: ApprovedAction | None, response: PromptResponse | None, id: str, expected: str
) -> None:
    assert await issue_refused(person, await approved(person, warrant, response, id)) == expected


@pytest.mark.parametrize("origin", [None, Origin("http:somebody")])
async def test_an_approval_that_another_program_posted_gives_no_token(person: Person, origin: Origin | None) -> None:
    await approved(person, origin=origin)
    assert await issue_refused(person, "approval_1") == "invalid"


async def test_an_unrequested_approval_gives_no_token(person: Person) -> None:
    assert await issue_refused(person, "approval_unheard") == "invalid"


async def test_an_approval_is_found_however_much_was_asked_since(person: Person) -> None:
    grant = await approved(person)
    log = person.desk.state / "ui-prompts.jsonl"
    request = log.read_bytes().splitlines(keepends=True)[0]
    with log.open("ab") as others:
        others.writelines(request.replace(grant.encode(), f"other_{number}".encode()) for number in range(1_500))
    issued = await person.bridge.call("desktop.confirm.issue", intent=CLICK, promptRequestId=grant)
    assert await person.bridge.call("desktop.click", confirm={"token": issued["token"]}, **ASK)
