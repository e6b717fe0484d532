"""The notifications' part of `handrail doctor`."""

import asyncio
from collections.abc import Iterator

from handrail.features.notifications.channels import PREFIX
from handrail.kernel.checks import Check, CheckContext
from handrail.ports.errors import Failure


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        secrets = asyncio.run(context.program.open_stores(context.state).secrets.kept())
    except Failure as failure:
        yield Check("notifications", False, failure.message, failure.hint, required=False)
        return
    names = [one.name.removeprefix(PREFIX) for one in secrets if one.name.startswith(PREFIX)]
    detail = f"channels: {', '.join(names)}" if names else "no channel; `handrail notify add NAME` adds one"
    yield Check("notifications", True, detail, required=False)
