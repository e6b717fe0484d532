"""A person's yes to one call that acts: asked for here, with the target outlined in a picture, or given before.

The wait for a person is outside of the call's time. Whoever stops waiting takes the question along.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import UNSET

from handrail.features.desktop.host.acting import picture
from handrail.features.desktop.host.confirmation import refused
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.services import Services
from handrail.features.desktop.host.subject import Subject
from handrail.kernel.queue_approver import PREFIX, withdraw
from handrail.kernel.quoting import quoted
from handrail.kernel.visible import visible
from handrail.ports.effect import Effect
from handrail.ports.prompts import FileChangePrompt, PromptImage, PromptResponse

_PICTURE = "prompt.png"


async def ask_person(
    services: Services, execution: Execution, method: str, params: Mapping[str, Any], subject: Subject
) -> None:
    """Returns after an ok. Unconfirmed, with the person's remark, after everything else."""
    desktop, window, element = await services.source.get(), subject.window, subject.element
    frame = element.frame if element is not None and element.frame is not None else window.frame
    is_shown = await picture(desktop, execution, _PICTURE, frame)
    await execution.record.save()
    image = PromptImage(path=execution.record.path_of(_PICTURE), alt="The target is outlined.")
    prompt = FileChangePrompt(
        title=visible(f"{method} in {quoted(window.title or window.app_name)}"),
        message=visible("\n".join(_lines(execution, method, params, subject))),
        source=f"handrail/{method}",
        images=(image,) if is_shown else UNSET,
    )
    request_id = f"{PREFIX}desktop_{uuid4().hex}"
    execution.record.note("asking", promptRequestId=request_id)
    async with execution.deadline.paused():
        try:
            answer = await services.prompts.ask(prompt, request_id=request_id)
        except asyncio.CancelledError:
            await asyncio.shield(withdraw(services.prompts, request_id))
            raise
    execution.record.note("answered", promptRequestId=request_id, status=answer.response.status)
    _refuse_unless_ok(answer.response)


async def check_answer(services: Services, request_id: str, method: str, params_digest: str) -> None:
    """The gateway has asked already: its prompt must be for exactly this, answered with ok, and used once."""
    asked = await services.prompts.find(request_id)
    if asked is None or not request_id.startswith(PREFIX) or not isinstance(asked.prompt, FileChangePrompt):
        raise refused("invalid", "There is no such approval.")
    warrant = asked.prompt.scope
    if warrant is UNSET:
        raise refused("invalid", "That approval is for no call to this host.")
    if warrant.method != method:
        raise refused("method", "That approval is for another method.")
    if warrant.params_digest != params_digest:
        raise refused("params", "That approval is for other parameters.")
    if asked.answer is None:
        raise refused("denied", "That approval was not given yet.")
    _refuse_unless_ok(asked.answer.response)
    if not await services.once.claim(request_id):
        raise refused("used", "That approval was used before.")


def _refuse_unless_ok(response: PromptResponse) -> None:
    if response.status == "ok":
        return
    details = {"remark": response.remark} if response.remark is not UNSET and response.remark else {}
    words = "Nobody answered in time." if response.status == "timeout" else "A person denied it."
    raise refused("denied", words, **details)


def _lines(execution: Execution, method: str, params: Mapping[str, Any], subject: Subject) -> Iterator[str]:
    window, element = subject.window, subject.element
    yield f"{method} ({Effect.UI_CONTROL.value})"
    yield f"Asked by process {execution.peer.pid} of user {execution.peer.uid}"
    yield f"Workspace: {quoted(execution.meta.workspace_path, 4096)}"
    yield f"Window: {quoted(window.title)} of {quoted(window.app_id or window.app_name)}"
    if element is not None:
        yield f"Element: {element.role} {quoted(element.title)}"
    for name, value in params.items():
        yield from _shown(name, value)


def _shown(name: str, value: Any) -> Iterator[str]:
    """No line of a parameter's can be taken for one of ours."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    yield from (f"  │ {line}" for line in text.split("\n"))
