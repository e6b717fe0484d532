"""What `handrail doctor` says about the cage."""

from collections.abc import Iterator

from handrail.features.cage.levels import tried_level
from handrail.kernel.checks import Check, CheckContext


def checks(context: CheckContext) -> Iterator[Check]:
    found = tried_level()
    if found.level == "full":
        yield Check("cage", True, "full: user namespaces, overlay and bubblewrap", required=False)
    elif found.level == "narrow":
        yield Check(
            "cage", True, f"narrow: Landlock and seccomp on a copy, because {found.why}", found.fix, required=False
        )
    else:
        yield Check("cage", False, f"{found.level}: {found.why}", found.fix, required=False)
