"""`/api/session`: a one-time code becomes a cookie, and a page that has one learns where it is."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail import __version__
from handrail.faces.http.answers import refused, success
from handrail.faces.http.codes import Codes, TooManyCodes, WrongCode
from handrail.faces.http.credentials import set_cookie
from handrail.faces.http.desk import Desk
from handrail.faces.http.json_body import json_object, text_field
from handrail.faces.http.sessions import Sessions

PATH = "/api/session"


def routes(desk: Desk, codes: Codes, sessions: Sessions) -> list[Route]:
    here = {"version": __version__, "project": desk.project, "lang": desk.language}

    async def tell(request: Request) -> Response:
        return success(here)

    async def exchange(request: Request) -> Response:
        code = text_field(await json_object(request, {"code"}), "code")
        try:
            codes.use(code)
        except WrongCode as wrong:
            return refused("UNAUTHORIZED", f"{wrong.message} {wrong.hint}")
        except TooManyCodes as limited:
            return refused("RATE_LIMITED", f"{limited.message} {limited.hint}")
        answer = success(here)
        answer.headers["set-cookie"] = set_cookie(sessions.start())
        return answer

    async def make_code(request: Request) -> Response:
        return success({"code": codes.make()})

    return [
        Route(PATH, tell),
        Route(PATH, exchange, methods=["POST"]),
        Route(f"{PATH}/code", make_code, methods=["POST"]),
    ]
