"""native_shell: runs a command with a client's own shell tool."""

import os
import shlex
from collections.abc import Iterator

import msgspec

from handrail.features.hooks.native import ALLOWED, Allowed, Shell
from handrail.features.hooks.plan import Plan, describe_uses, plan_command
from handrail.features.hooks.project_hooks import Hooks
from handrail.features.hooks.self_protection import refuse_access_to_handrail
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
    plan, command = await in_thread(call, lambda: (make_shell_plan(hooks, params), full_command(hooks, params)))
    if params.only_reads and not plan.only_reads:
        raise Changed("What this command would read has changed in the meantime.", hint="Try again.")
    call.located = plan
    return Target(command=command, steps=plan.steps)


def make_shell_plan(hooks: Hooks, params: Shell) -> Plan:
    """Declined if the command accesses handrail itself. Blocks."""
    if "\0" in params.command:
        raise InvalidParams("The command contains a NUL character.")
    scope = hooks.scope
    plan = plan_command(params.command, params.cwd, scope, hooks.ripgrep)
    refuse_access_to_handrail(plan.analysis, scope, hooks.own_ports(), hooks.own_pids(), only_reads=plan.only_reads)
    if params.is_input or params.options:
        plan.analysis.is_plain = False
        return Plan(plan.analysis, plan.steps, False, plan.remarks)
    return plan


def full_command(hooks: Hooks, params: Shell) -> str:
    """The command line that rules compare literally.

    A command that runs in another folder, with other options or as input of a running program is a different one.
    """
    root, cwd = hooks.scope.root, os.path.realpath(params.cwd)
    line = params.command if cwd == root else f"cd {shlex.quote(os.path.relpath(cwd, root))} && {params.command}"
    options = {"input": True} if params.is_input else params.options
    return f"{line} ({msgspec.json.encode(options, order='deterministic').decode()})" if options else line


async def preview(hooks: Hooks, call: Call, params: Shell) -> Preview | NoChange:
    plan: Plan = call.located
    verb = "send to a running program" if params.is_input else "run"
    return Preview(
        f"{call.caller.name} wants to {verb} {quoted_line(_shortened(params.command))}",
        about=CallSubject(
            _shortened(params.command),
            "input" if params.is_input else "command",
            reason=_reason(params),
            parts=[program.texts for program in plan.analysis.programs],
            leaves=bool(plan.analysis.places),
        ),
        command=params.command,
        cwd=params.cwd,
        facts=tuple(_facts(plan, params)),
        shown_params={"command": params.command, "cwd": params.cwd, **params.options},
    )


def _reason(params: Shell) -> str:
    """Some clients send a description with the command."""
    description = params.options.get("description")
    return description if isinstance(description, str) else ""


def _facts(plan: Plan, params: Shell) -> Iterator[tuple[str, str]]:
    analysis = plan.analysis
    programs = dict.fromkeys(" ".join(program.texts) for program in analysis.programs)
    yield "Programs", "\n".join(programs) or "It starts no program."
    if analysis.writes:
        yield "Changes", describe_uses(analysis.writes)
    if later := [f"{use.path}: {why}" for use in analysis.writes if (why := auto_run_reason(use.path)) is not None]:
        yield "Runs code later", "\n".join(dict.fromkeys(later))
    if analysis.reads:
        yield "Reads", describe_uses(analysis.reads)
    if analysis.places:
        yield (
            "Connects to",
            "\n".join(place if place != ANY_PLACE else "an unknown host" for place in analysis.places),
        )
    if doubts := [*analysis.doubts, *plan.remarks]:
        yield "Not certain", "\n".join(doubts)


def _shortened(command: str) -> str:
    line = command.strip().partition("\n")[0]
    return line if len(line) <= 80 and line == command.strip() else line[:79] + "…"


async def native_shell(hooks: Hooks, call: Call, params: Shell, preview: Preview | None) -> Allowed:
    """Runs a command. It is allowed or denied here; the client runs it."""
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
