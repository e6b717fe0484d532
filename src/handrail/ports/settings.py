"""The settings file, and the error if it can't be read."""

from datetime import date
from typing import Any

from handrail.ports.errors import Failure

CONFIG_FILE = "config.toml"


class BrokenSettings(Failure):
    """Settings that can't be read; they stop the program."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="Correct the file, or move it away to start with the defaults.")


def dates_as_text(values: dict[str, Any]) -> dict[str, Any]:
    """Converts dates in rules to text, because TOML has its own type for `until = 2026-11-30`."""
    rules = values.get("rules")
    if not isinstance(rules, list):
        return values
    converted = [
        {name: value.isoformat() if isinstance(value, date) else value for name, value in rule.items()}
        if isinstance(rule, dict)
        else rule
        for rule in rules
    ]
    return {**values, "rules": converted}
