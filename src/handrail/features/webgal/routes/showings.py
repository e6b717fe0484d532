"""`POST /api/webgal/showing`: a scene shown for another process of handrail's, whose own gate has let the call pass.

The server's token alone does not open it: an agent's program may hold that, and would pass the gate by. Who calls must
also show the console's key, which lies in the state directory alone.
"""

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import failed, refused, success, unheard
from handrail.faces.http.body import MAX_BODY
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.desk import Desk
from handrail.faces.http.disconnect import unless_gone
from handrail.faces.http.persons import check_is_persons
from handrail.features.webgal.hosted_previews import PATH, NotHosted, WantedScene
from handrail.kernel import strict_json
from handrail.kernel.default_dialect import DIALECT
from handrail.ports.errors import Failure, InvalidParams

_WHAT = "Showing a scene past handrail's tools"
_HINT = "Call POST /api/tools/preview_scene instead: there it is checked and recorded."


def routes(desk: Desk, key: ConsoleKey) -> list[Route]:
    async def show(request: Request) -> Response:
        check_is_persons(request, key, _WHAT, _HINT)
        wanted = _wanted(await request.body())
        try:
            return success(await unless_gone(request.receive, desk.hosting().show(wanted)))
        except ClientDisconnect:
            return unheard()
        except NotHosted as refusal:
            return refused("CONFLICT", refusal.message)
        except Failure as failure:
            return failed(failure, DIALECT)

    return [Route(PATH, show, methods=["POST"])]


def _wanted(body: bytes) -> WantedScene:
    try:
        return msgspec.convert(strict_json.decode(body, max_bytes=MAX_BODY), WantedScene)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"The body names no scene: {error}.") from None
