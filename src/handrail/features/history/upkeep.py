"""Old evidence goes, as the settings say; the audit says which."""

from datetime import timedelta

from handrail.kernel.evidence import utc_now
from handrail.kernel.project import Project
from handrail.kernel.pruning import Limits


def tidy(project: Project) -> None:
    settings = project.settings
    project.evidence.sweep()
    project.evidence.make_private()
    limits = Limits(timedelta(days=settings.evidence_max_days), settings.evidence_max_megabytes * 1_000_000)
    days = project.evidence.prune(limits, utc_now())
    if days:
        project.audit.append({"event": "pruned", "project": project.location, "days": days})
