"""Proof that a person is present: a passkey's signature, the extension's window, a terminal, or a team's approval."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.errors import Declined
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_response import PromptResponse

PresenceMode = Literal["always", "critical", "never"]
"""Which approvals need proof of presence: all, the far-reaching ones, or none."""

RP_ID = "localhost"
"""The name that passkeys are bound to. An address such as 127.0.0.1 can't be one."""


class Passkey(msgspec.Struct, frozen=True, rename="camel"):
    """`id` and `public_key` are base64url, without padding."""

    id: str
    public_key: str
    sign_count: int
    name: str
    created_at: str


class Passkeys(Protocol):
    """The passkeys that a person has registered. Blocks."""

    def all(self) -> Sequence[Passkey]: ...

    def add(self, passkey: Passkey) -> None: ...

    def used(self, id: str, sign_count: int) -> None:
        """Saves the authenticator's signature counter, which exposes a copied authenticator."""
        ...

    def remove(self, id: str) -> bool:
        """Returns whether it existed."""
        ...


class Proofs(Protocol):
    """The proofs of answers, by the prompt's id. Blocks."""

    def keep(self, request_id: str, proof: Mapping[str, Any]) -> None: ...

    def of(self, request_id: str) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class PasskeyProof:
    """An assertion from the browser (`PublicKeyCredential.toJSON()`), and the origin that must have requested it."""

    credential: Mapping[str, Any]
    origin: str


@dataclass(frozen=True, slots=True)
class TerminalProof:
    """A person typed the answer at a terminal that no agent's process controls."""

    terminal: str
    pid: int
    program: str
    """The program that provides the terminal, such as xterm or sshd."""


@dataclass(frozen=True, slots=True)
class WindowProof:
    """An approval in the extension's own window, in a browser that a person has enrolled for this."""

    browser: str
    """The clientId that the browser was paired as."""
    challenge: bytes
    """The challenge that the window confirmed."""


@dataclass(frozen=True, slots=True)
class TeamProof:
    """People of the team that this machine belongs to approved, each signed in there."""

    tenant: str
    by: tuple[str, ...]


Proof = PasskeyProof | TerminalProof | WindowProof | TeamProof


class PresenceNeeded(Declined):
    """This requires proof that a person is present. A prompt stays pending."""


class WordNeeded(Exception):
    """The answer needs proof and this terminal counts: only the word that a person reads and types there is missing."""

    def __init__(self, proof: TerminalProof) -> None:
        super().__init__()
        self.proof = proof


InspectTerminal = Callable[[], TerminalProof]
"""PresenceNeeded, with the reason, if this process can't be distinguished from an agent's."""

FindAgent = Callable[[Collection[str]], str | None]
"""The agent's process that has started this one, in words; programs with these names count as agents too."""

ProofSource = Proof | InspectTerminal | Literal["terminal"] | None
"""A proof, or how to get one if it is needed: `terminal` inspects this process's terminal and raises WordNeeded."""


class Presence(Protocol):
    """Decides which answers need proof, and verifies proofs. Blocks."""

    @property
    def mode(self) -> PresenceMode: ...

    @property
    def passkeys(self) -> Passkeys: ...

    @property
    def inspect_terminal(self) -> InspectTerminal: ...

    def why_needed(self, request: RequestEntry, response: PromptResponse) -> str | None:
        """Why this answer needs proof; None if it doesn't."""
        ...

    def challenge(self, request: RequestEntry, response: PromptResponse) -> bytes:
        """What a passkey signs for exactly this answer to exactly this prompt."""
        ...

    def admit(self, request: RequestEntry, response: PromptResponse, proof: ProofSource) -> Callable[[], None]:
        """A function that saves the proof, to be called once the answer is accepted. PresenceNeeded, WordNeeded."""
        ...

    def proof_of(self, request: RequestEntry, response: PromptResponse) -> Mapping[str, Any] | None:
        """The proof of an answer in the log. PresenceNeeded if it requires one and has none for exactly this answer."""
        ...

    def verify(self, challenge: bytes, proof: Proof) -> Mapping[str, Any]:
        """Verifies a proof of something other than an answer; returns it for the audit. PresenceNeeded: invalid."""
        ...

    def require_terminal(self, what: str) -> TerminalProof | None:
        """For commands that change permissions. PresenceNeeded. None if the settings require no proof."""
        ...

    def refuse_agents(self, what: str, names: Collection[str] = ()) -> None:
        """For commands for people that require no further proof. PresenceNeeded: an agent has started the command."""
        ...
