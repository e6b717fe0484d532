"""A running `handrail up` and its queue of questions, as programs, the person and readers of the log see it."""

import json
import subprocess
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.faces.http.running import Answer, Running, allow_many_questions
from tests.wire.clients import run

Json = dict[str, Any]

FORM: Json = {"kind": "kv", "title": "Who?", "fields": [{"key": "name"}]}
NAMED: Json = {"status": "ok", "values": {"name": "Ada"}}


class PromptRig:
    def __init__(self, state: Path, project: Path, env: dict[str, str] | None = None) -> None:
        self.state, self.log_file = state, state / "ui-prompts.jsonl"
        if not (state / "config.toml").exists():
            allow_many_questions(state)
        place = ["--project", str(project), "--state", str(state)]
        command = ["handrail", "up", *place, "--port", "0", "--no-open"]
        self.server = Running(state, project, command=command, env=env)

    def ask(self, prompt: Any, **more: Any) -> Answer:
        return self.server.request("POST", "/api/prompts", json={"prompt": prompt, **more})

    def create(self, prompt: Any = FORM, **more: Any) -> str:
        """Returns the requestId of a prompt that must be accepted."""
        answer = self.ask(prompt, **more)
        assert answer.status == 200, answer
        request_id: str = answer.json["data"]["requestId"]
        return request_id

    def answer(self, request_id: str, response: Any, headers: dict[str, str] | None = None) -> Answer:
        """Sends a request as the person at the console, who may answer everything."""
        path = f"/api/prompts/{request_id}/response"
        request_headers = self.console if headers is None else headers
        return self.server.request("POST", path, headers=request_headers, json={"response": response})

    @cached_property
    def console(self) -> dict[str, str]:
        """The headers of the person's browser."""
        return self.server.sign_in()

    def list_prompts(self, state: str = "pending") -> list[Json]:
        answer = self.server.request("GET", f"/api/prompts?state={state}&limit=500", headers=self.console)
        assert answer.status == 200, answer
        entries: list[Json] = answer.json["data"]["entries"]
        return entries

    def is_pending(self, request_id: str) -> bool:
        """Whether every side lists it: the server's list and the command line's."""
        is_listed = request_id in [entry["requestId"] for entry in self.list_prompts()]
        assert is_listed is (request_id in self.pending_ids()), "the faces disagree"
        return is_listed

    def pending_ids(self) -> list[str]:
        result = self.command("list", "--json")
        assert result.returncode == 0, result.stderr
        return [entry["requestId"] for entry in json.loads(result.stdout)["prompts"]]

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs `handrail prompts …` to its end."""
        return run("prompts", *words, "--state", self.state)

    def log(self) -> bytes:
        return self.log_file.read_bytes() if self.log_file.exists() else b""

    def entries(self, request_id: str) -> list[Json]:
        """Returns the lines of one interaction, as any program reads them."""
        lines = [json.loads(line) for line in self.log().split(b"\n") if request_id.encode() in line]
        return [line for line in lines if line.get("requestId") == request_id]

    def append(self, *lines: object, end: str = "\n") -> None:
        """Appends to the log as another program does, without asking the server."""
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        with self.log_file.open("ab") as log:
            log.write("".join(text + end for text in texts).encode())

    def close(self) -> str:
        return self.server.stop()


def request_line(request_id: str, prompt: Any = FORM, **more: Any) -> Json:
    entry = {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": "request", "requestId": request_id}
    return {**entry, "prompt": prompt, **more}


def response_line(request_id: str, response: Any, **more: Any) -> Json:
    entry = {"ts": "2026-01-11T00:00:10.000Z", "type": "ui_prompt", "action": "response", "requestId": request_id}
    return {**entry, "response": response, **more}


def fields_of(answer: Answer) -> Sequence[str]:
    """Returns the fields that a refusal names."""
    return [problem["field"] for problem in answer.json["error"]["details"]["fieldErrors"]]
