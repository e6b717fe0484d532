"""desktop.find: the elements that a selector fits, the best first. Nothing is touched."""

from handrail.features.desktop.host.axtree import spelled_matches
from handrail.features.desktop.host.executions import Execution
from handrail.features.desktop.host.params import RoutedParams, Selector
from handrail.features.desktop.host.services import Reading, Result, Services


class FindParams(RoutedParams, frozen=True, kw_only=True):
    selector: Selector


async def find(services: Services, execution: Execution, params: FindParams) -> Result:
    search = await services.search()
    routed = await search.routed(params.route)
    matches = await search.matches(routed, params.selector)
    given = matches[: params.selector.limit]
    record = execution.record
    return {
        "elementRefs": [services.refs.spelled(match.window, match.found) for match in given],
        "matched": len(matches),
        "routeResolved": routed.spelled(),
        "evidence": {
            "dir": record.dir,
            "axPath": record.add("ax.json", spelled_matches(routed, given, services.refs)),
        },
    }


METHOD = Reading("desktop.find", FindParams, find)
