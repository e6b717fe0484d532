"""The identities of callers."""

from dataclasses import dataclass

SERVER_TOKEN = "server token"
"""The identity of callers that have only the token in server.json."""
PERSONS_CHAT = "chat:person"
"""The identity of the agent in the chat when a person writes."""
PERSONS_FACES = frozenset({"cli", "console"})
"""The faces through which people call."""
CAGE_FACE = "cage"
"""The face of calls that handrail makes for programs in a cage, such as connecting to a host."""


_TOKENLESS = ("program:", "process:", "stdio:")


def is_tokenless_program(agent: str) -> bool:
    """Whether an agent without a token of its own is known only by its program, and by its process where even that is
    unknown. A program can have itself started from any number of others.
    """
    return agent.startswith(_TOKENLESS)


def persons_chat_identity(name: str) -> str:
    """The same for one of several people."""
    return f"{PERSONS_CHAT}:{name}" if name else PERSONS_CHAT


def is_persons_chat(identity: str) -> bool:
    return identity == PERSONS_CHAT or identity.startswith(f"{PERSONS_CHAT}:")


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a connection and of its agent. Callers can't choose either.

    `connection` owns tasks, lanes, browsers and scopes. `agent` is what lasting permissions are bound to: it stays the
    same when the same agent reconnects. If no lasting identity is known, both are the same.
    """

    connection: str
    agent: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. `name` is a label for people that the caller may choose; `peer` is where the call comes from.

    `identity` is the connection's and `agent` the lasting one (see Identity). Keys use these and never the name.
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
