"""What `handrail doctor` says about team servers: here, that what they need is installed."""

from collections.abc import Iterator

from handrail.kernel.checks import Check, CheckContext


def checks(context: CheckContext) -> Iterator[Check]:
    yield Check(
        "team", True, "`handrail team serve` can run here; `handrail team check` looks at a team", required=False
    )
