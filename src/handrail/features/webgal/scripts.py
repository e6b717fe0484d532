"""Where the project's scripts run: their surroundings, a run from beginning to end, and the server among them.

`dev` never ends by itself: it stays, is listened to, and ends with this process.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from handrail.features.webgal.commands.child_environment import for_child, secrets_of
from handrail.features.webgal.commands.kept_output import KeptOutput
from handrail.features.webgal.package_scripts import PACKAGE, Package, Step
from handrail.features.webgal.programs import Program, Programs
from handrail.kernel.policy import Policy
from handrail.ports.files import Folder

_TOLD_EVERY = 0.25
_TOLD_LINES = 10
_LISTENING_EVERY = 0.1
_UNWATCHED = b"What watches over scripts was killed: something that this one started may still be running.\n"

Tell = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class Server:
    """A script that stays."""

    program: Program
    steps: Sequence[Step]
    ports: list[int]
    listening: asyncio.Task[None]
    """Reads what it prints, so that it never waits for us."""

    @property
    def is_running(self) -> bool:
        return self.program.status is None


@dataclass(slots=True)
class Scripts:
    files: Folder
    policy: Callable[[], Policy]
    programs: Programs
    environ: Mapping[str, str]
    own_programs: str
    """A folder in which a script may find handrail itself."""
    server: Server | None = None
    serving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever looks whether there is a server and starts one, from its first step on."""

    def output(self) -> KeptOutput:
        return KeptOutput(secrets_of(self.environ, self.policy().limits.redact_env))

    async def run(self, package: Package, step: Step, output: KeptOutput, tell: Tell) -> int:
        """The exit status. Whatever stops this ends the step and all that it started."""
        async with self._started(package, step, output) as program:
            await _followed(program, output, tell)
            return program.status or 0

    async def serve(
        self, package: Package, step: Step, steps: Sequence[Step], output: KeptOutput, tell: Tell
    ) -> Server | int:
        """Once it takes connections; the exit status where it ended before. `steps` are all that it was asked with."""
        async with self._started(package, step, output) as program:
            following = asyncio.ensure_future(_followed(program, output, tell))
            try:
                while not (ports := await asyncio.to_thread(program.ports)):
                    await asyncio.wait({following}, timeout=_LISTENING_EVERY)
                    if following.done():
                        following.result()
                        return program.status or 0
            finally:
                following.cancel()
                await asyncio.wait({following})
            self.server = Server(program, steps, ports, asyncio.ensure_future(_unheard(program)))
            return self.server

    def close(self) -> None:
        if self.server is not None:
            self.server.program.end()

    @asynccontextmanager
    async def _started(self, package: Package, step: Step, output: KeptOutput) -> AsyncIterator[Program]:
        with self.files.hold(".") as folder:
            program = self.programs.start(step.command, folder, self._environ(package, step))
        try:
            yield program
        finally:
            if self.server is None or self.server.program is not program:
                await program.ended()
                if program.may_have_left_something:
                    output.add(_UNWATCHED)

    def _environ(self, package: Package, step: Step) -> dict[str, str]:
        """As npm gives it to scripts, as far as they look at it."""
        known = for_child(self.environ, self.policy().limits.redact_env)
        root = self.files.location
        path = (os.path.join(root, "node_modules", ".bin"), known.get("PATH", os.defpath), self.own_programs)
        return {
            **known,
            "PATH": os.pathsep.join(path),
            "INIT_CWD": root,
            "npm_lifecycle_event": step.event,
            "npm_lifecycle_script": step.line,
            "npm_package_json": os.path.join(root, PACKAGE),
            "npm_package_name": package.name,
            "npm_package_version": package.version,
        }


async def _followed(program: Program, output: KeptOutput, tell: Tell) -> None:
    told, lines = 0.0, output.told()
    async for chunk in program.chunks():
        output.add(chunk)
        lines.add(chunk)
        if time.monotonic() - told >= _TOLD_EVERY and (latest := lines.take(_TOLD_LINES)):
            await tell(latest)
            told = time.monotonic()


async def _unheard(program: Program) -> None:
    async for _ in program.chunks():
        pass
