"""A plugin written from contract 2 that was paired with a code, shows windows and takes real pictures."""

import struct
import zlib
from typing import Any

from handrail.ports.browser import EXTENSION_ORIGIN
from tests.faces.http.running import Running
from tests.wire.clients import Json
from tests.wire.scripted_browser import ScriptedBrowser

UA = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"
SIZE = (800, 500)


class ShownBrowser(ScriptedBrowser):
    def __init__(self, rig: Running, client_id: str) -> None:
        self.client_id = client_id
        super().__init__(rig.address, pair(rig, client_id), client_id=client_id)
        self.tell(type="activate_extension", ua=UA, version="1.2.3", browserName="chromium")

    def tell(self, **message: Any) -> None:
        self._wait(self._say(**message))

    def leave(self) -> None:
        """Disconnects like a browser that is closed."""
        self._wait(self._client.disconnect())

    async def _browser_screenshot(self, params: Json, message: Json) -> Json:
        url = message["screenshotPresignedUrl"]
        await self._upload(url, picture(*SIZE))
        result = {"artifactId": message["artifactId"], "url": url.partition("/upload")[0]}
        element = self._element(params) if self.outlines and "clickId" in params else None
        target = {} if element is None else {"target": {key: element.get(key, "") for key in ("tag", "role", "name")}}
        return {**result, **target, "width": SIZE[0], "height": SIZE[1], "screenshotUploaded": True}


def pair(rig: Running, client_id: str) -> str:
    """Returns the plugin's own token, as its extension gets it."""
    person = rig.sign_in()
    code = rig.request("POST", "/api/extension/pair-code", headers=person).json["data"]["code"]
    body = {"code": code, "clientId": client_id, "extensionId": "abcdefghijklmnopabcdefghijklmnop", "name": "chromium"}
    answer = rig.request("POST", "/api/extension/pair", headers={"origin": EXTENSION_ORIGIN}, json=body)
    assert answer.status == 200, answer
    return str(answer.json["data"]["token"])


def picture(width: int, height: int) -> bytes:
    """Returns a PNG of one colour."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xd8\xe6\xd0" * width) * height
    parts = _part(b"IHDR", header) + _part(b"IDAT", zlib.compress(rows)) + _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
