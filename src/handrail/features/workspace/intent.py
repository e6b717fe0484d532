"""The journal of a running commit (`intent.json`). After a crash it shows what has to be finished or reverted."""

from typing import Annotated

import msgspec

from handrail.features.workspace.change import (
    Change,
    FolderChange,
    Move,
    Repetition,
    Step,
    StepKind,
    kind_of,
    states_of,
)
from handrail.features.workspace.dry_runs import DryRun
from handrail.features.workspace.snapshots import ID_PATTERN
from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import NotFound
from handrail.ports.unreadable_json import UNREADABLE_JSON

FILE = "intent.json"


class IntentStep(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A step as it is stored. `base` and `after` are states of the path, as in `change.states_of`."""

    kind: StepKind
    path: str
    base: str
    after: str
    snapshot_id: Annotated[str, msgspec.Meta(pattern=f"^{ID_PATTERN.pattern}$")]
    to: str | None = None
    before_mode: int | None = None


class Intent(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    steps: list[IntentStep]
    repetition: Repetition | None = None
    dry_run: DryRun | None = None
    is_staged: bool = False
    """New contents are staged in handrail's own folder."""

    @property
    def paths(self) -> list[str]:
        return list(dict.fromkeys(step.path for step in self.steps))


def intent_step(step: Step, snapshot_id: str) -> IntentStep:
    base, after = states_of(step)
    to, mode = None, None
    if isinstance(step, Move):
        to = step.to
    elif isinstance(step, Change | FolderChange):
        mode = step.before_mode if isinstance(step, Change) else step.mode
    return IntentStep(kind_of(step), step.path, base, after, snapshot_id, to, mode)


def read_intent(workspace: Workspace) -> Intent | None:
    """Returns the intent, or None if there is none. A damaged one is removed."""
    try:
        return msgspec.json.decode(workspace.own.read(FILE), type=Intent)
    except NotFound:
        return None
    except UNREADABLE_JSON:
        workspace.own.remove(FILE)
        return None
