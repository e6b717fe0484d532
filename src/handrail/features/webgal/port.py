"""What the WebGAL tools share. The checks are imported at their first use, because most starts don't need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from handrail.features.webgal.preview_ports import ScenePreviews
from handrail.features.workspace.offers import Changes
from handrail.kernel.policy import Policy
from handrail.ports.files import Folder

if TYPE_CHECKING:
    from handrail.features.webgal.games import Games
    from handrail.features.webgal.previews.preview_session import PreviewSession
    from handrail.features.webgal.scripts import Scripts
    from handrail.features.webgal.tools.browser_action import LocalTab
    from handrail.ports.language import Language


@dataclass(frozen=True)
class Checks:
    files: Folder
    policy: Callable[[], Policy]
    language: Language

    @cached_property
    def games(self) -> Games:
        from handrail.features.webgal.games import Games

        return Games(self.files, self.policy, self.language)


@dataclass(frozen=True, slots=True)
class WebGal:
    checks: Checks
    changes: Changes
    scripts: Scripts
    previews: ScenePreviews
    tab: LocalTab
    preview_session: PreviewSession

    def release(self) -> None:
        self.scripts.close()

    async def disconnect(self) -> None:
        await self.preview_session.close()

    @property
    def games(self) -> Games:
        return self.checks.games

    @property
    def language(self) -> Language:
        return self.checks.language
