"""desktop.typeText of contract 1."""

from typing import Annotated, Literal

from msgspec import Meta

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.methods.actions import TypeTextOptions
from handrail.features.desktop.host.params import LONGEST_TEXT, Target
from handrail.features.desktop.messages import Acted, RoutedParams
from handrail.features.desktop.windows import act_and_tell, acting_tool
from handrail.kernel.call import Call
from handrail.kernel.quoting import quoted
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 60_000


class Params(RoutedParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    target: Target | None = None
    options: TypeTextOptions = TypeTextOptions()


class Result(Acted, frozen=True, kw_only=True):
    typed: Literal[True]


async def desktop_type_text(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Type text into a field of a desktop window, named as in desktop_click; without a `target` into whatever has
    the focus there. Any Unicode; the clipboard is left as it was. `options.clearBefore` empties the field first.
    """
    return await act_and_tell(desktop, call, preview, Result, "Typed.", _WITHIN_MS)


def _summary(params: Params, target: str) -> str:
    emptied = ", in place of what is there" if params.options.clear_before else ""
    return f"Type {quoted(params.text)} into {target}{emptied}"


TOOL = acting_tool(desktop_type_text, Params, Result, "Type text", _summary, _WITHIN_MS)
