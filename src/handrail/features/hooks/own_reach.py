"""Commands that reach handrail itself are denied without a question: its program, state, port, socket and process.

A person who is asked too often says yes too fast, and a yes to such a command could answer every later question.
This looks at what the command says. A command that hides it asks, and handrail's own commands know an agent by its
process (`stores/local/peers/agents.py`).
"""

import glob
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from handrail.features.hooks.own_address import own_port_in
from handrail.features.hooks.own_processes import ends_handrail, kills_in_text, looks_into
from handrail.features.hooks.path_place import Ground, is_within, reaches_handrail
from handrail.features.hooks.shell.reading import Program, Reading, absolute
from handrail.features.hooks.shell.syntax import Word
from handrail.features.hooks.shell.writers import written_by
from handrail.ports.errors import Declined

_HARMLESS = frozenset({"--help", "-h", "--version", "tools", "doctor"})
_RUNNERS = frozenset({"python", "python3", "uv", "uvx", "pipx", "npx", "poetry", "hatch", "rye", "pdm"})
_ADDRESSES_BARE = frozenset({"nc", "ncat", "netcat", "telnet", "socat"})
_BARE_PORT_IS_HERE = frozenset({"http", "https", "httpie", "xh", "xhs", "curlie"})
"""To these, `:6006` is a port of this machine."""
_MODULE_OPTION = re.compile(r"-[A-Za-z]*mhandrail(?:\.__main__)?")
"""`python -Imhandrail`"""
_ALWAYS = re.compile("")
_FLAG = r"-(?:[a-zA-Z]*[{}][a-zA-Z]*|-(?:{}))"
_TAKES_FOLDERS = {
    **dict.fromkeys(("cp", "scp"), re.compile(_FLAG.format("rRa", "recursive|archive"))),
    **dict.fromkeys(("grep", "egrep", "fgrep"), re.compile(_FLAG.format("rR", "(?:dereference-)?recursive"))),
    **dict.fromkeys(("tar", "bsdtar"), re.compile("-?[a-zA-Z]*c[a-zA-Z]*|--create")),
    **dict.fromkeys(("rsync", "zip", "7z", "rg", "ag", "ack"), _ALWAYS),
    "find": re.compile("-(?:exec|ok).*"),
}
"""Programs that pass on what is in whole folders, and the word by which they are told to."""
_PUTS_INTO = frozenset({"cp", "scp", "rsync", "tar", "bsdtar", "unzip", "install"})
"""What they write to a folder leaves the rest of it as it is."""
_LAST_IS_GOAL = frozenset({"cp", "scp", "rsync"})
_OWN_TEXT = re.compile(
    r"(?:^|[\s\"'=:/(,`\[])\.(?:handrail|webgal_agent)(?=$|[\s\"'/),`*?\]])|HANDRAIL_STATE|handrail-server-"
)
_OWN_COMMAND = re.compile(
    r"\bhandrail['\"\s,]+(?:--\S+\s+)*(?:prompts['\"\s,]+answer|policy['\"\s,]+(?:dis)?trust|agents['\"\s,]+(?:add|remove)"
    r"|features['\"\s,]+enable|rules['\"\s,]+remove|passkeys|secrets|call|open|hook|connect|disconnect|up\b.*--answer)\b"
    r"|\bhandrail[./](?:__main__|wiring|faces|stores)\b|\bfrom\s+handrail\s+import\b"
    r"|\b(?:run_module|import_module|__import__)\s*\(\s*['\"]handrail\b"
)
"""What another language, another shell or another terminal would be told to run."""
_MOST_MATCHES = 2000


def refuse_own_reach(
    reading: Reading, ground: Ground, ports: frozenset[int], pids: frozenset[int], *, only_reads: bool = False
) -> None:
    """Declined. Looks at the disk for what patterns match. What only reads may search for handrail's commands."""
    for program in reading.programs:
        _refuse_program(program, ground, pids, ports)
        ground.refuse_own(_paths_in(program))
        if program.name not in _PUTS_INTO:
            ground.refuse_own(_paths_of(written_by(program.words), program.cwds), is_whole=True)
        for pattern in _patterns_in(program):
            if ground.may_match_own(pattern) or looks_into(pattern, pids):
                raise reaches_handrail(pattern)
    ground.refuse_own(use.path for use in reading.reads)
    ground.refuse_own((use.path for use in reading.writes), is_written=True)
    text = "\n".join((reading.text, *reading.inputs))
    if not only_reads and (found := _OWN_COMMAND.search(text)) is not None:
        raise reaches_handrail(found.group())
    if kills_in_text(text, pids):
        raise reaches_handrail("The process that this command ends")
    _refuse_text(text, ground)
    is_bare = any(program.name in _ADDRESSES_BARE for program in reading.programs)
    if any(program.name in _BARE_PORT_IS_HERE for program in reading.programs):
        text = re.sub(r"(?<=\s):(?=[0-9])", "localhost:", text)
    if (port := own_port_in(text, ports, takes_bare_numbers=is_bare)) is not None:
        raise reaches_handrail(f"Port {port}")


def _refuse_program(program: Program, ground: Ground, pids: frozenset[int], ports: frozenset[int]) -> None:
    texts = program.texts
    name = (program.name or "").lower()
    is_handrail = name == "handrail" or _is_link_to_handrail(program) or _may_be_handrail(program)
    if is_handrail or _runs_handrail(name, texts):
        words = texts[(0 if is_handrail else _handrail_at(texts)) + 1 :]
        if not words or words[0] not in _HARMLESS:
            raise reaches_handrail(" ".join(texts))
    if ends_handrail(name, texts, pids, ports) or any(looks_into(path, pids) for path in _paths_in(program)):
        raise reaches_handrail(" ".join(texts))
    if not is_within(ground.state, ground.root):
        for path in _folders_in(program, name):
            if ground.holds_own(path):
                raise reaches_handrail(f"{ground.state}, which is in {path},")
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
    found = [absolute(word, cwd) for cwd in program.cwds] if "/" in word else [shutil.which(word) or ""]
    return any(os.path.basename(os.path.realpath(path)) == "handrail" and os.path.isfile(path) for path in found)


def _may_be_handrail(program: Program) -> bool:
    """`handrai[l]`: a shell puts a file's name there."""
    word = program.words[0] if program.words else None
    if word is None or not word.text or not word.is_pattern or not glob.has_magic(word.text):
        return False
    return fnmatchcase("handrail", os.path.basename(word.text))


def _folders_in(program: Program, name: str) -> Iterator[str]:
    """Folders whose content a program would pass on."""
    sign, words = _TAKES_FOLDERS.get(name), program.words[1:]
    if sign is None or not (sign is _ALWAYS or any(sign.fullmatch(word.text or "") for word in words)):
        return iter(())
    operands = [word for word in words if not (word.text or "").startswith("-")]
    return _paths_of(operands[:-1] if name in _LAST_IS_GOAL else operands, program.cwds)


def _removes_ignored(texts: Sequence[str]) -> bool:
    if "clean" in texts:
        rest = texts[texts.index("clean") + 1 :]
        flags = [text for text in rest if re.fullmatch(r"-[a-zA-Z]+", text)]
        places = [text for text in rest if not text.startswith("-")]
        is_trial = any("n" in text for text in flags) or "--dry-run" in rest
        is_narrow = bool(places) and all(re.fullmatch(r"[\w-][\w./-]*", text) and ".." not in text for text in places)
        return any("x" in text.lower() for text in flags) and not is_trial and not is_narrow
    return "stash" in texts and ("--all" in texts or any(re.fullmatch(r"-[a-z]*a[a-z]*", text) for text in texts))


def _runs_handrail(name: str, texts: Sequence[str]) -> bool:
    if not (name in _RUNNERS or re.fullmatch(r"python[0-9.]*", name)):
        return False
    return any(_names_module(text) for text in texts[1:])


def _names_module(text: str) -> bool:
    return os.path.basename(text).lower() in ("handrail", "handrail.__main__") or bool(_MODULE_OPTION.fullmatch(text))


def _handrail_at(texts: Sequence[str]) -> int:
    return next((at for at, text in enumerate(texts) if at and _names_module(text)), 0)


def _paths_in(program: Program) -> Iterator[str]:
    return _paths_of(program.words, program.cwds)


def _paths_of(words: Sequence[Word], cwds: Sequence[str]) -> Iterator[str]:
    """Every word that may name a file, and what its patterns match now."""
    for word in words:
        if word.text is None:
            continue
        for text in {word.text, word.text.partition("=")[2], word.text.rpartition(":")[2], word.text.lstrip("@")}:
            if not text or len(text) > 4096 or "\0" in text:
                continue
            for cwd in cwds:
                path = absolute(text, cwd)
                yield path
                if word.is_pattern and sum(map(glob.has_magic, text.split("/"))) == 1:
                    yield from islice(glob.iglob(path), _MOST_MATCHES)


def _patterns_in(program: Program) -> Iterator[str]:
    for word in program.words:
        if word.text is not None and word.is_pattern and glob.has_magic(word.text):
            for path in (absolute(word.text, cwd) for cwd in program.cwds):
                yield from (path, os.path.normpath(path))


def _refuse_text(text: str, ground: Ground) -> None:
    """What stands in quotation marks, here-documents and other languages is looked at as text."""
    home = os.path.expanduser("~")
    spellings = {ground.state, os.path.normpath(ground.state)}
    if ground.state.startswith(home + "/"):
        rest = ground.state[len(home) :]
        spellings |= {f"~{rest}", f"$HOME{rest}", f"${{HOME}}{rest}"}
    for folder in ground.given:
        text = text.replace(folder, "")
    if any(spelling in text for spelling in spellings) or _OWN_TEXT.search(text):
        raise reaches_handrail("What this command names")
