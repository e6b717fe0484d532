"""Who calls over HTTP: a program that holds the token, or the person at the console."""

import re

from starlette.requests import Request

from handrail.contract.call import Caller
from handrail.contract.errors import Declined
from handrail.faces.http.credentials import Credential, shown
from handrail.faces.http.headers import header

_PRODUCT = re.compile(r"[A-Za-z0-9._-]{1,40}(?:/[A-Za-z0-9._-]{1,20})?")


def caller(request: Request, person: str) -> Caller:
    peer = request.client.host if request.client else "unknown"
    if is_person(request):
        return Caller("console", person, peer)
    # The name is the client's own claim; that it has the token is all that is known about it.
    named = _PRODUCT.match(header(request.scope, b"user-agent") or "")
    return Caller("http", named.group() if named else "unknown", peer)


def is_person(request: Request) -> bool:
    return shown(request.scope) is Credential.COOKIE


def must_be_person(request: Request, what: str) -> None:
    """The token alone does not do: an agent's own program may hold it."""
    if not is_person(request):
        raise Declined(
            f"{what} is a person's own business and can't be done with the token.",
            hint="Do it in the console (`handrail open`) or on the command line.",
            reason="person",
        )
