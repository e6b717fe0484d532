"""native_shell: a command that a client's own shell tool would run."""

import os
import shlex
from collections.abc import Iterator

import msgspec

from handrail.features.hooks.native import Shell
from handrail.features.hooks.own_reach import refuse_own_reach
from handrail.features.hooks.plan import Plan, plan_of, shown_uses
from handrail.features.hooks.port import Hooks
from handrail.features.hooks.result import ALLOWED, Allowed
from handrail.kernel.auto_run_files import auto_run_reason
from handrail.kernel.call import Call
from handrail.kernel.target import ANY_PLACE, Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect
from handrail.ports.errors import Changed, Declined, InvalidParams


def _effect(params: Shell) -> Effect:
    return Effect.READ if params.only_reads else Effect.EXECUTE


async def locate(hooks: Hooks, call: Call, params: Shell) -> Target:
    plan, command = await in_thread(call, lambda: (checked_plan(hooks, params), whole_command(hooks, params)))
    if params.only_reads and not plan.only_reads:
        raise Changed("What this command would read has changed meanwhile.", hint="Try again.")
    call.located = plan
    return Target(command=command, steps=plan.steps)


def checked_plan(hooks: Hooks, params: Shell) -> Plan:
    """Declined where the command reaches handrail itself. Blocks."""
    if "\0" in params.command:
        raise InvalidParams("The command contains a NUL character.")
    ground = hooks.ground
    plan = plan_of(params.command, params.cwd, ground, hooks.ripgrep)
    refuse_own_reach(plan.reading, ground, hooks.own_ports(), hooks.own_pids(), only_reads=plan.only_reads)
    if params.is_input or params.options:
        plan.reading.is_plain = False
        return Plan(plan.reading, plan.steps, False, plan.remarks)
    return plan


def whole_command(hooks: Hooks, params: Shell) -> str:
    """The command line that a rule names to the letter.

    Run in another folder, by another shell, outside of the client's sandbox or as another program's input, it is
    another one.
    """
    root, cwd = hooks.ground.root, os.path.realpath(params.cwd)
    line = params.command if cwd == root else f"cd {shlex.quote(os.path.relpath(cwd, root))} && {params.command}"
    beside = {"input": True} if params.is_input else params.options
    return f"{line} ({msgspec.json.encode(beside, order='deterministic').decode()})" if beside else line


async def preview(hooks: Hooks, call: Call, params: Shell) -> Preview | NoChange:
    plan: Plan = call.located
    verb = "send to a running program" if params.is_input else "run"
    return Preview(
        f"{call.caller.name} wants to {verb} {quoted_line(_shortened(params.command))}",
        about=CallSubject(
            _shortened(params.command),
            "input" if params.is_input else "command",
            reason=_reason(params),
            parts=[program.texts for program in plan.reading.programs],
            leaves=bool(plan.reading.places),
        ),
        command=params.command,
        cwd=params.cwd,
        facts=tuple(_facts(plan, params)),
        shown_params={"command": params.command, "cwd": params.cwd, **params.options},
    )


def _reason(params: Shell) -> str:
    """Some clients send a sentence beside the command."""
    said = params.options.get("description")
    return said if isinstance(said, str) else ""


def _facts(plan: Plan, params: Shell) -> Iterator[tuple[str, str]]:
    reading = plan.reading
    programs = dict.fromkeys(" ".join(program.texts) for program in reading.programs)
    yield "Programs", "\n".join(programs) or "It starts no program."
    if reading.writes:
        yield "Changes", shown_uses(reading.writes)
    if later := [f"{use.path}: {why}" for use in reading.writes if (why := auto_run_reason(use.path)) is not None]:
        yield "Runs code later", "\n".join(dict.fromkeys(later))
    if reading.reads:
        yield "Reads", shown_uses(reading.reads)
    if reading.places:
        yield (
            "Connects to",
            "\n".join(place if place != ANY_PLACE else "a host that isn't known" for place in reading.places),
        )
    if doubts := [*reading.doubts, *plan.remarks]:
        yield "Not certain", "\n".join(doubts)


def _shortened(command: str) -> str:
    line = command.strip().partition("\n")[0]
    return line if len(line) <= 80 and line == command.strip() else line[:79] + "…"


async def native_shell(hooks: Hooks, call: Call, params: Shell, preview: Preview | None) -> Allowed:
    """A command of the client's own shell. Allowed or refused here; the client runs it."""
    return ALLOWED


TOOL = Tool(
    name="native_shell",
    title="Run a command",
    params=Shell,
    input_schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "maxLength": 200_000},
            "cwd": {"type": "string", "maxLength": 4096},
            "onlyReads": {"type": "boolean"},
            "isInput": {"type": "boolean"},
            "options": {"type": "object"},
        },
        "required": ["command", "cwd"],
        "additionalProperties": False,
    },
    effect=_effect,
    errors=(Declined, InvalidParams, Changed),
    locate=locate,
    preview=preview,
    run=native_shell,
    is_for_agents=False,
    face="hook",
)
