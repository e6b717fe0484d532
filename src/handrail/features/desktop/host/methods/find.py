"""desktop.find: the elements that a selector fits, the best first. Nothing is touched."""

from handrail.features.desktop.host.axtree import spelled_matches
from handrail.features.desktop.host.equipment import Equipment, Errand, Result
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import RoutedParams, Selector


class FindParams(RoutedParams, frozen=True, kw_only=True):
    selector: Selector


async def find(equipment: Equipment, execution: Execution, params: FindParams) -> Result:
    sight = await equipment.sight()
    routed = await sight.routed(params.route)
    matches = await sight.matches(routed, params.selector)
    given = matches[: params.selector.limit]
    record = execution.record
    return {
        "elementRefs": [equipment.refs.spelled(match.window, match.found) for match in given],
        "matched": len(matches),
        "routeResolved": routed.spelled(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", spelled_matches(routed, given, equipment.refs)),
        },
    }


METHOD = Errand("desktop.find", FindParams, find)
