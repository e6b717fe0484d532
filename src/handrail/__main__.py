"""The program `handrail`, also as `python -m handrail`: the command line with every feature."""

from __future__ import annotations

from handrail.faces.cli.main import CommandList, run
from handrail.features import built_in, enabled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from handrail.kernel.feature import Feature
    from handrail.wiring import Wiring


def features() -> list[Feature]:
    """What is built in, and of other packages what a person has enabled."""
    return [*built_in(), *enabled(_enabled_names())]


def commands() -> CommandList:
    return CommandList(features())


def open_program() -> Wiring:
    from handrail.wiring import Wiring

    return Wiring(features())


def main() -> None:
    run(commands(), open_program)


def _enabled_names() -> list[str]:
    """Most people enable none: then nothing is loaded to find out."""
    import os

    state = os.environ.get("HANDRAIL_STATE")
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    try:
        with open(os.path.join(state or os.path.join(home, "handrail"), "config.toml"), "rb") as file:
            text = file.read()
    except OSError:
        return []
    if b"features" not in text:
        return []
    import tomllib

    try:
        found = tomllib.loads(text.decode()).get("features", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


if __name__ == "__main__":
    main()
