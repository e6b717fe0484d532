"""Notifications on a real desktop's bus: dunst shows them, and the app is started by the bus."""

import json
import sys
import time
from typing import Any

import notifications_app
import pytest

from tests.session_bus import SessionBus

APP = "com.example.notifications"


@pytest.fixture(scope="module")
def desktop(session: SessionBus) -> SessionBus:
    """Without dunst at first: it comes with the test that needs it."""
    session.run(sys.executable, str(notifications_app.__file__), "--install")
    return session


def shown(session: SessionBus) -> list[dict[str, Any]]:
    """What dunst itself says that it shows and has shown."""
    history = json.loads(session.run("dunstctl", "history"))["data"][0]
    return [{name: value["data"] for name, value in entry.items()} for entry in history]


def test_without_a_program_that_shows_notifications_that_is_told_and_with_dunst_they_are_shown(
    desktop: SessionBus,
) -> None:
    alone = desktop.ask(APP, "send", summary="Hello")
    assert alone["error"]["code"] == "SERVICE_UNAVAILABLE"

    desktop.show_display()
    dunst = desktop.start("dunst", "-conf", "/dev/null")
    deadline = time.monotonic() + 30
    while "error" in (server := desktop.ask(APP, "describe_server")):
        assert dunst.poll() is None, desktop.log.read_text()
        assert time.monotonic() < deadline, server
    assert server["result"]["name"] == "dunst"
    assert "body" in server["result"]["capabilities"]

    sent = desktop.ask(APP, "send", summary="Tee", body="<b>fertig</b> & heiß", urgency="critical", seconds=0)
    id = sent["result"]["id"]
    again = desktop.ask(APP, "send", summary="Tee 2", replaces=id)
    assert again["result"]["id"] == id
    assert desktop.ask(APP, "close", id=id)["result"] == {}

    marked = desktop.ask(APP, "send", summary="Mark", body="<b>fertig</b> & heiß")["result"]["id"]
    desktop.ask(APP, "close", id=marked)
    while len(history := shown(desktop)) < 2:
        assert time.monotonic() < deadline, history
    assert {entry["summary"] for entry in history} == {"Tee 2", "Mark"}
    body = next(entry["body"] for entry in history if entry["summary"] == "Mark")
    assert body.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == "<b>fertig</b> & heiß"
    assert "<b>" not in body or "body-markup" not in server["result"]["capabilities"]


@pytest.mark.parametrize(
    ("tool", "params", "field"),
    [
        ("send", {"summary": ""}, "summary"),
        ("send", {"summary": "x", "urgency": "high"}, "urgency"),
        ("send", {"summary": "x", "seconds": -1}, "seconds"),
        ("close", {"id": 0}, "id"),
    ],
)
def test_wrong_parameters_are_reported_by_field(desktop: SessionBus, tool: str, params: Any, field: str) -> None:
    error = desktop.ask(APP, tool, **params)["error"]
    assert error["code"] == "INVALID_PARAMS"
    assert error["message"].startswith(f"{field}: ")
