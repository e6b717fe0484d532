"""Denies commands that access handrail itself, without asking: its program, state, ports, sockets and processes.

A person who is asked too often approves too fast, and approving such a command could answer every later question. This
checks only the command's text. A command that hides its effect needs approval, and handrail's own commands recognise an
agent by its process (`stores/local/peers/agents.py`).
"""

import glob
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from handrail.features.hooks.own_address import own_port_in
from handrail.features.hooks.own_processes import ends_handrail, inspects_process, kills_in_text
from handrail.features.hooks.path_scope import PathScope, is_within, own_access_denied
from handrail.features.hooks.shell.analysis import CommandAnalysis, Program, absolute
from handrail.features.hooks.shell.file_operands import written_operands
from handrail.features.hooks.shell.syntax import Word
from handrail.ports.errors import Declined

_HARMLESS = frozenset({"--help", "-h", "--version", "tools", "doctor"})
_RUNNERS = frozenset({"python", "python3", "uv", "uvx", "pipx", "npx", "poetry", "hatch", "rye", "pdm"})
_TAKE_BARE_ADDRESSES = frozenset({"nc", "ncat", "netcat", "telnet", "socat"})
_BARE_PORT_IS_LOCAL = frozenset({"http", "https", "httpie", "xh", "xhs", "curlie"})
"""For these programs, `:6006` is a port of this machine."""
_MODULE_OPTION = re.compile(r"-[A-Za-z]*mhandrail(?:\.__main__)?")
"""`python -Imhandrail`"""
_ALWAYS = re.compile("")
_FLAG = r"-(?:[a-zA-Z]*[{}][a-zA-Z]*|-(?:{}))"
_COPIES_FOLDERS = {
    **dict.fromkeys(("cp", "scp"), re.compile(_FLAG.format("rRa", "recursive|archive"))),
    **dict.fromkeys(("grep", "egrep", "fgrep"), re.compile(_FLAG.format("rR", "(?:dereference-)?recursive"))),
    **dict.fromkeys(("tar", "bsdtar"), re.compile("-?[a-zA-Z]*c[a-zA-Z]*|--create")),
    **dict.fromkeys(("rsync", "zip", "7z", "rg", "ag", "ack"), _ALWAYS),
    "find": re.compile("-(?:exec|ok).*"),
}
"""Programs that copy or show whole folders, and the option that makes them do so."""
_WRITES_INTO = frozenset({"cp", "scp", "rsync", "tar", "bsdtar", "unzip", "install"})
"""They write into a folder but keep its other content."""
_LAST_IS_DESTINATION = frozenset({"cp", "scp", "rsync"})
_OWN_TEXT = re.compile(
    r"(?:^|[\s\"'=:/(,`\[])\.(?:handrail|webgal_agent)(?=$|[\s\"'/),`*?\]])|HANDRAIL_STATE|handrail-server-"
)
_OWN_COMMAND = re.compile(
    r"\bhandrail['\"\s,]+(?:--\S+\s+)*(?:prompts['\"\s,]+answer|policy['\"\s,]+(?:dis)?trust|agents['\"\s,]+(?:add|remove)"
    r"|features['\"\s,]+enable|rules['\"\s,]+remove|passkeys|secrets|call|open|hook|connect|disconnect|up\b.*--answer)\b"
    r"|\bhandrail[./](?:__main__|wiring|faces|stores)\b|\bfrom\s+handrail\s+import\b"
    r"|\b(?:run_module|import_module|__import__)\s*\(\s*['\"]handrail\b"
)
"""Commands in texts for other languages, shells or terminals."""
_ATTACHED = re.compile(r"-[A-Za-z0-9]+([./~].*)", re.DOTALL)
"""`-f../file`: short options with a path as the last one's value."""
_MOST_MATCHES = 2000


def refuse_access_to_handrail(
    analysis: CommandAnalysis,
    scope: PathScope,
    ports: frozenset[int],
    pids: frozenset[int],
    *,
    only_reads: bool = False,
) -> None:
    """Declined. Looks on disk for matches of patterns. Commands that only read may search for handrail's commands."""
    for program in analysis.programs:
        _refuse_program(program, scope, pids, ports)
        scope.refuse_handrails(_program_paths(program))
        if program.name not in _WRITES_INTO:
            scope.refuse_handrails(_possible_paths(written_operands(program.words), program.cwds), is_whole=True)
        for pattern in _program_patterns(program):
            if scope.may_match_handrails(pattern) or inspects_process(pattern, pids):
                raise own_access_denied(pattern)
    scope.refuse_handrails(file_use.path for file_use in analysis.reads)
    scope.refuse_handrails((file_use.path for file_use in analysis.writes), is_written=True)
    text = "\n".join((analysis.text, *analysis.inputs))
    if not only_reads and (match := _OWN_COMMAND.search(text)) is not None:
        raise own_access_denied(match.group())
    if kills_in_text(text, pids):
        raise own_access_denied("The process that this command ends")
    _refuse_text(text, scope)
    is_bare = any(program.name in _TAKE_BARE_ADDRESSES for program in analysis.programs)
    if any(program.name in _BARE_PORT_IS_LOCAL for program in analysis.programs):
        text = re.sub(r"(?<=\s):(?=[0-9])", "localhost:", text)
    if (port := own_port_in(text, ports, takes_bare_numbers=is_bare)) is not None:
        raise own_access_denied(f"Port {port}")


def _refuse_program(program: Program, scope: PathScope, pids: frozenset[int], ports: frozenset[int]) -> None:
    texts = program.texts
    name = (program.name or "").lower()
    is_handrail = name == "handrail" or _is_link_to_handrail(program) or _may_be_handrail(program)
    if is_handrail or _runs_handrail(name, texts):
        words = texts[(0 if is_handrail else _module_index(texts)) + 1 :]
        if not words or words[0] not in _HARMLESS:
            raise own_access_denied(" ".join(texts))
    if ends_handrail(name, texts, pids, ports) or any(inspects_process(path, pids) for path in _program_paths(program)):
        raise own_access_denied(" ".join(texts))
    if not is_within(scope.state, scope.root):
        for path in _copied_folders(program, name):
            if scope.contains_state(path):
                raise own_access_denied(f"{scope.state}, which is in {path},")
    if name == "git" and _removes_ignored(texts):
        raise Declined(
            "This removes ignored files, and handrail's records of this project are among them.",
            hint="Name the folders to clean, as in `git clean -fdx build`, and stash without `--all`.",
            reason="own",
        )


def _is_link_to_handrail(program: Program) -> bool:
    word = program.words[0].text if program.words else None
    if not word or len(word) > 4096 or "\0" in word:
        return False
    paths = [absolute(word, cwd) for cwd in program.cwds] if "/" in word else [shutil.which(word) or ""]
    return any(os.path.basename(os.path.realpath(path)) == "handrail" and os.path.isfile(path) for path in paths)


def _may_be_handrail(program: Program) -> bool:
    """A pattern such as `handrai[l]`, which the shell replaces by a file's name."""
    word = program.words[0] if program.words else None
    if word is None or not word.text or not word.is_pattern or not glob.has_magic(word.text):
        return False
    return fnmatchcase("handrail", os.path.basename(word.text))


def _copied_folders(program: Program, name: str) -> Iterator[str]:
    """Folders whose content the program would copy or show."""
    option, words = _COPIES_FOLDERS.get(name), program.words[1:]
    if option is None or not (option is _ALWAYS or any(option.fullmatch(word.text or "") for word in words)):
        return iter(())
    operands = [word for word in words if not (word.text or "").startswith("-")]
    return _possible_paths(operands[:-1] if name in _LAST_IS_DESTINATION else operands, program.cwds)


def _removes_ignored(texts: Sequence[str]) -> bool:
    if "clean" in texts:
        arguments = texts[texts.index("clean") + 1 :]
        flags = [text for text in arguments if re.fullmatch(r"-[a-zA-Z]+", text)]
        paths = [text for text in arguments if not text.startswith("-")]
        is_dry_run = any("n" in text for text in flags) or "--dry-run" in arguments
        has_plain_paths = bool(paths) and all(
            re.fullmatch(r"[\w-][\w./-]*", text) and ".." not in text for text in paths
        )
        return any("x" in text.lower() for text in flags) and not is_dry_run and not has_plain_paths
    return "stash" in texts and ("--all" in texts or any(re.fullmatch(r"-[a-z]*a[a-z]*", text) for text in texts))


def _runs_handrail(name: str, texts: Sequence[str]) -> bool:
    if not (name in _RUNNERS or re.fullmatch(r"python[0-9.]*", name)):
        return False
    return any(_names_module(text) for text in texts[1:])


def _names_module(text: str) -> bool:
    return os.path.basename(text).lower() in ("handrail", "handrail.__main__") or bool(_MODULE_OPTION.fullmatch(text))


def _module_index(texts: Sequence[str]) -> int:
    return next((index for index, text in enumerate(texts) if index and _names_module(text)), 0)


def _program_paths(program: Program) -> Iterator[str]:
    return _possible_paths(program.words, program.cwds)


def _possible_paths(words: Sequence[Word], cwds: Sequence[str]) -> Iterator[str]:
    """Every word that may name a file, and the files that its patterns match now."""
    for word in words:
        if word.text is None:
            continue
        attached = _ATTACHED.match(word.text)
        spellings = {word.text, word.text.partition("=")[2], word.text.rpartition(":")[2], word.text.lstrip("@")}
        for text in spellings | ({attached[1]} if attached is not None else set()):
            if not text or len(text) > 4096 or "\0" in text:
                continue
            for cwd in cwds:
                path = absolute(text, cwd)
                yield path
                if word.is_pattern and sum(map(glob.has_magic, text.split("/"))) == 1:
                    yield from islice(glob.iglob(path), _MOST_MATCHES)


def _program_patterns(program: Program) -> Iterator[str]:
    for word in program.words:
        if word.text is not None and word.is_pattern and glob.has_magic(word.text):
            for path in (absolute(word.text, cwd) for cwd in program.cwds):
                yield from (path, os.path.normpath(path))


def _refuse_text(text: str, scope: PathScope) -> None:
    """Quoted strings, here-documents and other languages are searched as text."""
    home = os.path.expanduser("~")
    spellings = {scope.state, os.path.normpath(scope.state)}
    if scope.state.startswith(home + "/"):
        rest = scope.state[len(home) :]
        spellings |= {f"~{rest}", f"$HOME{rest}", f"${{HOME}}{rest}"}
    for folder in scope.agent_folders:
        text = text.replace(folder, "")
    if any(spelling in text for spelling in spellings) or _OWN_TEXT.search(text):
        raise own_access_denied("What this command names")
