"""tools_search: tools of handrail and of all servers, by words."""

import math
import operator
import re
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from handrail.features.gateway.gateway import Gateway
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.tool import Preview, Reply, Tool

_MOST = 50
_LONGEST_LINE = 200
_WORD = re.compile(r"[^\W_]+")
_SHORT_WORD = 3
_EMPTY = frozenset(
    _WORD.findall(
        "a all an and at by for from i in into is it its me my of on or s so that the there this to up what which with"
    )
)
"""Words that say nothing about a tool."""


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
    """Find tools by keyword, across all servers."""
    ranked = ranked_by(params.query, list(others(gateway)))
    shown = ranked[params.offset : params.offset + _MOST]
    found = [Found(entry.tool.listed_name, _line(entry)) for entry in shown]
    lines = [f"{each.name}: {each.description}" for each in found]
    left = len(ranked) - params.offset - len(found)
    more = [f"({left} more: offset {params.offset + len(found)})"] if left > 0 else []
    return Reply(Result(found, len(ranked)), text="\n".join([*lines, *more]) or "Nothing found.")


def others(gateway: Gateway) -> Iterator[RegisteredTool]:
    return (entry for entry in gateway.registry() if not entry.tool.finds_tools)


def ranked_by(query: str, entries: Sequence[RegisteredTool]) -> Sequence[RegisteredTool]:
    """Those that fit, the best first. A word that few tools have tells more than one that most have."""
    words = _words(query)
    if not words:
        return entries
    fits = [[_fit(entry, word) for word in words] for entry in entries]
    rarity = [math.log(1 + len(entries) / (1 + sum(map(bool, column)))) for column in zip(*fits, strict=True)]
    scores = [sum(map(operator.mul, row, rarity)) for row in fits]
    order = sorted(range(len(entries)), key=lambda number: -scores[number])
    return [entries[number] for number in order if scores[number]]


def _words(text: str) -> list[str]:
    found = dict.fromkeys(word.casefold() for word in _WORD.findall(text))
    return [word for word in found if word not in _EMPTY] or list(found)


def _fit(entry: RegisteredTool, word: str) -> int:
    """Words in the name count more than those in the description; a part of a word counts as well."""
    stem = word.removesuffix("s") if len(word) > _SHORT_WORD else word
    name, said = entry.tool.listed_name.casefold(), f"{entry.tool.title} {entry.tool.description}".casefold()
    return 3 if stem in name else 1 if stem in said else 0


def _line(entry: RegisteredTool) -> str:
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
