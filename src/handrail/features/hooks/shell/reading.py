"""What a shell command would do, as far as its text says: programs, files, hosts, and what can't be known.

Pure: looks at no file. Paths are absolute, joined by text alone.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handrail.features.hooks.shell.hosts import places_of
from handrail.features.hooks.shell.plain import Plain, plain_commands
from handrail.features.hooks.shell.syntax import Redirect, Script, Simple, Word, read_script
from handrail.features.hooks.shell.wrappers import inner_of, program_name
from handrail.features.hooks.shell.writers import written_by

_DEEPEST = 8
_MOST_PROGRAMS = 500
_GLOB = re.compile(r"[*?\[]")
_NO_FILE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"})
_RUNS_ITS_FILE = frozenset({"source", "."})


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file that the command names. `path` is absolute; of a pattern it is the part before the first `*`."""

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
        """The words; one that isn't known as it is written."""
        return tuple(word.raw if word.text is None else word.text for word in self.words)

    @property
    def is_literal(self) -> bool:
        return not self.assignments and all(word.text is not None for word in self.words)


@dataclass(slots=True)
class Reading:
    text: str
    programs: list[Program] = field(default_factory=list)
    reads: list[FileUse] = field(default_factory=list)
    writes: list[FileUse] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    """What here-documents and here-strings hold."""
    has_inner_script: bool = False
    is_plain: bool = False
    """Both readers agree on every word, and no variable is set: what is named here is all that it starts."""

    def doubt(self, why: str) -> None:
        if why not in self.doubts:
            self.doubts.append(why)


def read_command(text: str, cwd: str) -> Reading:
    """`cwd` is the absolute folder in which the shell starts."""
    reading = Reading(text)
    script = read_script(text)
    plain = plain_commands(text)
    is_same = plain is not None and [each.words for each in plain] == [_texts(each) for each in script.programs]
    folders = _folders(plain, cwd) if plain is not None and is_same else _any_folders(script, cwd)
    _take(reading, script, folders, depth=0)
    is_wrapped = reading.has_inner_script or any(each.is_wrapped for each in reading.programs)
    reading.is_plain = is_same and not reading.doubts and not is_wrapped
    return reading


def absolute(word: str, cwd: str, *, is_bare: bool = True) -> str:
    """A path as a program gets it; `~` counts where it is not quoted.

    `..` stays in it: behind a link it leads elsewhere than the text says.
    """
    if is_bare and word.startswith("~"):
        word = os.path.expanduser(word)
    return os.path.join(cwd, word)


def _entered(word: str, cwd: str) -> tuple[str, ...]:
    """The folders to which `cd` may lead: shells shorten `..` by the text, others by where it really leads."""
    path = absolute(word, cwd)
    return os.path.normpath(path), path


def _texts(simple: Simple) -> tuple[str, ...] | None:
    if simple.assignments or any(word.text is None for word in simple.words):
        return None
    return tuple(word.text or "" for word in simple.words)


def _folders(commands: Sequence[Plain], cwd: str) -> list[tuple[str, ...]]:
    """In which folders each program may run: a `cd` counts for certain only where `&&` follows it."""
    now: tuple[str, ...] = (cwd,)
    found, ever, before = list[tuple[str, ...]](), {cwd: None}, ""
    for command in commands:
        found.append(now)
        words, follows = command.words, command.then
        if words[0] in ("cd", "pushd") and len(words) == 2 and not words[1].startswith("-"):
            there = tuple(dict.fromkeys(folder for each in now for folder in _entered(words[1], each)))
            ever.update(dict.fromkeys(there))
            now = there if follows == "&&" and before in ("", ";", "&&") else tuple(ever)
        elif follows != "&&":
            now = tuple(ever)
        before = follows
    return found


def _any_folders(script: Script, cwd: str) -> list[tuple[str, ...]]:
    """Where the order isn't certain, every program may run in any of the folders that are named."""
    ever = {cwd: None}
    for simple in script.programs:
        if program_name(simple.words) in ("cd", "pushd") and len(simple.words) == 2:
            text = simple.words[1].text
            if text is not None and not text.startswith("-"):
                ever.update({folder: None for each in list(ever)[:8] for folder in _entered(text, each)})
    return [tuple(ever)] * len(script.programs)


def _take(reading: Reading, script: Script, folders: Sequence[tuple[str, ...]], *, depth: int) -> None:
    for why in script.doubts:
        reading.doubt(why)
    reading.inputs += script.inputs
    every = tuple(dict.fromkeys(folder for each in folders for folder in each)) or ("/",)
    for redirect in script.redirects:
        _redirect(reading, redirect, every)
    for simple, cwds in zip(script.programs, folders, strict=True):
        for redirect in simple.redirects:
            _redirect(reading, redirect, cwds)
        if simple.words:
            _program(reading, Program(simple.words, cwds, simple.assignments), depth)
        elif simple.assignments:
            reading.doubt("It sets variables, which may change what other programs do.")


def _program(reading: Reading, program: Program, depth: int) -> None:
    if len(reading.programs) >= _MOST_PROGRAMS or depth > _DEEPEST:
        reading.doubt("It starts more programs than can be looked at.")
        return
    reading.programs.append(program)
    name = program.name
    if name is None:
        reading.doubt(f"Which program runs is known only when it runs: {program.words[0].raw}")
    if program.assignments:
        reading.doubt(f"It sets variables for {name or 'a program'}: {' '.join(program.assignments)}")
    if name in _RUNS_ITS_FILE:
        reading.doubt("It runs a file in the shell itself.")
    if name in ("cd", "pushd") and (len(program.words) != 2 or program.words[1].text in (None, "-")):
        reading.doubt("It changes to a folder that isn't known.")
    reading.writes += _uses(written_by(program.words), program.cwds)
    reading.places += [place for place in places_of(program.words) if place not in reading.places]
    for inner in inner_of(program.words):
        if inner.words is not None:
            assignments = ("(by its wrapper)",) if inner.has_assignments else program.assignments
            _program(reading, Program(inner.words, program.cwds, assignments, is_wrapped=True), depth + 1)
        elif inner.script is not None:
            script = read_script(inner.script)
            _take(reading, script, [program.cwds] * len(script.programs), depth=depth + 1)
            reading.has_inner_script = True
        else:
            reading.doubt(f"What {name} starts isn't known.")


def _redirect(reading: Reading, redirect: Redirect, cwds: Sequence[str]) -> None:
    if redirect.is_descriptor:
        return
    text = redirect.target.text
    if text is None:
        reading.doubt(f"It redirects to a file that isn't known: {redirect.target.raw}")
        return
    if text in _NO_FILE:
        return
    (reading.writes if redirect.writes else reading.reads).extend(_uses([redirect.target], cwds))


def _uses(words: Sequence[Word], cwds: Sequence[str]) -> Iterator[FileUse]:
    for word in words:
        if word.text is None:
            continue
        text, has_glob = word.text, False
        if word.is_pattern and (found := _GLOB.search(text)) is not None:
            text, has_glob = text[: found.start()].rpartition("/")[0] or ("/" if text.startswith("/") else "."), True
        for cwd in cwds:
            yield FileUse(absolute(text, cwd, is_bare=word.is_pattern), has_glob)
