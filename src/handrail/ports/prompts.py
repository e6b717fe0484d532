"""The kinds of prompts, as contract 5 spells them.

`kernel/prompts/` checks what types can't express: limits, uniqueness, and which members belong to which kind.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.approval_card import Card, ChangePart, Offer
from handrail.ports.wire import Wire

Priority = Literal["high", "medium", "low"]
TaskStatus = Literal["todo", "doing", "blocked", "done"]

MASK = "******"  # replaces secrets in the log
NOTHING_MASKED: Mapping[str, str] = MappingProxyType({})


class PromptImage(Wire, frozen=True, kw_only=True):
    path: str
    alt: str | UnsetType = UNSET


class PromptCommon(Wire, frozen=True, kw_only=True, tag_field="kind"):
    """Members that every kind may have."""

    title: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    allow_cancel: bool | UnsetType = UNSET
    images: tuple[PromptImage, ...] | UnsetType = UNSET


class KvField(Wire, frozen=True, kw_only=True):
    key: str
    label: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    placeholder: str | UnsetType = UNSET
    default: str | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    multiline: bool | UnsetType = UNSET
    secret: bool | UnsetType = UNSET


class KvPrompt(PromptCommon, frozen=True, kw_only=True, tag="kv"):
    """A form."""

    fields: tuple[KvField, ...]

    @property
    def secret_keys(self) -> frozenset[str]:
        return frozenset(field.key for field in self.fields if field.secret is True)


class ChoiceOption(Wire, frozen=True, kw_only=True):
    value: str
    label: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class ChoicePrompt(PromptCommon, frozen=True, kw_only=True, tag="choice"):
    """A choice of one or, with `multiple`, several options. The limits apply only to `multiple`."""

    options: tuple[ChoiceOption, ...]
    multiple: bool = False
    default: str | tuple[str, ...] | UnsetType = UNSET
    min_selections: int | UnsetType = UNSET
    max_selections: int | UnsetType = UNSET


class PromptTask(Wire, frozen=True, kw_only=True):
    draft_id: str = ""
    title: str = ""
    details: str = ""
    priority: Priority = "medium"
    status: TaskStatus = "todo"
    tags: tuple[str, ...] = ()


class TaskConfirmPrompt(PromptCommon, frozen=True, kw_only=True, tag="task_confirm"):
    """A list of tasks to edit, sort and confirm."""

    tasks: tuple[PromptTask, ...] = ()
    default_remark: str | UnsetType = UNSET


class ApprovedAction(Wire, frozen=True, kw_only=True):
    """The only action that an ok to this prompt allows, as the executing program knows it (64 digits)."""

    method: str
    params_digest: str


class ConsentSubject(Wire, frozen=True, kw_only=True):
    """The app's tool that would be called. An approval can be saved for it or for all of the app's tools."""

    app: str
    app_name: str
    tool: str


class FileChangePrompt(PromptCommon, frozen=True, kw_only=True, tag="file_change_confirm"):
    """A change of a file, or a command that is about to run. Every approval has this form."""

    path: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    diff: str | UnsetType = UNSET
    default_remark: str | UnsetType = UNSET
    scope: ApprovedAction | UnsetType = UNSET
    consent: ConsentSubject | UnsetType = UNSET
    unseen: str | UnsetType = UNSET
    """Why the target can't be shown. Approving is then never the default."""
    changed: tuple[str, ...] | UnsetType = UNSET
    """What has changed since the last approval, which was not carried out."""
    offers: tuple[Offer, ...] | UnsetType = UNSET
    """The scopes that the person may choose, the narrowest first. Only the gate's own approvals have it."""
    critical: bool | UnsetType = UNSET
    """A rule marks this as critical, so every approval needs proof of presence."""
    runs_later: str | UnsetType = UNSET
    """Why the file runs automatically, such as "git hook"."""
    card: Card | UnsetType = UNSET
    """The approval as data. Only the gate's own approvals have it."""
    parts: tuple[ChangePart, ...] | UnsetType = UNSET
    """Parts that a person may approve separately or edit. Only the gate's own approvals have it."""
    bundle: str | UnsetType = UNSET
    """The same in similar approvals, which may be answered together (`kernel/prompts/bundles.py`)."""
    masked: tuple[str, ...] | UnsetType = UNSET
    """Names of masked parameters; `PromptQueue.masked` has their values while the caller waits."""


class ResultPrompt(PromptCommon, frozen=True, kw_only=True, tag="result"):
    """A result to read."""

    markdown: str | UnsetType = UNSET


class UnreadablePrompt(PromptCommon, frozen=True, kw_only=True, tag="unreadable"):
    """A request in the log that breaks the contract or has an unknown kind. It is shown raw and can be canceled."""

    raw: str
    reason: str


Prompt = KvPrompt | ChoicePrompt | TaskConfirmPrompt | FileChangePrompt | ResultPrompt | UnreadablePrompt
