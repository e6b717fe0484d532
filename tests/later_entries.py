"""Many entries of other prompts, written to a log at once, as a busy machine leaves them there."""

import json
from pathlib import Path


def add_later_entries(log: Path, count: int = 5000, name: str = "later") -> None:
    """Half of them requests, each followed by its answer."""
    log.parent.mkdir(exist_ok=True)
    with log.open("a") as file:
        file.write("".join(_pair(f"{name}-{number}") for number in range(count // 2)))


def _pair(request_id: str) -> str:
    head = {"ts": "2999-01-11T00:00:00.000Z", "type": "ui_prompt", "requestId": request_id}
    request = {**head, "action": "request", "prompt": {"kind": "result", "title": "Done"}}
    response = {**head, "action": "response", "response": {"status": "ok"}}
    return json.dumps(request) + "\n" + json.dumps(response) + "\n"
