"""Acting on an element of a page, or on the page: click, type, press a key, choose, hover, scroll."""

from handrail.features.browser.browser import Browser
from handrail.features.browser.browser_tool import input_tool
from handrail.features.browser.bus.browser_action import ElementParams
from handrail.features.browser.bus.input_actions import (
    CLICK,
    HOVER,
    PRESS_KEY,
    SCROLL,
    SELECT_OPTION,
    TYPE,
    ClickParams,
    PressKeyParams,
    ScrollParams,
    SelectOptionParams,
    TypeParams,
)
from handrail.features.browser.page_input import act_and_reply
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply


async def browser_click(browser: Browser, call: Call, params: ClickParams, preview: Preview | None) -> Reply:
    """Click an element, by its `clickId` from browser_dom_index (or by `xpath`). It is scrolled into view, and
    refused when something covers it. The answer tells in a few lines what changed. INVALID_TARGET: the element
    is gone or covered; index the page again.
    """
    return await act_and_reply(browser, call, CLICK, params, preview, "Clicked.")


async def browser_type(browser: Browser, call: Call, params: TypeParams, preview: Preview | None) -> Reply:
    """Type into a field, in place of what it holds; with `append` after it, with `submit` followed by Enter. The
    answer tells what changed.
    """
    return await act_and_reply(browser, call, TYPE, params, preview, "Typed.")


async def browser_press_key(browser: Browser, call: Call, params: PressKeyParams, preview: Preview | None) -> Reply:
    """Press a key, such as `Enter`, `Escape`, `ArrowDown` or `Control+a`, on an element or on whatever has the
    focus. The answer tells what changed.
    """
    return await act_and_reply(browser, call, PRESS_KEY, params, preview, f"Pressed {params.key}.")


async def browser_select_option(
    browser: Browser, call: Call, params: SelectOptionParams, preview: Preview | None
) -> Reply:
    """Choose the options of a list by their values or labels; in a list that takes only one, that one. The
    answer tells what changed.
    """
    return await act_and_reply(browser, call, SELECT_OPTION, params, preview, "Selected.")


async def browser_hover(browser: Browser, call: Call, params: ElementParams, preview: Preview | None) -> Reply:
    """Move the mouse over an element, so that what it shows only then appears. The answer tells what changed."""
    return await act_and_reply(browser, call, HOVER, params, preview, "Hovered.")


async def browser_scroll(browser: Browser, call: Call, params: ScrollParams, preview: Preview | None) -> Reply:
    """Scroll the page, or the list that an element stands in; with an element and no `direction`, that element
    into view. `atEnd` tells that there is nothing more in that direction.
    """
    return await act_and_reply(browser, call, SCROLL, params, preview, "Scrolled.")


TOOLS = (
    input_tool(CLICK, browser_click, lambda params, element: f"Click {element}"),
    input_tool(
        TYPE,
        browser_type,
        lambda params, element: f"Type {quoted(params.text)} into {element}{', then Enter' if params.submit else ''}",
    ),
    input_tool(
        PRESS_KEY,
        browser_press_key,
        lambda params, element: f"Press {quoted(params.key)}" + (f" on {element}" if element else ""),
        on_focus=True,
    ),
    input_tool(
        SELECT_OPTION,
        browser_select_option,
        lambda params, element: f"Choose {', '.join(map(quoted, params.values))} in {element}",
    ),
    input_tool(HOVER, browser_hover, lambda params, element: f"Move the mouse over {element}"),
    input_tool(SCROLL, browser_scroll, lambda params, element: f"Scroll {element or params.direction or 'down'}"),
)
