"""Tools that act on no window: launching apps and using the clipboard."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.launch import ClipboardParams, LaunchParams
from handrail.features.desktop.host.params import Params
from handrail.features.desktop.messages import ExecutionResult, read_result, to_wire, with_content
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.quoting import quote_text
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.prompts import ApprovedAction

_LAUNCH_TIMEOUT_MS = 30_000
_CLIPBOARD_TIMEOUT_MS = 15_000
ParamsT = TypeVar("ParamsT", bound=Params)


def _preview_maker(
    summary: Callable[[ParamsT], str], about: Callable[[ParamsT], CallSubject]
) -> Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]:
    async def preview(desktop: Desktop, call: Call, params: ParamsT) -> Preview:
        request = to_wire(params)
        params_digest = digest(request)
        return Preview(
            summary(params),
            about=about(params),
            app=getattr(params, "app", None),
            binding={"paramsDigest": params_digest},
            state=request,
            warrant=ApprovedAction(method=method_of(call.tool), params_digest=params_digest),
            executor=desktop.executor(),
        )

    return preview


class LaunchResult(ExecutionResult, frozen=True, kw_only=True):
    launched: Literal[True]
    pid: int
    window: dict[str, Any] | None = None


async def desktop_launch(desktop: Desktop, call: Call, params: LaunchParams, preview: Preview | None) -> Reply:
    """Start an installed app (`gedit`), optionally with a `file` of the project. Returns its first window."""
    assert preview is not None
    result = read_result(await desktop.act(call, method_of(call.tool), preview.state, _LAUNCH_TIMEOUT_MS), LaunchResult)
    if result.window is None:
        return Reply(result, text="Launched. No new window appeared.")
    return Reply(result, text=with_content("Launched.", f"window {quote_text(str(result.window.get('title', '')))}"))


async def _launch_target(desktop: Desktop, call: Call, params: LaunchParams) -> Target:
    return Target(app=params.app.removesuffix(".desktop"))


def _launch_summary(params: LaunchParams) -> str:
    return f"Launch {quote_text(params.app)}" + (f" with {quote_text(params.file)}" if params.file else "")


LAUNCH = desktop_tool(
    desktop_launch,
    LaunchParams,
    LaunchResult,
    "Launch an app",
    effect=Effect.UI_CONTROL,
    deadline_ms=_LAUNCH_TIMEOUT_MS,
    preview=_preview_maker(_launch_summary, lambda params: CallSubject(params.app, "app", "")),
    locate=_launch_target,
)


class ClipboardResult(ExecutionResult, frozen=True, kw_only=True):
    done: Literal[True]
    text: str | UnsetType | None = UNSET


async def desktop_clipboard(desktop: Desktop, call: Call, params: ClipboardParams, preview: Preview | None) -> Reply:
    """Read the clipboard's text, or `write` a new one."""
    assert preview is not None
    result = read_result(
        await desktop.act(call, method_of(call.tool), preview.state, _CLIPBOARD_TIMEOUT_MS), ClipboardResult
    )
    if params.action == "write":
        return Reply(result, text="Copied to the clipboard.")
    if not isinstance(result.text, str):
        return Reply(result, text="The clipboard has no text.")
    return Reply(result, text=with_content("The clipboard contains:", result.text))


def _clipboard_summary(params: ClipboardParams) -> str:
    if params.text is None:
        return "Read the clipboard"
    return f"Put {quote_text(params.text)} on the clipboard"


CLIPBOARD = desktop_tool(
    desktop_clipboard,
    ClipboardParams,
    ClipboardResult,
    "Use the clipboard",
    effect=Effect.UI_CONTROL,
    deadline_ms=_CLIPBOARD_TIMEOUT_MS,
    preview=_preview_maker(_clipboard_summary, lambda params: CallSubject(kind=params.action)),
)
