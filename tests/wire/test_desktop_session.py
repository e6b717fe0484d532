"""End to end on a real desktop: the program `handrail desktop-host`, real windows, and an app that is stopped."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import App, DesktopSession
from tests.wire.test_desktop_program import Wire, running
from tests.wire.test_desktop_program import command as host_command

PHRASE = {"phrase": "CONFIRM"}


@pytest.fixture(scope="module")
def wire(desktop_session: DesktopSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("desktop-wire")
    (folder / "root").mkdir()
    started = host_command(folder / "root", folder / "state", "--confirm", "contract")
    with running(*started, env=desktop_session.env):
        client = Wire(folder / "state" / "desktop.sock", folder / "root")
        yield client
        client.close()


@pytest.fixture
def bench(desktop_session: DesktopSession) -> Iterator[App]:
    app = desktop_session.start(command("gtk3", "--title", "Wire bench"))
    yield app
    desktop_session.end(app)


ROUTE = {"window": {"titlePattern": "^Wire bench$"}}


def result_of(answer: dict[str, Any]) -> dict[str, Any]:
    assert "result" in answer, answer
    result: dict[str, Any] = answer["result"]
    return result


def test_a_button_is_found_and_pressed_and_its_effect_comes(wire: Wire, bench: App) -> None:
    selector = {"byRole": "AXButton", "titleContains": texts.COUNT}
    result = result_of(wire.call("desktop.find", route=ROUTE, selector=selector))
    ref = next(ref for ref in result["elementRefs"] if ref["title"] == texts.COUNT)
    clicked = result_of(wire.call("desktop.click", confirm=PHRASE, target={"elementRef": ref}))
    assert clicked["clicked"] is True
    condition = {"selectorExists": {"titleContains": texts.COUNTED.format(1)}}
    assert result_of(wire.call("desktop.waitUntil", route=ROUTE, condition=condition, timeoutMs=20_000))["ok"] is True
    for name in ("beforeScreenshot", "afterScreenshot"):
        assert Path(clicked["evidence"]["dir"], clicked["evidence"][name]).read_bytes().startswith(b"\x89PNG")


def test_a_window_is_seen_as_picture_tree_and_outline(wire: Wire, bench: App) -> None:
    options = {"outline": True, "area": "window"}
    result = result_of(wire.call("desktop.observe", route=ROUTE, options=options))
    assert result["routeResolved"]["windowTitle"] == "Wire bench"
    assert f'button "{texts.COUNT}"' in result["outline"]
    assert len(result["outline"]) < 4_000
    picture = Path(result["evidence"]["dir"], "observe.png").read_bytes()
    assert int.from_bytes(picture[16:20], "big") == result["area"]["width"]


def test_a_wait_ends_when_the_app_changes_later(wire: Wire, bench: App) -> None:
    target = {"selector": {"titleContains": texts.CHANGE_LATER}}
    result_of(wire.call("desktop.click", confirm=PHRASE, route=ROUTE, target=target))
    condition = {"selectorExists": {"titleContains": texts.CHANGED.format(1)}}
    waited = wire.call("desktop.waitUntil", route=ROUTE, condition=condition, timeoutMs=20_000)
    assert result_of(waited)["matched"] == 1


def test_a_frozen_app_does_not_affect_others_and_is_read_again_after_it_resumes(
    wire: Wire, bench: App, desktop_session: DesktopSession
) -> None:
    other = desktop_session.start(command("gtk3", "--title", "Other bench"))
    stopped = max(bench.pids)
    os.kill(stopped, signal.SIGSTOP)
    try:
        wire.meta["timeoutMs"] = 1_500
        frozen = wire.call("desktop.click", confirm=PHRASE, route=ROUTE, target={"selector": {"byRole": "AXButton"}})
        assert frozen["error"]["code"] in ("DESKTOP_TIMEOUT", "DESKTOP_ELEMENT_NOT_FOUND"), frozen
        wire.meta["timeoutMs"] = 20_000
        assert result_of(wire.call("desktop.health"))
        route = {"window": {"titlePattern": "^Other bench$"}}
        result = wire.call("desktop.find", route=route, selector={"titleContains": texts.COUNT})
        assert result_of(result)["matched"] >= 1
    finally:
        os.kill(stopped, signal.SIGCONT)
        wire.meta["timeoutMs"] = 20_000
        desktop_session.end(other)
    condition = {"selectorExists": {"titleContains": texts.COUNT}}
    again = wire.call("desktop.waitUntil", route=ROUTE, condition=condition, timeoutMs=20_000)
    assert result_of(again)["ok"] is True
