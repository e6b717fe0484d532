"""`python -m tests.scripted_host ROOT STATE`: runs a host in mode token with an in-memory desktop."""

import asyncio
import sys
from pathlib import Path

from handrail.features.desktop.desktop_port import DesktopPort
from handrail.features.desktop.host_program import serve_desktop
from handrail.wiring import Wiring
from tests.scripted_desktop import ScriptedDesktop


async def main(root: str, state: str) -> None:
    async def scripted() -> DesktopPort:
        return ScriptedDesktop()

    await serve_desktop(
        Path(root), Wiring(), Path(state), "token", lambda path: print("listening", flush=True), open_desktop=scripted
    )


asyncio.run(main(*sys.argv[1:]))
