"""`/api/session`: signs a browser in with a one-time code, signs it out, and tells a page its project and language."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail import __version__
from handrail.faces.http.access_control import AccessControl
from handrail.faces.http.answers import refused, success
from handrail.faces.http.codes import TooManyCodes, WrongCode
from handrail.faces.http.console_key import HEADER
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import require_person, source_of
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, text_field
from handrail.ports.errors import Declined
from handrail.ports.waiting import run_in_thread

PATH = "/api/session"


def routes(context: HttpContext, access: AccessControl) -> list[Route]:
    codes, sessions = access.codes, access.sessions
    info = {"version": __version__, "project": context.project.location, "lang": context.language}

    async def show(request: Request) -> Response:
        return success(info)

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
        answer = success({**info, "pageSecret": secrets.page})
        answer.headers["set-cookie"] = access.credentials.set_cookie(secrets.cookie)
        return answer

    async def make_code(request: Request) -> Response:
        if not access.console_key.matches(header(request.scope, HEADER.encode())):
            raise Declined(
                "Only a person can get a code for the console; the token isn't enough.",
                hint="`handrail open` opens the console.",
                reason="person",
            )
        return success({"code": codes.make()})

    async def sign_out(request: Request) -> Response:
        require_person(request, "Signing out")
        await access.end_session(access.credentials.session(request.scope) or "")
        answer = success({})
        answer.headers["set-cookie"] = access.credentials.clear_cookie()
        return answer

    return [
        Route(PATH, show),
        Route(PATH, exchange, methods=["POST"]),
        Route(PATH, sign_out, methods=["DELETE"]),
        Route(f"{PATH}/code", make_code, methods=["POST"]),
    ]
