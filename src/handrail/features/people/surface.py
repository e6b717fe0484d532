"""Questions to the person: forms, choices, a follow-up question, the word that the work is done."""

from handrail.features.people.tools import ask_followup_question, attempt_completion, prompt_choices, prompt_key_values
from handrail.kernel.tool import Surface
from handrail.ports.prompts import PromptQueue

TOOLS = (
    prompt_key_values.TOOL,
    prompt_choices.TOOL,
    ask_followup_question.TOOL,
    attempt_completion.TOOL,
)


def surface(queue: PromptQueue | None) -> Surface:
    """Without a queue the tools can be described, not run."""
    return Surface("people", "webgal", queue, TOOLS)
