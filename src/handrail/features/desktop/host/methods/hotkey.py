"""desktop.hotkey: keys pressed together, in the window that is meant and in no other."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.keys import combinations
from handrail.features.desktop.host.params import ConfirmedParams, Wire
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.subject import Subject
from handrail.features.desktop.platform import Desktop

_Key = Annotated[str, Bound(min_length=1, max_length=60)]


class HotkeyOptions(Wire, frozen=True, kw_only=True):
    delay_ms: Annotated[int, Bound(ge=0, le=10_000)] = 50


class HotkeyParams(ConfirmedParams, frozen=True, kw_only=True):
    keys: Annotated[list[_Key], Bound(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


def _check(params: HotkeyParams, at: str) -> None:
    combinations(params.keys, f"{at}.keys")


async def _subject(services: Services, params: HotkeyParams) -> Subject:
    return Subject.of(await (await services.search()).routed(params.route))


async def _press(desktop: Desktop, execution: Execution, subject: Subject, params: HotkeyParams) -> None:
    await desktop.send_keys(subject.window, combinations(params.keys), delay_ms=params.options.delay_ms)


METHOD = Action("desktop.hotkey", HotkeyParams, "sent", _subject, _press, check=_check)
