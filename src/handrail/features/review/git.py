"""Runs git in the person's repository, without hooks, pager, prompts or the agent's configuration."""

import os
import subprocess
from collections.abc import Sequence

from handrail.ports.errors import InputOutput

_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "core.quotePath=false", "diff.external="),
    *("gc.auto=0", "maintenance.auto=false", "protocol.allow=never", "protocol.file.allow=always"),
    *("color.ui=false", "log.showSignature=false", "log.mailmap=false"),
    *("transfer.fsckObjects=true", "submodule.recurse=false", "fetch.recurseSubmodules=false"),
)
_REPOSITORY_VARIABLES = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}
    | {"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_PREFIX", "GIT_CONFIG"}
    | {"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"}
)
_SAFE = [word for setting in _SETTINGS for word in ("-c", setting)]


def run_git(folder: str, *words: str, input: bytes = b"", accepted_codes: Sequence[int] = ()) -> bytes:
    """Returns what git prints. Raises InputOutput with its last error line."""
    done = _start(folder, words, input)
    if done.returncode != 0 and done.returncode not in accepted_codes:
        message = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputOutput(f"git {words[0]} failed: {message or done.returncode}")
    return done.stdout


def is_repository(folder: str) -> bool:
    """Whether the folder is the top of a repository with a working tree."""
    try:
        done = _start(folder, ("rev-parse", "--is-inside-work-tree", "--show-prefix"), b"")
    except InputOutput:
        return False
    return done.returncode == 0 and done.stdout.split() == [b"true"]


def _start(folder: str, words: Sequence[str], input: bytes) -> "subprocess.CompletedProcess[bytes]":
    environ = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    environ |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}
    try:
        return subprocess.run(["git", *_SAFE, *words], cwd=folder, input=input, capture_output=True, env=environ)
    except OSError as error:
        raise InputOutput(f"git can't be started: {error.strerror}.", hint="Install git.") from None
