"""The scopes that a person may choose for a question, the narrowest first, each with the exact rule it creates."""

import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from handrail.kernel.approval import Question
from handrail.kernel.glob import MAX_PATTERN, escape_pattern
from handrail.kernel.grants import ALL, choose_grant, is_wide
from handrail.kernel.target import ANY_PLACE, NOWHERE, Target
from handrail.kernel.visible import one_line, quoted_line
from handrail.ports.approval_card import Grant, Offer, Scope

LONGEST_TASK = timedelta(hours=12)
"""Grants for a task end after this time if nothing reports the task's end."""
_KIND_OF_FILE = re.compile(r"[^/]*[^/.][^/]*\.(?P<suffix>[A-Za-z0-9]{1,8})")
_MAY_RUN_LATER = frozenset({"json", "jsonc", "yml", "yaml", "toml", "sh"})


def target_of(question: Question) -> Target:
    """The target that later calls are compared with. For an app's tool, it includes the tool's current declaration."""
    consent = question.preview.consent
    return question.target if consent is None else replace(question.target, place=None, app=consent.place)


def offers_for(question: Question, project: str, now: datetime) -> tuple[Offer, ...]:
    """`once` is always offered; the others only if a rule can name what was shown and no rule asks each time."""
    return (Offer(scope="once"), *_for_task(question, project, now), *_for_good(question, project))


def _for_task(question: Question, project: str, now: datetime) -> Iterator[Offer]:
    task, target = question.call.task or question.call.own_task, target_of(question)
    if task is None or question.is_critical or question.votes or not _can_be_named(question, target):
        return
    end = (now + LONGEST_TASK).isoformat(timespec="seconds")
    grant = replace(_grant(question, target, project), identity=question.call.caller.identity, task=task, until=end)
    yield _offer("task", grant, question)
    kind = _KIND_OF_FILE.fullmatch(os.path.basename(target.path or ""))
    is_plain = target.command is None and target.place is None and not target.is_outside
    if kind is not None and is_plain and kind["suffix"].lower() not in _MAY_RUN_LATER:
        yield _offer("task", replace(grant, path=f"**/*.{kind['suffix']}"), question)


def _for_good(question: Question, project: str) -> Iterator[Offer]:
    """Not if a rule asks each time, as a rule that allows wouldn't help. Apps' tools get a consent instead."""
    target = question.target
    if question.is_by_rule or question.is_critical or question.votes or not _can_be_named(question, target):
        return
    if target.path is not None and target.place is not None:
        return  # sending a file of the project to a place is asked about each time
    grant = replace(_grant(question, target, project), identity=question.call.caller.agent)
    yield _offer("rule", grant, question)


def _can_be_named(question: Question, target: Target) -> bool:
    """A rule has one path, so for a call about several files it would also cover others.

    Without a target, it would cover too much, such as every window of an unknown app.
    """
    if question.has_targets and target == NOWHERE:
        return False
    if target.steps and target.path is None and target.command is None:
        return False
    return target.place != ANY_PLACE and len(escape_pattern(target.path or "")) <= MAX_PATTERN


def _grant(question: Question, target: Target, project: str) -> Grant:
    return Grant(
        tools=(question.call.tool,),
        path=UNSET if target.path is None else escape_pattern(target.path),
        place=target.place or UNSET,
        app=target.app or UNSET,
        command=target.command or UNSET,
        server=target.server or UNSET,
        project=project,
    )


def _offer(scope: Scope, grant: Grant, question: Question) -> Offer:
    return replace(
        Offer(scope=scope, grant=grant, is_wide=is_wide(grant)), **describe_grant(grant, question.call.caller.name)
    )


def choose_offer(offers: Sequence[Offer], scope: Scope, wish: Grant | UnsetType) -> Offer:
    """What an answer would allow, with the same texts as the offers. NotOffered."""
    grant = choose_grant(offers, scope, wish)
    words = describe_grant(grant, "")
    for each in offers:
        if each.grant is not UNSET and each.grant.identity == grant.identity and each.who is not UNSET:
            words["who"] = each.who
    return replace(Offer(scope=scope, grant=grant, is_wide=is_wide(grant)), **words)


def describe_grant(grant: Grant, agent: str) -> dict[str, str]:
    """A grant in words, for people: one line each for what, where, who and until when."""
    parts = [
        f"{word} {quoted_line(value)}"
        for word, value in (
            ("file", grant.path),
            ("at", grant.place),
            ("in", grant.app),
            ("command", grant.command),
            ("server", grant.server),
        )
        if value is not UNSET
    ]
    who = "every agent" if grant.identity == ALL else f"{one_line(agent)} ({one_line(grant.identity or '')})"
    if grant.task is not UNSET:
        until = f"the task {quoted_line(grant.task)} ends, at most until {grant.until}"
    else:
        until = grant.until or "you remove the rule"
    return {
        "what": " ".join([", ".join(grant.tools), *parts]),
        "where": "every project" if grant.project == ALL else quoted_line(grant.project or ""),
        "who": who,
        "until": until,
    }
