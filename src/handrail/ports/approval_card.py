"""The structured content of an approval: the offered scopes, the facts as data, and the parts of a change.

These are additions to contract 5 (`ports/prompts.py`); only handrail's own approvals have them.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.wire import Wire

Scope = Literal["once", "task", "rule"]


class Grant(Wire, frozen=True, kw_only=True):
    """What an approval allows in addition to the call: which tools, where, in which project, for whom, until when.

    `path` is a pattern in which the path that was shown is escaped (`kernel/glob.py`). `project` and `identity` are
    one value, or `*` for all. With a `task`, the grant ends with it. In a response, a missing member means what was
    offered.
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
    """A scope that the person may choose, with the exact rule that it creates; `once` creates none.

    The texts say the same for people, in one line each, without hidden characters.
    """

    scope: Scope
    grant: Grant | UnsetType = UNSET
    what: str | UnsetType = UNSET
    where: str | UnsetType = UNSET
    who: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    is_wide: bool = False
    """It allows so much that it requires proof of presence."""


Risk = Literal["undoable", "leaves", "code", "secrets"]


class CardFact(Wire, frozen=True, kw_only=True):
    """A fact. With a `code` it is one of handrail's sentences, and `value` is the sentence's object."""

    name: str = ""
    value: str = ""
    code: str | UnsetType = UNSET
    of: str | UnsetType = UNSET
    """In `changed`: which fact has changed; `object`, `kind` and `within` are members of the card."""


class Card(Wire, frozen=True, kw_only=True):
    """What an approval asks, as data that clients show in the person's language. Only the gate's approvals have it."""

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
    """The place on the web and the MCP server, as rules name them."""
    reason: str = ""
    """The reason in the agent's own words."""
    risks: tuple[Risk, ...] = ()
    notes: tuple[CardFact, ...] = ()
    unseen: CardFact | UnsetType = UNSET
    changed: tuple[CardFact, ...] = ()
    facts: tuple[CardFact, ...] = ()
    params: tuple[CardFact, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    """For a command: each program that it starts, with its arguments."""
    digest: str = ""


class ChangeHunk(Wire, frozen=True, kw_only=True):
    """Lines that differ, counted from 1, without context; hidden characters are escaped."""

    start_old: int
    start_new: int
    lines_old: tuple[str, ...] = ()
    lines_new: tuple[str, ...] = ()


class ChangePart(Wire, frozen=True, kw_only=True):
    """A file of a change, of which a person may approve some hunks, all or none."""

    path: str
    hunks: tuple[ChangeHunk, ...] = ()
    content: str | UnsetType = UNSET
    """The proposed text, if a person may edit it."""


class ChosenPart(Wire, frozen=True, kw_only=True):
    """What a person approves of a file: hunks by their indexes, from 0, or their own text; neither means all of it."""

    path: str | UnsetType = UNSET
    hunks: tuple[int, ...] | UnsetType = UNSET
    content: str | UnsetType = UNSET
