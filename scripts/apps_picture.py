"""Takes the picture of the console's Apps page: an example app, what an agent may call, a call, a broken descriptor."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from handrail.features.apps.calls.consent import consent_to
from handrail.features.apps.descriptors.descriptor import read
from handrail.ports.identity import Caller
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state import open_state
from handrail.stores.shared.consents import ConsentRows

NOTES = Path(__file__).parents[1] / "examples" / "apps" / "notes" / "notes_app.py"
AGENT = Caller("mcp", "claude-code/2.1", "uid:1000", "agent:claude-code")


def take(handrail: str, project: Path, env: dict[str, str], photograph: Callable[[], None]) -> None:
    """`photograph` is called while a server runs that knows the app and the agent's consent."""
    home = project.parent / "someone"
    home.mkdir()
    app_env = {**env, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PATH": f"{home}:{env['PATH']}"}
    program = home / "notes"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {NOTES} --stdio\n")
    program.chmod(0o755)
    subprocess.run([sys.executable, NOTES, "--install", "--stdio"], env=app_env, check=True)
    (file,) = home.glob(".aai/*/aai.json")
    descriptor = json.loads(file.read_text())
    descriptor["execution"] = {"type": "stdio", "command": program.name}
    file.write_text(json.dumps(descriptor))
    broken = home / ".aai" / "com.example.shop" / "aai.json"
    broken.parent.mkdir()
    text = file.read_text().replace(file.parent.name, broken.parent.name)
    broken.write_text(text.replace('"name": "add"', '"name": "Add!"'))
    app = read(file.read_bytes(), str(file))
    state = open_state(Path(env["HANDRAIL_STATE"]))
    consent = consent_to(app, app.tools[0])
    asyncio.run(ConsentRows(PermissionRows(state.database)).add(AGENT, consent, is_for_app=True, by="console:ada"))
    state.close()
    call = [handrail, "apps", "call", app.id, "add", json.dumps({"text": "Water the basil"}), "--answer", "allow"]
    subprocess.run(call, cwd=project, env=app_env, check=True)
    command = [handrail, "up", "--no-open", "--port", "0"]
    server = subprocess.Popen(command, cwd=project, env=app_env, stdout=subprocess.PIPE)
    assert server.stdout is not None
    server.stdout.readline()
    try:
        photograph()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
