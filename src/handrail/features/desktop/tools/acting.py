"""desktop.click, typeText and hotkey of contract 1, and its extensions dismissModal, pointer and window."""

from typing import Annotated, Literal

from msgspec import Meta

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.actions import ClickOptions, HotkeyOptions, TypeTextOptions
from handrail.features.desktop.host.methods.dismiss_modal import Strategy
from handrail.features.desktop.host.methods.pointer import Steps
from handrail.features.desktop.host.methods.window import Extent, Pixels
from handrail.features.desktop.host.params import LONGEST_TEXT, Name, PlaceTarget, Point, Target
from handrail.features.desktop.messages import Acted, RoutedParams
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000
_TYPING_WITHIN_MS = 60_000


class ClickParams(RoutedParams, frozen=True, kw_only=True):
    target: PlaceTarget
    options: ClickOptions | None = None


class ClickResult(Acted, frozen=True, kw_only=True):
    clicked: Literal[True]


async def desktop_click(desktop: Desktop, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element of a desktop window: by `target.elementRef` (the `elementId` from desktop_observe or
    desktop_find is enough), by `target.selector`, a `target.mark` of a picture, or a `target.point` of the screen.
    `options.count: 2` is a double click. The answer says what changed. DESKTOP_ELEMENT_NOT_FOUND with `stale`: the
    element is gone or another; look again.
    """
    return await act_and_tell(desktop, call, preview, ClickResult, "Clicked.", _WITHIN_MS)


def _click_summary(params: ClickParams, target: str) -> str:
    options = params.options or ClickOptions()
    button = "" if options.button == "left" else f" with the {options.button} button"
    times = {1: "Click", 2: "Double-click", 3: "Triple-click"}[options.count]
    return f"{times} {_place(params.target, target)}{button}"


def _place(target: PlaceTarget, words: str) -> str:
    if target.point is not None:
        return f"at {target.point.x},{target.point.y} of {words}"
    return words if target.mark is None else f"what is marked {target.mark}: {words}"


CLICK = acting_tool(desktop_click, ClickParams, ClickResult, "Click", _click_summary, _WITHIN_MS)


class PointerParams(RoutedParams, frozen=True, kw_only=True):
    gesture: Literal["hover", "drag", "scroll"]
    target: PlaceTarget
    to: Point | None = None
    down: Steps = 0
    right: Steps = 0


class Done(Acted, frozen=True, kw_only=True):
    done: Literal[True]


async def desktop_pointer(desktop: Desktop, call: Call, params: PointerParams, preview: Preview | None) -> Reply:
    """Move the pointer over a target of a desktop window (`hover`), `drag` it to a point of the same window, or
    `scroll` there by steps `down` or `right`, negative for up and left.
    """
    return await act_and_tell(desktop, call, preview, Done, "Done.", _WITHIN_MS)


def _pointer_summary(params: PointerParams, target: str) -> str:
    place = _place(params.target, target)
    if params.to is not None:
        return f"Drag from {place} to {params.to.x},{params.to.y}"
    if params.gesture == "hover":
        return f"Move the pointer to {place}"
    return f"Scroll by {params.down} down, {params.right} right at {place}"


POINTER = acting_tool(desktop_pointer, PointerParams, Done, "Use the pointer", _pointer_summary, _WITHIN_MS)


class WindowParams(RoutedParams, frozen=True, kw_only=True):
    action: Literal["close", "quit", "move", "resize", "minimize", "maximize", "restore"]
    x: Pixels | None = None
    y: Pixels | None = None
    width: Extent | None = None
    height: Extent | None = None


async def desktop_window(desktop: Desktop, call: Call, params: WindowParams, preview: Preview | None) -> Reply:
    """Close a desktop window as its user would (`quit`: all windows of its program), move it (`x`, `y`), resize it
    (`width`, `height`), minimize, maximize or restore it.
    """
    return await act_and_tell(desktop, call, preview, Done, "Asked for.", _WITHIN_MS)


def _window_summary(params: WindowParams, target: str) -> str:
    where = {"move": f" to {params.x},{params.y}", "resize": f" to {params.width}×{params.height}"}
    return f"{params.action.capitalize()} {target}{where.get(params.action, '')}"


WINDOW = acting_tool(desktop_window, WindowParams, Done, "Arrange a window", _window_summary, _WITHIN_MS)


class TypeTextParams(RoutedParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    target: Target | None = None
    options: TypeTextOptions = TypeTextOptions()


class TypeTextResult(Acted, frozen=True, kw_only=True):
    typed: Literal[True]


async def desktop_type_text(desktop: Desktop, call: Call, params: TypeTextParams, preview: Preview | None) -> Reply:
    """Type text into a field of a desktop window, named as in desktop_click; without a `target` into whatever has
    the focus there. Any Unicode; the clipboard is left as it was. `options.clearBefore` empties the field first.
    """
    return await act_and_tell(desktop, call, preview, TypeTextResult, "Typed.", _TYPING_WITHIN_MS)


def _type_text_summary(params: TypeTextParams, target: str) -> str:
    emptied = ", in place of what is there" if params.options.clear_before else ""
    return f"Type {quote_text(params.text)} into {target}{emptied}"


TYPE_TEXT = acting_tool(
    desktop_type_text, TypeTextParams, TypeTextResult, "Type text", _type_text_summary, _TYPING_WITHIN_MS
)


class HotkeyParams(RoutedParams, frozen=True, kw_only=True):
    keys: Annotated[list[Name], Meta(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


class HotkeyResult(Acted, frozen=True, kw_only=True):
    sent: Literal[True]


async def desktop_hotkey(desktop: Desktop, call: Call, params: HotkeyParams, preview: Preview | None) -> Reply:
    """Press keys together in a desktop window, such as `["ctrl", "s"]`, `["alt", "f4"]` or `["enter"]`; `cmd` is
    Control on Linux, `super` the logo key. The answer says what changed.
    """
    return await act_and_tell(desktop, call, preview, HotkeyResult, f"Pressed {'+'.join(params.keys)}.", _WITHIN_MS)


def _hotkey_summary(params: HotkeyParams, target: str) -> str:
    return f"Press {quote_text('+'.join(params.keys))} in {target}"


HOTKEY = acting_tool(desktop_hotkey, HotkeyParams, HotkeyResult, "Press keys", _hotkey_summary, _WITHIN_MS)


class DismissModalParams(RoutedParams, frozen=True, kw_only=True):
    strategy: Strategy


class DismissModalResult(Acted, frozen=True, kw_only=True):
    dismissed: Literal[True]


async def desktop_dismiss_modal(
    desktop: Desktop, call: Call, params: DismissModalParams, preview: Preview | None
) -> Reply:
    """Close the modal window in front: by its default button, by the button whose title contains a text
    (`byTitle` with `titleContains`), or by Escape (`esc`). desktop_list_modals shows the windows and buttons.
    """
    return await act_and_tell(desktop, call, preview, DismissModalResult, "Dismissed.", _WITHIN_MS)


def _dismiss_modal_summary(params: DismissModalParams, target: str) -> str:
    strategy = params.strategy
    if strategy.type == "esc":
        return f"Press Escape in {target}"
    if strategy.type == "defaultButton":
        return f"Dismiss by the default button: {target}"
    return f"Dismiss by the button with {quote_text(strategy.title_contains or '')}: {target}"


DISMISS_MODAL = acting_tool(
    desktop_dismiss_modal,
    DismissModalParams,
    DismissModalResult,
    "Dismiss a modal window",
    _dismiss_modal_summary,
    _WITHIN_MS,
)
