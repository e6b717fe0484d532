"""Tools that act on a window: click, type text, press keys, use the pointer, menus, values, windows and dialogs."""

from typing import Annotated, Literal

from msgspec import Meta

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.dismiss_modal import DismissModalParams
from handrail.features.desktop.host.methods.fields import SetValueParams, TypeTextOptions
from handrail.features.desktop.host.methods.hotkey import HotkeyParams
from handrail.features.desktop.host.methods.pointer import ClickParams, PointerParams
from handrail.features.desktop.host.methods.window import MenuParams, WindowParams
from handrail.features.desktop.host.params import LONGEST_TEXT, PlaceTarget, RoutedParams, Target
from handrail.features.desktop.messages import ActionResult
from handrail.features.desktop.window_tools import acting_tool, perform_action
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply

_TIMEOUT_MS = 30_000
_TYPING_TIMEOUT_MS = 60_000


class ClickResult(ActionResult, frozen=True, kw_only=True):
    clicked: Literal[True]


async def desktop_click(desktop: Desktop, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element of a desktop window: a `target.elementRef` (its `elementId` is enough), a `selector`, a `mark`
    of a picture, or a `point` of the screen. `options.count: 2` double-clicks. An error with `stale`: look again.
    """
    return await perform_action(desktop, call, preview, ClickResult, "Clicked.", _TIMEOUT_MS)


def _click_summary(params: ClickParams, target: str) -> str:
    options = params.options
    button = "" if options.button == "left" else f" with the {options.button} button"
    verb = {1: "Click", 2: "Double-click", 3: "Triple-click"}[options.count]
    return f"{verb} {_describe_place(params.target, target)}{button}"


def _describe_place(target: PlaceTarget, description: str) -> str:
    if target.point is not None:
        return f"at {target.point.x},{target.point.y} of {description}"
    return description if target.mark is None else f"mark {target.mark}: {description}"


CLICK = acting_tool(desktop_click, ClickParams, ClickResult, "Click", _click_summary, _TIMEOUT_MS)


class DoneResult(ActionResult, frozen=True, kw_only=True):
    done: Literal[True]


async def desktop_pointer(desktop: Desktop, call: Call, params: PointerParams, preview: Preview | None) -> Reply:
    """Move the pointer over a target of a desktop window (`hover`), `drag` it to a point of the same window, or
    `scroll` there by steps `down` or `right`, negative for up and left.
    """
    return await perform_action(desktop, call, preview, DoneResult, "Done.", _TIMEOUT_MS)


def _pointer_summary(params: PointerParams, target: str) -> str:
    description = _describe_place(params.target, target)
    if params.to is not None:
        return f"Drag from {description} to {params.to.x},{params.to.y}"
    if params.gesture == "hover":
        return f"Move the pointer to {description}"
    return f"Scroll by {params.down} down, {params.right} right at {description}"


POINTER = acting_tool(desktop_pointer, PointerParams, DoneResult, "Use the pointer", _pointer_summary, _TIMEOUT_MS)


async def desktop_window(desktop: Desktop, call: Call, params: WindowParams, preview: Preview | None) -> Reply:
    """Close a desktop window (`quit`: all of its program), move it (`x`, `y`), resize it (`width`, `height`), minimize,
    maximize or restore it.
    """
    return await perform_action(desktop, call, preview, DoneResult, "Asked for.", _TIMEOUT_MS)


def _window_summary(params: WindowParams, target: str) -> str:
    suffixes = {"move": f" to {params.x},{params.y}", "resize": f" to {params.width}×{params.height}"}
    return f"{params.action.capitalize()} {target}{suffixes.get(params.action, '')}"


WINDOW = acting_tool(desktop_window, WindowParams, DoneResult, "Arrange a window", _window_summary, _TIMEOUT_MS)


class TypeTextParams(RoutedParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    target: Target | None = None
    options: TypeTextOptions = TypeTextOptions()


class TypeTextResult(ActionResult, frozen=True, kw_only=True):
    typed: Literal[True]


async def desktop_type_text(desktop: Desktop, call: Call, params: TypeTextParams, preview: Preview | None) -> Reply:
    """Type any text into a desktop window: into a `target` as in desktop_click, otherwise where the focus is.
    `options.clearBefore` empties the field first.
    """
    return await perform_action(desktop, call, preview, TypeTextResult, "Typed.", _TYPING_TIMEOUT_MS)


def _type_text_summary(params: TypeTextParams, target: str) -> str:
    suffix = ", replacing its text" if params.options.clear_before else ""
    return f"Type {quote_text(params.text)} into {target}{suffix}"


TYPE_TEXT = acting_tool(
    desktop_type_text, TypeTextParams, TypeTextResult, "Type text", _type_text_summary, _TYPING_TIMEOUT_MS
)


class HotkeyResult(ActionResult, frozen=True, kw_only=True):
    sent: Literal[True]


async def desktop_hotkey(desktop: Desktop, call: Call, params: HotkeyParams, preview: Preview | None) -> Reply:
    """Press keys together in a desktop window, such as `["ctrl", "s"]` or `["enter"]`; `cmd` is Control on Linux,
    `super` the logo key.
    """
    return await perform_action(desktop, call, preview, HotkeyResult, f"Pressed {'+'.join(params.keys)}.", _TIMEOUT_MS)


def _hotkey_summary(params: HotkeyParams, target: str) -> str:
    return f"Press {quote_text('+'.join(params.keys))} in {target}"


HOTKEY = acting_tool(desktop_hotkey, HotkeyParams, HotkeyResult, "Press keys", _hotkey_summary, _TIMEOUT_MS)


class DismissModalResult(ActionResult, frozen=True, kw_only=True):
    dismissed: Literal[True]


async def desktop_dismiss_modal(
    desktop: Desktop, call: Call, params: DismissModalParams, preview: Preview | None
) -> Reply:
    """Close the modal window in front by its default button, a button (`byTitle` with `titleContains`) or Escape
    (`esc`). desktop_list_modals shows them.
    """
    return await perform_action(desktop, call, preview, DismissModalResult, "Dismissed.", _TIMEOUT_MS)


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
    _TIMEOUT_MS,
)


async def desktop_set_value(desktop: Desktop, call: Call, params: SetValueParams, preview: Preview | None) -> Reply:
    """Set a slider to a number, a check box to true or false, a field to a text, a list or tab bar to an option."""
    return await perform_action(desktop, call, preview, DoneResult, "Set.", _TIMEOUT_MS)


def _set_value_summary(params: SetValueParams, target: str) -> str:
    if isinstance(params.value, bool):
        return f"{'Tick' if params.value else 'Untick'} {target}"
    value = quote_text(params.value) if isinstance(params.value, str) else f"{params.value:g}"
    return f"Set {target} to {value}"


SET_VALUE = acting_tool(desktop_set_value, SetValueParams, DoneResult, "Set a value", _set_value_summary, _TIMEOUT_MS)


async def desktop_menu(desktop: Desktop, call: Call, params: MenuParams, preview: Preview | None) -> Reply:
    """Choose from a window's menu bar by titles, such as `["File", "Save As…"]`. An error lists what there is."""
    return await perform_action(desktop, call, preview, DoneResult, "Chosen.", _TIMEOUT_MS)


def _menu_summary(params: MenuParams, target: str) -> str:
    return f"Choose {quote_text(' ▸ '.join(params.path))} from the menu of {target}"


MENU = acting_tool(desktop_menu, MenuParams, DoneResult, "Choose from the menu", _menu_summary, _TIMEOUT_MS)
