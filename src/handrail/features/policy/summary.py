"""The policy in force as data, for `handrail policy --json` and `GET /api/policy`."""

from typing import Any

import msgspec

from handrail.kernel.policy import Policy
from handrail.kernel.policy_document import as_json
from handrail.kernel.policy_source import PolicySource
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.policy import Rule


def policy_in_force(source: PolicySource) -> dict[str, Any]:
    """Includes only those parts of the project's own file that are in force."""
    policy = source.load()
    document, bare = as_json(policy.document), Policy(policy.document, ())
    return {
        "path": source.where,
        "exists": source.file is not None,
        "trusted": source.is_trusted(),
        "contractVersion": document["contractVersion"],
        "mode": document["mode"],
        "policies": document["policies"],
        "rules": [
            {**_subject(rule), "decision": decision.name.lower(), "from": origin}
            for rule, decision, origin in policy.rules
        ],
        "defaults": {effect.value: bare.decide("", effect, Target()).decision.name.lower() for effect in Effect},
    }


def _subject(rule: Rule) -> dict[str, Any]:
    """The members that are set, without the decision."""
    return {name: value for name, value in msgspec.to_builtins(rule).items() if name != "decision"}
