"""desktop.find of contract 1."""

from handrail.features.desktop.declaration import desktop_tool
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.params import Selector
from handrail.features.desktop.messages import Executed, Ref, RoutedParams, on_wire, read
from handrail.features.desktop.windows import ask_of_window
from handrail.features.desktop.wording import ref_line, said
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Reply

_WITHIN_MS = 30_000


class Params(RoutedParams, frozen=True, kw_only=True):
    selector: Selector


class Result(Executed, frozen=True, kw_only=True):
    element_refs: list[Ref]
    matched: int


async def desktop_find(desktop: Desktop, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Find elements of a desktop window, the best match first: by role (`AXButton` or the toolkit's own name), by
    text in title or value, by place (`byRect`, `byPath`), or `near` another element.
    """
    result = read(await ask_of_window(desktop, call, on_wire(params), _WITHIN_MS), Result)
    await desktop.check_place(call, result.route_resolved)
    words = f"{result.matched} found." if result.matched else "Nothing fits. desktop_observe shows what there is."
    return Reply(result, text=said(words, "\n".join(map(ref_line, result.element_refs))))


TOOL = desktop_tool(desktop_find, Params, Result, "Find elements", deadline_ms=_WITHIN_MS)
