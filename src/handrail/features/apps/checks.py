"""Which apps there are, and what is wrong with their descriptors."""

from collections.abc import Iterator

from handrail.features.apps.opening import descriptor_problems
from handrail.kernel.checks import Check, CheckContext

_MOST_PROBLEMS = 5


def checks(context: CheckContext) -> Iterator[Check]:
    count, problems = descriptor_problems()
    if not problems:
        yield Check("apps", True, f"{count} found", required=False)
        return
    told = "; ".join(map(str, problems[:_MOST_PROBLEMS]))
    more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
    fix = "`handrail apps check FILE` tells everything about a descriptor."
    yield Check("apps", False, f"{count} found. {told}{more}", fix, required=False)
