"""`python -m tests.faces.http.fixture_server STATE PROJECT [PORT [HOST]]`: the real face over the fixture tools."""

import asyncio
import json
import os
import sys
from pathlib import Path

import uvloop

from handrail import wiring as app
from handrail.kernel.approval import NoApprover
from handrail.kernel.registry import Registry
from handrail.ports.errors import Failure
from tests.faces.http.fixture_tools import surface


def main() -> None:
    state, project, port, host = [*sys.argv[1:], "0", "127.0.0.1"][:4]
    rig = app.Wiring().open_project(
        Path(project),
        Path(state),
        NoApprover(),
        flags={"port": int(port), "host": host, "questions_per_minute": 100_000},
        is_server=True,
    )
    rig.gate.registry = Registry([surface()])
    console = Path(os.environ.get("FIXTURE_CONSOLE", "/nowhere"))  # whether a console was built here must not matter

    def ready(address: str, console: str) -> None:
        print(address, flush=True)

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(app.Wiring().serve_http(rig, ready, console=console))
    except Failure as failure:
        refusal = {"condition": type(failure).__name__, "message": failure.message, "hint": failure.hint}
        print(json.dumps(refusal), flush=True)
        sys.exit(1)
    finally:
        rig.close()
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
