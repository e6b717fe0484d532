"""What the extension's confirmation window shows of an answer: the question, and exactly what the yes would allow."""

from msgspec import UNSET

from handrail.faces.http.confirm_windows import Confirmation
from handrail.kernel.grants import NotOffered
from handrail.kernel.offered_scopes import choose_offer
from handrail.kernel.visible import one_line
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt

Lines = list[tuple[str, str]]


def confirmation_of(request: RequestEntry, response: PromptResponse, challenge: bytes) -> Confirmation:
    """InvalidParams unless it is an approval: nothing else is confirmed in a window."""
    prompt = request.prompt
    if not isinstance(prompt, FileChangePrompt):
        raise InvalidParams("Only approvals are confirmed in a window.")
    facts: Lines = [
        (name, one_line(value))
        for name, value in (("file", prompt.path), ("command", prompt.command), ("folder", prompt.cwd))
        if value is not UNSET
    ]
    texts = [text for text in (prompt.message, prompt.diff) if text is not UNSET]
    title = one_line(prompt.title or "")
    lines = [*_reach(prompt, response), *facts]
    return Confirmation("approval", title, lines, challenge, "\n\n".join(texts), request.request_id)


def _reach(prompt: FileChangePrompt, response: PromptResponse) -> Lines:
    """One line each for what, where, who and until when."""
    if response.scope is UNSET or response.scope == "once":
        return [("reach", "once")]
    if response.scope == "rule" and prompt.consent is not UNSET:
        consent = prompt.consent
        covered = "every tool" if response.covers == "app" else one_line(consent.tool)
        return [("reach", "rule"), ("app", one_line(consent.app_name)), ("what", covered)]
    try:
        offer = choose_offer(prompt.offers or (), response.scope, response.grant)
    except NotOffered as failure:
        raise InvalidParams(f"`{failure.field}` {failure.why}.") from None
    words = (("what", offer.what), ("where", offer.where), ("who", offer.who), ("until", offer.until))
    return [("reach", response.scope), *((name, value) for name, value in words if value is not UNSET)]
