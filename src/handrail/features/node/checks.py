"""What `handrail doctor` says about the team of this machine."""

from collections.abc import Iterator

from handrail.kernel.checks import Check, CheckContext
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    node = context.program.open_stores(context.state).node
    try:
        known = None if node is None else node.read()
    except Failure as broken:
        yield Check("team node", False, broken.message, "`handrail node leave` removes it; then join again.")
        return
    if known is not None:
        fix = "Ask for a new token, or `handrail node leave`." if known.is_revoked else None
        state = "revoked there" if known.is_revoked else f"policy {known.policy.version[:12]}"
        detail = f"{known.name} of {known.tenant} at {known.url}, {state}"
        yield Check("team node", not known.is_revoked, detail, fix, required=False)
