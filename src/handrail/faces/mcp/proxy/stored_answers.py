"""Stores a server's answers to the first requests of every client, to answer them before the next server is ready.

There is one file for each version, project and choice of tools, in the state directory. It is only used while the
policy and the settings are unchanged.
"""

from __future__ import annotations

import json
import os
import zlib

FOLDER = "mcp-answers"
METHODS = ("initialize", "server/discover", "tools/list")
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class StoredAnswers:
    def __init__(self, state: str, project: str, words: Sequence[str]) -> None:
        self._identity = [project, *words]
        name = zlib.crc32(repr(self._identity).encode(errors="replace"))  # after a collision the file isn't used
        self._file = os.path.join(state, FOLDER, f"{name:08x}.json")
        self._depends_on = [os.path.join(state, "config.toml"), os.path.join(project, ".handrail", "policy.json")]
        self._depends_on += [os.path.join(state, name) for name in ("trusted.json", "servers.json")]
        self._version = ""
        self._answers: dict[str, str] = self._read()

    def find(self, request: Mapping[str, Any]) -> str | None:
        """The stored result as JSON."""
        return self._answers.get(self._key(request))

    def note_version(self, request: Mapping[str, Any]) -> None:
        """Remembers the version of an older protocol, which is only in `initialize`; later answers depend on it."""
        if request["method"] == "initialize":
            self._version = str(_members(request).get("protocolVersion"))

    def keep(self, request: Mapping[str, Any], result: str) -> None:
        """Stores a result. If the file can't be written, the next start has to wait for its server."""
        key = self._key(request)
        if self._answers.get(key) == result:
            return
        self._answers[key] = result
        content = json.dumps({"of": self._identity, "stamps": self._stamps(), "answers": self._answers})
        temporary = f"{self._file}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self._file), 0o700, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with open(descriptor, "w") as file:
                file.write(content)
            os.replace(temporary, self._file)
        except OSError:
            return

    def _key(self, request: Mapping[str, Any]) -> str:
        members = _members(request)
        meta = members.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        more = members.get("cursor", "")
        return f"{request['method']} {version or members.get('protocolVersion') or self._version} {more}"

    def _read(self) -> dict[str, str]:
        try:
            with open(self._file) as file:
                content = json.load(file)
            is_current = (content["of"], content["stamps"]) == (self._identity, self._stamps())
            answers = content["answers"] if is_current else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return answers if isinstance(answers, dict) else {}

    def _stamps(self) -> list[list[int] | None]:
        return [_stamp(path) for path in self._depends_on]


def _members(request: Mapping[str, Any]) -> Mapping[str, Any]:
    params = request.get("params")
    return params if isinstance(params, dict) else {}


def _stamp(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]
