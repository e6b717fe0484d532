"""What hooks offer to other features: a client's hook configuration, for `handrail connect` and the cage."""

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LIMIT_SECONDS = 3600
"""The timeout that clients are configured with. People take their time; the hook itself answers earlier."""
_EVERYTHING = "*"
_OR_BLOCK = " || exit 2"
"""Blocks even if the hook is killed or missing. For clients that run the command in a shell."""


@dataclass(frozen=True, slots=True)
class HookSettings:
    """`entries` maps an event to the entry for its list, in the client's own format; `keys` lead to these lists.

    `file` is relative to the user's home. A client without entries gets `text` as the whole file.
    """

    file: str
    keys: tuple[str, ...] = ()
    entries: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None
    is_executable: bool = False
    top: Mapping[str, Any] = field(default_factory=dict)
    """Other members that the file needs."""


def fastest_command(handrail: Sequence[str]) -> list[str]:
    """Starts handrail without its script, which imports a module that takes longer than the hook itself.

    Python runs isolated (`-I`), so that neither the project's folder nor a variable can replace modules.
    """
    script = os.path.realpath(handrail[0])
    python = os.path.join(os.path.dirname(script), "python")
    if len(handrail) == 1 and os.path.basename(script) == "handrail" and os.access(python, os.X_OK):
        return [python, "-I", "-c", "from handrail.__main__ import main; main()"]
    return list(handrail)


def hook_command(client: str, handrail: Sequence[str], state: str, seconds: int = LIMIT_SECONDS) -> str:
    """Returns a command line for a shell. It includes the state's path, because clients pass on few variables."""
    return shlex.join([*fastest_command(handrail), "hook", client, "--state", state, "--wait", str(seconds)])


def hook_settings(client: str, handrail: Sequence[str], state: str) -> HookSettings | None:
    """None for a client without hooks."""
    command = hook_command(client, handrail, state)
    if client == "claude":
        run = {"type": "command", "command": command, "timeout": LIMIT_SECONDS}
        blocking = {**run, "command": command + _OR_BLOCK, "onFailure": "block"}
        before = {"matcher": _EVERYTHING, "hooks": [blocking]}
        after = {"matcher": "Bash|Edit|MultiEdit|Write|NotebookEdit", "hooks": [run]}
        entries = {"PreToolUse": before, "PostToolUse": after}
        return HookSettings(".claude/settings.json", ("hooks",), entries)
    if client == "codex":
        run = {"type": "command", "command": command, "timeout": LIMIT_SECONDS}
        entries = _before_and_after("PreToolUse", "PostToolUse", run)
        return HookSettings(".codex/hooks.json", ("hooks",), entries)
    if client == "gemini":
        run = {"name": "handrail", "type": "command", "command": command, "timeout": LIMIT_SECONDS * 1000}
        entries = _before_and_after("BeforeTool", "AfterTool", run)
        return HookSettings(".gemini/settings.json", ("hooks",), entries)
    if client == "qwen":
        run = {"name": "handrail", "type": "command", "command": command, "timeout": LIMIT_SECONDS * 1000}
        entries = {"PreToolUse": _before_and_after("PreToolUse", "", run)["PreToolUse"]}
        return HookSettings(".qwen/settings.json", ("hooks",), entries)
    if client == "cursor":
        run = {"command": command, "timeout": LIMIT_SECONDS, "failClosed": True}
        names = ("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse")
        return HookSettings(".cursor/hooks.json", ("hooks",), dict.fromkeys(names, run), top={"version": 1})
    if client == "copilot":
        run = {"type": "command", "bash": command, "timeoutSec": LIMIT_SECONDS}
        return HookSettings(".copilot/hooks/handrail.json", ("hooks",), {"preToolUse": run}, top={"version": 1})
    if client == "cline":
        text = f"#!/bin/sh\nexec {hook_command(client, handrail, state, 30)}\n"
        return HookSettings("Documents/Cline/Hooks/PreToolUse", text=text, is_executable=True)
    if client == "opencode":
        return HookSettings(
            ".config/opencode/plugin/handrail.js", text=_PLUGIN % json.dumps([*fastest_command(handrail), state])
        )
    return None


def _before_and_after(before: str, after: str, run: Mapping[str, Any]) -> dict[str, Any]:
    """The same command before a tool, where it blocks, and after it, where it only records."""
    blocking = {**run, "command": run["command"] + _OR_BLOCK}
    return {event: {"matcher": _EVERYTHING, "hooks": [each]} for event, each in ((before, blocking), (after, run))}


_PLUGIN = """\
// Written by `handrail connect`: opencode's own tools pass handrail's gate.
import { spawn } from "node:child_process";

const words = %s;
const state = words.pop();

export const Handrail = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const { tool, sessionID, callID } = input;
    const event = { tool, sessionID, callID, args: output.args, cwd: directory };
    const run = [...words.slice(1), "hook", "opencode", "--state", state, "--wait", "3600"];
    const hook = spawn(words[0], run, { stdio: ["pipe", "ignore", "pipe"] });
    let reason = "";
    hook.stderr.setEncoding("utf8").on("data", (text) => (reason += text));
    hook.stdin.on("error", () => {}).end(JSON.stringify(event));
    const status = await new Promise((resolve) => hook.on("close", resolve).on("error", () => resolve(null)));
    if (status !== 0) throw new Error(reason || "handrail: the hook failed, so the tool is blocked");
  },
});
"""
