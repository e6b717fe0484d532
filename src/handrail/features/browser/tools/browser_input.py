"""The tools that act on a page or an element of it: click, type, press a key, choose, hover, scroll."""

from msgspec import UNSET

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import input_tool
from handrail.features.browser.bus.input_actions import (
    CLICK,
    DRAG,
    FILL,
    HOVER,
    PRESS_KEY,
    SCROLL,
    SELECT_OPTION,
    SELECT_TEXT,
    TYPE,
    ClickParams,
    DragParams,
    FillParams,
    PointParams,
    PressKeyParams,
    ScrollParams,
    SelectOptionParams,
    SelectTextParams,
    TypeParams,
)
from handrail.features.browser.page_input import act_and_reply
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply


async def browser_click(browser: Browser, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element, or a point. The answer says what changed."""
    return await act_and_reply(browser, call, CLICK, params, preview, "Clicked.")


async def browser_type(browser: Browser, call: Call, params: TypeParams, preview: Preview | None) -> Reply:
    """Type into a field, replacing its text, or into what has the focus. `submit` adds Enter."""
    return await act_and_reply(browser, call, TYPE, params, preview, "Typed.")


async def browser_press_key(browser: Browser, call: Call, params: PressKeyParams, preview: Preview | None) -> Reply:
    """Press a key (`Enter`, `Control+a`) on an element or on what has the focus."""
    return await act_and_reply(browser, call, PRESS_KEY, params, preview, f"Pressed {params.key}.")


async def browser_select_option(
    browser: Browser, call: Call, params: SelectOptionParams, preview: Preview | None
) -> Reply:
    """Choose from any kind of list, by label or value."""
    return await act_and_reply(browser, call, SELECT_OPTION, params, preview, "Selected.")


async def browser_hover(browser: Browser, call: Call, params: PointParams, preview: Preview | None) -> Reply:
    """Move the mouse over an element, or a point in it."""
    return await act_and_reply(browser, call, HOVER, params, preview, "Hovered.")


async def browser_drag(browser: Browser, call: Call, params: DragParams, preview: Preview | None) -> Reply:
    """Drag an element to another one, by `dx`, `dy`, or along `path`."""
    return await act_and_reply(browser, call, DRAG, params, preview, "Dragged.")


async def browser_fill(browser: Browser, call: Call, params: FillParams, preview: Preview | None) -> Reply:
    """Fill in several fields: text, an option's label, true or false for boxes."""
    return await act_and_reply(browser, call, FILL, params, preview, "Filled in.")


async def browser_select_text(browser: Browser, call: Call, params: SelectTextParams, preview: Preview | None) -> Reply:
    """Select an element's text, or `text` in it."""
    return await act_and_reply(browser, call, SELECT_TEXT, params, preview, "Selected.")


async def browser_scroll(browser: Browser, call: Call, params: ScrollParams, preview: Preview | None) -> Reply:
    """Scroll the page or an element's list, or the element into view."""
    return await act_and_reply(browser, call, SCROLL, params, preview, "Scrolled.")


def _click_of(params: ClickParams) -> str:
    keys = "" if params.modifiers is UNSET else f"{'+'.join(params.modifiers)}+"
    times = {2: "double-", 3: "triple-"}.get(params.clicks or 1, "")
    button = "" if params.button in (UNSET, "left") else f"{params.button}-"
    held = f" and hold for {params.hold_ms} ms" if params.hold_ms else ""
    words = f"{keys}{button}{times}click{held}"
    return words[0].upper() + words[1:]


def _point_of(params: PointParams) -> str:
    return "" if params.x is UNSET or params.y is UNSET else f" at the point {params.x:g}, {params.y:g}"


def _way_of(params: DragParams) -> str:
    if params.to_click_id is not UNSET:
        return f"to the element {params.to_click_id}"
    if params.path is not UNSET:
        return f"along {len(params.path)} points"
    return f"by {params.dx or 0:g}, {params.dy or 0:g} pixels"


def _fields_of(params: FillParams) -> str:
    told = ", ".join(f"{each.click_id}: {quote_text(str(each.value), 60)}" for each in params.fields)
    return f"{told}{', then Enter' if params.submit else ''}"


TOOLS = (
    input_tool(CLICK, browser_click, lambda params, element: f"{_click_of(params)} {element}{_point_of(params)}"),
    input_tool(
        TYPE,
        browser_type,
        lambda params, element: (
            f"Type {quote_text(params.text)} into {element or 'what has the focus'}"
            f"{', then Enter' if params.submit else ''}"
        ),
        on_focus=True,
    ),
    input_tool(FILL, browser_fill, lambda params, element: f"Fill in {_fields_of(params)}"),
    input_tool(DRAG, browser_drag, lambda params, element: f"Drag {element}{_point_of(params)} {_way_of(params)}"),
    input_tool(
        SELECT_TEXT,
        browser_select_text,
        lambda params, element: f"Select {quote_text(params.text) if params.text else 'the text'} of {element}",
    ),
    input_tool(
        PRESS_KEY,
        browser_press_key,
        lambda params, element: f"Press {quote_text(params.key)}" + (f" on {element}" if element else ""),
        on_focus=True,
    ),
    input_tool(
        SELECT_OPTION,
        browser_select_option,
        lambda params, element: f"Choose {', '.join(map(quote_text, params.values))} in {element}",
    ),
    input_tool(HOVER, browser_hover, lambda params, element: f"Move the mouse over {element}{_point_of(params)}"),
    input_tool(SCROLL, browser_scroll, lambda params, element: f"Scroll {element or params.direction or 'down'}"),
)
