"""A game shown by a real engine: one program with one Chromium, and a page of this machine next to it."""

import json
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.features.desktop.conformance.png import pixel
from tests.wire.clients import Json, Stdio
from tests.wire.stage import put, trust
from tests.wire.terre_stand_in import TerreStandIn

RED, GREEN, BLUE = (200, 40, 40), (40, 160, 60), (40, 60, 200)
SCENES = {
    "start.txt": "changeBg:red.png -next;\n欢迎:来到这里;\nend;\n",
    "beach_date.txt": "changeBg: green.png -next;\n雪乃: 海风真舒服呢;\n",
    "odd.txt": 'changeBg:海 100% "x" 🌊.png -next;\n雪乃:名;\n',
    "wanting.txt": "changeBg:red.png -next;\nchangeFigure:nobody.png -next;\n雪乃:看 -gone.ogg;\nchangeBg:no.jpg;\n",
    "thrown.txt": 'setTransform:{"position":{"x":1} -target=bg-main -next;\n雪乃:坏;\n',
    "outside.txt": "changeBg:https://example.com/x.png -next;\n雪乃:外;\n",
    "branches.txt": "choose:左:left|右:right;\nlabel:left;\nchangeBg:red.png -next;\n雪乃:左;\nend;\n"
    "label:right;\nchangeBg:green.png -next;\n雪乃:右;\n雪乃:{who};\n",
    "behind.txt": "setVar:a=2;\njumpLabel:b -when=a>1;\nchangeBg:red.png -next;\n雪乃:不;\n"
    "label:b;\nchangeBg:green.png -next;\n雪乃:好;\n",
    "asked.txt": "changeBg:red.png -next;\njumpLabel:b -when=a>0;\n雪乃:不;\nend;\n"
    "label:b;\nchangeBg:green.png -next;\n雪乃:好;\n",
    "painted.txt": "changeBg:{picture}.png -next;\n雪乃:画;\n",
    "calls.txt": "changeBg:red.png -next;\ncallScene:beach_date.txt;\n雪乃:后;\nend;\n",
    "prepared.txt": "callScene:sub/init.txt;\njumpLabel:b -when=love>2;\n雪乃:不;\nend;\nlabel:b;\n雪乃:{love};\n",
    "sub/init.txt": "; 变量\nsetVar:love=3;\nchangeBg:green.png -next;\n",
    "menu.txt": "setVar:love=0;\nlabel:menu;\nchangeBg:red.png -next;\n"
    "choose:聊:talk|(love>1)->吻:kiss|走:beach_date.txt;\nlabel:talk;\nsetVar:love=love+1;\n"
    "雪乃:聊;\njumpLabel:menu;\nlabel:kiss;\nchangeBg:green.png -next;\n雪乃:吻;\n",
    "skipped.txt": "changeBg:red.png -next;\n雪乃:一;\nchangeBg:green.png -next -when=1>2;\n雪乃:二 -when=1>2;\n",
    "changing.txt": "changeBg:red.png -next;\nchangeBg:green.png -next;\n雪乃:二;\n",
    "notend.txt": "changeBg:red.png -next;\n雪乃:一 -notend;\n雪乃:二 -concat;\n",
    "introduced.txt": "intro:很久以前;\n雪乃:后来;\n",
    "empty.txt": "雪乃:空;\n",
    "undecodable.txt": "changeBg:red.png -next;\nchangeBg:broken.png -next;\n雪乃:坏;\n",
    "undecodable_media.txt": "changeBg:cut.png -next;\n雪乃:半;\nplayEffect:broken.wav;\nplayVideo:broken.mp4;\n",
    "stuck.txt": "changeBg:broken.webm -next;\n雪乃:等;\n",
    "fresh.txt": "changeBg:fresh.png -next;\n雪乃:新;\n",
    "snow.txt": "changeBg:red.png -next;\npixiInit;\npixiPerform:heavySnow;\n雪乃:雪;\n",
    "circle.txt": "setVar:i=0;\nlabel:top;\nsetVar:i=i+1;\n雪乃:{i};\njumpLabel:top -when=i<3;\n"
    "changeBg:green.png -next;\n雪乃:出;\n",
    "called_before.txt": "callScene:sub/init.txt;\nchoose:左:start.txt|右:beach_date.txt;\n",
    "leads.txt": "changeScene:beach_date.txt;\n",
    "round.txt": "label:a;\njumpLabel:a;\n雪乃:从不;\n",
    "repainted.txt": "changeBg:repainted.png -next;\n雪乃:新;\n",
    "linked.txt": "changeBg:out.png -next;\n雪乃:链;\n",
}


class Cinema:
    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "games" / "project", folder / "state"
        self.project.mkdir(parents=True)
        self.state.mkdir(mode=0o700)
        furnish(self.project)
        self.policy()
        self.terre = TerreStandIn(folder, "project")
        environ = {"HANDRAIL_TERRE_PORT": str(self.terre.port)}
        self.client = Stdio(self.project, self.state, answer="allow", environ=environ)

    def close(self) -> None:
        self.client.close()
        self.terre.close()

    def policy(self, rules: list[Json] | None = None, **policies: Any) -> None:
        """Returns the policy of a project in developer mode that a person trusts."""
        document = {"mode": "developer", "policies": policies, "rules": rules or []}
        put(self.project, ".handrail/policy.json", json.dumps(document))
        trust(self.project, self.state)

    def show(self, scene: str | None = None) -> Json:
        return self.client.ok("preview_scene", **({} if scene is None else {"scenePath": f"game/scene/{scene}"}))

    def picture(self) -> bytes:
        return newest_picture(self.project)

    def colour(self) -> tuple[int, int, int]:
        """Returns a pixel of the newest picture, near its upper left corner."""
        return pixel(self.picture(), 20, 20)


def newest_picture(project: Path) -> bytes:
    """Returns the newest picture among the evidence."""
    files = (project / ".handrail/artifacts/webgal").rglob("picture-1.png")
    return max(files, key=lambda path: path.stat().st_mtime_ns).read_bytes()


def furnish(project: Path) -> None:
    put(project, "game/config.txt", "Game_name:demo;\nGame_key:demo-5f21;\n")
    for name, text in SCENES.items():
        put(project, f"game/scene/{name}", text)
    put(project, "game/background/red.png", png(RED))
    put(project, "game/background/green.png", png(GREEN))
    put(project, "game/background/a true sea-green.png", png(GREEN))
    put(project, 'game/background/海 100% "x" 🌊.png', png(BLUE))
    put(project, "game/background/repainted.png", png(RED))
    put(project, "game/background/broken.png", b"this is not a picture")
    put(project, "game/background/cut.png", png(RED)[:-20])
    put(project, "game/background/fresh.png", png(BLUE))
    for name in ("background/broken.webm", "video/broken.mp4", "vocal/broken.wav"):
        put(project, f"game/{name}", b"neither sound nor video")
    secret = put(project.parent, "secret.png", png(GREEN))
    (project / "game/background/out.png").symlink_to(secret)


def png(colour: tuple[int, int, int]) -> bytes:
    width, height = 64, 36

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(colour) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


_PAGE = """<!doctype html><meta charset="utf-8"><title>p</title><style>body{margin:0;background:rgb(200,40,40)}
button,a{position:fixed;left:200px;width:200px;height:40px}</style>
<button id="paint" style="top:10px" onclick="document.body.style.background='rgb(40,160,60)'">paint</button>
<a id="next" style="top:60px" href="/blue">next</a><a id="away" style="top:110px" href="http://example.com/">away</a>
<a id="there" style="top:160px" href="/there">there</a>
<button id="below" style="top:210px">below</button>
<button id="none" style="display:none">none</button><button id="hidden" style="visibility:hidden">hidden</button>
<div style="position:fixed;left:200px;top:200px;width:250px;height:80px"></div>
"""


@contextmanager
def local_page() -> Iterator[tuple[str, list[str]]]:
    """Yields its address and the requested paths."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            if self.path == "/there":
                self.send_response(302)
                self.send_header("location", "http://example.com/there")
                self.end_headers()
                return
            body = _PAGE.encode() if self.path != "/blue" else b"<body style='background:rgb(40,60,200)'>"
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *line: Any) -> None:
            """Discards the server's log lines."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"http://localhost:{server.server_port}", requests
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
