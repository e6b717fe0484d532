"""Analyses what a shell command would do according to its text: programs, files, hosts, and what is uncertain.

Pure: it accesses no file. Paths are made absolute by their text alone.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handrail.features.hooks.shell.file_operands import written_operands
from handrail.features.hooks.shell.hosts import find_places
from handrail.features.hooks.shell.inner_commands import inner_commands, program_name
from handrail.features.hooks.shell.plain_commands import PlainCommand, parse_plain_commands
from handrail.features.hooks.shell.syntax import Redirect, Script, SimpleCommand, Word, parse_script

_DEEPEST = 8
_MOST_PROGRAMS = 500
_GLOB = re.compile(r"[*?\[]")
_NO_FILE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"})
_SOURCES_FILE = frozenset({"source", "."})


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file that the command names, as an absolute path. For a pattern, it is the folder before the first `*`."""

    path: str
    is_pattern: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """One program that would run, and the folders that it may run in."""

    words: tuple[Word, ...]
    cwds: tuple[str, ...]
    assignments: tuple[str, ...] = ()
    is_wrapped: bool = False

    @property
    def name(self) -> str | None:
        return program_name(self.words)

    @property
    def texts(self) -> tuple[str, ...]:
        """The words' texts; unknown ones as they are written."""
        return tuple(word.raw if word.text is None else word.text for word in self.words)

    @property
    def is_literal(self) -> bool:
        return not self.assignments and all(word.text is not None for word in self.words)


@dataclass(slots=True)
class CommandAnalysis:
    text: str
    programs: list[Program] = field(default_factory=list)
    reads: list[FileUse] = field(default_factory=list)
    writes: list[FileUse] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    """The contents of here-documents and here-strings."""
    has_inner_script: bool = False
    is_plain: bool = False
    """Both parsers agree on every word and no variable is set, so the named programs are all that it starts."""

    def doubt(self, why: str) -> None:
        if why not in self.doubts:
            self.doubts.append(why)


def analyze_command(text: str, cwd: str) -> CommandAnalysis:
    """`cwd` is the absolute folder in which the shell starts."""
    analysis = CommandAnalysis(text)
    script = parse_script(text)
    commands = parse_plain_commands(text)
    is_plain = commands is not None and [each.words for each in commands] == [_texts(each) for each in script.programs]
    folders = _working_folders(commands, cwd) if commands is not None and is_plain else _possible_folders(script, cwd)
    _add_script(analysis, script, folders, depth=0)
    is_wrapped = analysis.has_inner_script or any(each.is_wrapped for each in analysis.programs)
    analysis.is_plain = is_plain and not analysis.doubts and not is_wrapped
    return analysis


def absolute(word: str, cwd: str, *, is_bare: bool = True) -> str:
    """Makes a path absolute; `~` is expanded if it isn't quoted.

    `..` is kept: after a link it leads elsewhere than the text suggests.
    """
    if is_bare and word.startswith("~"):
        word = os.path.expanduser(word)
    return os.path.join(cwd, word)


def _cd_targets(word: str, cwd: str) -> tuple[str, ...]:
    """The folders that `cd` may lead to: shells resolve `..` by the text, other programs by the real folder."""
    path = absolute(word, cwd)
    return os.path.normpath(path), path


def _texts(simple: SimpleCommand) -> tuple[str, ...] | None:
    if simple.assignments or any(word.text is None for word in simple.words):
        return None
    return tuple(word.text or "" for word in simple.words)


def _working_folders(commands: Sequence[PlainCommand], cwd: str) -> list[tuple[str, ...]]:
    """The possible folders of each program. A `cd` is certain only if `&&` follows it."""
    current: tuple[str, ...] = (cwd,)
    folders, all_folders, previous = list[tuple[str, ...]](), {cwd: None}, ""
    for command in commands:
        folders.append(current)
        words, separator = command.words, command.separator
        if words[0] in ("cd", "pushd") and len(words) == 2 and not words[1].startswith("-"):
            targets = tuple(dict.fromkeys(folder for each in current for folder in _cd_targets(words[1], each)))
            all_folders.update(dict.fromkeys(targets))
            current = targets if separator == "&&" and previous in ("", ";", "&&") else tuple(all_folders)
        elif separator != "&&":
            current = tuple(all_folders)
        previous = separator
    return folders


def _possible_folders(script: Script, cwd: str) -> list[tuple[str, ...]]:
    """If the order isn't certain, every program may run in any of the folders that are named."""
    folders = {cwd: None}
    for simple in script.programs:
        if program_name(simple.words) in ("cd", "pushd") and len(simple.words) == 2:
            text = simple.words[1].text
            if text is not None and not text.startswith("-"):
                folders.update({folder: None for each in list(folders)[:8] for folder in _cd_targets(text, each)})
    return [tuple(folders)] * len(script.programs)


def _add_script(analysis: CommandAnalysis, script: Script, folders: Sequence[tuple[str, ...]], *, depth: int) -> None:
    for why in script.doubts:
        analysis.doubt(why)
    analysis.inputs += script.inputs
    all_folders = tuple(dict.fromkeys(folder for each in folders for folder in each)) or ("/",)
    for redirect in script.redirects:
        _add_redirect(analysis, redirect, all_folders)
    for simple, cwds in zip(script.programs, folders, strict=True):
        for redirect in simple.redirects:
            _add_redirect(analysis, redirect, cwds)
        if simple.words:
            _add_program(analysis, Program(simple.words, cwds, simple.assignments), depth)
        elif simple.assignments:
            analysis.doubt("It sets variables, which may change what other programs do.")


def _add_program(analysis: CommandAnalysis, program: Program, depth: int) -> None:
    if len(analysis.programs) >= _MOST_PROGRAMS or depth > _DEEPEST:
        analysis.doubt("It starts too many programs to check.")
        return
    analysis.programs.append(program)
    name = program.name
    if name is None:
        analysis.doubt(f"The program is unknown until the command runs: {program.words[0].raw}")
    if program.assignments:
        analysis.doubt(f"It sets variables for {name or 'a program'}: {' '.join(program.assignments)}")
    if name in _SOURCES_FILE:
        analysis.doubt("It runs a file in the shell itself.")
    if name in ("cd", "pushd") and (len(program.words) != 2 or program.words[1].text in (None, "-")):
        analysis.doubt("It changes to an unknown folder.")
    analysis.writes += _file_uses(written_operands(program.words), program.cwds)
    analysis.places += [place for place in find_places(program.words) if place not in analysis.places]
    for inner in inner_commands(program.words):
        if inner.words is not None:
            assignments = ("(by its wrapper)",) if inner.has_assignments else program.assignments
            _add_program(analysis, Program(inner.words, program.cwds, assignments, is_wrapped=True), depth + 1)
        elif inner.script is not None:
            script = parse_script(inner.script)
            _add_script(analysis, script, [program.cwds] * len(script.programs), depth=depth + 1)
            analysis.has_inner_script = True
        else:
            analysis.doubt(f"It is unknown what {name} starts.")


def _add_redirect(analysis: CommandAnalysis, redirect: Redirect, cwds: Sequence[str]) -> None:
    if redirect.is_descriptor:
        return
    text = redirect.target.text
    if text is None:
        analysis.doubt(f"It redirects to an unknown file: {redirect.target.raw}")
        return
    if text in _NO_FILE:
        return
    (analysis.writes if redirect.writes else analysis.reads).extend(_file_uses([redirect.target], cwds))


def _file_uses(words: Sequence[Word], cwds: Sequence[str]) -> Iterator[FileUse]:
    for word in words:
        if word.text is None:
            continue
        text, has_glob = word.text, False
        if word.is_pattern and (wildcard := _GLOB.search(text)) is not None:
            text, has_glob = text[: wildcard.start()].rpartition("/")[0] or ("/" if text.startswith("/") else "."), True
        for cwd in cwds:
            yield FileUse(absolute(text, cwd, is_bare=word.is_pattern), has_glob)
