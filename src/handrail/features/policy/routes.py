"""`/api/policy`: which rules are in force here, and whether the project's own may loosen them."""

import asyncio
import shlex
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.json_body import json_object, optional_text, text_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.features.policy.removed_rules import RemovedRules
from handrail.features.policy.rule_list import listed
from handrail.features.policy.summary import in_force
from handrail.features.policy.trial import tested
from handrail.kernel.access import record_access
from handrail.kernel.policy_source import project_of
from handrail.kernel.recently_removed import RecentlyRemoved
from handrail.ports.errors import Conflict, NotFound
from handrail.ports.policy import TrustedPolicy


def mount(context: HttpContext) -> Mount:
    source = context.project.policy
    proofs = PersonProof(context.project.stores.presence, context.windows)
    removed = RemovedRules(context.project.stores)
    distrusted = RecentlyRemoved[TrustedPolicy]("trust in the policy")

    async def policy(request: Request) -> Response:
        return success(await asyncio.to_thread(in_force, source))

    async def file(request: Request) -> Response:
        require_person(request, "Reading the project's policy")
        data = await _content()
        return success({"text": data.decode(errors="replace"), "hash": sha256(data).hexdigest()})

    async def trust(request: Request) -> Response:
        """What is trusted is what was shown, byte for byte, whatever the file holds by then."""
        require_person(request, "Trusting a project's policy")
        given = await json_object(request, {"hash", "presence"})
        data, shown = await _content(), text_field(given, "hash")
        if sha256(data).hexdigest() != shown:
            raise Conflict("The policy has changed since it was shown.", hint="Read it again.")
        params = {"policy": source.where, "hash": shown}
        command = f"handrail policy trust --project {shlex.quote(context.project.location)}"
        action = Action("policy", "Trusting a project's policy", params, command, data.decode(errors="replace"))
        proof = await proofs.for_action(request, given.get("presence"), action)
        await asyncio.to_thread(source.trust, data)
        done = f"trusted the policy {source.where} ({shown[:16]})"
        await record_access(context.project.audit, caller(request, context.person), done, proof)
        return success(await asyncio.to_thread(in_force, source))

    async def distrust(request: Request) -> Response:
        require_person(request, "Distrusting a project's policy")
        if await asyncio.to_thread(source.distrust):
            done = f"no longer trusts the policy {source.where}"
            await record_access(context.project.audit, caller(request, context.person), done)
        return success(await asyncio.to_thread(in_force, source))

    async def _content() -> bytes:
        data = await asyncio.to_thread(lambda: source.file)
        if data is None:
            raise NotFound(f"There is no policy to trust: {source.where}")
        return data

    async def rules(request: Request) -> Response:
        """Those of every project and agent."""
        require_person(request, "Seeing every rule")
        rows, uses = await listed(context.project.stores), await _uses()
        told = {id: _with_use({}, use) for id, use in uses.items()}
        return success({"rules": [_with_use(row, uses.get(row["id"])) for row in rows], "uses": told})

    async def trusted(request: Request) -> Response:
        """Which policies are trusted, in every project."""
        require_person(request, "Seeing which policies are trusted")
        found, uses = await asyncio.to_thread(source.trusts.all), await _uses()
        return success({"trusted": [_with_use(_trusted(policy), uses.get(policy.where)) for policy in found]})

    async def forget_trust(request: Request) -> Response:
        require_person(request, "Distrusting a project's policy")
        digest = request.path_params["hash"]
        policy = await asyncio.to_thread(source.trusts.forget, digest)
        if policy is None:
            raise NotFound("This policy isn't trusted.")
        distrusted.keep(digest, policy)
        done = f"no longer trusts the policy {policy.where}"
        await record_access(context.project.audit, caller(request, context.person), done)
        return success(_trusted(policy))

    async def restore_trust(request: Request) -> Response:
        """Undoes that a moment later: exactly the content that was trusted is trusted again."""
        require_person(request, "Trusting a project's policy")
        given = await json_object(request, {"presence"})
        policy = distrusted.find(request.path_params["hash"])
        command = f"handrail policy trust --project {shlex.quote(project_of(policy.where))}"
        params = {"policy": policy.where, "hash": policy.hash}
        action = Action("policy", "Trusting a project's policy", params, command)
        proof = await proofs.for_action(request, given.get("presence"), action)
        await asyncio.to_thread(source.trusts.restore, distrusted.take(policy.hash))
        done = f"trusts the policy {policy.where} again ({policy.hash[:16]})"
        await record_access(context.project.audit, caller(request, context.person), done, proof)
        return success(_trusted(policy))

    async def _uses() -> Mapping[str, Any]:
        uses: Mapping[str, Any] = await asyncio.to_thread(context.project.offer("history", "uses"))
        return uses

    async def remove_rule(request: Request) -> Response:
        require_person(request, "Removing a rule")
        return success(await removed.remove(request.path_params["id"]))

    async def restore_rule(request: Request) -> Response:
        """Undoes a removal a moment later: exactly what was removed comes back, with proof if it allows anything."""
        require_person(request, "Restoring a rule")
        given = await json_object(request, {"presence"})
        found = await removed.find(request.path_params["id"])
        proof = None
        if found.is_loosening:
            shown = {name: str(value) for name, value in found.row.items() if name not in ("kind", "hasEnded")}
            action = Action("rule", "Restoring a rule", shown, f"handrail rules restore {found.id}")
            proof = await proofs.for_action(request, given.get("presence"), action)
        done = await removed.restore(found)
        by = caller(request, context.person)
        await record_access(context.project.audit, by, f"restored the rule {done['id']}", proof)
        return success(done)

    async def test(request: Request) -> Response:
        """What the policy would say of a call, and why. Nothing is called."""
        require_person(request, "Testing the rules")
        given = await json_object(request, {"tool", "path", "address", "agent", "project"})
        place = await context.projects.find(optional_text(given, "project"))
        return success(await asyncio.to_thread(tested, place, text_field(given, "tool"), given))

    return Mount(
        [
            Route("/api/policy", policy),
            Route("/api/policy/file", file),
            Route("/api/policy/trust", trust, methods=["POST"]),
            Route("/api/policy/trust", distrust, methods=["DELETE"]),
            Route("/api/policy/trusted", trusted),
            Route("/api/policy/trusted/{hash}", forget_trust, methods=["DELETE"]),
            Route("/api/policy/trusted/{hash}/restore", restore_trust, methods=["POST"]),
            Route("/api/rules", rules),
            Route("/api/rules/{id}", remove_rule, methods=["DELETE"]),
            Route("/api/rules/{id}/restore", restore_rule, methods=["POST"]),
            Route("/api/policy/test", test, methods=["POST"]),
        ]
    )


def _trusted(policy: TrustedPolicy) -> dict[str, Any]:
    return {"hash": policy.hash, "path": policy.where, "project": project_of(policy.where), "at": policy.at}


def _with_use(row: dict[str, Any], use: Any) -> dict[str, Any]:
    return row if use is None else {**row, "used": use.count, "lastUsed": use.last}
