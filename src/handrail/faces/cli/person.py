"""The person at this terminal as a caller, and the approver that asks them."""

import os

from handrail.faces.cli.parameters import Choice
from handrail.faces.cli.program import program, run
from handrail.kernel.access import record_access
from handrail.kernel.approval import Approver, PresetAnswer
from handrail.kernel.audit import Audit
from handrail.kernel.feature import load
from handrail.kernel.queue_approver import AskInQueue
from handrail.ports.identity import Caller
from handrail.ports.stores import Stores


def caller() -> Caller:
    machine = program().machine
    return Caller.known("cli", machine.user, f"uid:{os.getuid()}", machine.terminal_identity())


def record_change(stores: Stores, action: str) -> None:
    """Records what the person at this terminal has changed about access."""
    run(record_access(Audit(stores.audit), caller(), action))


def answers(choice: Choice, *, has_terminal: bool, keeps_prompt: bool = True) -> Approver | AskInQueue:
    """With `ask`, questions go to the queue and, if there is one, to the terminal."""
    if choice != "ask":
        return PresetAnswer(choice)
    if not has_terminal:
        return AskInQueue(keeps_prompt=keeps_prompt)
    terminal = next(feature.terminal for feature in program().features if feature.terminal)
    return AskInQueue(load(terminal)().channels, keeps_prompt)
