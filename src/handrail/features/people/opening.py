"""What the tools that ask people share: the queue of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.kernel.project import Project
    from handrail.ports.prompts import PromptQueue


def open_queue(project: Project) -> PromptQueue:
    return project.stores.prompts
