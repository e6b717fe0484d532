"""Who calls over HTTP: a program that holds the token, or the person at the console."""

from starlette.requests import Request

from handrail.faces.http.credentials import Credential, shown
from handrail.faces.http.programs import program_name
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller


def caller(request: Request, person: str) -> Caller:
    peer = request.client.host if request.client else "unknown"
    if is_person(request):
        return Caller("console", person, peer)
    return Caller("http", program_name(request.scope), peer)


def is_person(request: Request) -> bool:
    return shown(request.scope) is Credential.COOKIE


def must_be_person(
    request: Request, what: str, hint: str = "Do it in the console (`handrail open`) or on the command line."
) -> None:
    """The token alone does not do: an agent's own program may hold it."""
    if not is_person(request):
        raise Declined(
            f"{what} is a person's own business and can't be done with the token.", hint=hint, reason="person"
        )
