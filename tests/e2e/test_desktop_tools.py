"""An agent uses a real desktop over `handrail mcp`: results, questions to the person, and effects of answers."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import App, DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig, error_of
from tests.e2e.desktop_bridge import DesktopClient, Refused
from tests.effort import first_of
from tests.waiting import until

PNG = b"\x89PNG\r\n\x1a\n"
PATIENCE_MS = 20_000
COUNT = {"selector": {"byRole": "AXButton", "titleContains": texts.COUNT}}
NAME = {"selector": {"byRole": "AXTextField", "titleContains": texts.NAME}}


@pytest.fixture(scope="module")
def agent(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopAgent]:
    with (
        desktop_rig(desktop_session, tmp_path_factory.mktemp("d")) as rig,
        desktop_agent(desktop_session, rig) as agent,
    ):
        yield agent


@pytest.fixture(autouse=True)
def window(desktop_session: DesktopSession) -> Iterator[App]:
    app = desktop_session.start(command("gtk3"))
    yield app
    desktop_session.end(app)


@pytest.fixture
def user_rules(agent: DesktopAgent) -> Iterator[Path]:
    """The user's own rules, emptied afterwards."""
    file = agent.state / "config.toml"
    yield file
    file.write_text("")


def counted(agent: DesktopAgent, times: int) -> bool:
    result = agent.does("desktop_find", selector={"titleContains": texts.COUNTED.format(times)})
    return bool(result["matched"] == 1)


def counts_to(agent: DesktopAgent, times: int) -> None:
    """Waits, because a program may show a click's effect only after the click was answered."""
    there = {"selectorExists": {"titleContains": texts.COUNTED.format(times)}}
    agent.does("desktop_wait_until", condition=there, timeoutMs=PATIENCE_MS)


def test_a_window_is_seen_in_words_and_as_a_picture_and_its_words_are_fenced_off(agent: DesktopAgent) -> None:
    agent.begins("desktop_observe")
    result = agent.gets()
    text = next(part["text"] for part in result["content"] if part["type"] == "text")
    head, _, rest = text.partition("Untrusted window content until ")
    assert texts.COUNT not in head
    assert f'button "{texts.COUNT}"' in rest
    assert rest.rstrip().endswith("\n" + rest.partition(":")[0])
    picture = next(part["data"] for part in result["content"] if part["type"] == "image")
    assert base64.b64decode(picture).startswith(PNG)


def test_an_approval_shows_the_element_and_allows_exactly_it(agent: DesktopAgent) -> None:
    outline = agent.does("desktop_observe", options={"includeScreenshot": False})["outline"]
    element_id = next(line.split()[0] for line in outline.splitlines() if f'button "{texts.COUNT}"' in line)
    agent.begins("desktop_click", target={"elementRef": {"elementId": element_id}})
    question = agent.person.sees()
    prompt = question["prompt"]
    assert f'button "{texts.COUNT}"' in prompt["title"]
    assert texts.TITLE in prompt["title"]
    assert element_id in prompt["message"]
    assert prompt["scope"]["method"] == "desktop.click"
    (image,) = prompt["images"]
    assert Path(image["path"]).read_bytes().startswith(PNG)
    assert "outlined" in image["alt"]
    assert counted(agent, 0)
    agent.person.answers("--ok")
    result = agent.gets()["structuredContent"]
    assert result["clicked"] is True
    counts_to(agent, 1)
    trace = (Path(result["evidence"]["dir"]) / "trace.jsonl").read_text()
    assert question["requestId"] in trace


@pytest.mark.trial("desktop", is_long=True)
def test_a_denial_and_its_remark_reach_the_agent_and_nothing_is_clicked(agent: DesktopAgent) -> None:
    agent.begins("desktop_click", target=COUNT)
    agent.person.answers("--cancel", "--remark", "not this one")
    error = error_of(agent.gets())
    assert (error["code"], error["details"]["reason"]) == ("DESKTOP_CONFIRM_REQUIRED", "denied")
    assert error["details"]["remark"] == "not this one"
    assert counted(agent, 0)


@pytest.mark.trial("desktop", is_long=True)
def test_always_allow_asks_only_once_in_this_app(agent: DesktopAgent, user_rules: Path) -> None:
    agent.begins("desktop_type_text", target=NAME, text="Ada ")
    agent.person.answers("--ok", "--for", "rule")
    assert agent.gets()["structuredContent"]["typed"] is True
    assert agent.does("desktop_type_text", target=NAME, text="Lovelace 世界 👋")["typed"] is True
    (field,) = agent.does("desktop_find", **NAME)["elementRefs"]
    assert field["value"] == "Ada Lovelace 世界 👋"


def test_a_rule_for_an_app_allows_without_a_question(agent: DesktopAgent, user_rules: Path) -> None:
    app = agent.does("desktop_find", **COUNT)["routeResolved"]["frontmostBundleId"]
    user_rules.write_text(f'[[rules]]\ntool = "desktop_click"\napp = {json.dumps(app)}\ndecision = "allow"\n')
    assert agent.does("desktop_click", target=COUNT)["clicked"] is True
    assert agent.person.pending() == []
    counts_to(agent, 1)


def test_nothing_is_revealed_that_a_rule_forbids_to_read(agent: DesktopAgent, user_rules: Path) -> None:
    app = agent.does("desktop_find", **COUNT)["routeResolved"]["frontmostBundleId"]
    user_rules.write_text(f'[[rules]]\neffect = "READ"\napp = {json.dumps(app)}\ndecision = "deny"\n')
    for tool, arguments in (
        ("desktop_observe", {}),
        ("desktop_find", COUNT),
        ("desktop_wait_until", {"condition": {"selectorExists": COUNT["selector"]}, "timeoutMs": 2000}),
    ):
        error = agent.is_refused(tool, **arguments)
        assert (error["code"], error["details"]["reason"]) == ("DESKTOP_CONFIRM_REQUIRED", "policy")
        assert texts.COUNT not in json.dumps(error)


def test_an_element_removed_before_the_answer_never_resolves_to_another_one(
    agent: DesktopAgent, desktop_session: DesktopSession, window: App
) -> None:
    agent.begins("desktop_click", target=COUNT)
    agent.person.sees()
    desktop_session.end(window)
    twin = desktop_session.start(command("gtk3"))
    agent.person.answers("--ok")
    error = error_of(agent.gets())
    assert (error["code"], error["details"]["stale"]) == ("DESKTOP_ELEMENT_NOT_FOUND", True)
    assert counted(agent, 0)
    desktop_session.end(twin)


@pytest.mark.trial("desktop", is_long=True)
def test_keys_go_to_the_window_that_was_shown_or_nowhere(
    agent: DesktopAgent, desktop_session: DesktopSession, window: App
) -> None:
    agent.begins("desktop_hotkey", keys=["tab"])
    assert texts.TITLE in agent.person.sees()["prompt"]["title"]
    twin = desktop_session.start(command("gtk3"))
    desktop_session.end(window)
    agent.person.answers("--ok")
    error = error_of(agent.gets())
    desktop_session.end(twin)
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"


def test_the_host_accepts_an_approval_once_and_for_the_same_call_only(agent: DesktopAgent) -> None:
    result = agent.does("desktop_find", **COUNT)
    place, element = result["routeResolved"], result["elementRefs"][0]
    ref = {"elementRef": {"elementId": element["elementId"], "fingerprint": element["fingerprint"]}}
    app = {"bundleId": place["frontmostBundleId"], "pid": place["pid"]}
    window = {"titlePattern": f"^{re.escape(place['windowTitle'])}$", "id": place["windowId"]}
    options = {"button": "left", "count": 1}
    same: dict[str, Any] = {"target": ref, "options": options, "route": {"app": app, "window": window}}
    agent.begins("desktop_click", target=ref)
    question = agent.person.answers("--ok")
    agent.gets()
    files = max(agent.project.rglob("request.json"), key=lambda file: file.stat().st_mtime_ns)
    same["shown"] = json.loads(files.read_text())["binding"]["shown"]
    client = DesktopClient(agent.state / "desktop.sock", agent.project)
    for value, params, reason in (
        (question["requestId"], same, "used"),
        (question["requestId"], {"target": COUNT}, "params"),
        ("approval_made_up", {"target": COUNT}, "invalid"),
    ):
        with pytest.raises(Refused) as refused:
            client.call("confirm.issue", intent={"method": "desktop.click", "params": params}, promptRequestId=value)
        assert refused.value.error["details"]["reason"] == reason
    with pytest.raises(Refused) as refused:
        client.call("click", target=COUNT, confirm={"pass": "made-up"})
    assert refused.value.error["details"]["reason"] == "invalid"
    client.close()


@pytest.mark.trial("desktop", is_long=True)
def test_a_modal_window_is_listed_and_dismissed(agent: DesktopAgent) -> None:
    agent.begins("desktop_click", target={"selector": {"byRole": "AXButton", "titleContains": texts.OPEN_DIALOG}})
    agent.person.answers("--ok")
    agent.gets()
    there = {"selectorExists": {"byRole": "AXButton", "titleContains": texts.CLOSE_DIALOG}}
    agent.does("desktop_wait_until", condition=there, timeoutMs=PATIENCE_MS)
    assert agent.does("desktop_list_modals")["modals"][0]["title"] == texts.DIALOG
    agent.begins("desktop_dismiss_modal", strategy={"type": "byTitle", "titleContains": texts.CLOSE_DIALOG})
    assert texts.CLOSE_DIALOG in agent.person.sees()["prompt"]["title"]
    agent.person.answers("--ok")
    assert agent.gets()["structuredContent"]["dismissed"] is True
    until(lambda: not agent.does("desktop_list_modals")["count"], "the dialog has not closed")


def test_an_agent_stops_its_own_wait(agent: DesktopAgent) -> None:
    never = {"selectorExists": {"titleContains": "what never comes"}}
    waiting = agent.begins("desktop_wait_until", condition=never, timeoutMs=60_000)
    while (stopped := agent.gets(agent.begins("desktop_abort"))).get("isError"):
        assert error_of(stopped)["code"] == "DESKTOP_INVALID_REQUEST"  # the wait has not started yet
    assert error_of(agent.gets(waiting))["code"] == "DESKTOP_ABORTED"


def test_an_element_is_outlined_on_the_screen(agent: DesktopAgent) -> None:
    assert agent.does("desktop_highlight", target=COUNT, durationMs=50)["highlighted"] is True


@pytest.mark.parametrize(
    ("tool", "arguments"),
    first_of(
        "desktop",
        ("desktop_click", {"target": {}}),
        ("desktop_click", {"target": {**COUNT, "elementRef": {"elementId": "e:1"}}}),
        ("desktop_find", {"selector": {"titleContains": ""}}),
        ("desktop_observe", {"route": {"window": {"titlePattern": "("}}}),
        ("desktop_hotkey", {"keys": []}),
        ("desktop_hotkey", {"keys": ["a", "b"]}),
        ("desktop_wait_until", {"condition": {}, "timeoutMs": 10}),
        ("desktop_wait_until", {"condition": {"selectorGone": COUNT["selector"]}, "timeoutMs": 0}),
        ("desktop_dismiss_modal", {"strategy": {"type": "byTitle"}}),
        ("desktop_abort", {}),
        suite=3,
    ),
)
def test_bad_input_is_refused_before_a_person_is_asked(
    agent: DesktopAgent, tool: str, arguments: dict[str, Any]
) -> None:
    assert agent.is_refused(tool, **arguments)["code"] == "DESKTOP_INVALID_REQUEST"
    assert agent.person.pending() == []
