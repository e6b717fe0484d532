"""What a shell command means for the policy: its steps, the facts shown to a person, and whether it only reads."""

import glob
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from handrail.features.hooks.nested_repositories import has_repository, tracks_foreign_repository
from handrail.features.hooks.path_scope import PathScope, is_within
from handrail.features.hooks.shell.analysis import CommandAnalysis, FileUse, Program, absolute, analyze_command
from handrail.features.hooks.shell.file_operands import read_operands
from handrail.features.hooks.shell.readers import Reads, files_read_by
from handrail.features.hooks.tracked_secrets import first_secret, tracked_secret
from handrail.kernel.glob import MAX_PATTERN
from handrail.kernel.target import ANY_PLACE, Step, Target
from handrail.ports.effect import Effect

_SEARCH_SECONDS = 5.0
_MOST_MATCHES = 500


@dataclass(frozen=True, slots=True)
class Plan:
    analysis: CommandAnalysis
    steps: tuple[Step, ...]
    only_reads: bool
    remarks: tuple[str, ...] = ()
    """Why it doesn't count as reading, if that isn't obvious."""


def plan_command(command: str, cwd: str, scope: PathScope, ripgrep: str) -> Plan:
    """Looks at the disk: resolves paths, and lists what a search would find."""
    analysis = analyze_command(command, cwd)
    remarks = list[str]()
    steps = [*_files(analysis, scope), *_places(analysis)]
    only_reads = analysis.is_plain and not analysis.writes and not analysis.places
    for program in analysis.programs:
        reads = files_read_by(program.texts) if analysis.is_plain else None
        read_steps = None if reads is None else _reading_steps(program, reads, scope, ripgrep, remarks)
        if read_steps is None:
            only_reads = False
            words = () if program.name is None else program.texts
            is_certain = analysis.is_plain and program.is_literal
            steps.append(Step(Effect.EXECUTE, Target(program=words), is_certain=is_certain))
            steps += _named_files(program, scope)
        else:
            steps += read_steps
    return Plan(analysis, tuple(dict.fromkeys(steps)), only_reads, tuple(remarks))


def _files(analysis: CommandAnalysis, scope: PathScope) -> Iterator[Step]:
    for effect, uses in ((Effect.READ, analysis.reads), (Effect.WRITE, analysis.writes)):
        for use in uses:
            yield Step(effect, scope.target(use.path), is_certain=not use.is_pattern)


def _places(analysis: CommandAnalysis) -> Iterator[Step]:
    for place in analysis.places:
        yield Step(Effect.EXECUTE, Target(place=place), is_certain=place != ANY_PLACE)


def _named_files(program: Program, scope: PathScope) -> Iterator[Step]:
    """Files whose content a program is known to pass on, with any options."""
    for word in read_operands(program.words):
        if word.text:
            for cwd in program.cwds:
                path = absolute(word.text, cwd, is_bare=word.is_pattern)
                yield Step(Effect.READ, scope.target(path), is_certain=not word.is_pattern)


def _reading_steps(
    program: Program, reads: Reads, scope: PathScope, ripgrep: str, remarks: list[str]
) -> list[Step] | None:
    """Returns a step for each file that it reads; None if it may read more than can be determined."""
    steps = list[Step]()
    patterns = {word.text for word in program.words if word.is_pattern}
    if not patterns <= set(reads.paths):
        remarks.append("It has a pattern where no file is expected.")
        return None
    for cwd in program.cwds:
        if reads.is_git and not has_repository(scope.root):
            remarks.append("There is no Git repository, and without one `git diff` compares any folders.")
            return None
        if reads.is_git and not _is_projects_own_repository(cwd, scope):
            remarks.append("It would read a Git repository inside the project, whose settings can start programs.")
            return None
        absolute_paths = [absolute(path, cwd, is_bare=path in patterns) for path in reads.paths]
        paths = list[str]()
        for path, text in zip(absolute_paths, reads.paths, strict=True):
            if text not in patterns or not glob.has_magic(text):
                paths.append(path)
                continue
            matched = _matches(path, text)
            if matched is None:
                remarks.append(f"{text} matches too many files, one that looks like an option, or leads back by `..`.")
                return None
            paths += [*matched, _fixed_part(path)]
        if reads.is_git and (reads.shows_changes or reads.is_deep):
            # After a last `--`, everything before it is a revision, even if there is a file with that name.
            is_limited = paths and all(map(os.path.exists, paths)) and program.texts[-1] != "--"
            if (secret := tracked_secret(scope.root, paths if is_limited else None)) is not None:
                remarks.append(f"It may show {secret}")
                return None
        shows_restricted = reads.shows_changes and scope.restricts is not None
        if shows_restricted and not (paths and all(map(os.path.exists, paths))):
            remarks.append("It may show files of the repository's history that a rule restricts.")
            return None
        if (reads.is_deep or shows_restricted) and not reads.lists_only:
            if reads.is_git and not all(map(os.path.exists, paths)):
                paths.append(scope.root)  # a revision, or one of git's own patterns
            elif reads.is_git and not paths:
                paths.append(cwd)
            options = [] if reads.skips_hidden else ["--hidden"] if reads.is_git else ["--hidden", "--no-ignore"]
            options += (word for name in reads.globs for word in ("--iglob", name))
            found = search_below(paths, options, scope, ripgrep, cwd, follows_links=reads.follows_links)
            if found.doubt is not None and reads.is_deep:
                remarks.append(f"It would read {found.doubt}")
                return None
            steps += (Step(Effect.READ, target) for target in found.restricted)
        for path in (*paths, cwd):
            target = scope.target(path)
            if len(target.path or "") > MAX_PATTERN:
                return None
            steps.append(Step(Effect.READ, replace(target, is_closed=target.is_closed and not reads.lists_only)))
    return steps


def _matches(pattern: str, text: str) -> list[str] | None:
    """Returns what the shell would insert; None if that is too much, or if a name would be parsed as an option."""
    if ".." in pattern[len(_fixed_part(pattern)) :].split("/"):
        return None  # what this leads to depends on the matches at run time
    matches = list(islice(glob.iglob(pattern), _MOST_MATCHES + 1))
    is_option = "/" not in text and any(os.path.basename(path).startswith("-") for path in matches)
    return None if is_option or len(matches) > _MOST_MATCHES else matches


def _fixed_part(pattern: str) -> str:
    """Returns the folder that is searched. It counts even if nothing matches now, because something may at run time."""
    parts = pattern.split("/")
    index = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[:index]) or "/"


def _is_projects_own_repository(cwd: str, scope: PathScope) -> bool:
    """No repository lies between the folder and the project's root, none is tracked, and the root isn't a bare one."""
    folder = os.path.realpath(cwd)
    if not is_within(folder, scope.root):
        return False
    while True:
        has = partial(_has, folder)
        if has("HEAD") and has("objects") and has("refs"):
            return False
        if folder == scope.root:
            return not tracks_foreign_repository(folder)
        if has(".git"):
            return False
        folder = os.path.dirname(folder)


def _has(folder: str, name: str) -> bool:
    return os.path.lexists(os.path.join(folder, name))


class FoundBelow(NamedTuple):
    """`doubt` is what only a person may let it read, such as a file of secrets; a rule may restrict `restricted`."""

    doubt: str | None = None
    restricted: tuple[Target, ...] = ()


def search_below(
    paths: Sequence[str],
    options: Sequence[str],
    scope: PathScope,
    ripgrep: str,
    cwd: str,
    *,
    follows_links: bool = False,
) -> FoundBelow:
    """Finds what a search below these paths would read, with the search's own rules: `cwd` anchors its patterns."""
    folders = [os.path.realpath(path) for path in paths if os.path.isdir(path)]
    if not folders:
        return FoundBelow()
    try:
        result = subprocess.run(
            [ripgrep, "--no-config", "--files", "--null", *(["--follow"] if follows_links else []), *options, "--",
             *folders],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_SEARCH_SECONDS, check=False,
            cwd=os.path.realpath(cwd),
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return FoundBelow("more files than can be looked at.")
    names = result.stdout.split(b"\0")[:-1]
    if follows_links and (link := next((name for name in names if os.path.realpath(name) != name), None)) is not None:
        return FoundBelow(f"{os.fsdecode(link)}, which a link leads to.")
    if (secret := first_secret(names)) is not None:
        return FoundBelow(f"{secret}, which is closed to agents.")
    if scope.restricts is None:
        return FoundBelow()
    targets = (scope.real_target(os.fsdecode(name)) for name in names)  # a search follows no further links
    return FoundBelow(restricted=tuple(islice(filter(scope.restricts, targets), _MOST_MATCHES)))


def describe_uses(uses: list[FileUse]) -> str:
    return "\n".join(dict.fromkeys(use.path + ("/…" if use.is_pattern else "") for use in uses))
