"""desktop.setValue and desktop.menu."""

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.choices import Text, Titles
from handrail.features.desktop.host.params import Target
from handrail.features.desktop.messages import RoutedParams
from handrail.features.desktop.tools.acting import Done
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000


class SetValueParams(RoutedParams, frozen=True, kw_only=True):
    target: Target
    value: bool | float | Text


async def desktop_set_value(desktop: Desktop, call: Call, params: SetValueParams, preview: Preview | None) -> Reply:
    """Set a slider to a number, a check box to true or false, a field to a text, or a list or tab bar to the option of
    that title.
    """
    return await act_and_tell(desktop, call, preview, Done, "Set.", _WITHIN_MS)


def _set_value_summary(params: SetValueParams, target: str) -> str:
    if isinstance(params.value, bool):
        return f"{'Tick' if params.value else 'Untick'} {target}"
    value = quote_text(params.value) if isinstance(params.value, str) else f"{params.value:g}"
    return f"Set {target} to {value}"


SET_VALUE = acting_tool(desktop_set_value, SetValueParams, Done, "Set a value", _set_value_summary, _WITHIN_MS)


class MenuParams(RoutedParams, frozen=True, kw_only=True):
    path: Titles


async def desktop_menu(desktop: Desktop, call: Call, params: MenuParams, preview: Preview | None) -> Reply:
    """Choose from a window's menu bar by titles, such as `["File", "Save As…"]`. An error lists what there is."""
    return await act_and_tell(desktop, call, preview, Done, "Chosen.", _WITHIN_MS)


def _menu_summary(params: MenuParams, target: str) -> str:
    return f"Choose {quote_text(' ▸ '.join(params.path))} from the menu of {target}"


MENU = acting_tool(desktop_menu, MenuParams, Done, "Choose from the menu", _menu_summary, _WITHIN_MS)
