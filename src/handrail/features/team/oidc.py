"""Signing in through an OpenID Connect provider: code flow with PKCE; its groups say which role somebody has.

What is remembered between leaving and coming back is in the database, so a browser may come back to another server; and
half of it is in the browser's cookie, so nobody can be led into somebody else's sign-in.
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

LEAVE = "/team/oidc"
COME_BACK = "/team/oidc/callback"
COOKIE = "handrail_sign_in"
_PATIENCE = 10
_LARGEST = 1 << 20
_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Leaving:
    address: str
    state: str


def leave(team: TeamStores) -> Leaving:
    """Where the browser goes, and what it keeps in a cookie. Blocks."""
    provider = _provider(team)
    known = _discovered(provider)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    team.sessions.begin(state, SignInAttempt(nonce, verifier))
    challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": provider.client,
        "redirect_uri": team.url + COME_BACK,
        "scope": "openid profile email groups",
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return Leaving(f"{known['authorization_endpoint']}?{urlencode(asked)}", state)


def come_back(team: TeamStores, given: Mapping[str, str], cookie: str | None) -> Member:
    """Who has come back. Declined where the provider, or the team, does not let them in. Blocks."""
    provider, state = _provider(team), given.get("state", "")
    if cookie is None or not hmac.compare_digest(cookie.encode(), state.encode()):
        raise Declined("This sign-in was begun in another browser. Try again.", reason="state")
    attempt = team.sessions.resume(state)
    if attempt is None:
        raise Declined("This sign-in took too long, or was used before. Try again.", reason="state")
    if "code" not in given or given.get("iss", provider.issuer) != provider.issuer:
        raise Declined("The identity provider did not sign you in.", reason="provider")
    claims = _claims(provider, _token(provider, given["code"], attempt, team.url + COME_BACK), attempt.nonce)
    role = provider.role(_texts(claims.get(provider.claim)))
    if role is None:
        raise Declined("None of your groups belongs to this team. Ask an administrator.", reason="groups")
    return team.members.admit(f"{provider.issuer} {claims['sub']}", _name(claims), role)


def state_cookie(state: str, *, is_secure: bool) -> str:
    """Lax, since the browser comes back from another site."""
    return f"{COOKIE}={state}; Max-Age=600; Path={LEAVE}; HttpOnly; SameSite=Lax" + ("; Secure" if is_secure else "")


def _provider(team: TeamStores) -> IdentityProvider:
    assert team.provider is not None
    return team.provider


def _discovered(provider: IdentityProvider) -> dict[str, Any]:
    found = _fetched(f"{provider.issuer}/.well-known/openid-configuration")
    if found.get("issuer") != provider.issuer:
        raise InputOutput(f"{provider.issuer} says that it is {found.get('issuer')!r}.")
    return found


def _token(provider: IdentityProvider, code: str, attempt: SignInAttempt, back: str) -> str:
    said = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": attempt.verifier}
    secret = base64.b64encode(f"{provider.client}:{provider.secret}".encode()).decode()
    found = _fetched(_discovered(provider)["token_endpoint"], urlencode(said).encode(), f"Basic {secret}")
    if not isinstance(found.get("id_token"), str):
        raise Declined("The identity provider did not say who you are.", reason="provider")
    return str(found["id_token"])


def _claims(provider: IdentityProvider, token: str, nonce: str) -> dict[str, Any]:
    """Signed by the provider, for this team and this sign-in, and still good."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    keys: Any = _fetched(_discovered(provider)["jwks_uri"])
    wanted = jwt.JWTClaimsRegistry(
        leeway=60,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client},
        nonce={"essential": True, "value": nonce},
        exp={"essential": True},
        sub={"essential": True},
    )
    try:
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS).claims
        wanted.validate(claims)
    except (JoseError, ValueError) as wrong:
        raise Declined(f"The identity provider's answer is not valid: {wrong}.", reason="provider") from None
    return dict(claims)


def _name(claims: Mapping[str, Any]) -> str:
    """What people read, in letters that a member's name may have."""
    said = next((str(claims[each]) for each in ("preferred_username", "email", "name", "sub") if claims.get(each)), "")
    return _NOT_IN_NAMES.sub("-", said).strip("-._")[:40] or "member"


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _fetched(address: str, body: bytes | None = None, authorization: str = "") -> dict[str, Any]:
    if not address.startswith(("https://", "http://")):
        raise InputOutput(f"{address} isn't a web address.")
    headers = {"accept": "application/json", **({"authorization": authorization} if authorization else {})}
    request = urllib.request.Request(address, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            found = msgspec.json.decode(answer.read(_LARGEST), type=dict[str, Any])
    except urllib.error.HTTPError as refusal:
        raise Declined(f"The identity provider refused: {refusal.code}.", reason="provider") from None
    except (OSError, msgspec.DecodeError) as away:
        raise InputOutput(f"The identity provider can't be reached: {away}.") from None
    return found
