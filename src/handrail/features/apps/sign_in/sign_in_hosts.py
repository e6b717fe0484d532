"""Who takes part in a sign-in in the browser: the hosts of its endpoints, as a person should know them. Asks nobody.

A descriptor can send a person to a site that they trust and have what comes of it carried to another one.
"""

from urllib.parse import urlsplit

from handrail.features.apps.model import App, OAuth2


def sign_in_hosts(auth: OAuth2) -> dict[str, str]:
    """By what each is for: `authorization`, `token`, and `refresh` where it is told."""
    hosts = {"authorization": _host(auth.authorization_endpoint), "token": _host(auth.token_endpoint)}
    if auth.refresh_endpoint is not None:
        hosts["refresh"] = _host(auth.refresh_endpoint)
    return hosts


def sign_in_facts(auth: OAuth2) -> list[tuple[str, str]]:
    hosts = sign_in_hosts(auth)
    facts = [("sign-in at", hosts["authorization"]), ("tokens from", hosts["token"])]
    if "refresh" in hosts:
        facts.append(("renewed by", hosts["refresh"]))
    if others := sorted({*hosts.values()} - {hosts["authorization"]}):
        told = f"who signs in at {hosts['authorization']} is known to {' and '.join(others)} afterwards"
        facts.append(("beware", f"these are different hosts: {told}"))
    return facts


def hosts_elsewhere(app: App) -> list[str]:
    """Of a sign-in, those that are not of the site which published the app: neither its host nor below it."""
    if not isinstance(app.auth, OAuth2):
        return []
    site = _host(app.source).removeprefix("www.")
    hosts = dict.fromkeys(sign_in_hosts(app.auth).values())
    return [host for host in hosts if host != site and not host.endswith(f".{site}")]


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").rstrip(".")
