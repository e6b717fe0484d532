"""An agent with a shell starts `handrail mcp` from many programs, each of which is an identity of its own."""

import json
import subprocess
import sys
from pathlib import Path

from tests.effort import count, tries
from tests.persons import HANDRAIL, Person
from tests.waiting import until

LIMIT = 1
PROGRAM = """
import json, subprocess, sys
number, *command = json.loads(sys.argv[1])
serving = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    serving.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
    serving.stdin.flush()
client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
send({"id": "hello", "method": "initialize", "params": client})
serving.stdout.readline()
send({"method": "notifications/initialized"})
for question in range(TIMES):
    ask = {"name": "ask_followup_question", "arguments": {"question": f"{number}: {question}?"}}
    send({"id": question, "method": "tools/call", "params": ask})
for line in serving.stdout:
    if "id" in json.loads(line):
        open(f"refused-{number}-{json.loads(line)['id']}", "x").close()
"""


def test_no_number_of_programs_asks_a_person_more_than_six_times_the_limit(tmp_path: Path) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    state.mkdir(0o700)
    (state / "config.toml").write_text(f"questions_per_minute = {LIMIT}\ncall_person = false\ndesktop = false\n")
    serving = [HANDRAIL, "mcp", "--alone", "--project", str(project), "--state", str(state)]
    programs = []
    try:
        for number in range(tries(7, 12)):
            count()
            code = PROGRAM.replace("TIMES", str(LIMIT))
            words = [sys.executable, "-c", code, json.dumps([number, *serving])]
            programs.append(subprocess.Popen(words, cwd=tmp_path))
        total = LIMIT * len(programs)
        until(lambda: len(Person(state).pending()) + len([*tmp_path.glob("refused-*")]) == total)
        assert len(Person(state).pending()) == 6 * LIMIT
    finally:
        for program in programs:
            program.kill()
            program.wait()
