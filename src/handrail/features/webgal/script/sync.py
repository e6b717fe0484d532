"""The messages between an engine and its editor on the engine's websocket, in both versions of the protocol.

Engines up to 4.5 use no subprotocol and plain messages; later ones use `V1` and envelopes.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

V1 = "webgal-editor-preview-sync.v1"
PATH = "/api/webgalsync"
Generation = Literal["legacy", "v1"]
_JUMP, _STATE, _SCENE_TEXT = 0, 1, 6
_COMPLAINT, _BEGUN, _BROKEN = "handrail-trouble", "handrail-jump", "handrail-broken"
_REGISTER = "session.register-preview"


@dataclass(frozen=True, slots=True)
class State:
    """The engine has run `sentence` lines of the scene; `stage` is the engine's own description."""

    scene: str
    sentence: int
    stage: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Registration:
    """A page that waits for a reply to its registration."""

    request_id: str


@dataclass(frozen=True, slots=True)
class PageError:
    """An exception in a page of ours, sent right after the state in which it was thrown."""

    message: str


@dataclass(frozen=True, slots=True)
class JumpStarted:
    """A page of ours gave its engine the text of this jump; later states belong to it."""

    number: int


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A page of ours could not show or play the file at this address."""

    address: str


EngineMessage = State | Registration | PageError | JumpStarted | BrokenFile


def generation_of(subprotocols: list[str]) -> Generation:
    return "v1" if V1 in subprotocols else "legacy"


def parse_message(generation: Generation, text: str | bytes) -> EngineMessage | None:
    """Parses the engine's message; returns None if it has nothing of interest."""
    try:
        message = json.loads(text)
        if message.get("event") == _COMPLAINT:
            return PageError(str(message["data"]))
        if message.get("event") == _BROKEN:
            return BrokenFile(str(message["data"]))
        if message.get("event") == _BEGUN:
            return JumpStarted(int(message["data"]))
        return _parse_v1(message) if generation == "v1" else _parse_legacy(message)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return None


def registration_reply(greeting: Registration) -> str:
    return _envelope("response", _REGISTER, greeting.request_id, {})


def jump(generation: Generation, scene: str, sentence: int, request_id: str) -> str:
    """Starts the scene again and runs this many lines."""
    if generation == "v1":
        payload = {"sceneName": scene, "sentenceId": sentence}
        return _envelope("request", "preview.command.sync-scene", request_id, payload)
    return _legacy(_JUMP, "Sync", scene, sentence)


def run_text(generation: Generation, text: str, request_id: str) -> str:
    """Runs an unsaved text from its first line, for servers that aren't ours and can't serve it."""
    if generation == "v1":
        return _envelope("request", "preview.command.run-scene-content", request_id, {"sceneContent": text})
    return _legacy(_SCENE_TEXT, text, "", 0)


def _parse_legacy(message: Any) -> State | None:
    data = message["data"]
    if data["command"] != _STATE:
        return None
    scene = data["sceneMsg"]
    return State(str(scene["scene"]), int(scene["sentence"]), dict(data["stageSyncMsg"]))


def _parse_v1(message: Any) -> State | Registration | None:
    if message["kind"] == "request" and message["type"] == _REGISTER:
        return Registration(str(message["requestId"]))
    if message["kind"] == "event" and message["type"] == "stage.snapshot.updated":
        payload = message["payload"]
        return State(str(payload["sceneName"]), int(payload["sentenceId"]), dict(payload["stageState"]))
    return None


def _legacy(command: int, message: str, scene: str, sentence: int) -> str:
    data = {
        "command": command,
        "sceneMsg": {"scene": scene, "sentence": sentence},
        "message": message,
        "stageSyncMsg": {},
    }
    return json.dumps({"event": "message", "data": data})


def _envelope(kind: str, type: str, request_id: str, payload: dict[str, Any]) -> str:
    return json.dumps({"kind": kind, "type": type, "requestId": request_id, "payload": payload})
