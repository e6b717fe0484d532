"""Makes this machine a node of a team, or removes it from one. Only a person decides that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import UNSET

from handrail.features.node.client import TeamClient, validate_url
from handrail.features.node.serving import TOKEN
from handrail.kernel.audit import Audit
from handrail.kernel.project import Project
from handrail.ports.errors import BadAnswer, InvalidParams
from handrail.ports.node import Membership
from handrail.ports.secrets import Secret
from handrail.ports.stores import Stores

Join = Callable[[str, str, Callable[[str], None]], Membership]


def make_join(project: Project) -> Join:
    """Connects once and stores the token and the team's policy. `confirm` is called before anything changes."""

    def join(url: str, token: str, confirm: Callable[[str], None]) -> Membership:
        url, stores = validate_url(url), project.stores
        assert stores.node is not None
        current = stores.node.read()
        if current is not None and current.url == url and not token:
            return current
        if current is not None and current.url != url:
            raise InvalidParams(
                f"This machine is a node of {current.url}.", hint="Leave it first: handrail node leave."
            )
        if not token:
            raise InvalidParams(
                "Joining a team needs a token.", hint="Name the file that contains it: --team-token FILE."
            )
        confirm(f"Joining the team at {url}")
        membership = asyncio.run(_connect_and_store(stores, url, Secret(token)))
        stores.node.write(membership)
        _record(project.audit, f"joined the team {membership.tenant} at {url} as {membership.node}")
        return membership

    return join


def leave(stores: Stores, audit: Audit) -> Membership | None:
    """From now on, the team's policy no longer applies here. Blocks."""
    assert stores.node is not None
    membership = stores.node.read()
    if membership is not None:
        _record(audit, f"left the team {membership.tenant} at {membership.url}")
        stores.node.remove()
        asyncio.run(stores.secrets.forget(TOKEN))
    return membership


async def _connect_and_store(stores: Stores, url: str, token: Secret) -> Membership:
    client = TeamClient(url, token)
    try:
        update = await client.fetch_update()
    finally:
        await client.close()
    if update.policy is UNSET:
        raise BadAnswer(f"{url} did not send the team's policy.")
    await stores.secrets.put(TOKEN, token)
    return Membership(url=url, tenant=update.tenant, node=update.node, name=update.name, policy=update.policy)


def _record(audit: Audit, action: str) -> None:
    audit.append({"event": "access", "caller": "cli", "target": action, "ok": True}, durable=True)
