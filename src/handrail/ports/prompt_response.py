"""A person's answer to a prompt, as contract 5 spells it."""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.approval_card import ChosenPart, Grant, Scope
from handrail.ports.prompts import PromptTask
from handrail.ports.wire import Wire

Status = Literal["ok", "canceled", "timeout"]
Coverage = Literal["tool", "app"]


class PromptResponse(Wire, frozen=True, kw_only=True):
    """What the person did. Which members there are beside `status` depends on the kind of the prompt."""

    status: Status
    values: dict[str, str] | UnsetType = UNSET
    selection: str | tuple[str, ...] | UnsetType = UNSET
    tasks: tuple[PromptTask, ...] | UnsetType = UNSET
    remark: str | UnsetType = UNSET
    scope: Scope | UnsetType = UNSET
    covers: Coverage | UnsetType = UNSET
    """With the scope `rule`, where the prompt has a `consent`: what is remembered. Absent = this tool."""
    grant: Grant | UnsetType = UNSET
    """How far the yes reaches within its scope. Absent = the narrowest that was offered for the scope."""
    hunks: tuple[int, ...] | UnsetType = UNSET
    """Where the prompt has one part: the places of the hunks that are taken, from 0. Absent = all of them."""
    content: str | UnsetType = UNSET
    """Where the prompt has one part: the text that is written in place of the proposed one."""
    files: tuple[ChosenPart, ...] | UnsetType = UNSET
    """Where the prompt has several parts: those that are taken. Absent = all of them."""

    @property
    def chosen(self) -> tuple[ChosenPart, ...] | None:
        """What the person took; None where that is everything."""
        if self.files is not UNSET:
            return self.files
        if self.hunks is UNSET and self.content is UNSET:
            return None
        return (ChosenPart(hunks=self.hunks, content=self.content),)
