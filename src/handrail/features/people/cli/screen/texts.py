"""Everything the full-screen view says; a language that lacks one of these does not even start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    waiting: Callable[[int], str]
    answered: str
    nothing_waiting: str
    nothing_waiting_hint: str
    none_answered: str
    kinds: Mapping[str, str]
    source: str
    run: str
    asked: str
    file: str
    command: str
    folder: str
    change: str
    picture: str
    lines: Callable[[int, int], str]
    nothing_changes: str
    skipped: Callable[[int], str]
    caller_gone: str
    caller_gone_short: str
    nobody_waits: str
    more_below: Callable[[int], str]
    hidden: str
    required: str
    secret_hint: str
    remark: str
    remark_of_no: str
    send: str
    confirm_tasks: Callable[[int], str]
    pick_one: str
    pick_between: Callable[[int, int], str]
    picked: Callable[[int], str]
    no_tasks: str
    task: Callable[[int], str]
    task_title: str
    details: str
    tags: str
    priorities: Mapping[str, str]
    statuses: Mapping[str, str]
    removed: str
    outcomes: Mapping[str, str]
    replies: Mapping[str, str]
    yours: str
    elsewhere: str
    withdrawn: str
    by: str
    scope: str
    scopes: Mapping[str, str]
    answer: str
    given_remark: str
    go_on: str
    sending: str
    sent: str
    just_appeared: str
    settled_already: str
    fill_in: str
    only_approvals: str
    only_apps: str
    no_yes_by_enter: str
    must_answer: str
    fix: str
    problems: Mapping[str, str]
    lost_touch: str
    keys: Mapping[str, str]
    help: tuple[tuple[str, str], ...]
    help_title: str
