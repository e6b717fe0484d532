"""desktop.hotkey: keys pressed together, in the window that is meant and in no other."""

from typing import Annotated

from msgspec import Meta as Bound

from handrail.features.desktop.host.acting import confirmed, deed
from handrail.features.desktop.host.aiming import Aim
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.keys import combinations
from handrail.features.desktop.host.params import ConfirmedParams, Wire

_Key = Annotated[str, Bound(min_length=1, max_length=60)]


class HotkeyOptions(Wire, frozen=True, kw_only=True):
    delay_ms: Annotated[int, Bound(ge=0, le=10_000)] = 50


class HotkeyParams(ConfirmedParams, frozen=True, kw_only=True):
    keys: Annotated[list[_Key], Bound(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


async def hotkey(equipment: Equipment, execution: Execution, params: HotkeyParams) -> Result:
    wanted = combinations(params.keys)
    consent = await confirmed(equipment, execution, params)
    sight, desktop = await equipment.sight(), await equipment.source.get()
    routed = await sight.routed(params.route)
    aim = Aim(routed.window, None, routed.everything)
    async with deed(equipment, execution, consent, aim, params.route, needs_front=True) as acting:
        await desktop.send_keys(acting.window, wanted, delay_ms=params.options.delay_ms)
        outcome = await acting.outcome(None)
    return {"sent": True, **outcome, "routeResolved": routed.spelled(), "evidence": acting.evidence}


METHOD = Errand("desktop.hotkey", HotkeyParams, hotkey)
