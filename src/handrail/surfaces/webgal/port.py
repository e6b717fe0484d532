"""The port that the WebGAL tools share. The checks behind it are loaded at their first use: most starts need none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from handrail.contract.changes import Changes
from handrail.contract.files import Folder
from handrail.contract.preview import ScenePreviews
from handrail.core.policy import Policy

if TYPE_CHECKING:
    from handrail.core.webgal.findings import Language
    from handrail.surfaces.webgal.browser_action import LocalTab
    from handrail.surfaces.webgal.games import Games
    from handrail.surfaces.webgal.scripts import Scripts


@dataclass(frozen=True)
class Checks:
    files: Folder
    policy: Callable[[], Policy]
    wanted_language: str

    @cached_property
    def language(self) -> Language:
        from handrail.core.webgal.findings import language_of

        return language_of(self.wanted_language)

    @cached_property
    def games(self) -> Games:
        from handrail.surfaces.webgal.games import Games

        return Games(self.files, self.policy, self.language)

    def review(self, path: str, content: bytes) -> None:
        """Before a write: where the policy demands a clean check, a scene with mistakes is refused."""
        if self.policy().limits.lint_on_write:
            self.games.review(path, content)


@dataclass(frozen=True, slots=True)
class WebGal:
    checks: Checks
    changes: Changes
    scripts: Scripts
    previews: ScenePreviews
    tab: LocalTab

    @property
    def games(self) -> Games:
        return self.checks.games

    @property
    def language(self) -> Language:
        return self.checks.language
