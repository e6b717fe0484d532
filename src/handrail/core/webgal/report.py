"""What is known of a line's text by itself, wherever it stands."""

import msgspec

from handrail.core.webgal.findings import Finding
from handrail.core.webgal.references import Reference


class Report(msgspec.Struct, frozen=True, gc=False):
    """Findings and references stand on line 0 until a scene tells the number."""

    findings: tuple[Finding, ...] = ()
    references: tuple[Reference, ...] = ()
    sets: tuple[str, ...] = ()
    dynamic: tuple[str, ...] = ()
    speaker: str | None = None
    is_suspect: bool = False
    label: str = ""
    leaves: bool = False
