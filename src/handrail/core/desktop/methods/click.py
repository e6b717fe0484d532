"""desktop.click: an element's own action, or a pointer click where it has none. Of several that fit, the best."""

from handrail.core.desktop.acting import bring_forward, confirmed, deed, unreachable
from handrail.core.desktop.equipment import Equipment, Errand, Result
from handrail.core.desktop.executions import Execution
from handrail.core.desktop.params import ConfirmedParams, Target
from handrail.core.desktop.routing import refuse_blocked


class ClickParams(ConfirmedParams, frozen=True, kw_only=True):
    target: Target


async def click(equipment: Equipment, execution: Execution, params: ClickParams) -> Result:
    consent = await confirmed(equipment, execution, params)
    sight, desktop = await equipment.sight(), await equipment.source.get()
    routed, match = await sight.target(params.target, params.route)
    window, element = match.window, match.found.element
    consent.check(element)
    refuse_blocked(routed.everything, window)
    async with deed(equipment, execution, window, element) as acting:
        is_pointed = not element.actions
        is_front = await bring_forward(desktop, window, params.route, is_needed=is_pointed)
        if is_pointed and not is_front:
            raise unreachable(window)
        delivery = await desktop.press(window, element)
        outcome = await acting.outcome(delivery)
    return {
        "clicked": True,
        **outcome,
        "element": equipment.refs.spelled(window, match.found),
        "routeResolved": routed.spelled(),
        "evidence": acting.evidence,
    }


METHOD = Errand("desktop.click", ClickParams, click)
