"""desktop.launch and desktop.clipboard: they act on no window that is there yet."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from handrail.features.desktop.declaration import desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import LONGEST_TEXT, Name
from handrail.features.desktop.messages import DesktopParams, Executed, on_wire, read, said
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.quoting import quote_text
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Preview, Reply
from handrail.ports.effect import Effect
from handrail.ports.prompts import ApprovedAction

_LAUNCH_MS = 30_000
_CLIPBOARD_MS = 15_000
ParamsT = TypeVar("ParamsT", bound=DesktopParams)


def _previewing(
    summary: Callable[[ParamsT], str], about: Callable[[ParamsT], CallSubject]
) -> Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]:
    async def preview(desktop: Desktop, call: Call, params: ParamsT) -> Preview:
        sent = on_wire(params)
        allowed = digest(sent)
        return Preview(
            summary(params),
            about=about(params),
            app=getattr(params, "app", None),
            binding={"paramsDigest": allowed},
            state=sent,
            warrant=ApprovedAction(method=method_of(call.tool), params_digest=allowed),
            executor=desktop.executor(),
        )

    return preview


class LaunchParams(DesktopParams, frozen=True, kw_only=True):
    app: Name
    file: Name | None = None


class LaunchResult(Executed, frozen=True, kw_only=True):
    launched: Literal[True]
    pid: int
    window: dict[str, Any] | None = None


async def desktop_launch(desktop: Desktop, call: Call, params: LaunchParams, preview: Preview | None) -> Reply:
    """Start an installed app (`gedit`), if wanted with a `file` of the project. Returns its first window."""
    assert preview is not None
    told = read(await desktop.act(call, method_of(call.tool), preview.state, _LAUNCH_MS), LaunchResult)
    if told.window is None:
        return Reply(told, text="Launched. No new window was seen.")
    return Reply(told, text=said("Launched.", f"window {quote_text(str(told.window.get('title', '')))}"))


async def _launched(desktop: Desktop, call: Call, params: LaunchParams) -> Target:
    return Target(app=params.app.removesuffix(".desktop"))


def _launch_summary(params: LaunchParams) -> str:
    return f"Launch {quote_text(params.app)}" + (f" with {quote_text(params.file)}" if params.file else "")


LAUNCH = desktop_tool(
    desktop_launch,
    LaunchParams,
    LaunchResult,
    "Launch an app",
    effect=Effect.UI_CONTROL,
    deadline_ms=_LAUNCH_MS,
    preview=_previewing(_launch_summary, lambda params: CallSubject(params.app, "app", "")),
    locate=_launched,
)


class ClipboardParams(DesktopParams, frozen=True, kw_only=True):
    action: Literal["read", "write"]
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)] | None = None


class ClipboardResult(Executed, frozen=True, kw_only=True):
    done: Literal[True]
    text: str | UnsetType | None = UNSET


async def desktop_clipboard(desktop: Desktop, call: Call, params: ClipboardParams, preview: Preview | None) -> Reply:
    """Read the clipboard's text, or `write` one."""
    assert preview is not None
    told = read(await desktop.act(call, method_of(call.tool), preview.state, _CLIPBOARD_MS), ClipboardResult)
    if params.action == "write":
        return Reply(told, text="The clipboard has it.")
    if not isinstance(told.text, str):
        return Reply(told, text="The clipboard has no text.")
    return Reply(told, text=said("The clipboard has:", told.text))


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
    deadline_ms=_CLIPBOARD_MS,
    preview=_previewing(_clipboard_summary, lambda params: CallSubject(kind=params.action)),
)
