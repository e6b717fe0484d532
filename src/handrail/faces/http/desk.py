"""What a person at the console can see and do: handed in by the app, because this face may not know where it lives."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from handrail.features.desktop.host.last_look import LastLook
from handrail.kernel.audit import Audit
from handrail.kernel.call import Caller
from handrail.kernel.evidence import Evidence
from handrail.kernel.gate import Gate
from handrail.ports.prompts import PromptQueue
from handrail.ports.secrets import Kept, Secret

if TYPE_CHECKING:
    from handrail.features.webgal.game_view import GameView
    from handrail.features.webgal.previews.shared_previews import ConsoleFrames, HostedScenes

Record = Mapping[str, Any]
Follow = Callable[[], AsyncIterator[Sequence[Record]]]


class AppsDesk(Protocol):
    """The apps, for a person."""

    async def overview(self) -> dict[str, Any]: ...

    async def description(self, id: str) -> dict[str, Any]: ...

    async def given(self) -> list[dict[str, Any]]: ...

    async def revoke(self, id: str, by: Caller) -> None: ...

    async def keep_key(self, id: str, key: Secret, by: Caller) -> Kept: ...

    async def sign_in(
        self, id: str, show: Callable[[str], None], by: Caller, *, client_id: str | None = None, patience: float
    ) -> Kept: ...

    async def sign_out(self, id: str, by: Caller) -> bool: ...


@dataclass(frozen=True, slots=True)
class Desk:
    """`persons_gate` takes a person's own command for a yes; `person` is who that is.

    `trying_gate` is for tools that the person tries: what needs a yes is asked in the queue.

    The callables block, so they are called in threads. The follows give what is added from now on, by any process.
    `report` tells a task's story as a page, piece by piece. `watching` is held while a person looks at the console.
    """

    project: str
    language: str | None
    person: str
    persons_gate: Gate
    trying_gate: Gate
    audit: Audit
    evidence: Evidence
    last_look: LastLook
    game: "Callable[[], GameView]"
    previews: "Callable[[], ConsoleFrames]"
    hosting: "Callable[[], HostedScenes]"
    prompts: PromptQueue
    apps: AppsDesk
    policy: Callable[[], Record]
    checkup: Callable[[], Record]
    report: Callable[[str], Iterable[str]]
    follow_activity: Follow
    watching: Callable[[], AbstractContextManager[None]]
