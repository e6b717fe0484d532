"""`python -m tests.conformance.fixture_server STATE PROJECT [stdio]`: the real faces over the fixtures."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from handrail import wiring as app
from handrail.kernel.approval import NoApprover
from handrail.kernel.registry import Registry
from tests.conformance.fixture_reading import PROMPTS, RESOURCE
from tests.conformance.fixture_tools import asking_surface, surface


def main() -> None:
    state, project = map(Path, sys.argv[1:3])
    rig = app.Wiring().open_project(project, state, NoApprover(), flags={"port": 0}, is_server=True)
    tools = replace(surface(), prompts=PROMPTS, resources=(RESOURCE,))
    rig.gate.registry = Registry([tools, asking_surface(rig.stores.prompts)])
    if sys.argv[3:] == ["stdio"]:
        asyncio.run(app.Wiring().serve_stdio(rig))
    else:
        asyncio.run(app.Wiring().serve_http(rig, lambda address, console: print(address, flush=True)))


main()
