"""Who calls."""

from dataclasses import dataclass

SERVER_TOKEN = "server token"
"""The identity of who has nothing but the token in server.json."""
PERSONS_CHAT = "chat:person"
"""The identity of the agent in the chat, where a person speaks."""
PERSONS_FACES = frozenset({"cli", "console"})
"""Where people call."""
CAGE_FACE = "cage"
"""Where handrail calls for an agent in a cage: what its programs do without a tool, such as connecting to a host."""


def persons_chat_identity(name: str) -> str:
    """The same where several people may speak, and this one does."""
    return f"{PERSONS_CHAT}:{name}" if name else PERSONS_CHAT


def is_persons_chat(identity: str) -> bool:
    return identity == PERSONS_CHAT or identity.startswith(f"{PERSONS_CHAT}:")


@dataclass(frozen=True, slots=True)
class Identity:
    """Of a connection, and of what it belongs to. Neither can be chosen by who connects.

    `connection` owns tasks, lanes, browsers and scopes. `agent` is what a lasting yes is bound to: it stays the same
    when the same agent connects again. Where nothing lasting is known, both are the same.
    """

    connection: str
    agent: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `name` is what people read: a label that the caller may choose. `peer` is where it comes from.

    `identity` is the connection's own, and `agent` what lasts beyond it (see Identity): keys are made of these, and
    never of a name.
    """

    face: str
    name: str
    peer: str
    identity: str
    agent: str = ""

    def __post_init__(self) -> None:
        if not self.agent:
            object.__setattr__(self, "agent", self.identity)

    @classmethod
    def known(cls, face: str, name: str, peer: str, identity: Identity) -> "Caller":
        return cls(face, name, peer, identity.connection, identity.agent)

    def __str__(self) -> str:
        return f"{self.face}:{self.name}:{self.peer}"
