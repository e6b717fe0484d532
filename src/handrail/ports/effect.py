"""The effect of a call, from harmless to risky."""

from enum import Enum


class Effect(Enum):
    READ = "READ"
    WRITE = "WRITE"
    UI_CONTROL = "UI_CONTROL"
    EXECUTE = "EXECUTE"
    PROCESS_CONTROL = "PROCESS_CONTROL"
    ASK = "ASK"

    __hash__ = object.__hash__  # members are unique, and Enum's own hash is slow Python code

    @property
    def changes(self) -> bool:
        """Whether it asks a person by default, and gets a token and evidence."""
        return self in _CHANGING


_CHANGING = frozenset({Effect.WRITE, Effect.UI_CONTROL, Effect.EXECUTE})
