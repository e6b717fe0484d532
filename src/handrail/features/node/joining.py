"""How this machine becomes a node of a team, and ends to be one. Only a person decides that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import UNSET

from handrail.features.node.client import TeamClient, checked_url
from handrail.features.node.serving import TOKEN
from handrail.kernel.audit import Audit
from handrail.kernel.project import Project
from handrail.ports.errors import BadAnswer, InvalidParams
from handrail.ports.node import Membership
from handrail.ports.secrets import Secret
from handrail.ports.stores import Stores

Join = Callable[[str, str, Callable[[str], None]], Membership]


def joining(project: Project) -> Join:
    """Connects once, keeps the token, and what the team asks for. `confirm` is asked before anything changes."""

    def join(url: str, token: str, confirm: Callable[[str], None]) -> Membership:
        url, stores = checked_url(url), project.stores
        assert stores.node is not None
        known = stores.node.read()
        if known is not None and known.url == url and not token:
            return known
        if known is not None and known.url != url:
            raise InvalidParams(f"This machine is a node of {known.url}.", hint="First: handrail node leave.")
        if not token:
            raise InvalidParams("Joining a team needs a token.", hint="Name the file that holds it: --team-token FILE.")
        confirm(f"Joining the team at {url}")
        membership = asyncio.run(_joined(stores, url, Secret(token)))
        stores.node.write(membership)
        _record(project.audit, f"joined the team {membership.tenant} at {url} as {membership.node}")
        return membership

    return join


def leave(stores: Stores, audit: Audit) -> Membership | None:
    """The team's policy no longer applies here. Blocks."""
    assert stores.node is not None
    known = stores.node.read()
    if known is not None:
        _record(audit, f"left the team {known.tenant} at {known.url}")
        stores.node.remove()
        asyncio.run(stores.secrets.forget(TOKEN))
    return known


async def _joined(stores: Stores, url: str, token: Secret) -> Membership:
    client = TeamClient(url, token)
    try:
        news = await client.news()
    finally:
        await client.close()
    if news.policy is UNSET:
        raise BadAnswer(f"{url} does not say what the team asks for.")
    await stores.secrets.put(TOKEN, token)
    return Membership(url=url, tenant=news.tenant, node=news.node, name=news.name, policy=news.policy)


def _record(audit: Audit, done: str) -> None:
    audit.append({"event": "access", "caller": "cli", "target": done, "ok": True}, durable=True)
