"""What other features may use: how often each standing permission was used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from handrail.features.history.audit_index import PermissionUse

if TYPE_CHECKING:
    from handrail.kernel.project import Project

Uses = Callable[[], Mapping[str, PermissionUse]]


def uses(project: Project) -> Uses:
    """Offers `AuditIndex.permissions`, which blocks."""
    index = project.part("history")
    return lambda: index.permissions()
