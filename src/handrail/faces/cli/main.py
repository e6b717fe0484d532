"""The entry point of the command line: the list of commands, each imported when it runs.

`handrail --help` is printed from here without click, because importing click takes longer than starting Python.
"""

from __future__ import annotations

import sys

from handrail.kernel.feature import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from handrail.kernel.feature import Feature
    from handrail.kernel.program import Program

_HELP = """\
Usage: handrail [OPTIONS] COMMAND [ARGS]...

  The safety rail for AI agents on your machine.

  Agents edit your project through handrail; you see, allow, deny and undo
  what they do.

Options:
  --version   Print the version.
  -h, --help  Show this message and exit.

Commands:
{commands}

  `handrail COMMAND --help` explains a command.
"""

OWN = (
    Command("up", "handrail.faces.cli.up:up", "Start the server.", 0),
    Command("open", "handrail.faces.cli.open:open_console", "Open the console in a browser.", 10),
    Command("mcp", "handrail.faces.cli.mcp:mcp", "Serve tools to an MCP client.", 70),
    Command("tools", "handrail.faces.cli.tools:tools", "List every tool, its effect and its parameters.", 80),
    Command("call", "handrail.faces.cli.call:call", "Call one tool and print its result as JSON.", 90),
    Command("agents", "handrail.faces.cli.agents:agents", "List, add and remove agents that connect over HTTP.", 75),
    Command("secrets", "handrail.faces.cli.secrets:secrets", "List and remove stored keys and tokens.", 160),
)


class CommandList:
    """Our own commands and those of the features, in the order in which a newcomer needs them.

    Of several with one name, the first counts: a feature of another package replaces no command.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        own: list[tuple[Command, Feature | None]] = [(command, None) for command in OWN]
        declared = [*own, *((command, feature) for feature in features for command in feature.commands)]
        first = {command.name: (command, feature) for command, feature in reversed(declared)}
        self._feature = {name: feature for name, (_, feature) in first.items()}
        commands = sorted((command for command, _ in first.values()), key=lambda command: command.rank)
        self._commands = {command.name: command for command in commands}

    def find(self, name: str) -> Command | None:
        return self._commands.get(name)

    def install_hint(self, name: str) -> str | None:
        """How to install the command's feature; None if it is installed."""
        feature = self._feature.get(name)
        extra = None if feature is None else feature.missing_extra
        return None if extra is None else extra.how_to_install

    @property
    def installed_names(self) -> list[str]:
        return [name for name in self._commands if self.install_hint(name) is None]

    @property
    def overview(self) -> str:
        names = self.installed_names
        width = max(map(len, names))
        return _HELP.format(commands="\n".join(f"  {name:{width}}  {self._commands[name].summary}" for name in names))


def run(commands: CommandList, open_program: Callable[[], Program]) -> None:
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(commands.overview, end="")
        return
    from handrail.faces.cli.group import run_command

    run_command(commands, open_program)
