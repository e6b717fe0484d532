"""The steps of a confirmed plan, which the agent checks off as it carries them out."""

import re
from collections.abc import Sequence

import msgspec

from handrail.features.agent.questions import is_confirmation
from handrail.ports.model import Note, ToolOffer, ToolResult, ToolUse, Turn
from handrail.ports.unreadable_json import UNREADABLE_JSON

CHECK_OFF = ToolOffer(
    "check_off",
    "Check off steps of the confirmed plan, each as soon as it is done.",
    {
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "minItems": 1,
                "description": "Numbers of the steps, from 1",
            }
        },
        "required": ["steps"],
        "additionalProperties": False,
    },
)
_STEP = re.compile(r"^- \[ \] (.+)$", re.MULTILINE)


class _Params(msgspec.Struct, frozen=True):
    steps: list[int]


def confirmed_steps(turns: Sequence[Turn]) -> Sequence[str]:
    """The steps of the plan that was confirmed last; empty if there is none."""
    note = next((turn for turn in reversed(turns) if is_confirmation(turn)), None)
    return _STEP.findall(note.text) if isinstance(note, Note) else ()


def check_off(turns: Sequence[Turn], use: ToolUse) -> ToolResult:
    """Returns the text of the named steps. Pages read from the conversation which steps are done."""
    steps = confirmed_steps(turns)
    try:
        done = set(msgspec.json.decode(use.arguments or "{}", type=_Params, strict=False).steps)
    except UNREADABLE_JSON as error:
        return _answer(use, f"{error}.", is_error=True)
    if unknown := sorted(number for number in done if not 0 < number <= len(steps)):
        numbers = ", ".join(map(str, unknown))
        return _answer(use, f"The plan has {len(steps)} steps, and no step {numbers}.", is_error=True)
    return _answer(use, "\n".join(f"{number}. {steps[number - 1]}" for number in sorted(done)))


def _answer(use: ToolUse, text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(use.id, use.execution_id, use.name, text, is_error=is_error)
