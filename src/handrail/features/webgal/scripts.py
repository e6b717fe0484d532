"""The scripts in the project's package.json: what `npm run NAME` would run, their environment, and the dev server."""

import asyncio
import os
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from handrail.features.webgal.backends.supervised_program import SupervisedProgram, start_program
from handrail.features.webgal.output import LimitedOutput
from handrail.kernel import strict_json
from handrail.kernel.policy import Policy
from handrail.ports.errors import Damaged, Declined, Failure, NotFound
from handrail.ports.files import Folder

_PASSED_ON = ("HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_SECRETS = ("*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*API_KEY*", "*APIKEY*", "*CREDENTIAL*", "*PRIVATE_KEY*")
_SHORTEST_SECRET = 6


def child_environment(environ: Mapping[str, str], redacted: Sequence[str]) -> dict[str, str]:
    """`redacted` are names, or patterns of names, that the policy also removes."""
    return {
        name: value for name, value in environ.items() if _matches(name, _PASSED_ON) and not _matches(name, redacted)
    }


def secret_values(environ: Mapping[str, str], redacted: Sequence[str]) -> list[str]:
    """Returns values that must not be shown. Short ones are skipped, because they are ordinary words."""
    return [
        value
        for name, value in environ.items()
        if len(value) >= _SHORTEST_SECRET and _matches(name.upper(), (*_SECRETS, *map(str.upper, redacted)))
    ]


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


PACKAGE = "package.json"
_MAX_BYTES = 1024 * 1024


class Step(NamedTuple):
    """One command line of the package, and the arguments that follow it."""

    event: str
    line: str
    args: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """The shell parses only the package's own line; the arguments are passed as words and never parsed."""
        return ["/bin/sh", "-c", f'{self.line} "$@"' if self.args else self.line, self.event, *self.args]

    @property
    def shown(self) -> str:
        return f"{self.line} {shlex.join(self.args)}" if self.args else self.line


class Package(NamedTuple):
    name: str
    version: str
    scripts: Mapping[str, str]

    def steps(self, script: str, args: Sequence[str]) -> tuple[Step, ...]:
        """Includes the package's pre and post scripts."""
        if script not in self.scripts:
            near = get_close_matches(script, self.scripts, n=3, cutoff=0.5) or sorted(self.scripts)[:10]
            raise Declined(
                f"{PACKAGE} has no script named {script!r}.",
                hint=f"It has {', '.join(near)}." if near else "It has no scripts.",
                scriptName=script,
                scripts=sorted(self.scripts)[:50],
            )
        events = (f"pre{script}", script, f"post{script}")
        return tuple(
            Step(event, self.scripts[event], tuple(args) if event == script else ())
            for event in events
            if event in self.scripts
        )


def read_package(files: Folder) -> Package:
    """Raises NotFound or Damaged."""
    try:
        data = files.read(PACKAGE, _MAX_BYTES)
    except NotFound:
        raise NotFound(f"The project has no {PACKAGE}, and so no scripts.", path=PACKAGE) from None
    try:
        document = strict_json.decode(data.removeprefix(b"\xef\xbb\xbf"), max_bytes=_MAX_BYTES)
    except Failure as failure:
        raise _damaged(failure.message, **failure.details) from None
    if not isinstance(document, dict):
        raise _damaged("It must be a JSON object.")
    return Package(_text(document.get("name")), _text(document.get("version")), _scripts(document.get("scripts", {})))


def _scripts(listed: Any) -> dict[str, str]:
    if not isinstance(listed, dict):
        raise _damaged("`scripts` must be an object.")
    for name, line in listed.items():
        if not isinstance(line, str) or "\0" in line:
            raise _damaged(f"The script {name!r} must be a text.")
    return listed


def _text(value: Any) -> str:
    return value if isinstance(value, str) and "\0" not in value else ""


def _damaged(message: str, **details: Any) -> Damaged:
    return Damaged(f"{PACKAGE} can't be read: {message}", hint=f"Fix {PACKAGE} first.", **{**details, "path": PACKAGE})


_REPORT_SECONDS = 0.25
_REPORT_LINES = 10
_POLL_SECONDS = 0.1
_SUPERVISOR_KILLED = b"The script's supervisor was killed: something that the script started may still be running.\n"

ReportOutput = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class Server:
    """A script that keeps running."""

    program: SupervisedProgram
    steps: Sequence[Step]
    ports: list[int]
    listening: asyncio.Task[None]
    """Reads its output, so that it never blocks."""

    @property
    def is_running(self) -> bool:
        return self.program.status is None


@dataclass(slots=True)
class Scripts:
    files: Folder
    policy: Callable[[], Policy]
    environ: Mapping[str, str]
    own_programs: str
    """The folder of handrail's own command."""
    server: Server | None = None
    serving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while checking for a server and starting one, from its first step on."""

    def output(self) -> LimitedOutput:
        return LimitedOutput(secret_values(self.environ, self.policy().limits.redact_env))

    async def run(self, package: Package, step: Step, output: LimitedOutput, report: ReportOutput) -> int:
        """Returns the exit status. If it is cancelled, the step and everything that it started are ended."""
        async with self._running_step(package, step, output) as program:
            await _relay_output(program, output, report)
            return program.status or 0

    async def serve(
        self, package: Package, step: Step, steps: Sequence[Step], output: LimitedOutput, report: ReportOutput
    ) -> Server | int:
        """Returns once it accepts connections, or the exit status if it ended before. `steps` are all its steps."""
        async with self._running_step(package, step, output) as program:
            relay = asyncio.ensure_future(_relay_output(program, output, report))
            try:
                while not (ports := await asyncio.to_thread(program.ports)):
                    await asyncio.wait({relay}, timeout=_POLL_SECONDS)
                    if relay.done():
                        relay.result()
                        return program.status or 0
            finally:
                relay.cancel()
                await asyncio.wait({relay})
            self.server = Server(program, steps, ports, asyncio.ensure_future(_drain(program)))
            return self.server

    def close(self) -> None:
        if self.server is not None:
            self.server.program.end()

    @asynccontextmanager
    async def _running_step(
        self, package: Package, step: Step, output: LimitedOutput
    ) -> AsyncIterator[SupervisedProgram]:
        with self.files.open_descriptor(".") as folder:
            program = start_program(step.command, folder, self._environ(package, step))
        try:
            yield program
        finally:
            if self.server is None or self.server.program is not program:
                await program.end_and_wait()
                if program.may_have_left_something:
                    output.add(_SUPERVISOR_KILLED)

    def _environ(self, package: Package, step: Step) -> dict[str, str]:
        """Returns the environment that npm gives to scripts, as far as they use it."""
        inherited = child_environment(self.environ, self.policy().limits.redact_env)
        root = self.files.location
        path = (os.path.join(root, "node_modules", ".bin"), inherited.get("PATH", os.defpath), self.own_programs)
        return {
            **inherited,
            "PATH": os.pathsep.join(path),
            "INIT_CWD": root,
            "npm_lifecycle_event": step.event,
            "npm_lifecycle_script": step.line,
            "npm_package_json": os.path.join(root, PACKAGE),
            "npm_package_name": package.name,
            "npm_package_version": package.version,
        }


async def _relay_output(program: SupervisedProgram, output: LimitedOutput, report: ReportOutput) -> None:
    last_report, lines = 0.0, output.live_lines()
    async for chunk in program.chunks():
        output.add(chunk)
        lines.add(chunk)
        if time.monotonic() - last_report >= _REPORT_SECONDS and (latest := lines.take(_REPORT_LINES)):
            await report(latest)
            last_report = time.monotonic()


async def _drain(program: SupervisedProgram) -> None:
    async for _ in program.chunks():
        pass
