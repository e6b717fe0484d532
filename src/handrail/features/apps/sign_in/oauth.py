"""OAuth 2.0 for native apps (RFC 6749, 7636, 8252) without I/O: builds requests and reads answers.

No error message quotes a code, a verifier or a token.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from handrail.features.apps.model import OAuth2
from handrail.ports.errors import AuthRequired, BadAnswer, Declined
from handrail.ports.unreadable_json import UNREADABLE_JSON

_ACCESS_DENIED = "access_denied"
_GRANT_OVER = ("invalid_grant", "invalid_client", "unauthorized_client")
_LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class Client:
    """handrail's client at the server; some servers give native apps a secret too."""

    id: str
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to sign in. `state` comes back with the browser; `verifier` is sent only to the token endpoint."""

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    access_token: str
    refresh_token: str | None = None
    expires_at: float | None = None

    def __repr__(self) -> str:
        return f"Tokens(expires_at={self.expires_at})"


class _TokenReply(msgspec.Struct):
    access_token: str
    token_type: str = "bearer"
    refresh_token: str | None = None
    expires_in: float | str | None = None

    def __repr__(self) -> str:
        return "_TokenReply()"


class _Refusal(msgspec.Struct):
    error: str
    error_description: str = ""


def authorization_address(auth: OAuth2, client: Client, attempt: Attempt, redirect: str) -> str:
    """The address for the person's browser. The descriptor can't override handrail's parameters."""
    from authlib.oauth2.rfc7636 import create_s256_code_challenge

    ours = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": redirect,
        "scope": " ".join(auth.scopes),
        "state": attempt.state,
        "code_challenge": create_s256_code_challenge(attempt.verifier),
        "code_challenge_method": "S256",
        **_resource_parameter(auth),
    }
    parts = urlsplit(auth.authorization_endpoint)
    theirs = {**dict(parse_qsl(parts.query, keep_blank_values=True)), **auth.extra_params}
    query = {**{name: value for name, value in theirs.items() if name not in ours}, **ours}
    encoded = urlencode({name: value for name, value in query.items() if value or name != "scope"})
    return urlunsplit((parts.scheme, parts.netloc, parts.path, encoded, ""))


def matches_state(query: str, state: str) -> bool:
    """Whether the browser came back from the attempt with this state."""
    states = parse_qs(query).get("state", [])
    return len(states) == 1 and hmac.compare_digest(states[0].encode(), state.encode())


def code_from(query: str, attempt: Attempt) -> str:
    """Declined if the person refused there, AuthRequired if the server did."""
    from authlib.oauth2.rfc6749.errors import MismatchingStateException, MissingCodeException
    from authlib.oauth2.rfc6749.parameters import parse_authorization_code_response

    params = {name: values[0] for name, values in parse_qs(query).items()}
    if (error := params.get("error")) is not None:
        reason = _describe(_Refusal(error, params.get("error_description", "")))
        if error == _ACCESS_DENIED:
            raise Declined(f"The sign-in was refused there: {reason}.", reason="denied")
        raise AuthRequired(f"The app's server refused the sign-in: {reason}.")
    try:
        response: dict[str, str] = parse_authorization_code_response(f"?{query}", attempt.state)
    except (MissingCodeException, MismatchingStateException):
        raise BadAnswer("The app's server sent the browser back without a code.") from None
    return response["code"]


def exchange_form(auth: OAuth2, code: str, client: Client, attempt: Attempt, redirect: str) -> str:
    from authlib.oauth2.rfc6749.parameters import prepare_token_request

    form: str = prepare_token_request(
        "authorization_code",
        code=code,
        redirect_uri=redirect,
        client_id=client.id,
        client_secret=client.secret,
        code_verifier=attempt.verifier,
        **_resource_parameter(auth),
    )
    return form


def refresh_form(auth: OAuth2, refresh_token: str, client: Client) -> str:
    from authlib.oauth2.rfc6749.parameters import prepare_token_request

    form: str = prepare_token_request(
        "refresh_token",
        refresh_token=refresh_token,
        client_id=client.id,
        client_secret=client.secret,
        **_resource_parameter(auth),
    )
    return form


def _resource_parameter(auth: OAuth2) -> dict[str, str]:
    return {} if auth.resource is None else {"resource": auth.resource}


def tokens_from(status: int, body: bytes, *, now: float, before: Tokens | None = None) -> Tokens:
    """Without a new refresh token, the old one stays valid. AuthRequired if the server ended the sign-in."""
    if status != 200:
        raise _refused(status, body)
    try:
        reply = msgspec.json.decode(body, type=_TokenReply)
        lifetime = None if reply.expires_in is None else float(reply.expires_in)
    except (ValueError, *UNREADABLE_JSON):
        raise BadAnswer("The app's token endpoint did not answer with a token.") from None
    if reply.token_type.lower() != "bearer" or not _fits_header(reply.access_token):
        raise BadAnswer("The app's token endpoint returned an unknown type of token.")
    return Tokens(
        access_token=reply.access_token,
        refresh_token=reply.refresh_token or (before.refresh_token if before is not None else None),
        expires_at=None if lifetime is None else now + lifetime,
    )


def _refused(status: int, body: bytes) -> AuthRequired | BadAnswer:
    try:
        refusal = msgspec.json.decode(body, type=_Refusal)
    except UNREADABLE_JSON:
        return BadAnswer(f"The app's token endpoint answered with status {status}.", status=status)
    if refusal.error in _GRANT_OVER:
        return AuthRequired(f"The sign-in has expired: {_describe(refusal)}.")
    return BadAnswer(f"The app's token endpoint refused: {_describe(refusal)}.", status=status)


def _describe(refusal: _Refusal) -> str:
    return ": ".join(filter(None, (refusal.error, refusal.error_description)))[:_LONGEST_WORD].rstrip(".")


def _fits_header(token: str) -> bool:
    return bool(token) and token.isascii() and token.isprintable() and " " not in token
