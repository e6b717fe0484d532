"""What a person does, or a program of handrail's own that runs for them: not who merely holds the token."""

from starlette.requests import Request

from handrail.faces.http.console_key import HEADER, ConsoleKey
from handrail.faces.http.headers import header
from handrail.faces.http.people import must_be_person


def check_is_persons(request: Request, key: ConsoleKey, what: str, hint: str) -> None:
    """The key lies in the state directory and in no agent's configuration."""
    if not key.is_right(header(request.scope, HEADER.encode())):
        must_be_person(request, what, hint)
