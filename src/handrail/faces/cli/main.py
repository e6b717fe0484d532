"""The command line's entry: its list of commands, each loaded when it runs.

`handrail --help` is printed from here without click, which takes longer to load than Python itself.
"""

import sys

from handrail.extras import is_installed

_HELP = """\
Usage: handrail [OPTIONS] COMMAND [ARGS]...

  Hands for AI agents, with a rail for people.

  Agents edit your project through handrail; you see, allow, deny and undo
  what they do.

Options:
  --version   Print the version.
  -h, --help  Show this message and exit.

Commands:
{commands}

  `handrail COMMAND --help` explains a command.
"""

COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("up:up", "Start the server, until Ctrl-C."),
    "open": ("open:open_console", "Open the console in a browser."),
    "extension": ("extension:extension", "Pair browsers with the running server."),
    "desktop": ("desktop:desktop", "Run a recipe of desktop steps."),
    "desktop-host": ("desktop_host:desktop_host", "Serve the desktop on a Unix socket, until Ctrl-C."),
    "apps": ("apps:apps", "List, call and allow the apps that agents can use."),
    "model": ("model:model", "Connect the model that answers in the chat."),
    "mcp": ("mcp:mcp", "Serve the tools to an MCP client."),
    "tools": ("tools:tools", "List every tool, its effect and its parameters."),
    "call": ("call:call", "Call one tool and print its result as JSON."),
    "prompts": ("prompts:prompts", "Answer what waits for a person."),
    "undo": ("undo:undo", "Take a write back: the file gets what it held before."),
    "history": ("history:history", "List what was changed in this project."),
    "audit": ("audit:audit", "Show or verify the record of all calls."),
    "report": ("report:report", "Write a task's record as one page."),
    "policy": ("policy:policy", "Show what is allowed, asked and denied."),
    "secrets": ("secrets:secrets", "List and forget the keys and tokens that handrail keeps."),
    "webgal": ("webgal:webgal", "Check a WebGAL game, here or in your editor."),
    "doctor": ("doctor:doctor", "Tell what works here and what is missing."),
}
"""In the order in which a newcomer meets them: where each is, as MODULE:NAME in this package, and what it does."""

EXTRA_OF = {
    "extension": "browser",
    "desktop": "desktop",
    "desktop-host": "desktop",
    "model": "agent",
    "webgal": "webgal",
}
"""The extra without which a command isn't listed."""


def listed() -> list[str]:
    return [name for name in COMMANDS if is_installed(EXTRA_OF.get(name, ""))]


def overview() -> str:
    names = listed()
    width = max(map(len, names))
    return _HELP.format(commands="\n".join(f"  {name:{width}}  {COMMANDS[name][1]}" for name in names))


def main() -> None:
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(overview(), end="")
        return
    from handrail.faces.cli.group import run

    run()
