"""tools_search: finds tools of handrail and of all servers by keywords."""

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
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a all an and at by for from i in into is it its me my of on or s so that the there this to up what which with"
    )
)
"""Words that carry no information about a tool."""


class Params(msgspec.Struct, frozen=True):
    query: Annotated[str, msgspec.Meta(description="Words; empty lists all.", max_length=500)] = ""
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0


class Match(msgspec.Struct, frozen=True):
    name: str
    description: str


class Result(msgspec.Struct, frozen=True, rename="camel"):
    tools: list[Match]
    total: int


async def tools_search(gateway: Gateway, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Find tools by keyword, across all servers."""
    ranked = rank(params.query, list(searchable_tools(gateway)))
    shown = ranked[params.offset : params.offset + _MOST]
    matches = [Match(entry.tool.listed_name, _line(entry)) for entry in shown]
    lines = [f"{each.name}: {each.description}" for each in matches]
    remaining = len(ranked) - params.offset - len(matches)
    more = [f"({remaining} more: offset {params.offset + len(matches)})"] if remaining > 0 else []
    return Reply(Result(matches, len(ranked)), text="\n".join([*lines, *more]) or "Nothing matches.")


def searchable_tools(gateway: Gateway) -> Iterator[RegisteredTool]:
    return (entry for entry in gateway.registry() if not entry.tool.finds_tools)


def rank(query: str, entries: Sequence[RegisteredTool]) -> Sequence[RegisteredTool]:
    """The entries that match, the best first. Rare words weigh more than common ones."""
    words = _words(query)
    if not words:
        return entries
    matrix = [[_score(entry, word) for word in words] for entry in entries]
    rarity = [math.log(1 + len(entries) / (1 + sum(map(bool, column)))) for column in zip(*matrix, strict=True)]
    scores = [sum(map(operator.mul, row, rarity)) for row in matrix]
    order = sorted(range(len(entries)), key=lambda number: -scores[number])
    return [entries[number] for number in order if scores[number]]


def _words(text: str) -> list[str]:
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(text))
    return [word for word in words if word not in _STOP_WORDS] or list(words)


def _score(entry: RegisteredTool, word: str) -> int:
    """A word in the name counts more than one in the description; parts of words count too."""
    stem = word.removesuffix("s") if len(word) > _SHORT_WORD else word
    name, description = entry.tool.listed_name.casefold(), f"{entry.tool.title} {entry.tool.description}".casefold()
    return 3 if stem in name else 1 if stem in description else 0


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
