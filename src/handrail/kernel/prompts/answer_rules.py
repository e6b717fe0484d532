"""Validates answers to prompts before they are written, and interprets answers in the log.

Writing is strict: InvalidParams names each field. When reading, anything that isn't a valid ok or a timeout counts as
canceled, so that nothing can be mistaken for an approval.
"""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec
from msgspec import UNSET, UnsetType

from handrail.kernel.grants import NotOffered, choose_grant
from handrail.kernel.prompts.members import Members, Problems
from handrail.kernel.prompts.part_rules import check_parts
from handrail.kernel.prompts.rules import NewId, check_grant, check_tasks, new_id, note_unknown
from handrail.ports.approval_card import Grant, Scope
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_response import Coverage, PromptResponse, Status
from handrail.ports.prompts import (
    MASK,
    ChoicePrompt,
    FileChangePrompt,
    KvPrompt,
    Prompt,
    PromptTask,
    ResultPrompt,
    TaskConfirmPrompt,
    UnreadablePrompt,
)

STATUSES: tuple[Status, ...] = get_args(Status)
SCOPES: tuple[Scope, ...] = get_args(Scope)
COVERAGES: tuple[Coverage, ...] = get_args(Coverage)

_EVERY_MEMBER = PromptResponse.__struct_encode_fields__
_MEMBERS: Mapping[type[Prompt], tuple[str, ...]] = {
    KvPrompt: ("status", "values"),
    ChoicePrompt: ("status", "selection"),
    TaskConfirmPrompt: ("status", "tasks", "remark"),
    FileChangePrompt: ("status", "remark", "scope", "covers", "grant", "hunks", "content", "files"),
    ResultPrompt: ("status",),
    UnreadablePrompt: ("status",),
}

_PARTS = ("hunks", "content", "files")


def check_response(
    prompt: Prompt, response: PromptResponse | Mapping[str, Any], new_draft_id: NewId = new_id
) -> PromptResponse:
    """The response as it may be written, without members that have no meaning for its status."""
    value = msgspec.to_builtins(response) if isinstance(response, msgspec.Struct) else response
    problems = Problems("response")
    if not isinstance(value, Mapping):
        problems.note("response", "must be an object")
        problems.raise_any()
    members = Members(value, problems)
    status = members.one_of("status", STATUSES)
    if status is UNSET:
        members.note("status", "is required")
    if status == "ok" and isinstance(prompt, UnreadablePrompt):
        members.note("status", "handrail can't read this request, so it can only be canceled")
    if status == "canceled" and prompt.allow_cancel is False:
        members.note("status", "this prompt can't be canceled")
    _note_foreign(members, prompt)
    checked = PromptResponse(status=status or "canceled", remark=members.text("remark"))
    if status == "ok":
        checked = _answered(members, prompt, checked, new_draft_id)
    problems.raise_any()
    return checked


def read_response(prompt: Prompt | None, response: Any, new_draft_id: NewId = new_id) -> PromptResponse:
    """Interprets a response in the log. Without a readable prompt, only its form can be checked."""
    prompt = None if isinstance(prompt, UnreadablePrompt) else prompt
    if not isinstance(response, Mapping):
        return PromptResponse(status="canceled")
    allowed = _EVERY_MEMBER if prompt is None else _MEMBERS[type(prompt)]
    raw = {name: response[name] for name in allowed if name in response}
    status = raw.get("status")
    remark = raw["remark"] if isinstance(raw.get("remark"), str) else UNSET
    if status != "ok":
        return PromptResponse(status="timeout" if status == "timeout" else "canceled", remark=remark)
    if remark is UNSET:
        raw.pop("remark", None)
    if raw.get("scope") not in SCOPES:
        raw.pop("scope", None)  # without a scope, the narrowest counts
    if raw.get("scope") != "rule" or raw.get("covers") not in COVERAGES:
        raw.pop("covers", None)
    if prompt is not None:
        _narrow(prompt, raw)
    try:
        return check_response(prompt, raw, new_draft_id) if prompt else msgspec.convert(raw, PromptResponse)
    except (InvalidParams, msgspec.ValidationError):
        return PromptResponse(status="canceled", remark=remark)


def _narrow(prompt: Prompt, raw: dict[str, Any]) -> None:
    """In the log, an ok with a scope or grant that was not offered counts once; with wrong parts it does not count."""
    problems = Problems("response")
    if isinstance(prompt, FileChangePrompt):
        reach = {name: value for name, value in raw.items() if name not in _PARTS}
        _answered(Members(reach, problems), prompt, PromptResponse(status="ok"), new_id)
    if problems.has_any:
        raw.pop("scope", None)
        raw.pop("grant", None)
        raw.pop("covers", None)


def mask(prompt: Prompt, response: PromptResponse) -> tuple[PromptResponse, dict[str, str]]:
    """The response for the log, and the secrets that it contained."""
    if not isinstance(prompt, KvPrompt) or response.values is UNSET:
        return response, {}
    secrets = {key: value for key, value in response.values.items() if key in prompt.secret_keys}
    return unmask(response, dict.fromkeys(secrets, MASK)), secrets


def unmask(response: PromptResponse, secrets: Mapping[str, str]) -> PromptResponse:
    if response.values is UNSET or not secrets:
        return response
    return msgspec.structs.replace(response, values={**response.values, **secrets})


def _answered(members: Members, prompt: Prompt, response: PromptResponse, new_draft_id: NewId) -> PromptResponse:
    values: dict[str, str] | UnsetType = UNSET
    selection: str | tuple[str, ...] | UnsetType = UNSET
    tasks: tuple[PromptTask, ...] | UnsetType = UNSET
    scope: Scope | UnsetType = UNSET
    covers: Coverage | UnsetType = UNSET
    grant: Grant | UnsetType = UNSET
    if isinstance(prompt, KvPrompt):
        values = _values(members, prompt)
    elif isinstance(prompt, ChoicePrompt):
        selection = _selections(members, prompt) if prompt.multiple else _selection(members, prompt)
    elif isinstance(prompt, TaskConfirmPrompt):
        tasks = check_tasks(members, new_draft_id)
        if "tasks" not in members:
            members.note("tasks", "is required")
    elif isinstance(prompt, FileChangePrompt):
        scope = members.one_of("scope", SCOPES)
        covers = members.one_of("covers", COVERAGES)
        if "covers" in members and (prompt.consent is UNSET or scope != "rule"):
            members.note("covers", "needs the scope rule, and a prompt about an app's tool")
        grant = _grant(members, prompt, scope)
        response = check_parts(members, prompt, response)
        if response.chosen is not None and scope not in (UNSET, "once"):
            members.note("scope", "must be once where a part is taken or the text is edited")
    return msgspec.structs.replace(
        response, values=values, selection=selection, tasks=tasks, scope=scope, covers=covers, grant=grant
    )


def _grant(members: Members, prompt: FileChangePrompt, scope: Scope | UnsetType) -> Grant | UnsetType:
    """The grant that the person specified, if any; it must be allowed by what was offered."""
    grant = members.object("grant")
    wish = UNSET if grant is UNSET else check_grant(grant)
    if scope is UNSET or scope == "once" or prompt.offers is UNSET:
        if wish is not UNSET:
            members.note("grant", "needs the scope task or rule, and a prompt that offers it")
        return UNSET
    if scope == "rule" and prompt.consent is not UNSET:
        if wish is not UNSET:
            members.note("grant", "doesn't belong to a consent: `covers` says how far it reaches")
        return UNSET
    try:
        choose_grant(prompt.offers, scope, wish)
    except NotOffered as refused:
        members.note(refused.field, refused.why)
    return wish


def _values(members: Members, prompt: KvPrompt) -> dict[str, str] | UnsetType:
    values = members.pairs("values")
    if values is UNSET:
        return UNSET
    keys = {field.key for field in prompt.fields}
    for key in values:
        if key not in keys:
            members.note(f"values.{key}", "isn't a field of this prompt")
    for field in prompt.fields:
        if field.required is True and not values.get(field.key):
            members.note(f"values.{field.key}", "is required")
    return values


def _selection(members: Members, prompt: ChoicePrompt) -> str | UnsetType:
    selection = members.text("selection")
    if "selection" not in members:
        members.note("selection", "is required")
    elif selection is not UNSET and all(selection != option.value for option in prompt.options):
        members.note("selection", "isn't one of the options")
    return selection


def _selections(members: Members, prompt: ChoicePrompt) -> tuple[str, ...] | UnsetType:
    selection = members.texts("selection")
    if "selection" not in members:
        members.note("selection", "is required")
    if selection is UNSET:
        return UNSET
    note_unknown(members, "selection", selection, (option.value for option in prompt.options))
    fewest, most = prompt.min_selections or 0, prompt.max_selections or len(prompt.options)
    if not fewest <= len(selection) <= most:
        members.note("selection", f"must name {fewest} to {most} options, not {len(selection)}")
    return selection


def _note_foreign(members: Members, prompt: Prompt) -> None:
    """Refuses members that would be silently dropped."""
    for name in _EVERY_MEMBER:
        if name in members and name not in _MEMBERS[type(prompt)]:
            members.note(name, "does not belong to the answer of this kind of prompt")
