"""tools_search: finds tools of handrail and of all servers by keywords."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from handrail.features.gateway.gateway import Gateway
from handrail.features.gateway.request_words import KNOWN_WORDS, request_words, spelling, stem, stems_of, synonyms
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.tool import Preview, Reply, Tool

_MOST = 50
_LONGEST_LINE = 200
_SHORT_WORD = 3
_NOTHING = "Nothing matches. Use other words, or an empty query for all tools."
_NAME, _TITLE, _DESCRIPTION = 3.0, 2.0, 1.0
_OTHER_WORD = 0.6
"""The share that a word for the same thing counts, or a typo's correction."""
_RELEVANT = 0.25
"""The share of the best match's score below which others are left out."""


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
    return Reply(Result(matches, len(ranked)), text="\n".join([*lines, *more]) or _NOTHING)


def searchable_tools(gateway: Gateway) -> Iterator[RegisteredTool]:
    return (entry for entry in gateway.registry() if not entry.tool.finds_tools)


def rank(query: str, entries: Sequence[RegisteredTool]) -> Sequence[RegisteredTool]:
    """The entries that match, the best first. Rare words weigh more than common ones."""
    words = request_words(query)
    if not words:
        return entries
    index = _Index(entries)
    scores = [0.0] * len(entries)
    for word in words:
        matches = index.find(word)
        rarity = math.log(1 + len(entries) / (1 + len(matches)))
        for number, score in matches.items():
            scores[number] += score * rarity
    least = max(scores, default=0.0) * _RELEVANT
    order = sorted(range(len(entries)), key=lambda number: -scores[number])
    return [entries[number] for number in order if scores[number] and scores[number] >= least]


class _Index:
    """How much each word of the tools' names and descriptions says for each tool."""

    def __init__(self, entries: Sequence[RegisteredTool]) -> None:
        self._tools: dict[str, dict[int, float]] = {}
        for number, entry in enumerate(entries):
            tool = entry.tool
            for text, score in ((tool.description, _DESCRIPTION), (tool.title, _TITLE), (tool.listed_name, _NAME)):
                for word in stems_of(text):
                    self._tools.setdefault(word, {})[number] = score

    def find(self, word: str) -> dict[int, float]:
        """The tools with this word or, less certainly, another one for it, by number."""
        own = stem(word)
        others = synonyms(own)
        if not (own in self._tools or others):
            others = frozenset(self._begin_with(own)) or frozenset(self._corrected(own))
        found = dict[int, float]()
        for each in others:
            for number, score in self._tools.get(each, {}).items():
                found[number] = max(found.get(number, 0.0), score * _OTHER_WORD)
        for number, score in self._tools.get(own, {}).items():
            found[number] = max(found.get(number, 0.0), score)
        return found

    def _begin_with(self, start: str) -> Iterator[str]:
        is_word = len(start) > _SHORT_WORD
        return (each for each in self._tools if is_word and each.startswith(start))

    def _corrected(self, word: str) -> Iterator[str]:
        for each in spelling(KNOWN_WORDS.union(self._tools)).corrections(word):
            yield from (each, *synonyms(each))


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
