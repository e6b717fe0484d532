"""The file of settings, and what it means when it can't be read."""

from handrail.ports.errors import Failure

CONFIG_FILE = "config.toml"


class BrokenSettings(Failure):
    """Settings that can't be read stop the program."""
