"""Prints docs/reference/cli.md: the help of every command."""

from collections.abc import Iterator

import click

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group

WIDTH = 100


def page() -> str:
    lines = [
        "# Commands",
        "",
        "Written by `make docs` from the commands, which print the same with `--help`; a test fails if it is outdated.",
        "",
        "| command | does |",
        "|---|---|",
    ]
    contexts = all_commands()
    lines += [
        f"| [`{context.command_path}`](#{_anchor(context)}) | {context.command.get_short_help_str(WIDTH)} |"
        for context in contexts
    ]
    for context in contexts:
        lines += ["", f"{_level(context)} {context.command_path}", "", "```text", *_help(context), "```"]
    return "\n".join(lines) + "\n"


def all_commands() -> list[click.Context]:
    return list(_commands(group(commands(), open_program), None))


def _commands(command: click.Command, parent: click.Context | None) -> Iterator[click.Context]:
    """Yields the command and its subcommands in the order of its help, without hidden ones."""
    name = command.name if parent is not None else "handrail"
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, **command.context_settings
    )
    yield context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            child = command.get_command(context, each)
            if child is not None and not child.hidden:
                yield from _commands(child, context)


def _help(context: click.Context) -> list[str]:
    return [line.rstrip() for line in context.get_help().rstrip().split("\n")]


def _level(context: click.Context) -> str:
    return "##" if context.parent is None or context.parent.parent is None else "###"


def _anchor(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


if __name__ == "__main__":
    print(page(), end="")
