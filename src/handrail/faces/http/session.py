"""`/api/session`: a one-time code becomes a cookie and a secret for the page; a page that has both learns
where it is."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail import __version__
from handrail.faces.http.answers import refused, success
from handrail.faces.http.codes import TooManyCodes, WrongCode
from handrail.faces.http.console_key import HEADER
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import must_be_person, source_of
from handrail.faces.http.entrance import Entrance
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, text_field
from handrail.ports.errors import Declined
from handrail.ports.waiting import run_in_thread

PATH = "/api/session"


def routes(context: HttpContext, entrance: Entrance) -> list[Route]:
    codes, sessions = entrance.codes, entrance.sessions
    here = {"version": __version__, "project": context.project.location, "lang": context.language}

    async def tell(request: Request) -> Response:
        return success(here)

    async def exchange(request: Request) -> Response:
        code = text_field(await json_object(request, {"code"}), "code")
        try:
            codes.use(code, source_of(request))
        except WrongCode as wrong:
            return refused("UNAUTHORIZED", f"{wrong.message} {wrong.hint}")
        except TooManyCodes as limited:
            return refused("RATE_LIMITED", f"{limited.message} {limited.hint}")
        user_agent = header(request.scope, b"user-agent") or ""
        secrets = await run_in_thread(lambda: sessions.start(user_agent))
        answer = success({**here, "pageSecret": secrets.page})
        answer.headers["set-cookie"] = entrance.credentials.set_cookie(secrets.cookie)
        return answer

    async def make_code(request: Request) -> Response:
        if not entrance.console_key.is_right(header(request.scope, HEADER.encode())):
            raise Declined(
                "A code for the console is a person's own business: the token alone does not get one.",
                hint="`handrail open` opens the console.",
                reason="person",
            )
        return success({"code": codes.make()})

    async def sign_out(request: Request) -> Response:
        must_be_person(request, "Signing out")
        await entrance.end_session(entrance.credentials.session(request.scope) or "")
        answer = success({})
        answer.headers["set-cookie"] = entrance.credentials.no_cookie()
        return answer

    return [
        Route(PATH, tell),
        Route(PATH, exchange, methods=["POST"]),
        Route(PATH, sign_out, methods=["DELETE"]),
        Route(f"{PATH}/code", make_code, methods=["POST"]),
    ]
