"""execute_command of contract 3 §4.1: runs a script of package.json by its name."""

import asyncio
import shlex
from hashlib import sha256
from typing import Literal

import msgspec

from handrail.features.webgal.output import LimitedOutput
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.scripts import PACKAGE, Package, Server, Step, read_package
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Changed, Conflict, Damaged, Declined, InputOutput, InvalidParams, NotFound, Timeout
from handrail.ports.schemas import schema

_SERVER_SCRIPT = "dev"
_MOST_ARGUMENT_BYTES = 100_000
_LAST_LINES = 20


class Params(msgspec.Struct, frozen=True, rename="camel"):
    script_name: Literal["dev", "build", "lint"]
    args: tuple[str, ...] = ()


class Result(msgspec.Struct, frozen=True):
    ok: bool
    logs: list[str]


async def plan(webgal: WebGal, call: Call, params: Params) -> Preview | NoChange:
    _check_allowed(webgal, params)
    steps = read_package(webgal.scripts.files).steps(params.script_name, params.args)
    if params.script_name == _SERVER_SCRIPT and (running_result := _running_result(webgal, steps)) is not None:
        return NoChange(running_result)
    return Preview(
        f"Run the script {params.script_name}",
        about=CallSubject(params.script_name, "script"),
        path=_path(params),
        command="\n".join(step.shown for step in steps),
        cwd=webgal.scripts.files.location,
        binding={"commands": _fingerprint(steps)},
    )


async def execute_command(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """Run a script of package.json by name and return its output; `ok`: it exited with status 0. `dev` keeps running:
    the call returns once it accepts connections, with its address in `logs`. `args` need the policy's commandArgs.
    """
    package = read_package(webgal.scripts.files)
    steps = package.steps(params.script_name, params.args)
    if preview is not None and preview.binding["commands"] != _fingerprint(steps):
        raise Changed(f"{PACKAGE} has changed since it was shown.", hint="Ask again.", path=PACKAGE)
    output, limit = webgal.scripts.output(), webgal.scripts.policy().limits.command_timeout_ms
    try:
        async with asyncio.timeout(limit / 1000):
            if params.script_name != _SERVER_SCRIPT:
                return await _run(webgal, call, package, steps, output)
            async with webgal.scripts.serving:  # a concurrent second caller finds the first one's server
                return _running_result(webgal, steps) or await _run(webgal, call, package, steps, output)
    except TimeoutError:
        raise Timeout(
            f"{params.script_name} did not finish within {limit} ms and was ended.",
            hint="A person can raise commandTimeoutMs in the policy.",
            timeoutMs=limit,
            logs=output.lines()[-_LAST_LINES:],
        ) from None
    finally:
        call.add_evidence("output.log", output.whole())


async def _run(webgal: WebGal, call: Call, package: Package, steps: tuple[Step, ...], output: LimitedOutput) -> Result:
    for step in steps:
        output.add(f"$ {step.shown}\n".encode())
        if step.event == _SERVER_SCRIPT:
            outcome = await webgal.scripts.serve(package, step, steps, output, call.progress)
            if isinstance(outcome, Server):
                notes = [*_addresses(outcome), "It stays running until the handrail that started it ends."]
                return Result(True, [*output.lines(), *notes])
            status = outcome
        else:
            status = await webgal.scripts.run(package, step, output, call.progress)
        if status != 0:
            return Result(False, [*output.lines(), f"exit status {status}"])
    return Result(True, output.lines())


def _running_result(webgal: WebGal, steps: tuple[Step, ...]) -> Result | None:
    """Describes a server that is already running. Raises Conflict if it was started with other arguments."""
    server = webgal.scripts.server
    if server is None or not server.is_running:
        return None
    if server.steps != steps:
        raise Conflict(
            "dev is already running with other arguments.",
            hint="It ends with the handrail process that started it.",
            ports=server.ports,
        )
    return Result(True, ["dev is already running.", *_addresses(server)])


def _check_allowed(webgal: WebGal, params: Params) -> None:
    limits = webgal.scripts.policy().limits
    if params.script_name not in limits.allowed_commands:
        raise Declined(
            f"The policy does not allow the script {params.script_name}.",
            hint=f"It allows {', '.join(limits.allowed_commands) or 'none'} (allowedCommands).",
            reason="policy",
        )
    if params.args and not limits.command_args:
        raise Declined(
            "The policy allows no arguments for scripts.",
            hint="Call it without args; a person can allow them with commandArgs in the policy.",
            reason="policy",
        )
    if any("\0" in word for word in params.args):
        raise InvalidParams("`args` contains a NUL character.")
    if sum(len(word.encode(errors="replace")) for word in params.args) > _MOST_ARGUMENT_BYTES:
        raise InvalidParams(f"`args` has more than {_MOST_ARGUMENT_BYTES} bytes.")


def _addresses(server: Server) -> list[str]:
    return [f"http://localhost:{port}/" for port in server.ports]


def _fingerprint(steps: tuple[Step, ...]) -> str:
    return sha256(msgspec.json.encode(steps)).hexdigest()


def _path(params: Params) -> str:
    """Returns the path that rules use, so that allowing one script doesn't allow another."""
    return f"{PACKAGE}/scripts/{params.script_name}"


def target(params: Params) -> Target:
    return Target(path=_path(params), command=shlex.join((params.script_name, *params.args)))


TOOL = Tool(
    name="execute_command",
    title="Run a script of the project",
    params=Params,
    input_schema=schema("webgal", "execute_command.request"),
    output_schema=schema("webgal", "execute_command.response"),
    effect=Effect.EXECUTE,
    errors=(Declined, Timeout, NotFound, Damaged, Conflict, InputOutput, InvalidParams),
    has_own_timeouts=True,
    is_for_developers=True,
    preview=plan,
    target=target,
    run=execute_command,
)
