"""Who sits at this terminal, and who answers when a person is to be asked."""

import os

from handrail import app
from handrail.contract.approval import Approver
from handrail.contract.call import Caller
from handrail.core.approvals import NobodyToAsk, PresetAnswer
from handrail.faces.cli.parameters import Choice

user_name = app.user_name


def caller() -> Caller:
    return Caller(face="cli", name=user_name(), peer=f"uid:{os.getuid()}")


def approver(choice: Choice, *, has_terminal: bool) -> Approver:
    if choice != "ask":
        return PresetAnswer(choice)
    if not has_terminal:
        return NobodyToAsk()
    from handrail.faces.cli.terminal_approver import TerminalApprover

    return TerminalApprover()
