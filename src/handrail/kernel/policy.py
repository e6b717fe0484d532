"""The policy: decides from rules and defaults whether a call is allowed, asked about or denied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from handrail.kernel.glob import matcher, subtree_matcher
from handrail.kernel.policy_document import Policies, PolicyDocument
from handrail.kernel.policy_fields import tighten
from handrail.kernel.rule_matching import READER, applies, covers_path, denies_reading, is_about, names_tool
from handrail.kernel.target import ANY_PLACE, Target
from handrail.kernel.web_address import host_expression, place_expression
from handrail.ports.effect import Effect
from handrail.ports.node import TeamPolicy
from handrail.ports.policy import Decision, Rule
from handrail.ports.prompt_queue import ApprovalSubject
from handrail.ports.secret_files import is_secret_path, names_secrets

_BY_DEFAULT = "default"
PROJECT_RULE = "project rule"
_UNTRUSTED = f"{PROJECT_RULE}, not trusted"
CLOSED_REASON = "closed by default: files of this name usually hold secrets"
OWN_NAMES = (".handrail", ".webgal_agent", "allowlist.json")  # the last says who may use the desktop in a folder

_DEFAULTS = {
    Effect.READ: Decision.ALLOW,
    Effect.ASK: Decision.ALLOW,
    Effect.PROCESS_CONTROL: Decision.ALLOW,
    Effect.WRITE: Decision.ASK,
    Effect.UI_CONTROL: Decision.ASK,
    Effect.EXECUTE: Decision.ASK,
}


USER_RULE = "user rule"
"""The reason in a verdict if a rule of the person decided; the rule's id follows."""


TEAM_RULE = "team rule"
"""The same for a rule of the team that this machine belongs to."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Verdict(msgspec.Struct, frozen=True):
    decision: Decision
    because: str
    is_critical: bool = False
    """The rule that asks requires proof that a person is present."""

    def __str__(self) -> str:
        return f"{self.decision.name.lower()} ({self.because})"

    @property
    def is_default(self) -> bool:
        """Whether no rule matched."""
        return self.because == _BY_DEFAULT


@dataclass(frozen=True, slots=True)
class Policy:
    """The project's document, tightened if it isn't trusted, and the rules of project, user and team."""

    document: PolicyDocument
    rules: tuple[tuple[Rule, Decision, str], ...]
    now: Callable[[], datetime] = utc_now
    team: TeamPolicy | None = None
    """The policy of the team that this machine belongs to."""
    project: str = ""

    @property
    def limits(self) -> Policies:
        return self.document.policies

    @property
    def is_for_developers(self) -> bool:
        return self.document.mode == "developer"

    @property
    def closed_folders(self) -> tuple[str, ...]:
        return (*self.limits.forbidden_dirs, *OWN_NAMES)

    def decide(self, tool: str, effect: Effect, target: Target, agent: str | None = None) -> Verdict:
        """The strictest matching rule; without one, the effect's default.

        If the agent is unknown, rules about one agent apply if they deny or ask, and never if they allow.
        """
        if target.steps:
            return self._decide_steps(tool, effect, target, agent)
        default = _default(effect, target)
        applying = [
            (rule, Verdict(decision, because, rule.critical and decision is Decision.ASK))
            for rule, decision, because in self.rules
            # An untrusted "allow" counts as "ask", but must not restrict what is allowed by default.
            if not (decision is not rule.verdict and default is Decision.ALLOW)
            and (applies(rule, tool, effect, target, agent) or denies_reading(rule, tool, effect, target, agent))
            and not (rule.until is not None and rule.has_expired(self.now()))
        ]
        is_closed = target.path is not None and is_secret_path(target.path)
        if is_closed and not any(_opens(rule, verdict.because) for rule, verdict in applying):
            return Verdict(Decision.DENY, CLOSED_REASON)
        matches = [verdict for _, verdict in applying]
        if not matches:
            return Verdict(default, _BY_DEFAULT)
        strictest = max(matches, key=lambda verdict: (verdict.decision, verdict.is_critical))
        if strictest.decision is Decision.ALLOW and default is Decision.ASK and self.votes_for(tool, effect, target):
            return Verdict(Decision.ASK, f"{TEAM_RULE} about approvals")
        return strictest

    def _decide_steps(self, tool: str, effect: Effect, target: Target, agent: str | None) -> Verdict:
        """For a command: a rule that denies or asks about any part applies; otherwise every part must be allowed.

        A rule that allows the whole command covers its parts, unless a rule is stricter about one of them.
        """
        whole = self.decide(tool, effect, replace(target, steps=()), agent)
        parts = [(step, self.decide(tool, step.effect, step.target, agent)) for step in target.steps]
        ruled = [verdict for _, verdict in parts if not verdict.is_default and verdict.decision is not Decision.ALLOW]
        ruled += [] if whole.is_default else [whole]
        if ruled:
            return max(ruled, key=lambda verdict: (verdict.decision, verdict.is_critical))
        if all(step.is_certain and verdict.decision is Decision.ALLOW for step, verdict in parts):
            return next(
                (verdict for _, verdict in parts if not verdict.is_default), Verdict(Decision.ALLOW, _BY_DEFAULT)
            )
        return Verdict(Decision.ASK, _BY_DEFAULT)

    def votes_for(self, tool: str, effect: Effect, target: Target, place: str | None = None) -> int:
        """How many people of the team have to approve this; 0 if the person at this machine decides."""
        if self.team is None:
            return 0
        return self.team.votes_for(
            ApprovalSubject("", tool, effect.value, self.project, place or target.place or "", target.server or "")
        )

    def opens(self, path: str) -> bool:
        """Whether a current rule opens this file of secrets to some tool or agent."""
        return any(
            _opens(rule, because)
            and rule.path is not None
            and (subtree_matcher(rule.path) if rule.below else matcher(rule.path))(path)
            and not rule.has_expired(self.now())
            for rule, _, because in self.rules
        )

    def decide_again(self, tool: str, effect: Effect, target: Target, agent: str | None = None) -> Verdict:
        """The verdict about a target that a call reaches while it runs: whether it may act there and read it."""
        verdicts = [self.decide(tool, kind, target, agent) for kind in (effect, Effect.READ)]
        return max(verdicts, key=lambda verdict: (verdict.decision, not verdict.is_default, verdict.is_critical))

    def denied_pages(self, tool: str, effect: Effect, agent: str | None = None) -> list[str]:
        """Regular expressions for addresses that this call must not reach, as far as they are known in advance."""
        rules = (rule for rule, decision, _ in self.rules if decision is Decision.DENY)
        expressions: list[str] = []
        for rule in rules:
            pattern = rule.host or rule.place
            if pattern is None or (rule.host and rule.place) or rule.has_expired(self.now()):
                continue
            everywhere = Target(place=ANY_PLACE)
            if any(applies(rule, tool, kind, everywhere, agent) for kind in (effect, Effect.READ)):
                expression = host_expression(rule.host) if rule.host else place_expression(pattern)
                expressions += [] if expression is None else [expression]
        return sorted(set(expressions))

    def reading_limits(self, *tools: str) -> Callable[[Target], bool] | None:
        """Whether a rule about paths may be stricter than the default about reading a target with one of these tools.

        None if there is no such rule. `decide` says what applies.
        """
        rules = [
            rule
            for rule, decision, _ in self.rules
            if decision is not Decision.ALLOW
            and decision is rule.verdict
            and rule.path is not None
            and rule.effect in (None, Effect.READ)
            and (rule.tool is None or any(names_tool(rule.tool, tool, None) for tool in (*tools, READER)))
            and not rule.has_expired(self.now())
        ]
        return (lambda target: any(covers_path(rule, target) for rule in rules)) if rules else None

    def may_read(self, tool: str, path: str, passed: Decision = Decision.ASK, agent: str | None = None) -> bool:
        """For results about many files: False if a rule is stricter about this file than `passed`."""
        return self.decide(tool, Effect.READ, Target(path=path), agent).decision <= passed


def rule_id(rule: Rule) -> str:
    """The rule's id in the audit and in lists: a hash of its content."""
    return sha256(msgspec.json.encode(rule)).hexdigest()[:12]


def compose_policy(
    document: PolicyDocument,
    *,
    is_trusted: bool,
    user_rules: Sequence[Rule],
    project: str | None = None,
    team: TeamPolicy | None = None,
) -> Policy:
    """A project's own policy can only tighten until a person trusts it: until then its "allow" counts as "ask".

    Leaves out rules about other projects than `project`, and rules of a team that allow.
    """
    rules = [(rule, rule.verdict, f"{USER_RULE} {rule_id(rule)}") for rule in user_rules if is_about(rule, project)]
    for rule in document.rules:
        if is_about(rule, project):
            decision = rule.verdict if is_trusted else max(rule.verdict, Decision.ASK)
            rules.append((rule, decision, PROJECT_RULE if is_trusted else _UNTRUSTED))
    rules += [
        (rule, rule.verdict, f"{TEAM_RULE} {rule_id(rule)}")
        for rule in (() if team is None else team.rules)
        if rule.verdict is not Decision.ALLOW and is_about(rule, project)
    ]
    if not is_trusted:
        document = tighten(document)
    return Policy(document, tuple(rules), team=team, project=project or "")


def _opens(rule: Rule, because: str) -> bool:
    """Only a rule that names such files opens them; not a rule of an untrusted project or of a team."""
    names_it = rule.path is not None and names_secrets(rule.path)
    is_ours = because != _UNTRUSTED and not because.startswith(TEAM_RULE)
    return names_it and rule.verdict is not Decision.DENY and is_ours


def _default(effect: Effect, target: Target) -> Decision:
    """Reading is allowed in the project; outside of it, it asks."""
    is_beyond = target.is_outside or target.is_closed
    return Decision.ASK if is_beyond and effect is Effect.READ else _DEFAULTS[effect]
