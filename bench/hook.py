"""How long a client waits for a hook that a rule answers in the running server, compared with Python's own start."""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.comparison import Comparison, in_turns
from handrail.features.hooks.offers import hook_command

_ROUNDS = 60
_HANDRAIL = str(Path(sys.executable).with_name("handrail"))
_RULE = '[[rules]]\ntool = "native_shell"\nprogram = "npm test"\ndecision = "allow"\n'


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory() as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        state.mkdir(mode=0o700)
        (state / "config.toml").write_text(_RULE)
        flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
        with subprocess.Popen([_HANDRAIL, "up", *flags], stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            server.stdout.readline()
            try:
                return [_compare(project, state, *case) for case in _CASES]
            finally:
                server.terminate()


_CASES = (
    ("hook answered by a rule (`npm test`, its evidence on disk), p50", "npm test"),
    ("hook of a command that only reads (`git status`), p50", "git status"),
)


def _compare(project: Path, state: Path, what: str, command: str) -> Comparison:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "bench",
        "cwd": str(project),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    words = [*shlex.split(hook_command("claude", [_HANDRAIL], str(state))), "--project", str(project)]

    def hook() -> None:
        result = subprocess.run(words, input=json.dumps(event).encode(), capture_output=True, check=True)
        assert b'"allow"' in result.stdout

    def bare() -> None:
        subprocess.run([sys.executable, "-c", ""], input=b"", capture_output=True, check=True)

    ours, theirs = in_turns(hook, bare, _ROUNDS, warm_up=3)
    return Comparison(what, "starting Python", ours, theirs, target=2.5)
