"""What a call does to the world, from harmless to not."""

from enum import Enum


class Effect(Enum):
    READ = "READ"
    WRITE = "WRITE"
    UI_CONTROL = "UI_CONTROL"
    EXECUTE = "EXECUTE"
    PROCESS_CONTROL = "PROCESS_CONTROL"
    ASK = "ASK"

    __hash__ = object.__hash__  # there is one of each, and Enum's own takes a call in Python for every look-up

    @property
    def changes(self) -> bool:
        """True where a person is asked by default, and a token and evidence are kept."""
        return self in _CHANGING


_CHANGING = frozenset({Effect.WRITE, Effect.UI_CONTROL, Effect.EXECUTE})
