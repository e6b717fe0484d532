"""What a prompt must be like, kind by kind: §4 to §8 of contract 5 and the additions of the rulings.

One check for what is written and for what is read. Members that the contract doesn't know are
left out. What an answer must be like stands in `answer_rules.py`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict
from uuid import uuid4

import msgspec
from msgspec import UNSET, UnsetType

from handrail.kernel.prompts.members import Members, Problems
from handrail.ports.prompts import (
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
    Warrant,
)

MOST_FIELDS = 50
MOST_OPTIONS = 60
PRIORITIES: tuple[Priority, ...] = ("high", "medium", "low")
TASK_STATUSES: tuple[TaskStatus, ...] = ("todo", "doing", "blocked", "done")

NewId = Callable[[], str]


def new_id() -> str:
    return str(uuid4())


def check_prompt(prompt: Prompt | Mapping[str, Any], new_draft_id: NewId = new_id) -> Prompt:
    """The prompt with its defaults; InvalidParams names every field that is wrong."""
    value = msgspec.to_builtins(prompt) if isinstance(prompt, msgspec.Struct) else prompt
    problems = Problems("prompt")
    if not isinstance(value, Mapping):
        problems.note("prompt", "must be an object")
        problems.raise_any()
    members = Members(value, problems)
    kind = members.one_of("kind", tuple(_KINDS))
    if kind is UNSET:
        if "kind" not in members:
            members.note("kind", "is required")
        problems.raise_any()
    checked = _KINDS[str(kind)](members, new_draft_id)
    problems.raise_any()
    return checked


def check_new_prompt(prompt: Prompt | Mapping[str, Any]) -> Prompt:
    """The same for one that we are about to write: the log must not get to know a secret."""
    checked = check_prompt(prompt)
    problems = Problems("prompt")
    if isinstance(checked, KvPrompt):
        for at, field in enumerate(checked.fields):
            if field.secret is True and field.default:
                problems.note(f"fields.{at}.default", "a secret field can't have one: it would stand in the log")
    problems.raise_any()
    return checked


def checked_tasks(members: Members, new_draft_id: NewId) -> tuple[PromptTask, ...]:
    rows = list(members.objects("tasks"))
    tasks = tuple(_task(row, new_draft_id) for row in rows)
    _note_repeated(rows, "draftId", [task.draft_id for task in tasks])
    return tasks


class _Common(TypedDict):
    title: str | UnsetType
    message: str | UnsetType
    source: str | UnsetType
    allow_cancel: bool | UnsetType
    images: tuple[PromptImage, ...] | UnsetType


def _common(members: Members) -> _Common:
    images = tuple(PromptImage(path=each.name("path"), alt=each.text("alt")) for each in members.objects("images"))
    return {
        "title": members.text("title"),
        "message": members.text("message"),
        "source": members.text("source"),
        "allow_cancel": members.flag("allowCancel"),
        "images": images or UNSET,
    }


def _kv(members: Members, new_draft_id: NewId) -> KvPrompt:
    rows = list(members.objects("fields", 1, MOST_FIELDS))
    fields = tuple(
        KvField(
            key=row.name("key"),
            label=row.text("label"),
            description=row.text("description"),
            placeholder=row.text("placeholder"),
            default=row.text("default"),
            required=row.flag("required"),
            multiline=row.flag("multiline"),
            secret=row.flag("secret"),
        )
        for row in rows
    )
    _note_repeated(rows, "key", [field.key for field in fields])
    return KvPrompt(**_common(members), fields=fields)


def _choice(members: Members, new_draft_id: NewId) -> ChoicePrompt:
    rows = list(members.objects("options", 1, MOST_OPTIONS))
    options = tuple(
        ChoiceOption(value=row.name("value"), label=row.text("label"), description=row.text("description"))
        for row in rows
    )
    values = [option.value for option in options]
    _note_repeated(rows, "value", values)
    multiple = members.flag("multiple") is True
    fewest, most = members.whole_number("minSelections"), members.whole_number("maxSelections")
    if multiple and values:
        _check_limits(members, fewest, most, len(values))
    return ChoicePrompt(
        **_common(members),
        options=options,
        multiple=multiple,
        default=_default(members, values, multiple),
        min_selections=fewest,
        max_selections=most,
    )


def _check_limits(members: Members, fewest: int | UnsetType, most: int | UnsetType, count: int) -> None:
    if fewest is not UNSET and not 0 <= fewest <= count:
        members.note("minSelections", f"must be from 0 to {count}, the number of options")
    if most is not UNSET and not 1 <= most <= count:
        members.note("maxSelections", f"must be from 1 to {count}, the number of options")
    if fewest is not UNSET and most is not UNSET and fewest > most:
        members.note("minSelections", f"must not be more than maxSelections, which is {most}")


def _default(members: Members, values: list[str], multiple: bool) -> str | tuple[str, ...] | UnsetType:
    if not multiple:
        default = members.text("default")
        if default is not UNSET and default not in values:
            members.note("default", "is none of the options")
        return default
    defaults = members.texts("default")
    if defaults is not UNSET:
        note_strangers(members, "default", defaults, values)
    return defaults


def _task_confirm(members: Members, new_draft_id: NewId) -> TaskConfirmPrompt:
    return TaskConfirmPrompt(
        **_common(members), tasks=checked_tasks(members, new_draft_id), default_remark=members.text("defaultRemark")
    )


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
    return FileChangePrompt(
        **_common(members),
        path=members.text("path"),
        command=members.text("command"),
        cwd=members.text("cwd"),
        diff=members.text("diff"),
        default_remark=members.text("defaultRemark"),
        scope=_warrant(members),
        consent=_consent(members),
    )


def _warrant(members: Members) -> Warrant | UnsetType:
    scope = members.object("scope")
    if scope is UNSET:
        return UNSET
    return Warrant(method=scope.name("method"), params_digest=scope.name("paramsDigest"))


def _consent(members: Members) -> ConsentSubject | UnsetType:
    subject = members.object("consent")
    if subject is UNSET:
        return UNSET
    return ConsentSubject(app=subject.name("app"), app_name=subject.name("appName"), tool=subject.name("tool"))


def _result(members: Members, new_draft_id: NewId) -> ResultPrompt:
    return ResultPrompt(**_common(members), markdown=members.text("markdown"))


_KINDS: dict[str, Callable[[Members, NewId], Prompt]] = {
    "kv": _kv,
    "choice": _choice,
    "task_confirm": _task_confirm,
    "file_change_confirm": _file_change,
    "result": _result,
}


def note_strangers(members: Members, name: str, chosen: Iterable[str], values: Iterable[str]) -> None:
    """Each must be one of the options, and be named once."""
    known, seen = set(values), set[str]()
    for at, value in enumerate(chosen):
        if value not in known:
            members.note(f"{name}.{at}", "is none of the options")
        elif value in seen:
            members.note(f"{name}.{at}", "is named twice")
        seen.add(value)


def _note_repeated(rows: Iterable[Members], member: str, values: Iterable[str]) -> None:
    seen = set[str]()
    for row, value in zip(rows, values, strict=True):
        if value and value in seen:
            row.note(member, "must be unique, and stands there before")
        seen.add(value)
