"""tools_search: tools of handrail and of all servers, by words."""

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

from handrail.features.gateway.gateway import Gateway
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.registry import Registered
from handrail.kernel.tool import Preview, Reply, Tool

_MOST = 50
_LONGEST_LINE = 200
_WORD = re.compile(r"[^\W_]+")


class Params(msgspec.Struct, frozen=True):
    query: Annotated[str, msgspec.Meta(description="Words; empty lists all.", max_length=500)] = ""
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0


class Found(msgspec.Struct, frozen=True):
    name: str
    description: str


class Result(msgspec.Struct, frozen=True, rename="camel"):
    tools: list[Found]
    total: int


async def tools_search(gateway: Gateway, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Find tools by words, those of all servers included."""
    words = _words(params.query)
    ranked = sorted(
        ((score, number, entry) for number, entry in enumerate(others(gateway)) if (score := _score(entry, words))),
        key=lambda each: (-each[0], each[1]),
    )
    shown = ranked[params.offset : params.offset + _MOST]
    found = [Found(entry.tool.listed_name, _line(entry)) for _, _, entry in shown]
    lines = [f"{each.name}: {each.description}" for each in found]
    left = len(ranked) - params.offset - len(found)
    more = [f"({left} more: offset {params.offset + len(found)})"] if left > 0 else []
    return Reply(Result(found, len(ranked)), text="\n".join([*lines, *more]) or "Nothing found.")


def others(gateway: Gateway) -> Iterator[Registered]:
    return (entry for entry in gateway.registry() if not entry.tool.finds_tools)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _score(entry: Registered, words: set[str]) -> int:
    """Words in the name count more than those in the description; a part of a word counts as well."""
    if not words:
        return 1
    name, said = entry.tool.listed_name.casefold(), f"{entry.tool.title} {entry.tool.description}".casefold()
    return sum(3 if word in name else 1 if word in said else 0 for word in words)


def _line(entry: Registered) -> str:
    text = " ".join(entry.tool.description.split())
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"


TOOL = Tool(
    name="tools_search",
    title="Find tools",
    params=Params,
    input_schema=schema_of(Params),
    finds_tools=True,
    run=tools_search,
)
