"""Writes many entries of other prompts to a log at once, as on a busy machine."""

from pathlib import Path

_PAIR = """\
{"ts":"2999-01-11T00:00:00.000Z","type":"ui_prompt","action":"request","requestId":"%s","prompt":{"kind":"result"}}
{"ts":"2999-01-11T00:00:01.000Z","type":"ui_prompt","action":"response","requestId":"%s","response":{"status":"ok"}}
"""


def add_later_entries(log: Path, count: int = 5000) -> None:
    """Half of them are requests, each followed by its answer."""
    log.parent.mkdir(exist_ok=True)
    with log.open("a") as file:
        file.writelines(_PAIR % (f"later-{number}", f"later-{number}") for number in range(count // 2))
