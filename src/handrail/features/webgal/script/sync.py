"""The messages between an engine and its editor over the engine's websocket, in both generations of the protocol.

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
    """`sentence` lines of the scene were run; `stage` is the stage as the engine spells it."""

    scene: str
    sentence: int
    stage: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Registration:
    """A page that waits for a welcome message."""

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
class BrokenPicture:
    """A page of ours could not show the picture at this address."""

    address: str


EngineMessage = State | Registration | PageError | JumpStarted | BrokenPicture


def generation_of(subprotocols: list[str]) -> Generation:
    return "v1" if V1 in subprotocols else "legacy"


def parse_message(generation: Generation, text: str | bytes) -> EngineMessage | None:
    """The engine's message; None for messages without news and for anything else."""
    try:
        told = json.loads(text)
        if told.get("event") == _COMPLAINT:
            return PageError(str(told["data"]))
        if told.get("event") == _BROKEN:
            return BrokenPicture(str(told["data"]))
        if told.get("event") == _BEGUN:
            return JumpStarted(int(told["data"]))
        return _heard_v1(told) if generation == "v1" else _heard_legacy(told)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return None


def registration_reply(greeting: Registration) -> str:
    return _envelope("response", _REGISTER, greeting.request_id, {})


def jump(generation: Generation, scene: str, sentence: int, request_id: str) -> str:
    """Starts the scene again and runs so many lines."""
    if generation == "v1":
        payload = {"sceneName": scene, "sentenceId": sentence}
        return _envelope("request", "preview.command.sync-scene", request_id, payload)
    return _legacy(_JUMP, "Sync", scene, sentence)


def run_text(generation: Generation, text: str, request_id: str) -> str:
    """Runs an unsaved text from its first line, for servers that aren't ours and can't serve it."""
    if generation == "v1":
        return _envelope("request", "preview.command.run-scene-content", request_id, {"sceneContent": text})
    return _legacy(_SCENE_TEXT, text, "", 0)


def _heard_legacy(told: Any) -> State | None:
    data = told["data"]
    if data["command"] != _STATE:
        return None
    place = data["sceneMsg"]
    return State(str(place["scene"]), int(place["sentence"]), dict(data["stageSyncMsg"]))


def _heard_v1(told: Any) -> State | Registration | None:
    if told["kind"] == "request" and told["type"] == _REGISTER:
        return Registration(str(told["requestId"]))
    if told["kind"] == "event" and told["type"] == "stage.snapshot.updated":
        payload = told["payload"]
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
