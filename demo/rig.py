"""handrail itself as the tour needs it: the server, its own Chromium, the app, a link to the console, the report."""

import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from demo.ground import ROOT, Ground, NotPossible
from demo.programs import Programs

_NOTES = ROOT / "examples" / "apps" / "notes" / "notes_app.py"
_TOUR = Path(__file__).with_name("tour.json")
_HANDRAIL = (sys.executable, "-m", "handrail")
_READY = r"\(Ctrl-C stops it\)"


@dataclass(frozen=True)
class Rig:
    ground: Ground
    env: Mapping[str, str]

    async def console(self, page: str) -> str:
        """An address that lets one browser in."""
        return f"{await self._run('open', '--print')}/{page}"

    async def report(self, task: str) -> Path:
        place = ("--project", str(self.ground.project), "-o", str(self.ground.report))
        return Path(await self._run("report", task, *place))

    async def _run(self, *arguments: str) -> str:
        return await _run(*_HANDRAIL, *arguments, env=self.env, cwd=self.ground.project)


async def open_rig(ground: Ground, programs: Programs, env: Mapping[str, str], *, is_quick: bool) -> Rig:
    _write_script(ground.script, is_quick=is_quick)
    await _run(sys.executable, str(_NOTES), "--install", "--stdio", env=env, cwd=ground.home)
    serve = [*_HANDRAIL, "up", "--no-open", "--port", "0", "--project", str(ground.project)]
    server = programs.start("handrail", serve, env, ground.project, ends_by=signal.SIGINT)
    await server.says(_READY)
    await _run(*_HANDRAIL, "model", "use", f"script:{ground.script}", env=env, cwd=ground.project)
    launch = [*_HANDRAIL, "extension", "launch", "--headless"]
    browser = programs.start("browser", launch, env, ground.project, ends_by=signal.SIGINT)
    await browser.says(_READY)
    return Rig(ground, env)


def _write_script(to: Path, *, is_quick: bool) -> None:
    """A person wants to follow; nobody else does, so the model then thinks no time."""
    script = json.loads(_TOUR.read_text())
    if is_quick:
        script["turns"] = [{**turn, "seconds": 0} for turn in script["turns"]]
    to.write_text(json.dumps(script, ensure_ascii=False, indent=1))


async def _run(*command: str, env: Mapping[str, str], cwd: Path) -> str:
    pipe = asyncio.subprocess.PIPE
    done = await asyncio.create_subprocess_exec(
        *command, env=dict(env), cwd=cwd, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    try:
        said, complained = await done.communicate()
    finally:
        if done.returncode is None:
            done.kill()
            await done.wait()
    if done.returncode:
        raise NotPossible(f"{' '.join(command[1:])} failed: {complained.decode(errors='replace').strip()}")
    return said.decode().strip()
