"""Sign-in through an OpenID Connect provider: code flow with PKCE. The provider's groups determine the role.

An attempt is stored in the database, so a browser may return to another server. Half of it is in the browser's cookie,
so nobody can be tricked into another person's sign-in.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import msgspec

from handrail.ports.errors import Declined, InputOutput
from handrail.ports.team import IdentityProvider, Member, SignInAttempt, TeamStores
from handrail.ports.unreadable_json import UNREADABLE_JSON

SIGN_IN_PATH = "/team/oidc"
CALLBACK_PATH = "/team/oidc/callback"
COOKIE = "handrail_sign_in"
_TIMEOUT_SECONDS = 10
_MOST_BYTES = 1 << 20
_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class SignInRedirect:
    address: str
    state: str


def start_sign_in(team: TeamStores) -> SignInRedirect:
    """Returns where to send the browser, and the state for its cookie. Blocks."""
    provider = _provider(team)
    configuration = _discover(provider)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    team.sessions.begin(state, SignInAttempt(nonce, verifier))
    challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": provider.client,
        "redirect_uri": team.url + CALLBACK_PATH,
        "scope": "openid profile email groups",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return SignInRedirect(f"{configuration['authorization_endpoint']}?{urlencode(query)}", state)


def finish_sign_in(team: TeamStores, query: Mapping[str, str], cookie: str | None) -> Member:
    """Returns the member. Declined if the provider, or the team, doesn't let them in. Blocks."""
    provider, state = _provider(team), query.get("state", "")
    if cookie is None or not hmac.compare_digest(cookie.encode(), state.encode()):
        raise Declined("This sign-in was started in another browser. Try again.", reason="state")
    attempt = team.sessions.resume(state)
    if attempt is None:
        raise Declined("This sign-in took too long, or was used before. Try again.", reason="state")
    if "code" not in query or query.get("iss", provider.issuer) != provider.issuer:
        raise Declined("The identity provider did not sign you in.", reason="provider")
    claims = _validate_claims(
        provider, _fetch_token(provider, query["code"], attempt, team.url + CALLBACK_PATH), attempt.nonce
    )
    role = provider.role(_texts(claims.get(provider.claim)))
    if role is None:
        raise Declined("None of your groups belongs to this team. Ask an administrator.", reason="groups")
    return team.members.admit(f"{provider.issuer} {claims['sub']}", _name(claims), role)


def state_cookie(state: str, *, is_secure: bool) -> str:
    """Lax, because the browser comes back from another site."""
    return f"{COOKIE}={state}; Max-Age=600; Path={SIGN_IN_PATH}; HttpOnly; SameSite=Lax" + (
        "; Secure" if is_secure else ""
    )


def _provider(team: TeamStores) -> IdentityProvider:
    assert team.provider is not None
    return team.provider


def _discover(provider: IdentityProvider) -> dict[str, Any]:
    configuration = _fetch_json(f"{provider.issuer}/.well-known/openid-configuration")
    if configuration.get("issuer") != provider.issuer:
        raise InputOutput(f"{provider.issuer} identifies itself as {configuration.get('issuer')!r}.")
    return configuration


def _fetch_token(provider: IdentityProvider, code: str, attempt: SignInAttempt, back: str) -> str:
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": attempt.verifier}
    secret = base64.b64encode(f"{provider.client}:{provider.secret}".encode()).decode()
    response = _fetch_json(_discover(provider)["token_endpoint"], urlencode(form).encode(), f"Basic {secret}")
    if not isinstance(response.get("id_token"), str):
        raise Declined("The identity provider did not say who you are.", reason="provider")
    return str(response["id_token"])


def _validate_claims(provider: IdentityProvider, token: str, nonce: str) -> dict[str, Any]:
    """Signed by the provider, for this team and this sign-in, and not expired."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    keys: Any = _fetch_json(_discover(provider)["jwks_uri"])
    registry = jwt.JWTClaimsRegistry(
        leeway=60,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client},
        nonce={"essential": True, "value": nonce},
        exp={"essential": True},
        sub={"essential": True},
    )
    try:
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS).claims
        registry.validate(claims)
    except (JoseError, ValueError) as error:
        raise Declined(f"The identity provider's answer is not valid: {error}.", reason="provider") from None
    return dict(claims)


def _name(claims: Mapping[str, Any]) -> str:
    """The name that people see, in characters that a member's name may have."""
    name = next((str(claims[each]) for each in ("preferred_username", "email", "name", "sub") if claims.get(each)), "")
    return _NOT_IN_NAMES.sub("-", name).strip("-._")[:40] or "member"


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _fetch_json(address: str, body: bytes | None = None, authorization: str = "") -> dict[str, Any]:
    if not address.startswith(("https://", "http://")):
        raise InputOutput(f"{address} isn't a web address.")
    headers = {"accept": "application/json", **({"authorization": authorization} if authorization else {})}
    request = urllib.request.Request(address, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
            content = msgspec.json.decode(answer.read(_MOST_BYTES), type=dict[str, Any])
    except urllib.error.HTTPError as refusal:
        raise Declined(f"The identity provider refused: {refusal.code}.", reason="provider") from None
    except (OSError, *UNREADABLE_JSON) as error:
        raise InputOutput(f"The identity provider can't be reached: {error}.") from None
    return content
