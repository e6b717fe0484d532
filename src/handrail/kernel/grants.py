"""Grants, which allow more than one call: whether they cover a call, how wide they are, and which rule they become."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from handrail.kernel.auto_run_files import auto_run_reason
from handrail.kernel.glob import MAX_PATTERN, escape_pattern, matcher, unescape_pattern
from handrail.kernel.target import ANY_PLACE, Target
from handrail.kernel.web_address import place_matcher
from handrail.ports.approval_card import Grant, Offer, Scope
from handrail.ports.errors import InvalidParams
from handrail.ports.policy import Rule, parse_until

ALL = "*"
"""In `project` and `identity`: any of them."""
_SHORT = timedelta(hours=24)


class NotOffered(Exception):
    """The person may not choose this grant. `field` is the one that reaches too far, `why` the reason."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field
        self.why = why


def grant_covers(grant: Grant, tool: str, target: Target, *, project: str, identity: str, task: str | None) -> bool:
    """Whether the grant covers a call. The call must not have what the grant doesn't name."""
    return (
        tool in grant.tools
        and grant.project in (ALL, project)
        and grant.identity in (ALL, identity)
        and (grant.task is UNSET or grant.task == task)
        and _covers_path(grant.path, target.path)
        and _covers_steps(grant.path, target)
        and _covers_place(grant.place, target.place)
        and (grant.app or None) == target.app
        and (grant.command or None) == target.command
        and (grant.server or None) == target.server
    )


def has_expired(grant: Grant, now: datetime) -> bool:
    return grant.until is not UNSET and now >= parse_until(grant.until)


def is_wide(grant: Grant, now: datetime | None = None) -> bool:
    """Whether it needs proof of presence: it lasts long, or is for other projects or agents, or for whole folders."""
    if ALL in (grant.project, grant.identity) or grant.project is UNSET or grant.identity is UNSET:
        return True
    if grant.path is not UNSET and grant.path.rstrip("/*") == "":
        return True
    if grant.task is not UNSET:
        return False
    return grant.until is UNSET or parse_until(grant.until) - (now or datetime.now(UTC)) > _SHORT


def is_within(grant: Grant, offered: Grant) -> bool:
    """Whether it allows nothing that the offered one doesn't."""
    fixed = ("place", "app", "command", "server", "task")
    return (
        set(offered.tools).issuperset(grant.tools)
        and offered.project in (ALL, grant.project)
        and offered.identity in (ALL, grant.identity)
        and all(getattr(grant, name) == getattr(offered, name) for name in fixed)
        and (grant.path == offered.path or _names_one_of(grant.path, offered.path))
        and _ends_by(grant.until, offered.until)
    )


def _ends_by(until: str | UnsetType, last: str | UnsetType) -> bool:
    return last is UNSET or (until is not UNSET and parse_until(until) <= parse_until(last))


def _names_one_of(path: str | UnsetType, pattern: str | UnsetType) -> bool:
    named = None if path is UNSET else unescape_pattern(path)
    return named is not None and pattern is not UNSET and matcher(pattern)(named)


def rule_from_grant(grant: Grant) -> Rule:
    """The rule that allows exactly this. The grant must have no task."""
    return Rule(
        decision="allow",
        tool=grant.tools[0] if len(grant.tools) == 1 else f"{{{','.join(grant.tools)}}}",
        path=grant.path or None,
        place=grant.place or None,
        app=escape_pattern(grant.app) if grant.app else None,
        command=grant.command or None,
        server=escape_pattern(grant.server) if grant.server else None,
        project=None if grant.project == ALL else grant.project or None,
        agent=None if grant.identity == ALL else grant.identity or None,
        until=grant.until or None,
        below=grant.path is UNSET,
    )


def choose_grant(offers: Sequence[Offer], scope: Scope, wish: Grant | UnsetType) -> Grant:
    """The grant that an answer means: the narrowest offered for its scope, or the one that the person specified.

    NotOffered: the scope wasn't offered, or the wish doesn't cover what was shown or reaches too far.
    """
    offered = [each.grant for each in offers if each.scope == scope and each.grant is not UNSET]
    if not offered:
        raise NotOffered("scope", f"`{scope}` isn't offered here")
    narrowest = offered[0]
    if wish is UNSET:
        return narrowest
    tools = {tool for grant in offered for tool in grant.tools}
    if not tools.issuperset(wish.tools):
        raise NotOffered("grant.tools", f"must be some of {', '.join(sorted(tools))}")
    for name in ("app", "command", "server", "task"):
        if getattr(wish, name) not in (UNSET, getattr(narrowest, name)):
            raise NotOffered(f"grant.{name}", "must be the one that was shown")
    for name in ("project", "identity"):
        allowed = (UNSET, getattr(narrowest, name), *([ALL] if scope == "rule" else []))
        if getattr(wish, name) not in allowed:
            raise NotOffered(f"grant.{name}", "must be the one that was shown" + (", or *" if scope == "rule" else ""))
    _check_pattern(wish, narrowest)
    _check_place(wish, narrowest)
    _check_until(wish, narrowest)
    named = {name: value for name in Grant.__struct_fields__ if (value := getattr(wish, name)) not in (UNSET, ())}
    return replace(narrowest, **named)


def _check_pattern(wish: Grant, narrowest: Grant) -> None:
    if wish.path is UNSET:
        return
    shown = None if narrowest.path is UNSET else unescape_pattern(narrowest.path)
    if shown is None:
        raise NotOffered("grant.path", "what was asked has no path")
    try:
        is_covered = len(wish.path) <= MAX_PATTERN and matcher(wish.path)(shown)
    except InvalidParams as error:
        raise NotOffered("grant.path", error.message) from None
    if not is_covered:
        raise NotOffered("grant.path", "must cover the path that was shown")


def _check_place(wish: Grant, narrowest: Grant) -> None:
    if wish.place is UNSET:
        return
    try:
        is_covered = narrowest.place is not UNSET and place_matcher(wish.place)(narrowest.place)
    except InvalidParams as error:
        raise NotOffered("grant.place", error.message) from None
    if not is_covered:
        raise NotOffered("grant.place", "must cover the place that was shown")


def _check_until(wish: Grant, narrowest: Grant) -> None:
    if wish.until is UNSET:
        return
    try:
        end = parse_until(wish.until)
    except ValueError as error:
        raise NotOffered("grant.until", str(error)) from None
    if end <= datetime.now(UTC):
        raise NotOffered("grant.until", "must be in the future")
    if narrowest.until is not UNSET and end > parse_until(narrowest.until):
        raise NotOffered("grant.until", f"must not be after {narrowest.until}")


def _covers_path(pattern: str | UnsetType, path: str | None) -> bool:
    if pattern is UNSET or path is None:
        return pattern is UNSET and path is None
    return _matches(pattern, path)


def _matches(pattern: str, path: str) -> bool:
    """A pattern doesn't cover files that run automatically: each of them is asked about, with the reason."""
    return matcher(pattern)(path) and (unescape_pattern(pattern) is not None or auto_run_reason(path) is None)


def _covers_steps(pattern: str | UnsetType, target: Target) -> bool:
    """The contents of a folder must be covered too: by the folder's own name, or by the pattern."""
    if pattern is UNSET:
        return True
    below = None if unescape_pattern(pattern) is None else f"{unescape_pattern(pattern)}/"
    paths = [step.target.path for step in target.steps if step.target.path is not None]
    return all(_matches(pattern, path) or (below is not None and path.startswith(below)) for path in paths)


def _covers_place(pattern: str | UnsetType, place: str | None) -> bool:
    if pattern is UNSET or place is None or place == ANY_PLACE:
        return pattern is UNSET and place is None
    return place_matcher(pattern)(place)
