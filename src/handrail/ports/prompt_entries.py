"""The entries of the prompt log: a request and its response, as contract 5 spells them."""

from typing import Literal

from msgspec import UNSET, UnsetType

from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt
from handrail.ports.wire import Wire


class RequestEntry(Wire, frozen=True, kw_only=True):
    ts: str
    type: Literal["ui_prompt"] = "ui_prompt"
    action: Literal["request"] = "request"
    request_id: str
    run_id: str | UnsetType = UNSET
    prompt: Prompt


class ResponseEntry(Wire, frozen=True, kw_only=True):
    ts: str
    type: Literal["ui_prompt"] = "ui_prompt"
    action: Literal["response"] = "response"
    request_id: str
    run_id: str | UnsetType = UNSET
    response: PromptResponse


Entry = RequestEntry | ResponseEntry
