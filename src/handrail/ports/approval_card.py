"""What an approval shows beside its words: how far a yes may reach, the facts as data, and the parts of a change.

These are our additions to contract 5 (`ports/prompts.py`); only handrail's own approvals have them.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.wire import Wire

Scope = Literal["once", "task", "rule"]


class Grant(Wire, frozen=True, kw_only=True):
    """What a yes allows beyond the one call: which tools, where, in which project, for whom, until when.

    `path` is a pattern; what was shown stands in it escaped (`kernel/glob.py`). `project` and `identity` are one each,
    or `*` for all. With a `task`, it ends with that task. In a response, what is left out means what was offered.
    """

    tools: tuple[str, ...] = ()
    path: str | UnsetType = UNSET
    place: str | UnsetType = UNSET
    app: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    server: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    identity: str | UnsetType = UNSET
    task: str | UnsetType = UNSET
    until: str | UnsetType = UNSET


class Offer(Wire, frozen=True, kw_only=True):
    """A scope that the person may choose, with the exact rule it creates; `once` creates none.

    The texts say the same for people, one line each, with nothing hidden in them.
    """

    scope: Scope
    grant: Grant | UnsetType = UNSET
    what: str | UnsetType = UNSET
    where: str | UnsetType = UNSET
    who: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    is_wide: bool = False
    """It reaches so far that it needs proof of presence."""


Risk = Literal["undoable", "leaves", "code", "secrets"]


class CardFact(Wire, frozen=True, kw_only=True):
    """Something to know. With a `code` it is a sentence of handrail's, and `value` what it is about."""

    name: str = ""
    value: str = ""
    code: str | UnsetType = UNSET
    of: str | UnsetType = UNSET
    """In `changed`: which fact of the question was, or is now, so; `object`, `kind` and `within` are the card's own."""


class Card(Wire, frozen=True, kw_only=True):
    """What an approval asks, as data; a client says it in the person's language. Only the gate's own have it."""

    agent: str
    identity: str
    tool: str
    effect: str
    project: str
    object: str = ""
    """The file, element, address, command or tool."""
    kind: str = ""
    """What the object is, such as an element's role."""
    within: str = ""
    """The page, window, server or app that it belongs to."""
    place: str | UnsetType = UNSET
    server: str | UnsetType = UNSET
    """Where on the web and at which MCP server, as rules name it."""
    reason: str = ""
    """Why, in the agent's own words."""
    risks: tuple[Risk, ...] = ()
    notes: tuple[CardFact, ...] = ()
    unseen: CardFact | UnsetType = UNSET
    changed: tuple[CardFact, ...] = ()
    facts: tuple[CardFact, ...] = ()
    params: tuple[CardFact, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    """Of a command: each program that it starts, with its arguments."""
    digest: str = ""


class ChangeHunk(Wire, frozen=True, kw_only=True):
    """Lines that differ, counted from 1, without context; hidden characters are shown."""

    start_old: int
    start_new: int
    lines_old: tuple[str, ...] = ()
    lines_new: tuple[str, ...] = ()


class ChangePart(Wire, frozen=True, kw_only=True):
    """A file of a change, of which a person may take some hunks, all or none."""

    path: str
    hunks: tuple[ChangeHunk, ...] = ()
    content: str | UnsetType = UNSET
    """The proposed text, where a person may edit it."""


class ChosenPart(Wire, frozen=True, kw_only=True):
    """What a person takes of a file: hunks by their places, from 0, or a text of their own; neither: all of it."""

    path: str | UnsetType = UNSET
    hunks: tuple[int, ...] | UnsetType = UNSET
    content: str | UnsetType = UNSET
