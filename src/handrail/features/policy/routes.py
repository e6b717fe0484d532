"""`/api/policy` and `/api/rules`: shows and removes rules, trusts a project's policy, tests what the rules decide."""

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
from handrail.features.policy.rule_list import list_rules
from handrail.features.policy.summary import policy_in_force
from handrail.kernel.access import record_access
from handrail.kernel.policy_source import project_of
from handrail.kernel.project import Project
from handrail.kernel.recently_removed import RecentlyRemoved
from handrail.kernel.target import Target
from handrail.kernel.web_address import parse_address
from handrail.ports.errors import Conflict, InvalidParams, NotFound
from handrail.ports.policy import TrustedPolicy


def mount(context: HttpContext) -> Mount:
    source = context.project.policy
    proofs = PersonProof(context.project.stores.presence, context.windows)
    removed = RemovedRules(context.project.stores)
    distrusted = RecentlyRemoved[TrustedPolicy]("trust in the policy")

    async def policy(request: Request) -> Response:
        return success(await asyncio.to_thread(policy_in_force, source))

    async def file(request: Request) -> Response:
        require_person(request, "Reading the project's policy")
        data = await _content()
        return success({"text": data.decode(errors="replace"), "hash": sha256(data).hexdigest()})

    async def trust(request: Request) -> Response:
        """Trusts exactly the bytes that were shown, whatever the file contains by now."""
        require_person(request, "Trusting a project's policy")
        body = await json_object(request, {"hash", "presence"})
        data, digest = await _content(), text_field(body, "hash")
        if sha256(data).hexdigest() != digest:
            raise Conflict("The policy has changed since it was shown.", hint="Read it again.")
        params = {"policy": source.where, "hash": digest}
        command = f"handrail policy trust --project {shlex.quote(context.project.location)}"
        action = Action("policy", "Trusting a project's policy", params, command, data.decode(errors="replace"))
        proof = await proofs.for_action(request, body.get("presence"), action)
        await asyncio.to_thread(source.trust, data)
        done = f"trusted the policy {source.where} ({digest[:16]})"
        await record_access(context.project.audit, caller(request, context.person), done, proof)
        return success(await asyncio.to_thread(policy_in_force, source))

    async def distrust(request: Request) -> Response:
        require_person(request, "Distrusting a project's policy")
        if await asyncio.to_thread(source.distrust):
            done = f"no longer trusts the policy {source.where}"
            await record_access(context.project.audit, caller(request, context.person), done)
        return success(await asyncio.to_thread(policy_in_force, source))

    async def _content() -> bytes:
        data = await asyncio.to_thread(lambda: source.file)
        if data is None:
            raise NotFound(f"There is no policy to trust: {source.where}")
        return data

    async def rules(request: Request) -> Response:
        """The rules of every project and agent."""
        require_person(request, "Seeing every rule")
        rows, uses = await list_rules(context.project.stores), await _uses()
        used = {id: _with_use({}, use) for id, use in uses.items()}
        return success({"rules": [_with_use(row, uses.get(row["id"])) for row in rows], "uses": used})

    async def trusted(request: Request) -> Response:
        """The trusted policies of every project."""
        require_person(request, "Seeing which policies are trusted")
        policies, uses = await asyncio.to_thread(source.trusts.all), await _uses()
        return success({"trusted": [_with_use(_trusted(policy), uses.get(policy.where)) for policy in policies]})

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
        """Undoes that within a short time: exactly the content that was trusted is trusted again."""
        require_person(request, "Trusting a project's policy")
        body = await json_object(request, {"presence"})
        policy = distrusted.find(request.path_params["hash"])
        command = f"handrail policy trust --project {shlex.quote(project_of(policy.where))}"
        params = {"policy": policy.where, "hash": policy.hash}
        action = Action("policy", "Trusting a project's policy", params, command)
        proof = await proofs.for_action(request, body.get("presence"), action)
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
        """Undoes a recent removal: the same rule comes back, with proof of presence if it allows anything."""
        require_person(request, "Restoring a rule")
        body = await json_object(request, {"presence"})
        removed_rule = await removed.find(request.path_params["id"])
        proof = None
        if removed_rule.is_loosening:
            row = removed_rule.row
            facts = {name: str(value) for name, value in row.items() if name not in ("kind", "hasEnded")}
            action = Action("rule", "Restoring a rule", facts, f"handrail rules restore {removed_rule.id}")
            proof = await proofs.for_action(request, body.get("presence"), action)
        restored = await removed.restore(removed_rule)
        by = caller(request, context.person)
        await record_access(context.project.audit, by, f"restored the rule {restored['id']}", proof)
        return success(restored)

    async def test(request: Request) -> Response:
        """What the policy would decide about a call, and why. Nothing is called."""
        require_person(request, "Testing the rules")
        body = await json_object(request, {"tool", "path", "address", "agent", "project"})
        place = await context.projects.find(optional_text(body, "project"))
        return success(await asyncio.to_thread(explain_decision, place, text_field(body, "tool"), body))

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


def explain_decision(project: Project, tool: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The decision, and whether a rule or the default made it. NotFound for an unknown tool. Blocks."""
    entry = project.registry.find(tool)
    path, address, agent = (_text(fields, name) for name in ("path", "address", "agent"))
    place = None if address is None else parse_address(address, "address").place
    effect = entry.tool.strongest_effect
    verdict = project.policy.current().decide(entry.tool.name, effect, Target(path=path, place=place), agent)
    return {
        "decision": verdict.decision.name.lower(),
        "because": verdict.because,
        "isDefault": verdict.is_default,
        "isCritical": verdict.is_critical,
        "effect": effect.value,
    }


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidParams(f"`{name}` must be a string.", fieldErrors=[{"field": name, "message": "must be a string"}])
    return value or None
