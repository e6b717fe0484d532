"""Decides which approvals need proof that a person is present, and verifies proofs.

Answers are checked here when they enter the queue and again when they are used. So an answer without a required proof
is refused and its prompt stays pending, and an answer that was written to the log in another way doesn't count.
"""

import hmac
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel.digest import digest
from handrail.kernel.grants import NotOffered, choose_grant, is_wide, is_within
from handrail.kernel.passkeys import verify_assertion
from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.ports.approval_card import Card
from handrail.ports.errors import Declined
from handrail.ports.node import TeamPolicy
from handrail.ports.presence import (
    FindAgent,
    InspectTerminal,
    PasskeyProof,
    Passkeys,
    PresenceMode,
    PresenceNeeded,
    Proof,
    Proofs,
    ProofSource,
    TeamProof,
    TerminalProof,
    WindowProof,
    WordNeeded,
)
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_queue import ApprovalSubject
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt

TEAM = "team"
"""The kind of proof of a team's approval."""
_NO_PASSKEY = "`handrail passkeys add` sets up a passkey for the console."


def why_needed(mode: PresenceMode, request: RequestEntry, response: PromptResponse) -> str | None:
    """Why this answer needs proof; None if it doesn't, such as a denial or an answer to another program's question."""
    prompt = request.prompt
    is_own = isinstance(prompt, FileChangePrompt) and request.request_id.startswith(APPROVAL_PREFIX)
    if mode == "never" or response.status != "ok" or not is_own:
        return None
    assert isinstance(prompt, FileChangePrompt)
    if mode == "always":
        return "your settings ask for it with every approval"
    if prompt.critical is True:
        return "a rule marks this as critical"
    if response.scope is UNSET or response.scope == "once":
        return None
    if response.scope == "rule" and (prompt.consent is not UNSET or prompt.offers is UNSET):
        return "it allows this from now on"
    try:
        grant = choose_grant(prompt.offers or (), response.scope, response.grant)
    except NotOffered:
        return None  # the prompt's rules refuse it, or it counts once
    offered = [each.grant for each in prompt.offers or () if each.scope == response.scope and each.grant is not UNSET]
    if not any(is_within(grant, each) for each in offered):
        return "it allows more than was offered"
    if not is_wide(grant):
        return None
    return "it allows this from now on" if response.scope == "rule" else "it allows much more than was asked"


def votes_needed(policy: TeamPolicy, request: RequestEntry) -> int:
    """How many people of the team have to approve this; 0 if the person at this machine decides."""
    prompt = request.prompt
    if (
        not isinstance(prompt, FileChangePrompt)
        or not request.request_id.startswith(APPROVAL_PREFIX)
        or prompt.card is UNSET
    ):
        return 0
    return policy.votes_for(subject_of_card(prompt.card))


def subject_of_card(card: Card, node: str = "") -> ApprovalSubject:
    place, server = card.place or "", card.server or ""
    return ApprovalSubject(card.identity, card.tool, card.effect, card.project, place, server, node)


def challenge(request: RequestEntry, response: PromptResponse) -> bytes:
    """A digest of the prompt's id, everything that it shows, and the scope of the answer."""
    members = ((name, getattr(response, name)) for name in ("scope", "covers", "grant"))
    reach = {name: msgspec.to_builtins(value) for name, value in members if value is not UNSET}
    shown = digest(msgspec.to_builtins(request.prompt))
    return bytes.fromhex(digest({"requestId": request.request_id, "prompt": shown, "answer": "ok", "reach": reach}))


def answering_command(request_id: str, response: PromptResponse) -> str:
    """The command with which a person can answer in a terminal."""
    reach = "" if response.scope is UNSET or response.scope == "once" else f" --for {response.scope}"
    if response.covers == "app":
        reach = " --for app"
    return f"handrail prompts answer {request_id} --ok{reach}"


class PresenceCheck:
    """`mode` is called each time, because a person may change it at any time.

    `team` returns the policy of the team that this machine belongs to.
    """

    def __init__(
        self,
        mode: Callable[[], PresenceMode],
        passkeys: Passkeys,
        proofs: Proofs,
        inspect_terminal: InspectTerminal,
        find_agent: FindAgent,
        team: Callable[[], TeamPolicy | None] = lambda: None,
    ) -> None:
        self._mode = mode
        self.passkeys = passkeys
        self._proofs = proofs
        self.inspect_terminal = inspect_terminal
        self._find_agent = find_agent
        self._team = team

    @property
    def mode(self) -> PresenceMode:
        return self._mode()

    def why_needed(self, request: RequestEntry, response: PromptResponse) -> str | None:
        return why_needed(self.mode, request, response)

    def challenge(self, request: RequestEntry, response: PromptResponse) -> bytes:
        return challenge(request, response)

    def admit(self, request: RequestEntry, response: PromptResponse, proof: ProofSource) -> Callable[[], None]:
        self._check_team(request, response, is_team=isinstance(proof, TeamProof))
        why = self.why_needed(request, response)
        if proof == "terminal":
            proof = self._terminal_without_word
        if why is None and (proof is None or callable(proof)):
            return _nothing_to_keep
        if callable(proof):
            try:
                proof = proof()
            except PresenceNeeded as refused:
                raise self._needed(request, response, f"{why}; {refused.details.get('why', refused.message)}") from None
        if proof is None:
            raise self._needed(request, response, why or "")
        record = self.verify(challenge(request, response), proof)
        return lambda: self._proofs.keep(request.request_id, record)

    def _check_team(self, request: RequestEntry, response: PromptResponse, *, is_team: bool) -> None:
        """Declined: the team requires approval by its own people, so an approval on this machine isn't enough."""
        policy = None if is_team or response.status != "ok" else self._team()
        votes = 0 if policy is None else votes_needed(policy, request)
        if votes:
            people = "one of its people" if votes == 1 else f"{votes} of its people"
            raise Declined(
                f"Your team wants {people} to approve this. Here you can only deny it.",
                hint="They are asked at the team's server.",
                reason="team",
            )

    def _terminal_without_word(self) -> TerminalProof:
        """Keys and lines alone are no proof: other programs of this account can make a terminal send some."""
        raise WordNeeded(self.inspect_terminal())

    def proof_of(self, request: RequestEntry, response: PromptResponse) -> Mapping[str, Any] | None:
        record = self._proofs.of(request.request_id)
        self._check_team(request, response, is_team=record is not None and record.get("kind") == TEAM)
        if record is not None and record.get("challenge") == challenge(request, response).hex():
            return record
        why = self.why_needed(request, response)
        if why is not None:
            raise self._needed(request, response, why)
        return None

    def verify(self, challenge: bytes, proof: Proof) -> dict[str, Any]:
        return {"challenge": challenge.hex(), **self._checked(challenge, proof)}

    def require_terminal(self, what: str) -> TerminalProof | None:
        if self.mode == "never":
            return None
        try:
            return self.inspect_terminal()
        except PresenceNeeded as refused:
            raise PresenceNeeded(
                f"{what} needs proof that a person is present: {refused.message}", hint=refused.hint, reason="presence"
            ) from None

    def refuse_agents(self, what: str, names: Collection[str] = ()) -> None:
        if self.mode != "never" and (agent := self._find_agent(names)) is not None:
            raise PresenceNeeded(
                f"{what} is for a person, and {agent} has started this command.",
                hint="Run it in a terminal of your own, or use the console.",
                reason="presence",
            )

    def _checked(self, expected: bytes, proof: Proof) -> dict[str, Any]:
        if isinstance(proof, TerminalProof):
            return {"kind": "terminal", "terminal": proof.terminal, "pid": proof.pid, "program": proof.program}
        if isinstance(proof, TeamProof):
            return {"kind": TEAM, "tenant": proof.tenant, "by": list(proof.by)}
        if isinstance(proof, WindowProof):
            if not hmac.compare_digest(proof.challenge, expected):
                raise PresenceNeeded(
                    "What the window confirmed is something else.", hint="Confirm it again.", reason="presence"
                )
            return {"kind": "window", "browser": proof.browser}
        return self._signed(proof, expected)

    def _signed(self, proof: PasskeyProof, expected: bytes) -> dict[str, Any]:
        passkey, sign_count = verify_assertion(proof, expected, self.passkeys.all())
        self.passkeys.used(passkey.id, sign_count)
        signed = proof.credential["response"]
        return {
            "kind": "passkey",
            "passkey": passkey.id,
            "publicKey": passkey.public_key,
            "authenticatorData": signed["authenticatorData"],
            "clientData": signed["clientDataJSON"],
            "signature": signed["signature"],
        }

    def _needed(self, request: RequestEntry, response: PromptResponse, why: str) -> PresenceNeeded:
        command = answering_command(request.request_id, response)
        has_passkey = bool(self.passkeys.all())
        how = "Confirm it in the console with your passkey" if has_passkey else "Answer it in a terminal"
        return PresenceNeeded(
            f"This answer needs proof that a person is present: {why}.",
            hint=f"{how}, or run `{command}` in a terminal of your own."
            if has_passkey
            else f"{how} of your own: `{command}`. {_NO_PASSKEY}",
            reason="presence",
            why=why,
            command=command,
        )


def _nothing_to_keep() -> None:
    """The answer needs no proof."""
