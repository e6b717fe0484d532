"""The file of settings, and what it means when it can't be read."""

from handrail.ports.errors import Failure

CONFIG_FILE = "config.toml"


class BrokenSettings(Failure):
    """Settings that can't be read stop the program."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="Correct the file, or move it away to start with the defaults.")
