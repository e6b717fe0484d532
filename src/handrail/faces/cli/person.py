"""Who sits at this terminal, and who answers when a person is to be asked."""

import os

from handrail import wiring as app
from handrail.faces.cli.parameters import Choice
from handrail.kernel.approval import Approver
from handrail.kernel.approvals import PresetAnswer
from handrail.kernel.call import Caller

user_name = app.user_name


def caller() -> Caller:
    return Caller(face="cli", name=user_name(), peer=f"uid:{os.getuid()}")


def answers(choice: Choice, *, has_terminal: bool, is_left_standing: bool = True) -> Approver | app.InQueue:
    """With `ask`, the queue, and beside it the terminal where there is one."""
    if choice != "ask":
        return PresetAnswer(choice)
    if not has_terminal:
        return app.InQueue(is_left_standing=is_left_standing)
    from handrail.features.people.cli.terminal_questions import TerminalQuestions

    return app.InQueue(TerminalQuestions().beside, is_left_standing)
