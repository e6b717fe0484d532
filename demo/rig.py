"""handrail as the tour needs it: the server, its own Chromium, the app, links to the console, the report."""

import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from demo.programs import Programs
from demo.tour_folder import ROOT, TourFailed, TourFolder

_NOTES = ROOT / "examples" / "apps" / "notes" / "notes_app.py"
_TOUR = Path(__file__).with_name("tour.json")
_HANDRAIL = (sys.executable, "-m", "handrail")
_READY = r"\(Ctrl-C stops it\)"


@dataclass(frozen=True)
class Rig:
    tour_folder: TourFolder
    env: Mapping[str, str]

    async def console(self, page: str) -> str:
        """A one-time link."""
        return f"{await self._run('open', '--print')}/{page}"

    async def report(self, task: str) -> Path:
        options = ("--project", str(self.tour_folder.project), "-o", str(self.tour_folder.report))
        return Path(await self._run("report", task, *options))

    async def _run(self, *arguments: str) -> str:
        return await _run(*_HANDRAIL, *arguments, env=self.env, cwd=self.tour_folder.project)


async def open_rig(tour_folder: TourFolder, programs: Programs, env: Mapping[str, str], *, is_quick: bool) -> Rig:
    _write_script(tour_folder.script, is_quick=is_quick)
    await _run(sys.executable, str(_NOTES), "--install", "--stdio", env=env, cwd=tour_folder.home)
    serve = [*_HANDRAIL, "up", "--no-open", "--port", "0", "--project", str(tour_folder.project)]
    server = programs.start("handrail", serve, env, tour_folder.project, ends_by=signal.SIGINT)
    await server.wait_for_output(_READY)
    await _run(*_HANDRAIL, "model", "use", f"script:{tour_folder.script}", env=env, cwd=tour_folder.project)
    launch = [*_HANDRAIL, "extension", "launch", "--headless"]
    browser = programs.start("browser", launch, env, tour_folder.project, ends_by=signal.SIGINT)
    await browser.wait_for_output(_READY)
    return Rig(tour_folder, env)


def _write_script(to: Path, *, is_quick: bool) -> None:
    """A person wants to follow; without one, the model's pauses are left out."""
    script = json.loads(_TOUR.read_text())
    if is_quick:
        script["turns"] = [{**turn, "seconds": 0} for turn in script["turns"]]
    to.write_text(json.dumps(script, ensure_ascii=False, indent=1))


async def _run(*command: str, env: Mapping[str, str], cwd: Path) -> str:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(env), cwd=cwd, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    try:
        out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise TourFailed(f"{' '.join(command[1:])} failed: {err.decode(errors='replace').strip()}")
    return out.decode().strip()
