"""A person's yes to one call that acts: asked for here, with the target outlined in a picture, or given before.

The wait for a person is outside of the call's time. Whoever stops waiting takes the question along.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import UNSET

from handrail.features.desktop.host.acting import picture
from handrail.features.desktop.host.confirmation import refused
from handrail.features.desktop.host.equipment import Equipment
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.platform import Element, Window
from handrail.kernel.queue_approver import PREFIX, withdraw
from handrail.kernel.quoting import quoted
from handrail.kernel.visible import visible
from handrail.ports.effect import Effect
from handrail.ports.prompts import FileChangePrompt, PromptImage, PromptResponse, RequestEntry, ResponseEntry

_SEARCHED_ENTRIES = 1000
_UNSHOWN = frozenset({"meta", "confirm"})


@dataclass(frozen=True, slots=True)
class Intention:
    """The call that a token is wanted for."""

    method: str
    params: Mapping[str, Any]
    digest: str


async def ask_person(
    equipment: Equipment, execution: Execution, intention: Intention, window: Window, element: Element | None
) -> None:
    """Returns after an ok. Unconfirmed, with the person's remark, after everything else."""
    desktop = await equipment.source.get()
    frame = element.frame if element is not None and element.frame is not None else window.frame
    shot = await picture(desktop, execution, "prompt.png", frame)
    await execution.record.save()
    images = [] if shot is None else [PromptImage(path=execution.record.path_of(shot), alt="The target is outlined.")]
    prompt = FileChangePrompt(
        title=visible(f"{intention.method} in {quoted(window.title or window.app_name)}"),
        message=visible("\n".join(_lines(execution, intention, window, element))),
        source=f"handrail/{intention.method}",
        images=tuple(images) or UNSET,
    )
    request_id = f"{PREFIX}desktop_{uuid4().hex}"
    execution.record.note("asking", promptRequestId=request_id)
    async with execution.deadline.paused():
        try:
            answer = await equipment.prompts.ask(prompt, request_id=request_id)
        except asyncio.CancelledError:
            await asyncio.shield(withdraw(equipment.prompts, request_id))
            raise
    execution.record.note("answered", promptRequestId=request_id, status=answer.response.status)
    _refuse_unless_ok(answer.response)


async def check_answer(equipment: Equipment, request_id: str, intention: Intention) -> None:
    """The gateway has asked already: its prompt must be for exactly this, answered with ok, and used once."""
    asked: RequestEntry | None = None
    answered: ResponseEntry | None = None
    for entry in (await equipment.prompts.entries(limit=_SEARCHED_ENTRIES)).entries:
        if entry.request_id != request_id:
            continue
        if isinstance(entry, RequestEntry):
            asked = asked or entry
        else:
            answered = answered or entry
    if asked is None or not request_id.startswith(PREFIX) or not isinstance(asked.prompt, FileChangePrompt):
        raise refused("invalid", "There is no such approval.")
    warrant = asked.prompt.scope
    if warrant is UNSET:
        raise refused("invalid", "That approval is for no call to this host.")
    if warrant.method != intention.method:
        raise refused("method", "That approval is for another method.")
    if warrant.params_digest != intention.digest:
        raise refused("params", "That approval is for other parameters.")
    if answered is None:
        raise refused("denied", "That approval was not given yet.")
    _refuse_unless_ok(answered.response)
    if not await asyncio.to_thread(equipment.once.claim, f"desktop:{request_id}"):
        raise refused("used", "That approval was used before.")


def _refuse_unless_ok(response: PromptResponse) -> None:
    if response.status == "ok":
        return
    details = {"remark": response.remark} if response.remark is not UNSET and response.remark else {}
    words = "Nobody answered in time." if response.status == "timeout" else "A person denied it."
    raise refused("denied", words, **details)


def _lines(execution: Execution, intention: Intention, window: Window, element: Element | None) -> Iterator[str]:
    yield f"{intention.method} ({Effect.UI_CONTROL.value})"
    yield f"Asked by process {execution.peer.pid} of user {execution.peer.uid}"
    yield f"Workspace: {quoted(execution.meta.workspace_path, 4096)}"
    yield f"Window: {quoted(window.title)} of {quoted(window.app_id or window.app_name)}"
    if element is not None:
        yield f"Element: {element.role} {quoted(element.title)}"
    for name, value in intention.params.items():
        if name not in _UNSHOWN:
            yield from _shown(name, value)


def _shown(name: str, value: Any) -> Iterator[str]:
    """No line of a parameter's can be taken for one of ours."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    yield from (f"  │ {line}" for line in text.split("\n"))
