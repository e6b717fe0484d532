"""The cage's part of `handrail doctor`."""

from collections.abc import Iterator

from handrail.features.cage.levels import probe_level
from handrail.kernel.checks import Check, CheckContext


def checks(context: CheckContext) -> Iterator[Check]:
    confinement = probe_level()
    if confinement.level == "full":
        yield Check("cage", True, "full: user namespaces, overlay and bubblewrap", required=False)
    elif confinement.level == "narrow":
        yield Check(
            "cage",
            True,
            f"narrow: Landlock and seccomp on a copy, because {confinement.why}",
            confinement.fix,
            required=False,
        )
    else:
        yield Check("cage", False, f"{confinement.level}: {confinement.why}", confinement.fix, required=False)
