"""`handrail prompts`: shows what is waiting for a person, and takes the answers; full-screen in a terminal."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from handrail.faces.cli.output import columns, local_time, one_line, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, state_option
from handrail.features.people.cli.answer_options import pairs_of, selection_of, taken_parts
from handrail.features.people.cli.prompt_page import as_json_of, page_of, source_of
from handrail.features.people.feature import TUI
from handrail.kernel.visible import visible

if TYPE_CHECKING:
    from handrail.kernel.prompts.bundles import Bundle
    from handrail.ports.prompt_entries import RequestEntry
    from handrail.ports.prompt_queue import CallerState, Origin, PromptQueue

EPILOG = """\b
Examples:
  handrail prompts                                     the full-screen view; without a terminal, the list
  handrail prompts list                                pending approvals and questions
  handrail prompts show ID                             everything that would happen
  handrail prompts answer ID --ok
  handrail prompts answer ID --ok --part 1 --part 3    only these parts of a change; `show` numbers them
  handrail prompts answer ID --ok --content new.txt    a change, with this text in place of the proposed one
  handrail prompts answer ID --cancel --remark "not in this file"
  handrail prompts answer bundle_… --ok                similar approvals at once: those that `list` showed
  handrail prompts answer ID --ok --value name=Ada     a form
  handrail prompts answer ID --ok --choose a --choose b
  handrail prompts answer ID --ok --for rule --path "src/**/*.md" --until 2026-11-30
  handrail prompts answer ID --ok --for app            an app's tool: all tools of this app, always"""


_CALLER_MARKS = {"waiting": "", "gone": " (caller gone)", "unknown": " (caller unknown)"}


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def prompts(ctx: click.Context, state: Path | None) -> None:
    """Answer pending approvals and questions.

    Approvals, forms and questions of every agent on this state directory. The first answer counts,
    wherever it is given. In a terminal, without a subcommand, a full-screen view shows them as they
    come; ? explains its keys.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is not None:
        return
    if _has_screen() and not TUI.is_installed:
        click.echo(f"handrail: the full-screen view is missing. {TUI.how_to_install}", err=True)
    elif _has_screen():
        from handrail.faces.cli.program import program

        with program().open_stores(state).watching():
            ctx.exit(_run(state, _show_screen))
    ctx.invoke(list_prompts, state=state, as_json=False)


@prompts.command("list")
@state_option
@json_option
@click.pass_context
def list_prompts(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List pending approvals and questions, oldest first."""
    from handrail.features.people.cli import bundles

    entries, similar = _run(state or ctx.obj, _pending)
    if as_json:
        prompts_json = [as_json_of(*each) for each in entries]
        print_json({"prompts": prompts_json, "bundles": bundles.as_json(similar)})
        return
    rows = [
        (
            entry.request_id,
            local_time(entry.ts),
            entry.prompt.__struct_config__.tag,
            source_of(entry, origin),
            (entry.prompt.title or "") + _CALLER_MARKS[caller],
        )
        for entry, caller, origin in entries
    ]
    for line in columns(rows):
        say(line)
    for line in bundles.bundle_lines(similar):
        say(line)
    if not rows:
        say("Nothing is waiting for you.")


@prompts.command("show")
@click.argument("request_id", metavar="ID")
@click.option("--password", "is_revealed", is_flag=True, help="Show the password in it, which is never stored.")
@state_option
@json_option
@click.pass_context
def show_prompt(ctx: click.Context, request_id: str, is_revealed: bool, state: Path | None, as_json: bool) -> None:
    """Show a prompt in full, or each prompt of a bundle."""
    from handrail.kernel.prompts.bundles import ID_PREFIX, find_bundle

    if request_id.startswith(ID_PREFIX):
        bundle = _run(state or ctx.obj, lambda queue: find_bundle(queue, request_id))
        for item in bundle.items:
            ctx.invoke(show_prompt, request_id=item.request_id, state=state, as_json=as_json)
        return
    if is_revealed:
        _show_password(state or ctx.obj, request_id, as_json=as_json)
        return

    async def find(queue: "PromptQueue") -> "tuple[RequestEntry, CallerState, Origin | None]":
        from handrail.ports.prompt_queue import caller_state

        entry, origin = await _find(queue, request_id), (await queue.origins([request_id])).get(request_id)
        return entry, caller_state(origin, is_waiting=await queue.is_waiting(request_id)), origin

    entry, caller, origin = _run(state or ctx.obj, find)
    if as_json:
        print_json(as_json_of(entry, caller, origin))
        return
    for line in page_of(entry, caller, origin):
        say(line)


def _show_password(state: "Path | None", request_id: str, *, as_json: bool) -> None:
    from handrail.ports.errors import NotFound

    values = _run(state, lambda queue: queue.masked(request_id))
    if not values:
        raise NotFound("There is no password to show: the question has none, or the program that asked is gone.")
    if as_json:
        print_json(dict(values))
        return
    for name, value in values.items():
        say(f"{name}: {one_line(value)}")


@prompts.command("answer", epilog="`handrail prompts list` shows the ids, `handrail prompts --help` has examples.")
@click.argument("request_id", metavar="ID")
@click.option("--ok", "status", flag_value="ok", help="Allow, or send the answer.")
@click.option("--cancel", "status", flag_value="canceled", help="Deny or cancel.")
@click.option("--value", "values", multiple=True, metavar="KEY=VALUE", help="A field of a form; repeat it.")
@click.option("--choose", "chosen", multiple=True, metavar="VALUE", help="An option; repeat it to choose several.")
@click.option("--remark", metavar="TEXT", help="Tell the agent why.")
@click.option(
    "--for",
    "scope",
    type=OneOf("once", "task", "rule", "app"),
    metavar="<once|task|rule|app>",
    help="How far the approval reaches. For an app's tool: rule is this tool, app is all of its tools, always.",
)
@click.option("--path", metavar="PATTERN", help="With --for: the files to allow [the one shown].")
@click.option("--place", metavar="PLACE", help="With --for: the place to allow [the one shown].")
@click.option("--until", metavar="WHEN", help="With --for: when it ends, such as 2026-11-30 or 2026-11-30T18:00.")
@click.option("--part", "numbers", type=int, multiple=True, metavar="N", help="Take only this part; repeat it [all].")
@click.option(
    "--content",
    type=click.File("rb"),
    metavar="FILE",
    help="Write this text in place of the proposed one; - reads it from stdin.",
)
@click.option("--all-projects", is_flag=True, help="With --for rule: in every project [this one].")
@click.option("--all-agents", is_flag=True, help="With --for rule: for every agent [this one].")
@state_option
@click.pass_context
def answer_prompt(
    ctx: click.Context,
    request_id: str,
    status: str | None,
    values: Sequence[str],
    chosen: Sequence[str],
    remark: str | None,
    scope: str | None,
    path: str | None,
    place: str | None,
    until: str | None,
    numbers: Sequence[int],
    content: BinaryIO | None,
    all_projects: bool,
    all_agents: bool,
    state: Path | None,
) -> None:
    """Answer a prompt or a bundle of similar approvals."""
    if status is None:
        raise click.UsageError("Add --ok or --cancel.")
    response: dict[str, Any] = {"status": status}
    if remark is not None:
        response["remark"] = remark
    if scope == "app":
        response |= {"scope": "rule", "covers": "app"}
    elif scope is not None:
        response["scope"] = scope
    everywhere = {"project": "*" if all_projects else None, "identity": "*" if all_agents else None}
    limits = {"path": path, "place": place, "until": until, **everywhere}
    if grant := {name: value for name, value in limits.items() if value is not None}:
        response["grant"] = grant
    if request_id.startswith("bundle_"):
        from handrail.faces.cli.program import program
        from handrail.features.people.cli import bundles

        stores = program().open_stores(state or ctx.obj)
        ctx.exit(_run(state or ctx.obj, lambda queue: bundles.answer(queue, stores, request_id, response)))

    async def respond(queue: "PromptQueue") -> Sequence[str]:
        import msgspec

        from handrail.faces.cli.presence import with_typed_word
        from handrail.faces.cli.program import program
        from handrail.ports.prompts import ChoicePrompt, FileChangePrompt, KvPrompt, TaskConfirmPrompt

        stores = program().open_stores(state or ctx.obj)
        prompt = (await _find(queue, request_id)).prompt
        origin = (await queue.origins([request_id])).get(request_id)
        if response.get("scope", "once") != "once" and (origin is None or not origin.is_own):
            raise click.UsageError(
                "--for is only for handrail's own approvals. Other programs' prompts can only be allowed once."
            )
        if status == "ok":
            if isinstance(prompt, KvPrompt):
                defaults = {each.key: each.default for each in prompt.fields if isinstance(each.default, str)}
                response["values"] = {**defaults, **pairs_of(values)}
            elif isinstance(prompt, ChoicePrompt):
                response["selection"] = selection_of(prompt, chosen)
            elif isinstance(prompt, TaskConfirmPrompt):
                response["tasks"] = msgspec.to_builtins(prompt.tasks)
            elif isinstance(prompt, FileChangePrompt):
                response.update(taken_parts(prompt, numbers, content))
        proof = with_typed_word(stores.presence.inspect_terminal)
        by = f"terminal:{program().machine.user}"
        return (await queue.respond(request_id, response, by=by, proof=proof)).warnings

    for warning in _run(state or ctx.obj, respond):
        click.echo(f"handrail: {visible(warning)}", err=True)
    say("Answered.")


def _has_screen() -> bool:
    """Keys come from stdin and Textual draws on stderr; with stdout redirected, the list is wanted instead."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) and os.environ.get("TERM") != "dumb"


async def _show_screen(queue: "PromptQueue") -> int:
    import asyncio

    from handrail.faces.cli.program import program
    from handrail.features.people.cli.screen.app import PromptsApp
    from handrail.features.people.cli.screen.texts import texts_for
    from handrail.ports import prompt_views

    app = PromptsApp(queue, f"terminal:{program().machine.user}", texts_for())
    with prompt_views.announce_view():  # so that desktop tools leave this terminal alone
        status = await app.run_async()
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError  # Textual shuts down properly when it is cancelled, but swallows the error
    return status or app.return_code or 0


def _run(state: Path | None, work: Any) -> Any:
    from handrail.faces.cli.program import program, run

    queue = program().open_stores(state).prompts

    async def with_queue() -> Any:
        try:
            return await work(queue)
        finally:
            await queue.close()

    return run(with_queue())


async def _pending(
    queue: "PromptQueue",
) -> "tuple[list[tuple[RequestEntry, CallerState, Origin | None]], list[Bundle]]":
    from handrail.kernel.prompts.bundles import group_approvals
    from handrail.ports.prompt_queue import caller_state

    pending = await queue.pending()
    ids = [each.request_id for each in pending]
    waiting, origins = await queue.find_waiting(ids), await queue.origins(ids)

    def caller(request_id: str) -> "CallerState":
        return caller_state(origins.get(request_id), is_waiting=request_id in waiting)

    similar = group_approvals(pending, (name for name, origin in origins.items() if origin.is_own))
    return [(each.request, caller(each.request_id), origins.get(each.request_id)) for each in pending], similar


async def _find(queue: "PromptQueue", request_id: str) -> "RequestEntry":
    from handrail.ports.errors import NotFound

    queued = await queue.find(request_id)
    if queued is not None and queued.is_pending:
        return queued.request
    raise NotFound(f"No pending prompt {request_id}.", hint="`handrail prompts list` shows pending prompts.")
