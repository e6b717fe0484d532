"""Who calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `name` is what people read, `peer` is what the operating system vouches for."""

    face: str
    name: str
    peer: str

    def __str__(self) -> str:
        return f"{self.face}:{self.name}:{self.peer}"
