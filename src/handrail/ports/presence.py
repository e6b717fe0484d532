"""Proof that a person is present: a passkey's signature, a window of the extension, a terminal, or a team's yes.

Knows no store and no system: where passkeys are kept, and how a terminal is looked at, is told by others.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.errors import Declined
from handrail.ports.prompt_entries import RequestEntry
from handrail.ports.prompt_response import PromptResponse

PresenceMode = Literal["always", "critical", "never"]
"""Which approvals need proof of presence: every one, those that reach far, or none."""

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
    """Those that a person has registered. Blocks."""

    def all(self) -> Sequence[Passkey]: ...

    def add(self, passkey: Passkey) -> None: ...

    def used(self, id: str, sign_count: int) -> None:
        """Keeps how often an authenticator says that it has signed: a copy of it would lag behind."""
        ...

    def remove(self, id: str) -> bool:
        """Whether it was there."""
        ...


class Proofs(Protocol):
    """What proved presence for an answer, by the prompt's id. Blocks."""

    def keep(self, request_id: str, proof: Mapping[str, Any]) -> None: ...

    def of(self, request_id: str) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class PasskeyProof:
    """An assertion as the browser gives it (`PublicKeyCredential.toJSON()`), and the origin that must have asked."""

    credential: Mapping[str, Any]
    origin: str


@dataclass(frozen=True, slots=True)
class TerminalProof:
    """A person typed this at a terminal that no agent's process is behind."""

    terminal: str
    pid: int
    program: str
    """What holds the other end of the terminal, such as xterm or sshd."""
    other_program: str = ""
    """Another program in the same terminal that could type there as well: then keys alone prove nobody's hands."""


@dataclass(frozen=True, slots=True)
class WindowProof:
    """A yes in the extension's own window, in a browser that a person has enrolled for this."""

    browser: str
    """The clientId that the browser was paired as."""
    challenge: bytes
    """What the window's answer was for."""


@dataclass(frozen=True, slots=True)
class TeamProof:
    """People of the team that this machine is a node of said yes, each signed in there."""

    tenant: str
    by: tuple[str, ...]


Proof = PasskeyProof | TerminalProof | WindowProof | TeamProof


class PresenceNeeded(Declined):
    """This needs proof that a person is present. Nothing has changed: a prompt stays pending."""


InspectTerminal = Callable[[], TerminalProof]
"""PresenceNeeded, with the reason, where this process can't be told from an agent's."""

FindAgent = Callable[[Collection[str]], str | None]
"""The agent's process that has started this one, in words; programs of these names are agents, too."""

ProofSource = Proof | InspectTerminal | Literal["terminal"] | None
"""A proof, or how to get one if the answer needs it: `terminal` looks at the one that this process reads from."""


class Presence(Protocol):
    """The one place that decides which answers need proof, and whether a proof is good. Blocks."""

    @property
    def mode(self) -> PresenceMode: ...

    @property
    def passkeys(self) -> Passkeys: ...

    @property
    def inspect_terminal(self) -> InspectTerminal: ...

    def why_needed(self, request: RequestEntry, response: PromptResponse) -> str | None:
        """None where this answer needs no proof."""
        ...

    def challenge(self, request: RequestEntry, response: PromptResponse) -> bytes:
        """What a passkey signs for exactly this answer to exactly this prompt."""
        ...

    def admit(self, request: RequestEntry, response: PromptResponse, proof: ProofSource) -> Callable[[], None]:
        """PresenceNeeded, or what keeps the proof, to be called once the answer is accepted."""
        ...

    def proof_of(self, request: RequestEntry, response: PromptResponse) -> Mapping[str, Any] | None:
        """The proof behind an answer in the log. PresenceNeeded where it needs one and has none for what it says."""
        ...

    def verify(self, challenge: bytes, proof: Proof) -> Mapping[str, Any]:
        """For what isn't an answer to a prompt: the proof as the audit keeps it. PresenceNeeded where it isn't good."""
        ...

    def require_terminal(self, what: str) -> TerminalProof | None:
        """For a command that changes who may do what. PresenceNeeded; None where the settings ask for no proof."""
        ...

    def refuse_agents(self, what: str, names: Collection[str] = ()) -> None:
        """For a command of people's that asks for no further proof. PresenceNeeded where an agent has started it."""
        ...
