"""What a server answered to the questions that every client asks first, for the time until the next server is there.

One file for each version, project and choice of tools, in the state directory. It counts only while the policy and the
settings are as they were.
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
        self._of = [project, *words]
        name = zlib.crc32(repr(self._of).encode(errors="replace"))  # a file of another one with this number is not used
        self._file = os.path.join(state, FOLDER, f"{name:08x}.json")
        self._decided_by = [os.path.join(state, "config.toml"), os.path.join(project, ".handrail", "policy.json")]
        self._decided_by += [os.path.join(state, name) for name in ("trusted.json", "servers.json")]
        self._version = ""
        self._answers: dict[str, str] = self._read()

    def find(self, request: Mapping[str, Any]) -> str | None:
        """The result, as JSON."""
        return self._answers.get(self._key(request))

    def note_version(self, request: Mapping[str, Any]) -> None:
        """An older protocol names its version once, and later answers depend on it."""
        if request["method"] == "initialize":
            self._version = str(_members(request).get("protocolVersion"))

    def keep(self, request: Mapping[str, Any], result: str) -> None:
        """Nothing is lost where the file can't be written: the next start waits for its server."""
        key = self._key(request)
        if self._answers.get(key) == result:
            return
        self._answers[key] = result
        content = json.dumps({"of": self._of, "stamps": self._stamps(), "answers": self._answers})
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
        named = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        more = members.get("cursor", "")
        return f"{request['method']} {named or members.get('protocolVersion') or self._version} {more}"

    def _read(self) -> dict[str, str]:
        try:
            with open(self._file) as file:
                content = json.load(file)
            is_current = (content["of"], content["stamps"]) == (self._of, self._stamps())
            answers = content["answers"] if is_current else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return answers if isinstance(answers, dict) else {}

    def _stamps(self) -> list[list[int] | None]:
        return [_stamp(path) for path in self._decided_by]


def _members(request: Mapping[str, Any]) -> Mapping[str, Any]:
    params = request.get("params")
    return params if isinstance(params, dict) else {}


def _stamp(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]
