"""The policy in force as data: what `handrail policy --json` and `GET /api/policy` show."""

from typing import Any

import msgspec

from handrail.kernel.policy import Policy
from handrail.kernel.policy_document import as_json
from handrail.kernel.policy_source import PolicySource
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Rule


def in_force(policy: PolicySource) -> dict[str, Any]:
    return summary(policy.load(), path=policy.where, exists=policy.file is not None, is_trusted=policy.is_trusted())


def summary(policy: Policy, *, path: str, exists: bool, is_trusted: bool) -> dict[str, Any]:
    """`path` is the project's own file, of which only what is in force is told."""
    document = as_json(policy.document)
    bare = Policy(policy.document, ())
    return {
        "path": path,
        "exists": exists,
        "trusted": is_trusted,
        "contractVersion": document["contractVersion"],
        "mode": document["mode"],
        "policies": document["policies"],
        "rules": [
            {**_subject(rule), "decision": decision.name.lower(), "from": source}
            for rule, decision, source in policy.rules
        ],
        "defaults": {effect.value: bare.decide("", effect, Target()).decision.name.lower() for effect in Effect},
    }


def _subject(rule: Rule) -> dict[str, Any]:
    return {
        name: value for name, value in msgspec.to_builtins(rule).items() if value is not None and name != "decision"
    }
