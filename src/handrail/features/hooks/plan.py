"""What a shell command means for the policy: its steps, what a person is shown of it, and whether it only reads."""

import glob
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from msgspec.structs import replace

from handrail.features.hooks.path_place import Ground, is_within
from handrail.features.hooks.shell.readers import Reads, what_it_reads
from handrail.features.hooks.shell.reading import FileUse, Program, Reading, absolute, read_command
from handrail.features.hooks.shell.writers import read_by
from handrail.kernel.glob import MAX_PATTERN
from handrail.kernel.target import ANY_PLACE, Step, Target
from handrail.ports.effect import Effect
from handrail.ports.folded_name import fold_name
from handrail.ports.secret_files import is_secret_path

_LOOK_SECONDS = 5.0
_MOST_MATCHES = 500
_MAY_BE_SECRET = re.compile(
    rb"env|rc|netrc|pgpass|credential|htpasswd|ssh|aws|gnupg|azure|boto|s3cfg|vault|docker|kube|pem|key|p12|pfx|jks|id_"
    rb"|gcloud|config/gh|handrail|webgal_agent|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""A quick look: most names of a project are none of these."""


@dataclass(frozen=True, slots=True)
class Plan:
    reading: Reading
    steps: tuple[Step, ...]
    only_reads: bool
    remarks: tuple[str, ...] = ()
    """Why it doesn't count as reading, where that isn't plain to see."""


def plan_of(command: str, cwd: str, ground: Ground, ripgrep: str) -> Plan:
    """Looks at the disk: where paths lead, and what a search would find."""
    reading = read_command(command, cwd)
    remarks = list[str]()
    steps = [*_files(reading, ground), *_places(reading)]
    only_reads = reading.is_plain and not reading.writes and not reading.places
    for program in reading.programs:
        found = what_it_reads(program.texts) if reading.is_plain else None
        read = None if found is None else _reading_steps(program, found, ground, ripgrep, remarks)
        if read is None:
            only_reads = False
            words = () if program.name is None else program.texts
            is_certain = reading.is_plain and program.is_literal
            steps.append(Step(Effect.EXECUTE, Target(program=words), is_certain=is_certain))
            steps += _named_files(program, ground)
        else:
            steps += read
    return Plan(reading, tuple(dict.fromkeys(steps)), only_reads, tuple(remarks))


def _files(reading: Reading, ground: Ground) -> Iterator[Step]:
    for effect, uses in ((Effect.READ, reading.reads), (Effect.WRITE, reading.writes)):
        for use in uses:
            yield Step(effect, ground.target(use.path), is_certain=not use.is_pattern)


def _places(reading: Reading) -> Iterator[Step]:
    for place in reading.places:
        yield Step(Effect.EXECUTE, Target(place=place), is_certain=place != ANY_PLACE)


def _named_files(program: Program, ground: Ground) -> Iterator[Step]:
    """Files whose content a program is known to pass on, however else it is called."""
    for word in read_by(program.words):
        if word.text:
            for cwd in program.cwds:
                path = absolute(word.text, cwd, is_bare=word.is_pattern)
                yield Step(Effect.READ, ground.target(path), is_certain=not word.is_pattern)


def _reading_steps(
    program: Program, reads: Reads, ground: Ground, ripgrep: str, remarks: list[str]
) -> list[Step] | None:
    """The files that it reads, each as a step; None where it may read more than can be said."""
    steps = list[Step]()
    patterns = {word.text for word in program.words if word.is_pattern}
    if not patterns <= set(reads.paths):
        remarks.append("It has a pattern where no file is expected.")
        return None
    for cwd in program.cwds:
        if reads.is_git and not _is_projects_own_repository(cwd, ground):
            remarks.append("It would read a Git repository inside the project, whose settings can start programs.")
            return None
        named = [absolute(path, cwd, is_bare=path in patterns) for path in reads.paths]
        paths = list[str]()
        for path, text in zip(named, reads.paths, strict=True):
            if text not in patterns or not glob.has_magic(text):
                paths.append(path)
                continue
            matched = _matches(path, text)
            if matched is None:
                remarks.append(f"{text} matches too many files, one that looks like an option, or leads back by `..`.")
                return None
            paths += [*matched, _fixed_part(path)]
        if reads.is_deep and not reads.lists_only:
            if reads.is_git and not any(map(os.path.exists, paths)):
                paths.append(cwd)  # a revision, or a pattern of git's own
            options = [] if reads.skips_hidden else ["--hidden"] if reads.is_git else ["--hidden", "--no-ignore"]
            options += (word for name in reads.globs for word in ("--iglob", name))
            secret = secret_below(paths, options, ripgrep)
            if secret is not None:
                remarks.append(f"It would read {secret}")
                return None
        for path in (*paths, cwd):
            target = ground.target(path)
            if len(target.path or "") > MAX_PATTERN:
                return None
            steps.append(Step(Effect.READ, replace(target, is_closed=target.is_closed and not reads.lists_only)))
    return steps


def _matches(pattern: str, text: str) -> list[str] | None:
    """What the shell would put in its place; None where that is too much, or a name would be read as an option."""
    if ".." in pattern[len(_fixed_part(pattern)) :].split("/"):
        return None  # where that leads depends on what matches when it runs
    found = list(islice(glob.iglob(pattern), _MOST_MATCHES + 1))
    is_option = "/" not in text and any(os.path.basename(path).startswith("-") for path in found)
    return None if is_option or len(found) > _MOST_MATCHES else found


def _fixed_part(pattern: str) -> str:
    """The folder in which it looks. It counts even if nothing matches now: there may be something when it runs."""
    parts = pattern.split("/")
    at = next(at for at, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[:at]) or "/"


def _is_projects_own_repository(cwd: str, ground: Ground) -> bool:
    """No repository lies between the folder and the project's root, and the root isn't a bare one."""
    folder = os.path.realpath(cwd)
    if not is_within(folder, ground.root):
        return False
    while True:
        has = partial(_has, folder)
        if has("HEAD") and has("objects") and has("refs"):
            return False
        if folder == ground.root:
            return True
        if has(".git"):
            return False
        folder = os.path.dirname(folder)


def _has(folder: str, name: str) -> bool:
    return os.path.lexists(os.path.join(folder, name))


def secret_below(paths: Sequence[str], options: Sequence[str], ripgrep: str) -> str | None:
    """A closed file that a search below these would read, found by the same rules by which the search walks."""
    folders = [path for path in paths if os.path.isdir(path)]
    if not folders:
        return None
    try:
        ran = subprocess.run(
            [ripgrep, "--no-config", "--files", "--null", *options, "--", *folders],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_LOOK_SECONDS, check=False, cwd="/",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return "more files than can be looked at."
    for found in filter(_MAY_BE_SECRET.search, ran.stdout.split(b"\0")):
        name = found.decode(errors="replace")
        parts = {fold_name(part) for part in name.split("/")}
        if ".git" not in parts and (is_secret_path(name) or not parts.isdisjoint((".handrail", ".webgal_agent"))):
            return f"{name}, which is closed to agents."
    return None


def shown_uses(uses: list[FileUse]) -> str:
    return "\n".join(dict.fromkeys(use.path + ("/…" if use.is_pattern else "") for use in uses))
