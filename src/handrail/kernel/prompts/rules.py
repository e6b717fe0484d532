"""Validates prompts, kind by kind: §4 to §8 of contract 5 and the additions of the rulings.

The same check is used for writing and reading. Unknown members are left out. `answer_rules.py` validates answers.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from msgspec import UNSET, UnsetType

from handrail.kernel.prompts.members import Members, Problems
from handrail.ports.approval_card import Card, ChangePart, Grant, Offer, Scope
from handrail.ports.prompts import (
    ApprovedAction,
    ChoiceOption,
    ChoicePrompt,
    ConsentSubject,
    FileChangePrompt,
    KvField,
    KvPrompt,
    Priority,
    Prompt,
    PromptImage,
    PromptTask,
    ResultPrompt,
    TaskConfirmPrompt,
    TaskStatus,
)

MOST_FIELDS = 50
MOST_OPTIONS = 60
PRIORITIES: tuple[Priority, ...] = ("high", "medium", "low")
SCOPES: tuple[Scope, ...] = ("once", "task", "rule")
TASK_STATUSES: tuple[TaskStatus, ...] = ("todo", "doing", "blocked", "done")

NewId = Callable[[], str]
T = TypeVar("T", bound=msgspec.Struct)


def new_id() -> str:
    return str(uuid4())


def check_prompt(prompt: Prompt | Mapping[str, Any], new_draft_id: NewId = new_id) -> Prompt:
    """The prompt with its defaults. InvalidParams names every wrong field."""
    value = msgspec.to_builtins(prompt) if isinstance(prompt, msgspec.Struct) else prompt
    problems = Problems("prompt")
    if not isinstance(value, Mapping):
        problems.note("prompt", "must be an object")
        problems.raise_any()
    members = Members(value, problems)
    kind = members.one_of("kind", tuple(_KINDS))
    if kind is UNSET:
        members.note("kind", "is required")
        problems.raise_any()
    checked = _KINDS[str(kind)](members, new_draft_id)
    problems.raise_any()
    return checked


def check_new_prompt(prompt: Prompt | Mapping[str, Any]) -> Prompt:
    """Like `check_prompt`, for a prompt that is about to be written: no secret may get into the log."""
    checked = check_prompt(prompt)
    problems = Problems("prompt")
    if isinstance(checked, KvPrompt):
        for at, field in enumerate(checked.fields):
            if field.secret is True and field.default:
                problems.note(f"fields.{at}.default", "a secret field can't have one: it would stand in the log")
    problems.raise_any()
    return checked


def check_tasks(members: Members, new_draft_id: NewId) -> tuple[PromptTask, ...]:
    rows = list(members.objects("tasks"))
    tasks = tuple(_task(row, new_draft_id) for row in rows)
    _note_repeated(rows, "draftId", [task.draft_id for task in tasks])
    return tasks


def _filled(kind: type[T], members: Members, **given: Any) -> T:
    """A wire struct; fields that aren't given are read by their types. A plain `str` is required."""
    read: dict[Any, Callable[[str], Any]] = {
        str: members.name,
        str | UnsetType: members.text,
        bool | UnsetType: members.flag,
        int | UnsetType: members.whole_number,
        tuple[str, ...] | UnsetType: members.texts,
    }
    for field in _fields(kind):
        if field.name not in given:
            given[field.name] = read[field.type](field.encode_name)
    return kind(**given)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _prompt(kind: type[T], members: Members, **given: Any) -> T:
    images = tuple(_filled(PromptImage, each) for each in members.objects("images"))
    return _filled(kind, members, images=images or UNSET, **given)


def _object(kind: type[T], members: Members, name: str) -> T | UnsetType:
    member = members.object(name)
    return UNSET if member is UNSET else _filled(kind, member)


def _kv(members: Members, new_draft_id: NewId) -> KvPrompt:
    rows = list(members.objects("fields", 1, MOST_FIELDS))
    fields = tuple(_filled(KvField, row) for row in rows)
    _note_repeated(rows, "key", [field.key for field in fields])
    return _prompt(KvPrompt, members, fields=fields)


def _choice(members: Members, new_draft_id: NewId) -> ChoicePrompt:
    rows = list(members.objects("options", 1, MOST_OPTIONS))
    options = tuple(_filled(ChoiceOption, row) for row in rows)
    values = [option.value for option in options]
    _note_repeated(rows, "value", values)
    multiple = members.flag("multiple") is True
    default = _default(members, values, multiple)
    prompt = _prompt(ChoicePrompt, members, options=options, multiple=multiple, default=default)
    if multiple and values:
        _check_limits(members, prompt.min_selections, prompt.max_selections, len(values))
    return prompt


def _check_limits(members: Members, fewest: int | UnsetType, most: int | UnsetType, count: int) -> None:
    if fewest is not UNSET and not 0 <= fewest <= count:
        members.note("minSelections", f"must be from 0 to {count}, the number of options")
    if most is not UNSET and not 1 <= most <= count:
        members.note("maxSelections", f"must be from 1 to {count}, the number of options")
    if fewest is not UNSET and most is not UNSET and fewest > most:
        members.note("minSelections", f"must not be more than maxSelections, which is {most}")


def _default(members: Members, values: list[str], multiple: bool) -> str | tuple[str, ...] | UnsetType:
    if not multiple:
        default = members.text("default") or UNSET  # no option has an empty value
        if default is not UNSET and default not in values:
            members.note("default", "isn't one of the options")
        return default
    defaults = members.texts("default")
    if defaults is not UNSET:
        note_unknown(members, "default", defaults, values)
    return defaults


def _task_confirm(members: Members, new_draft_id: NewId) -> TaskConfirmPrompt:
    return _prompt(TaskConfirmPrompt, members, tasks=check_tasks(members, new_draft_id))


def _task(members: Members, new_draft_id: NewId) -> PromptTask:
    return PromptTask(
        draft_id=members.text("draftId") or new_draft_id(),
        title=members.text("title") or "",
        details=members.text("details") or "",
        priority=members.one_of("priority", PRIORITIES) or "medium",
        status=members.one_of("status", TASK_STATUSES) or "todo",
        tags=members.texts("tags") or (),
    )


def _file_change(members: Members, new_draft_id: NewId) -> FileChangePrompt:
    scope, consent = _object(ApprovedAction, members, "scope"), _object(ConsentSubject, members, "consent")
    offers = tuple(_offer(row) for row in members.objects("offers"))
    card = members.object("card")
    parts = tuple(_made_by_us(ChangePart, row) for row in members.objects("parts"))
    return _prompt(
        FileChangePrompt,
        members,
        scope=scope,
        consent=consent,
        offers=offers or UNSET,
        card=UNSET if card is UNSET else _made_by_us(Card, card),
        parts=parts or UNSET,
    )


def _made_by_us(kind: type[T], members: Members) -> T | UnsetType:
    """An object that only handrail makes, so it is read as a whole and any fault makes it invalid."""
    try:
        return msgspec.convert(members.as_given, kind)
    except msgspec.ValidationError as wrong:
        members.note("", str(wrong))
        return UNSET


def _offer(members: Members) -> Offer:
    grant = members.object("grant")
    return _filled(
        Offer,
        members,
        scope=members.one_of("scope", SCOPES) or "once",
        grant=UNSET if grant is UNSET else check_grant(grant),
        is_wide=members.flag("isWide") is True,
    )


def check_grant(members: Members) -> Grant:
    return _filled(Grant, members, tools=members.texts("tools") or ())


def _result(members: Members, new_draft_id: NewId) -> ResultPrompt:
    return _prompt(ResultPrompt, members)


_KINDS: dict[str, Callable[[Members, NewId], Prompt]] = {
    "kv": _kv,
    "choice": _choice,
    "task_confirm": _task_confirm,
    "file_change_confirm": _file_change,
    "result": _result,
}


def note_unknown(members: Members, name: str, chosen: Iterable[str], values: Iterable[str]) -> None:
    """Notes values that aren't options or are named twice."""
    known, seen = set(values), set[str]()
    for at, value in enumerate(chosen):
        if value not in known:
            members.note(f"{name}.{at}", "isn't one of the options")
        elif value in seen:
            members.note(f"{name}.{at}", "is named twice")
        seen.add(value)


def _note_repeated(rows: Iterable[Members], member: str, values: Iterable[str]) -> None:
    seen = set[str]()
    for row, value in zip(rows, values, strict=True):
        if value and value in seen:
            row.note(member, "must be unique; an earlier one is the same")
        seen.add(value)
