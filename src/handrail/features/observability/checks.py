"""The part of `handrail doctor` for metrics and traces; empty while they are off."""

from collections.abc import Iterator

from handrail.features.observability.feature import EXTRA
from handrail.features.observability.settings import ObservabilitySettings
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.settings import load_one
from handrail.ports.settings import BrokenSettings
from handrail.ports.state_folder import state_path


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        settings = load_one(ObservabilitySettings, state_path(context.state))
    except BrokenSettings:
        return  # the settings have a check of their own
    parts = {"metrics at /metrics": settings.metrics, f"traces to {settings.traces_endpoint}": settings.traces_endpoint}
    if turned_on := [name for name, is_on in parts.items() if is_on]:
        fix = None if EXTRA.is_installed else EXTRA.how_to_install
        yield Check("observability", EXTRA.is_installed, ", ".join(turned_on), fix)
