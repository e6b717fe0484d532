"""A home folder with apps, a session bus that starts one of them, and handrail's faces, started once for all tests."""

import json
import sys
from pathlib import Path
from typing import Any

from tests.odd_app import descriptor
from tests.session_bus import SessionBus
from tests.wire.clients import Api, Cli, Client, Outcome, Stdio, Streamable, Up

ODD_APP = Path(__file__).parents[1] / "odd_app.py"
STDIO, DBUS, WEB = "com.example.lines", "com.example.bus", "com.example.web"
_STDIO = {"type": "stdio", "command": sys.executable, "args": [str(ODD_APP), "stdio"]}
_KEY = {"type": "api_key", "api_key": {"placement": "header", "name": "X-Key"}}


class AppsRig:
    def __init__(self, folder: Path, bus: SessionBus) -> None:
        self.project, self.state, self.home = folder / "project", folder / "state", bus.home
        self.project.mkdir()
        self.environ = {
            **{name: bus.env[name] for name in ("HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")},
            "HANDRAIL_DESKTOP": "false",
        }
        services = bus.data / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        line = f"[D-BUS Service]\nName={DBUS}\nExec={sys.executable} {ODD_APP} dbus {DBUS}\n"
        (services / f"{DBUS}.service").write_text(line)
        self.install(STDIO, descriptor(STDIO, _STDIO))
        self.install(DBUS, descriptor(DBUS, {"type": "ipc"}))
        self.install(WEB, descriptor(WEB, {"type": "http", "base_url": "https://api.example.com"}, auth=_KEY))
        self.install("com.example.broken", {"schema_version": "1.0"})
        self._up = Up(self.project, self.state, answer="allow", environ=self.environ)
        self.mcp = Stdio(self.project, self.state, answer="allow", environ=self.environ)
        self._clients: dict[str, Client] = {"stdio": self.mcp, "api": Api(self._up), "streamable": Streamable(self._up)}

    def install(self, id: str, descriptor: dict[str, Any]) -> None:
        file = self.home / ".aai" / id / "aai.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(descriptor))

    def call(self, face: str, tool: str, /, **params: Any) -> Outcome:
        """Returns structured results if the face has them, otherwise the text for models."""
        if face == "cli":
            self._clients.setdefault("cli", Cli(self.project, self.state, answer="allow", environ=self.environ))
        client = self._clients[face]
        if isinstance(client, Stdio | Streamable):
            return outcome_of(client.request("tools/call", {"name": tool, "arguments": params}))
        return client.raw_call(tool, json.dumps(params).encode())

    def run(self, face: str, tool: str, app: str = STDIO, /, **params: Any) -> Outcome:
        return self.call(face, "apps_call", app=app, tool=tool, params=params)

    def start_client(self, **environ: str) -> Stdio:
        """Another `handrail mcp`, with different settings."""
        return Stdio(self.project, self.state, answer="allow", environ={**self.environ, **environ})

    def close(self) -> None:
        self.mcp.close()
        self._up.close()


def outcome_of(result: dict[str, Any]) -> Outcome:
    text = result["content"][0]["text"]
    if result.get("isError"):
        return Outcome(error=json.loads(text)["error"])
    return Outcome(result=result["structuredContent"] if "structuredContent" in result else json.loads(text))
