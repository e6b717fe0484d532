"""desktop.click: an element's own action, or a pointer click where it has none. Of several that fit, the best."""

from handrail.features.desktop.host.acting import confirmed, deed
from handrail.features.desktop.host.aiming import Aim
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import ConfirmedParams, Target


class ClickParams(ConfirmedParams, frozen=True, kw_only=True):
    target: Target


async def click(equipment: Equipment, execution: Execution, params: ClickParams) -> Result:
    consent = await confirmed(equipment, execution, params)
    sight, desktop = await equipment.sight(), await equipment.source.get()
    routed, match = await sight.target(params.target, params.route)
    element = match.found.element
    aim = Aim(match.window, element, routed.everything)
    async with deed(equipment, execution, consent, aim, params.route, needs_front=not element.actions) as acting:
        delivery = await desktop.press(acting.window, acting.element or element)
        outcome = await acting.outcome(delivery)
    return {
        "clicked": True,
        **outcome,
        "element": equipment.refs.spelled(match.window, match.found),
        "routeResolved": routed.spelled(),
        "evidence": acting.evidence,
    }


METHOD = Errand("desktop.click", ClickParams, click)
