"""Commands that reach handrail itself are denied without a question: its program, state, port, socket and process.

A person who is asked too often says yes too fast, and a yes to such a command could answer every later question.
This looks at what the command says. A command that hides it asks, and handrail's own commands know an agent by its
process (`stores/local/peers/agents.py`).
"""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from handrail.features.hooks.ground import Ground, reaches_handrail
from handrail.features.hooks.shell.reading import Program, Reading, absolute

_HARMLESS = frozenset({"--help", "-h", "--version", "tools", "doctor"})
_RUNNERS = frozenset({"python", "python3", "uv", "uvx", "pipx", "npx", "poetry", "hatch", "rye", "pdm"})
_ENDS_PROCESSES = frozenset(
    {
        "kill",
        "pkill",
        "killall",
        "pgrep",
        "pidof",
        "systemctl",
        "launchctl",
        "service",
        "skill",
        "gdb",
        "strace",
        "fuser",
    }
)
_NAMES_LOOPBACK = re.compile(r"localhost|127\.\d|0\.0\.0\.0|\[?::1?\]?|0x7f|2130706433|\bip6-", re.IGNORECASE)
_OWN_TEXT = re.compile(
    r"(?:^|[\s\"'=:/(,`\[])\.(?:handrail|webgal_agent)(?=$|[\s\"'/),`*?\]])|HANDRAIL_STATE|handrail-server-"
)
_OWN_COMMAND = re.compile(
    r"\bhandrail['\"\s,]+(?:--\S+\s+)*(?:prompts['\"\s,]+answer|policy['\"\s,]+(?:dis)?trust|agents['\"\s,]+(?:add|remove)"
    r"|features['\"\s,]+enable|rules['\"\s,]+remove|passkeys|secrets|call|open|hook|connect|disconnect|up\b.*--answer)\b"
)
"""What another language, another shell or another terminal would be told to run."""
_MOST_MATCHES = 2000


def refuse_own_reach(
    reading: Reading, ground: Ground, ports: frozenset[int], pids: frozenset[int], *, only_reads: bool = False
) -> None:
    """Declined. Looks at the disk for what patterns match. What only reads may search for handrail's commands."""
    for program in reading.programs:
        _refuse_program(program, pids, ports)
        ground.refuse_own(_paths_in(program))
        for pattern in _patterns_in(program):
            if ground.may_match_own(pattern):
                raise reaches_handrail(pattern)
    ground.refuse_own(use.path for use in reading.reads)
    ground.refuse_own((use.path for use in reading.writes), above=True)
    text = "\n".join((reading.text, *reading.inputs))
    if not only_reads and (found := _OWN_COMMAND.search(text)) is not None:
        raise reaches_handrail(found.group())
    _refuse_text(text, ground, ports)


def _refuse_program(program: Program, pids: frozenset[int], ports: frozenset[int]) -> None:
    texts = program.texts
    name = (program.name or "").lower()
    if name == "handrail" or _runs_handrail(name, texts):
        words = texts[_handrail_at(texts) + 1 :]
        if not words or words[0] not in _HARMLESS:
            raise reaches_handrail(" ".join(texts))
    if name in _ENDS_PROCESSES:
        is_named = any("handrail" in text.lower() for text in texts[1:])
        is_numbered = any(text.lstrip("-%").isdigit() and int(text.lstrip("-%")) in pids for text in texts[1:])
        ends_all = name == "kill" and any(text == "-1" for text in texts[2:])
        has_port = any(text.partition("/")[0].isdigit() and int(text.partition("/")[0]) in ports for text in texts[1:])
        if is_named or is_numbered or has_port or ends_all:
            raise reaches_handrail(" ".join(texts))


def _runs_handrail(name: str, texts: Sequence[str]) -> bool:
    if not (name in _RUNNERS or re.fullmatch(r"python[0-9.]*", name)):
        return False
    return any(os.path.basename(text).lower() in ("handrail", "handrail.__main__") for text in texts[1:])


def _handrail_at(texts: Sequence[str]) -> int:
    return next((at for at, text in enumerate(texts) if os.path.basename(text).lower().startswith("handrail")), 0)


def _paths_in(program: Program) -> Iterator[str]:
    """Every word of a program that may name a file, and what its patterns match now."""
    for word in program.words:
        if word.text is None:
            continue
        for text in {word.text, word.text.partition("=")[2], word.text.rpartition(":")[2], word.text.lstrip("@")}:
            if not text or len(text) > 4096 or "\0" in text:
                continue
            for cwd in program.cwds:
                path = absolute(text, cwd)
                yield path
                if word.is_pattern and sum(map(glob.has_magic, text.split("/"))) == 1:
                    yield from islice(glob.iglob(path), _MOST_MATCHES)


def _patterns_in(program: Program) -> Iterator[str]:
    for word in program.words:
        if word.text is not None and word.is_pattern and glob.has_magic(word.text):
            for path in (absolute(word.text, cwd) for cwd in program.cwds):
                yield from (path, os.path.normpath(path))


def _refuse_text(text: str, ground: Ground, ports: frozenset[int]) -> None:
    """What stands in quotation marks, here-documents and other languages is looked at as text."""
    home = os.path.expanduser("~")
    spellings = {ground.state, os.path.normpath(ground.state)}
    if ground.state.startswith(home + "/"):
        rest = ground.state[len(home) :]
        spellings |= {f"~{rest}", f"$HOME{rest}", f"${{HOME}}{rest}"}
    if any(spelling in text for spelling in spellings) or _OWN_TEXT.search(text):
        raise reaches_handrail("What this command names")
    if _NAMES_LOOPBACK.search(text):
        for port in ports:
            if re.search(rf"(?<![0-9]){port}(?![0-9])", text):
                raise reaches_handrail(f"Port {port}")
