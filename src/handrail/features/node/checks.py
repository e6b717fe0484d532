"""The team node's part of `handrail doctor`."""

from collections.abc import Iterator

from handrail.kernel.checks import Check, CheckContext
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    node = context.program.open_stores(context.state).node
    try:
        membership = None if node is None else node.read()
    except Failure as broken:
        yield Check("team node", False, broken.message, "`handrail node leave` removes it; then join again.")
        return
    if membership is not None:
        fix = "Ask for a new token, or `handrail node leave`." if membership.is_revoked else None
        state = "revoked there" if membership.is_revoked else f"policy {membership.policy.version[:12]}"
        detail = f"{membership.name} of {membership.tenant} at {membership.url}, {state}"
        yield Check("team node", not membership.is_revoked, detail, fix, required=False)
