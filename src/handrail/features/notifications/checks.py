"""What `handrail doctor` says about notifications."""

import asyncio
from collections.abc import Iterator

from handrail.features.notifications.channels import PREFIX
from handrail.kernel.checks import Check, CheckContext
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        kept = asyncio.run(context.program.open_stores(context.state).secrets.kept())
    except Failure as failure:
        yield Check("notifications", False, failure.message, failure.hint, required=False)
        return
    names = [one.name.removeprefix(PREFIX) for one in kept if one.name.startswith(PREFIX)]
    told = f"channels: {', '.join(names)}" if names else "no channel; `handrail notify add NAME` adds one"
    yield Check("notifications", True, told, required=False)
