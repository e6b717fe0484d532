"""The client as a further place where questions are put, beside the queue.

The client is the agent's own program: it is asked for nothing secret, and for approvals only where the settings say so.
A client that can't or won't answer changes nothing, because the question waits in the queue all the same.
"""

import logging
from collections.abc import Sequence
from typing import Any

import pydantic

from handrail.faces.mcp.elicitation_form import Form, answer_of, form_of
from handrail.faces.mcp.sdk import MCPError, ServerRequestContext, types
from handrail.ports.prompts import Beside, FileChangePrompt, Prompt, PromptResponse, Side, nowhere

Context = ServerRequestContext[Any, Any]

_PLAIN = "2025-06-18"
# Before them there was no elicitation; since 2026-07-28 a server sends no requests.
_VERSIONS = frozenset({_PLAIN, "2025-11-25"})

logger = logging.getLogger(__name__)


def beside(context: Context, client: str, *, has_approvals: bool) -> Beside:
    """Where the questions of this request are put as well."""
    if not _can_elicit(context):
        return nowhere
    is_plain = context.protocol_version == _PLAIN

    def sides(prompt: Prompt) -> Sequence[Side]:
        if isinstance(prompt, FileChangePrompt) and not has_approvals:
            return ()
        form = form_of(prompt, is_plain=is_plain)
        if form is None:
            return ()
        return (Side(f"client:{client}", lambda: _elicit(context, prompt, form)),)

    return sides


def _can_elicit(context: Context) -> bool:
    if context.protocol_version not in _VERSIONS or not context.session.can_send_request:
        return False
    capabilities = context.session.client_capabilities
    modes = capabilities.elicitation if capabilities is not None else None
    # No mode named means forms: there was nothing else at first.
    return modes is not None and (modes.form is not None or modes.url is None)


async def _elicit(context: Context, prompt: Prompt, form: Form) -> PromptResponse | None:
    """Cancelled when somebody else answers first: the SDK then takes the request back."""
    try:
        result: types.ElicitResult = await context.session.elicit_form(form.message, form.schema, context.request_id)
    except (MCPError, pydantic.ValidationError) as error:
        logger.info("the client gave no answer: %s", type(error).__name__)
        return None
    return answer_of(prompt, result.action, result.content or {})
