"""A person's answer to a prompt, as contract 5 spells it."""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.approval_card import ChosenPart, Grant, Scope
from handrail.ports.prompts import PromptTask
from handrail.ports.wire import Wire

Status = Literal["ok", "canceled", "timeout"]
Coverage = Literal["tool", "app"]


class PromptResponse(Wire, frozen=True, kw_only=True):
    """A person's answer. Its members besides `status` depend on the kind of the prompt."""

    status: Status
    values: dict[str, str] | UnsetType = UNSET
    selection: str | tuple[str, ...] | UnsetType = UNSET
    tasks: tuple[PromptTask, ...] | UnsetType = UNSET
    remark: str | UnsetType = UNSET
    scope: Scope | UnsetType = UNSET
    covers: Coverage | UnsetType = UNSET
    """With the scope `rule`, if the prompt has a `consent`: what it covers. Absent means this tool."""
    grant: Grant | UnsetType = UNSET
    """The chosen grant. Absent means the narrowest that was offered for the scope."""
    hunks: tuple[int, ...] | UnsetType = UNSET
    """If the prompt has one part: the indexes of the approved hunks, from 0. Absent means all of them."""
    content: str | UnsetType = UNSET
    """If the prompt has one part: the text that replaces the proposed one."""
    files: tuple[ChosenPart, ...] | UnsetType = UNSET
    """If the prompt has several parts: the approved ones. Absent means all of them."""

    @property
    def chosen(self) -> tuple[ChosenPart, ...] | None:
        """The approved parts; None means everything."""
        if self.files is not UNSET:
            return self.files
        if self.hunks is UNSET and self.content is UNSET:
            return None
        return (ChosenPart(hunks=self.hunks, content=self.content),)
