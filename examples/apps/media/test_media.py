"""A real player on a real bus: mpv with its MPRIS plugin plays silence, and does what it is told."""

import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import media_app
import pytest

from tests.session_bus import SessionBus

APP = "com.example.media"
PLUGIN = "/usr/lib/mpv-mpris/mpris.so"


@pytest.fixture(scope="module")
def desktop(session: SessionBus) -> SessionBus:
    session.run(sys.executable, str(media_app.__file__), "--install")
    for number in (1, 2):
        _silence(session.folder / f"track{number}.wav", seconds=300)
    return session


def _silence(path: Path, *, seconds: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * seconds)


def until(desktop: SessionBus, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while True:
        answer = desktop.ask(APP, "status")
        if "result" in answer and is_so(answer["result"]):
            return dict(answer["result"])
        assert time.monotonic() < deadline, answer


def test_a_player_is_listed_paused_sought_made_quieter_and_sent_on(desktop: SessionBus) -> None:
    assert desktop.ask(APP, "list_players")["result"] == {"players": []}
    assert desktop.ask(APP, "status")["error"]["code"] == "WHICH_PLAYER"
    assert desktop.ask(APP, "control", action="play", player="mpv")["error"]["code"] == "NO_SUCH_PLAYER"

    tracks = [str(desktop.folder / f"track{number}.wav") for number in (1, 2)]
    options = ("--no-config", "--no-video", "--ao=null", "--load-scripts=no", f"--script={PLUGIN}", "--keep-open")
    desktop.start("mpv", *options, *tracks)
    playing = until(desktop, lambda now: now["status"] == "Playing" and now.get("length") == 300)
    assert playing["player"] == "mpv"
    assert playing["title"] == "track1.wav"

    desktop.ask(APP, "control", action="pause")
    before = until(desktop, lambda now: now["status"] == "Paused")["position"]
    desktop.ask(APP, "seek", seconds=120)
    until(desktop, lambda now: now["position"] >= before + 119)
    desktop.ask(APP, "set_volume", volume=0.25)
    until(desktop, lambda now: now["volume"] == 0.25)
    desktop.ask(APP, "control", action="next", player="mpv")
    until(desktop, lambda now: now["title"] == "track2.wav")
    desktop.ask(APP, "control", action="play")
    until(desktop, lambda now: now["status"] == "Playing")
    (listed,) = desktop.ask(APP, "list_players")["result"]["players"]
    assert (listed["player"], listed["title"]) == ("mpv", "track2.wav")


@pytest.mark.parametrize(
    ("tool", "params", "field"),
    [
        ("control", {"action": "dance"}, "action"),
        ("set_volume", {"volume": 1.5}, "volume"),
        ("seek", {"seconds": 1e9}, "seconds"),
        ("status", {"player": "../x"}, "player"),
    ],
)
def test_wrong_parameters_are_reported_by_field(desktop: SessionBus, tool: str, params: Any, field: str) -> None:
    error = desktop.ask(APP, tool, **params)["error"]
    assert error["code"] == "INVALID_PARAMS"
    assert error["message"].startswith(f"{field}: ")
