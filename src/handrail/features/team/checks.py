"""The team's part of `handrail doctor`: whether the extra is installed."""

from collections.abc import Iterator

from handrail.kernel.checks import Check, CheckContext


def checks(context: CheckContext) -> Iterator[Check]:
    yield Check("team", True, "`handrail team serve` can run here; `handrail team check` checks a team", required=False)
