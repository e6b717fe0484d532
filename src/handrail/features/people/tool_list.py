"""The tools that ask the person: forms, choices, a follow-up question, reporting completion."""

from handrail.features.people.tools import ask_followup_question, attempt_completion, prompt_choices, prompt_key_values

TOOLS = (
    prompt_key_values.TOOL,
    prompt_choices.TOOL,
    ask_followup_question.TOOL,
    attempt_completion.TOOL,
)
