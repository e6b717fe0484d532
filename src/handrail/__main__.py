"""The entry point of `handrail` and `python -m handrail`."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from handrail.faces.cli.main import CommandList
    from handrail.wiring import Wiring


def commands() -> CommandList:
    """Those of the built-in features, and of other packages' features that a person has enabled."""
    from handrail.faces.cli.main import CommandList
    from handrail.features import built_in, enabled

    return CommandList([*built_in(), *enabled(_enabled_names())])


def open_program() -> Wiring:
    from handrail.features import built_in, usable
    from handrail.wiring import Wiring

    return Wiring([*built_in(), *usable(_enabled_names())])


def main() -> None:
    if sys.argv[1:2] == ["hook"]:  # an agent waits for it before each tool call, so nothing else is imported first
        from handrail.features.hooks.cli.fast import run as answer_hook

        if (status := answer_hook(sys.argv[2:], open_program)) is not None:
            os._exit(status)  # while Python cleans up, a signal would end it with a status that blocks nothing
    if sys.argv[1:2] == ["run"]:  # a person waits for the agent
        from handrail.features.cage.cli.quick import run as run_quickly

        if (status := run_quickly(sys.argv[2:], open_program)) is not None:
            sys.exit(status)
    if sys.argv[1:2] == ["mcp"]:  # clients give up on servers that start slowly
        from handrail.faces.mcp.proxy.start import run as carry

        if (status := carry(sys.argv[2:])) is not None:
            sys.exit(status)
    from handrail.faces.cli.main import run

    run(commands(), open_program)


def _enabled_names() -> list[str]:
    """The names in `features` of config.toml. The TOML parser is only imported if the file mentions features."""
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
        names = tomllib.loads(text.decode()).get("features", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


if __name__ == "__main__":
    main()
