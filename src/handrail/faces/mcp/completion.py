"""What a person may mean while they type an argument: the names that stand on a shelf."""

import re
from collections.abc import Sequence
from typing import Any

from handrail.faces.mcp.sdk import types
from handrail.kernel.tool import SHELF_KEYWORD, Shelf, Tool
from handrail.ports.errors import NotFound

_MOST_VALUES = 100
_VARIABLE = re.compile(r"\{[+#./;?&]?([A-Za-z0-9_]+)\}")


def meant_shelf(
    params: types.CompleteRequestParams, prompts: Sequence[Tool[Any, Any]], shelves: Sequence[Shelf]
) -> Shelf | None:
    """None where any text will do. NotFound."""
    wanted = params.argument.name
    if isinstance(params.ref, types.PromptReference):
        for prompt in prompts:
            if prompt.name == params.ref.name:
                argument = prompt.input_schema.get("properties", {}).get(wanted, {})
                return next((shelf for shelf in shelves if shelf.name == argument.get(SHELF_KEYWORD)), None)
        raise NotFound(f"There is no prompt named {params.ref.name!r}.")
    for shelf in shelves:
        if shelf.template == params.ref.uri:
            return shelf if wanted in _VARIABLE.findall(shelf.template) else None
    raise NotFound(f"There is no template {params.ref.uri}.")


def completion(names: Sequence[str], typed: str) -> dict[str, Any]:
    """What begins with it first, then what has it anywhere."""
    begun = typed.casefold()
    found = sorted(
        (name for name in names if begun in name.casefold()),
        key=lambda name: (not name.casefold().startswith(begun), name),
    )
    shown = {"values": found[:_MOST_VALUES], "total": len(found), "hasMore": len(found) > _MOST_VALUES}
    return {"completion": shown}
