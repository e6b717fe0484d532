"""A preview's server, and how it talks to engines with both protocol versions."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from handrail.features.webgal.backends.game_site import screen as game_screen
from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite
from handrail.features.webgal.preview_ports import Destination, Position
from handrail.features.webgal.script.sync import V1
from handrail.stores.local.files.folder import LocalFolder
from tests.waiting import PATIENCE, eventually


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path, content in {
        "project/game/scene/start.txt": "雪乃:好;\n",
        "project/game/video/a.mp4": "0123456789",
        'project/game/background/海 100% "x" 🌊.png': "wave",
        "project/game/hidden/a.png": "hidden",
        "project/game/scene/closed.txt": "closed",
        "project/secret.txt": "not of the game",
        "engine/index.html": "<!doctype html><html><head><title>WebGAL</title></head></html>",
        "engine/assets/a.js": "1",
        "engine/webgal-serviceworker.js": "1",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    (tmp_path / "project/game/background/out.png").symlink_to(tmp_path / "project/secret.txt")
    return tmp_path / "project"


def _is_allowed(path: str) -> bool:
    """As rules do it: by a file's one spelling."""
    return "hidden" not in path and path != "game/scene/closed.txt"


@asynccontextmanager
async def site_of(project: Path) -> AsyncIterator[LocalGameSite]:
    files, engine = LocalFolder.open(str(project)), LocalFolder.open(str(project.parent / "engine"))
    site = await LocalGameSite.start(Game(files, "game", engine, ".", _is_allowed))
    try:
        yield site
    finally:
        await site.close()
        files.close()
        engine.close()


async def asked(address: str, path: str, **more: str) -> tuple[int, dict[str, str], bytes]:
    """GET, by hand, so that anything can be asked for."""
    host, _, secret = address.removeprefix("http://").rstrip("/").partition("/")
    name, _, port = host.partition(":")
    headers = {"host": host, "connection": "close", **more}
    method = headers.pop("method", "GET")
    reader, writer = await asyncio.open_connection(name, int(port))
    head = "".join(f"{key}: {value}\r\n" for key, value in headers.items())
    writer.write(f"{method} /{secret}/{path} HTTP/1.1\r\n{head}\r\n".encode())
    raw = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    first, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = first.decode("latin-1").split("\r\n")
    answered = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return int(status.split(" ")[1]), answered, body


@pytest.mark.anyio
async def test_the_game_lies_over_its_engine_and_nothing_else_is_served(project: Path) -> None:
    async with site_of(project) as site:
        address = site.open_screen().address
        status, headers, body = await asked(address, "")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert body.index(b"handrail-preview.js") < body.index(b"<title>")
        assert "frame-ancestors 'self' http://127.0.0.1:*" in headers["content-security-policy"]
        assert (await asked(address, "assets/a.js"))[1]["content-type"].startswith("text/javascript")
        assert (await asked(address, quote('game/background/海 100% "x" 🌊.png')))[2] == b"wave"
        for path in (
            "game/", "game/background", "game/background/out.png", "game/hidden/a.png", "secret.txt", "../secret.txt",
            "game/../secret.txt", "game/%2e%2e/secret.txt", "game/..%2fsecret.txt", "game/%00",
            "webgal-serviceworker.js", "game/scene/closed.txt", "game/scene//closed.txt", "game//scene/closed.txt",
            "game/./scene/closed.txt", "game/scene/%2e/closed.txt",
        ):  # fmt: skip
            assert (await asked(address, path))[0] == 404, path


@pytest.mark.anyio
async def test_parts_of_a_film_are_served(project: Path) -> None:
    async with site_of(project) as site:
        address = site.open_screen().address
        for value, status, part, body in (
            ("bytes=2-4", 206, "bytes 2-4/10", b"234"),
            ("bytes=7-", 206, "bytes 7-9/10", b"789"),
            ("bytes=-3", 206, "bytes 7-9/10", b"789"),
            ("bytes=8-99", 206, "bytes 8-9/10", b"89"),
            ("bytes=10-", 416, "bytes */10", b""),
            ("lines=1-2", 200, "", b"0123456789"),
            ("bytes=a-b", 200, "", b"0123456789"),
        ):
            answer = await asked(address, "game/video/a.mp4", range=value)
            assert (answer[0], answer[1].get("content-range", ""), answer[2]) == (status, part, body)
        status, headers, body = await asked(address, "game/video/a.mp4", method="HEAD")
        assert (status, headers["content-type"], headers["content-length"], body) == (200, "video/mp4", "10", b"")


@pytest.mark.anyio
async def test_strangers_are_refused(project: Path) -> None:
    async with site_of(project) as site:
        screen = site.open_screen()
        assert (await asked(screen.address, "", host="evil.example"))[0] == 421
        assert (await asked(screen.address, "", method="POST"))[0] == 400
        assert (await asked(screen.address, "", **{"content-length": "5"}))[0] == 400
        assert (await asked(screen.address.replace(screen.name, "guess"), ""))[0] == 404
        for origin in (None, Origin("http://evil.example")):
            with pytest.raises(InvalidStatus):
                await connect(f"ws{screen.address.removeprefix('http')}api/webgalsync", origin=origin, proxy=None)
        screen.close()
        assert (await asked(screen.address, ""))[0] == 404


class Engine:
    """What an engine says and hears, without its stage."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line

    async def say(self, message: dict[str, Any]) -> None:
        await self.line.send(json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(await asyncio.wait_for(self.line.recv(), PATIENCE))
        return data


class Legacy(Engine):
    async def enter(self) -> None:
        await self.tell("start.txt", 0)

    async def tell(self, scene: str, sentence: int) -> None:
        data = {"command": 1, "sceneMsg": {"scene": scene, "sentence": sentence}, "stageSyncMsg": {"showText": "好"}}
        await self.say({"event": "message", "data": data})

    async def sent_to(self) -> tuple[str, int]:
        data = (await self.hear())["data"]
        assert (data["command"], data["message"]) == (0, "Sync")
        return data["sceneMsg"]["scene"], data["sceneMsg"]["sentence"]


class First(Engine):
    async def enter(self) -> None:
        await self.say({"kind": "request", "type": "session.register-preview", "requestId": "r1", "payload": {}})
        registration_reply = await self.hear()
        assert (registration_reply["kind"], registration_reply["type"], registration_reply["requestId"]) == (
            "response",
            "session.register-preview",
            "r1",
        )
        await self.say({"kind": "event", "type": "preview.ready.updated", "payload": {"ready": True}})
        await self.tell("start.txt", 0)

    async def tell(self, scene: str, sentence: int) -> None:
        payload = {"sceneName": scene, "sentenceId": sentence, "stageState": {"showText": "好"}}
        await self.say({"kind": "event", "type": "stage.snapshot.updated", "payload": payload})

    async def sent_to(self) -> tuple[str, int]:
        message = await self.hear()
        assert (message["kind"], message["type"]) == ("request", "preview.command.sync-scene")
        return message["payload"]["sceneName"], message["payload"]["sentenceId"]


@pytest.mark.anyio
@pytest.mark.parametrize("generation", [Legacy, First])
async def test_engines_of_both_generations_are_sent_to_scenes_lines_and_unsaved_texts(
    project: Path, generation: type[Legacy | First]
) -> None:
    async with site_of(project) as site:
        screen = site.open_screen()
        screen.send_to(Destination("start.txt", 3))
        origin, subprotocols = Origin(screen.address.rsplit("/", 2)[0]), [Subprotocol(V1)]
        protocols = subprotocols if generation is First else None
        socket = f"ws{screen.address.removeprefix('http')}api/webgalsync"
        async with connect(socket, origin=origin, subprotocols=protocols, proxy=None) as line:
            engine = generation(line)
            await engine.enter()
            scene, sentence = await engine.sent_to()
            assert (scene.partition("?")[0], sentence) == ("start.txt", 3)
            assert (await asked(screen.address, f"game/scene/{scene}"))[2].decode() == "雪乃:好;\n"
            waiting = asyncio.create_task(screen.wait_for_arrival())
            await engine.tell(scene, 1)
            await engine.tell(scene, 3)
            assert await asyncio.wait_for(waiting, PATIENCE) == Position("start.txt", 3, {"showText": "好"})

            screen.send_to(Destination("start.txt", 1, content="雪乃:未保存;\n"))
            draft, _ = await engine.sent_to()
            assert draft != scene
            assert (await asked(screen.address, f"game/scene/{draft}"))[2].decode() == "雪乃:未保存;\n"
            assert (await asked(screen.address, f"game/scene/{scene}"))[2].decode() == "雪乃:好;\n"
            waiting = asyncio.create_task(screen.wait_for_arrival())
            await engine.say({"event": "handrail-jump", "data": 2})
            while not waiting.done():
                await engine.tell("second.txt", 4)
                await asyncio.wait({waiting}, timeout=0.05)
            position = await asyncio.wait_for(waiting, PATIENCE)
            assert (position.scene, position.line, position.has_left) == ("second.txt", 4, True)


@pytest.mark.anyio
async def test_output_from_before_a_jump_is_not_taken_for_its_result(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it has been there: a busy engine takes its time."""
    now, looks = 100.0, 0
    monkeypatch.setattr(game_screen, "time", SimpleNamespace(monotonic=lambda: now))

    def look() -> None:
        nonlocal looks
        looks += 1

    async with site_of(project) as site:
        screen = site.open_screen()
        screen.send_to(Destination("start.txt", 3))
        origin = Origin(screen.address.rsplit("/", 2)[0])
        socket = f"ws{screen.address.removeprefix('http')}api/webgalsync"
        async with connect(socket, origin=origin, subprotocols=[Subprotocol(V1)], proxy=None) as line:
            engine = First(line)
            await engine.enter()
            scene, _ = await engine.sent_to()
            waiting = asyncio.create_task(screen.wait_for_arrival(look))
            await eventually(lambda: looks > 2)
            now += 60
            await engine.say({"event": "handrail-jump", "data": 1})
            paths = looks
            await eventually(lambda: looks > paths + 5 or waiting.done())
            await engine.tell(scene, 3)
            assert await asyncio.wait_for(waiting, PATIENCE) == Position("start.txt", 3, {"showText": "好"})


@pytest.mark.anyio
async def test_invalid_messages_are_skipped(project: Path) -> None:
    async with site_of(project) as site:
        screen = site.open_screen()
        origin = Origin(screen.address.rsplit("/", 2)[0])
        socket = f"ws{screen.address.removeprefix('http')}api/webgalsync"
        async with connect(socket, origin=origin, proxy=None) as line:
            for text in (
                "",
                "{",
                "[]",
                "null",
                '{"data": 1}',
                '{"data": {"command": 1}}',
                '{"event": "handrail-jump"}',
            ):
                await line.send(text)
            engine = Legacy(line)
            screen.send_to(Destination("start.txt", 1))
            await engine.enter()
            assert (await engine.sent_to())[1] == 1


@pytest.mark.anyio
async def test_a_page_is_stale_once_a_file_that_it_loaded_is_another_one(project: Path) -> None:
    async with site_of(project) as site:
        screen = site.open_screen()
        await asked(screen.address, "game/video/a.mp4")
        await asked(screen.address, "game/bgm/gone.mp3")
        await asked(screen.address, "game/scene/start.txt")
        assert list(screen.missing) == ["bgm/gone.mp3"]
        assert not screen.is_stale
        (project / "game/scene/start.txt").write_text("雪乃:新;\n")
        assert not screen.is_stale, "scenes are read at every jump"
        (project / "game/video/a.mp4").write_text("longer than it was")
        assert screen.is_stale
