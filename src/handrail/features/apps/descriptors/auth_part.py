"""`auth` of a descriptor: what its app wants to know a user by. Holds no secret, and never sees one."""

from typing import Any, Literal

import msgspec

from handrail.features.apps.descriptors.parts import Findings, is_header_name, is_header_value
from handrail.features.apps.model import ApiKey, Auth, OAuth2


class _Pkce(msgspec.Struct, frozen=True):
    method: Literal["S256", "plain"] = "S256"


class _ApiKeyPart(msgspec.Struct, kw_only=True):
    name: str
    placement: Literal["header", "query"] | None = None
    location: Literal["header", "query"] | None = None
    """What the second generation calls placement."""
    env_var: str | None = None
    prefix: str = ""
    obtain_url: str | None = None
    instructions: str | None = None


class _OAuth2Part(msgspec.Struct, kw_only=True):
    authorization_endpoint: str
    token_endpoint: str
    scopes: tuple[str, ...] = ()
    flow: str = "authorization_code"
    pkce: _Pkce = _Pkce()
    client_id: str | None = None
    refresh_endpoint: str | None = None
    extra_params: dict[str, str] = {}


def read_auth(raw: Any, found: Findings) -> Auth | None:
    if raw is None:
        return None
    kind = raw.get("type", "none") if isinstance(raw, dict) else raw
    match kind:
        case "none":
            return None
        case "api_key":
            return _api_key(raw, found)
        case "oauth2":
            return _oauth2(raw, found)
        case _:
            found.add("auth.type", f"{str(kind)[:50]!r} is not known here; known are none, api_key and oauth2")
            return None


def _api_key(raw: Any, found: Findings) -> ApiKey | None:
    part = found.converted(raw, _ApiKeyPart, "auth.api_key")
    if part is None:
        return None
    placement = part.placement or part.location or "header"
    if placement == "header" and not is_header_name(part.name):
        found.add("auth.api_key.name", f"{part.name[:50]!r} is no name of a header")
    if placement == "header" and not is_header_value(part.prefix):
        found.add("auth.api_key.prefix", "holds a character that no header may hold, or a blank at an end")
    if not part.name:
        found.add("auth.api_key.name", "is empty")
    return ApiKey(
        placement=placement,
        name=part.name,
        env_var=part.env_var,
        prefix=part.prefix,
        obtain_url=part.obtain_url,
        instructions=part.instructions,
    )


def _oauth2(raw: Any, found: Findings) -> OAuth2 | None:
    part = found.converted(raw, _OAuth2Part, "auth.oauth2")
    if part is None:
        return None
    field, refresh = "auth.oauth2", part.refresh_endpoint
    if part.flow != "authorization_code":
        found.add("auth.oauth2.flow", f"{part.flow[:50]!r} is not known here; known is authorization_code")
    return OAuth2(
        authorization_endpoint=found.checked_url(f"{field}.authorization_endpoint", part.authorization_endpoint),
        token_endpoint=found.checked_url(f"{field}.token_endpoint", part.token_endpoint),
        scopes=part.scopes,
        flow=part.flow,
        pkce_method=part.pkce.method,
        client_id=part.client_id,
        refresh_endpoint=None if refresh is None else found.checked_url(f"{field}.refresh_endpoint", refresh),
        extra_params=part.extra_params,
    )
