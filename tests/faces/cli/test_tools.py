"""`handrail tools`, `--help` and `--version`: what newcomers and scripts use first."""

import subprocess
import sys

import click

import handrail
from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from handrail.ports.schemas import schema
from tests.faces.cli.machine import Machine

COMMANDS = ("up", "mcp", "tools", "call", "prompts", "undo", "history", "audit", "policy", "doctor")


ADDED = {
    *("read_files", "read_media", "file_info", "write_files", "edit_file"),
    *("make_folder", "move_path", "copy_path", "delete_path"),
}


def test_tools_json_has_every_tool_with_its_schemas_verbatim(machine: Machine) -> None:
    result = machine.run("tools", "--json").json
    assert list(result) == ["tools"]
    by_name = {tool["name"]: tool for tool in result["tools"]}
    assert "undo_write" not in by_name
    for name, tool in by_name.items():
        assert " ".join(tool) == (
            "name title description surface effect inputSchema outputSchema deadlineMs idempotent"
        )
        if tool["surface"] == "workspace" and name not in ADDED:
            assert tool["inputSchema"] == schema("webgal", f"{name}.request")
            published = schema("webgal", f"{name}.response")["properties"]
            listed_too = tool["outputSchema"]["properties"]
            assert {key: listed_too[key] for key in published} == published
            assert not {*listed_too} - {*published, "partial", "contentHash", "diff"}
    assert (by_name["write_to_file"]["effect"], by_name["read_file"]["effect"]) == ("WRITE", "READ")


def test_tools_for_people_is_a_table(machine: Machine) -> None:
    result = machine.run("tools").out
    assert "write_to_file" in result
    assert "undo_write" not in result


def test_every_command_explains_itself_and_takes_the_shared_options(machine: Machine) -> None:
    overview = machine.run("--help").out
    for command in COMMANDS:
        assert f"  {command} " in overview
        explained = machine.run(command, "--help").out
        assert "--state DIR" in explained
        assert ("--project DIR" in explained) is (command not in ("tools", "prompts", "audit"))
        assert ("--answer" in explained) is (command in ("up", "mcp", "call", "undo", "policy"))


def test_each_command_is_introduced_as_it_explains_itself() -> None:
    command_list = commands()
    app = group(command_list, open_program)
    context = click.Context(app, info_name="handrail")
    for name in command_list.installed_names:
        command, introduced = app.get_command(context, name), command_list.find(name)
        assert command is not None
        assert introduced is not None
        assert (command.name, command.get_short_help_str(100)) == (name, introduced.summary)


def test_the_overview_is_printed_without_click() -> None:
    script = (
        "import sys; sys.argv = ['handrail', '--help']\n"
        "import handrail.__main__ as cli\n"
        "cli.main()\n"
        "print(sorted({'click', 'msgspec', 'asyncio'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout.endswith("explains a command.\n[]\n")


def test_the_version_is_printed_without_loading_the_rig() -> None:
    script = (
        "import sys; sys.argv = ['handrail', '--version']\n"
        "import handrail.__main__ as cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'rich', 'mcp', 'pydantic', 'asyncio', 'msgspec', 'handrail.wiring'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout == f"handrail {handrail.__version__}\n[]\n"


def test_a_call_loads_neither_pydantic_nor_rich(machine: Machine) -> None:
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "handrail", "call", "read_file", '{"path": "a.txt"}'],
        capture_output=True,
        text=True,
        cwd=machine.project,
        env=machine.environ(),
        timeout=60,
    )
    assert result.returncode == 0
    imported = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines() if "|" in line}
    assert "handrail.wiring" in imported
    assert imported.isdisjoint({"pydantic", "rich", "mcp", "uvicorn"})
