"""A server with a Chromium that was launched and paired like a person does it."""

import json
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.waiting import PATIENCE, until
from tests.wire.clients import HANDRAIL, Json, Up
from tests.wire.stage import furnish

FREE = {"effect": "UI_CONTROL", "host": "127.0.0.1", "decision": "allow"}
"""Actions on pages of this machine need no approval."""


class Place:
    """A server, its paired browser, and a site with two names."""

    def __init__(self, folder: Path, site: str) -> None:
        self.project, self.state, self.site = folder / "project", folder / "state", site
        self.project.mkdir()
        furnish(self.project)
        self.up = Up(self.project, self.state)
        self.browser = subprocess.Popen(
            [HANDRAIL, "extension", "launch", "--headless", "--state", str(self.state)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.browser.stdout is not None
        assert b"paired" in self.browser.stdout.readline(), self.browser.communicate()[1].decode()
        until(self.is_connected)

    def is_connected(self) -> bool:
        plugins = self.up.http.get("/api/extension/extension-list").json()["data"]
        return any(plugin["socketConnected"] for plugin in plugins)

    def rules(self, *rules: Json) -> None:
        lines = [
            "[[rules]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rule.items()) for rule in rules
        ]
        (self.state / "config.toml").write_text("\n".join(lines))

    def close(self) -> int:
        self.browser.send_signal(signal.SIGINT)
        status = self.browser.wait(timeout=PATIENCE)
        self.browser.communicate()
        self.up.close()
        return status


def processes_of(profile: Path) -> list[str]:
    matches = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it may end during the check
            if str(profile).encode() in file.read_bytes():
                matches.append(file.parent.name)
    return matches
