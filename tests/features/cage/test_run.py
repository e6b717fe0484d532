"""`handrail run`: what goes in, what comes out, and what it refuses."""

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.features.cage.session import list_cages
from tests.effort import first_of
from tests.features.cage.plain_user import HANDRAIL, PYTHON, SECRET, UID, PlainUser, plain_user
from tests.waiting import until

BARRED = [sys.executable, "-m", "tests.features.cage.barred"]
PYTHON_SHOWN = [] if sys.base_prefix.startswith("/usr") else ["--mount", sys.base_prefix]


@pytest.fixture(scope="module")
def user() -> Iterator[PlainUser]:
    with plain_user() as plain:
        yield plain


def give(user: PlainUser, path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, UID, UID, follow_symlinks=False)


def test_changes_stay_in_the_overlay_and_the_run_is_on_record(user: PlainUser) -> None:
    link = user.project / "keys"
    link.symlink_to(user.home / ".ssh")
    give(user, link)
    script = (
        "echo new > made.txt; echo changed > README.md; git init -q; git add made.txt; git commit -qm first;"
        "git log -1 --format='%an <%ae>'; cat keys/id_ed25519; cat ../.ssh/id_ed25519;"
        "cat $PWD/../../home/.ssh/id_ed25519; echo kept > ~/note; exit 7"
    )
    result = user.handrail("run", "--env", "MY_FLAG", "--", "bash", "-c", script, env={"MY_FLAG": "1"})
    out = result.stdout.decode()
    assert (result.returncode, out.splitlines()[0]) == (7, "Ann <ann@example.org>"), result.stderr.decode()
    assert SECRET not in out
    assert sorted(os.listdir(user.project)) == [".handrail", "README.md", "keys"]
    assert (user.project / "README.md").read_text() == "# Shop\n"
    folder, session = list_cages(user.state)[-1]
    assert (session.project, session.level, session.exit_code) == (str(user.project), "full", 7)
    assert (folder.upper / "made.txt").read_text() == "new\n"
    assert (user.state / "homes/other/note").read_text() == "kept\n"
    assert not folder.is_running
    assert "cage full" in result.stderr.decode().splitlines()[0]


def test_names_of_folders_and_programs_can_not_draw_on_the_terminal(user: PlainUser) -> None:
    project = user.home / "odd\x1b[2J\nhandrail: cage full"
    project.mkdir()
    program = project / "\x1b[31mtool"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    give(user, project)
    give(user, program)
    result = user.handrail("run", "--project", str(project), "--", str(program))
    assert result.returncode == 3
    first, _ = result.stderr.decode().splitlines()
    assert "\x1b" not in result.stderr.decode()
    assert "\\u{1b}[31mtool" in first
    assert "odd\\u{1b}[2J\\nhandrail: cage full" in first


def test_it_starts_where_proc_lacks_the_process_ids_of_its_own_namespace(user: PlainUser) -> None:
    """As in containers, and where /proc hides other users' processes."""
    in_a_container = ["unshare", "--user", "--map-current-user", "--pid", "--fork", "--mount-proc"]
    without_low_ids = 'for each in 1 2 3 4; do /bin/true; done; exec "$@"'
    run = [str(HANDRAIL), "run", "--", "echo", "it runs"]
    result = user.run([*in_a_container, "sh", "-c", without_low_ids, "sh", *run])
    assert result.stdout.decode().strip() == "it runs", result.stderr.decode()


def test_the_repository_of_a_linked_worktree_is_shown_read_only(user: PlainUser) -> None:
    main, linked = user.home / "main", user.home / "linked"
    script = (
        f"git init -q -b main {main} && cd {main} && echo one > a.txt && git add . && git commit -qm first && "
        f"git worktree add -q {linked} -b feature"
    )
    assert user.run(["bash", "-c", script]).returncode == 0
    inside = f"git log --format=%s; echo two > a.txt; git status --short; touch {main}/.git/hooks/x; ls {main}"
    result = user.handrail("run", "--project", str(linked), "--", "bash", "-c", inside)
    assert result.stdout.decode() == "first\n M a.txt\n", result.stderr.decode()
    assert not (main / ".git/hooks/x").exists()


def test_a_worktrees_file_that_its_repository_does_not_know_shows_nothing(user: PlainUser) -> None:
    other = user.home / "other"
    (other / "worktrees/x").mkdir(parents=True)
    (other / "secret").write_text(SECRET)
    (other / "worktrees/x/commondir").write_text("../..\n")
    (other / "worktrees/x/gitdir").write_text(f"{user.home}/elsewhere/.git\n")
    (user.project / ".git").write_text(f"gitdir: {other}/worktrees/x\n")
    try:
        result = user.handrail("run", "--", "bash", "-c", f"cat {other}/secret")
    finally:
        (user.project / ".git").unlink()
    assert (result.returncode, SECRET in result.stdout.decode()) == (1, False)


def test_a_program_that_a_signal_ended_has_the_shells_exit_code(user: PlainUser) -> None:
    assert user.handrail("run", "--", "bash", "-c", "kill -SEGV $$").returncode == 128 + signal.SIGSEGV


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mount", "{home}"), "too much to show"),
        (("--mount", "/"), "too much to show"),
        (("--mount", "{project}/../.ssh"), "contains something that an agent must not see"),
        (("--mount", "{project}/to-keys"), "contains something that an agent must not see"),
        (("--mount", "{home}/.local"), "contains something that an agent must not see"),
        (("--mount", "{state}:rw"), "contains something that an agent must not see"),
        (("--mount", "/run"), "too much to show"),
        (("--mount", "/proc/self"), "belongs to the system"),
        (("--mount", "{home}/missing"), "is not a folder"),
        (("--env", "NOT_SET"), "isn't set"),
        (("--project", "{home}"), "too much to show"),
        (("--project", "{project}/.handrail"), "contains handrail's own records"),
        (("--mount", "{project}/.handrail/artifacts"), "contains handrail's own records"),
        (("--project", "{state}"), "contains something that an agent must not see"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_that_would_open_the_cage_are_refused(user: PlainUser, words: tuple[str, ...], message: str) -> None:
    link = user.project / "to-keys"
    if not link.is_symlink():
        link.symlink_to(user.home / ".ssh")
    places = {"home": user.home, "project": user.project, "state": user.state}
    result = user.handrail("run", *(word.format(**places) for word in words), "--", "true")
    assert result.returncode == 1
    assert message in result.stderr.decode()


def test_of_toolchains_that_keep_tokens_only_the_programs_are_shown(user: PlainUser) -> None:
    tokens = (".cargo/credentials.toml", ".local/share/uv/credentials/credentials.toml", ".npm-global/etc/npmrc")
    programs = (".cargo/bin/tool", ".local/share/uv/tools/x/bin/tool", ".npm-global/bin/tool")
    for name in (*tokens, *programs):
        file = user.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {SECRET}\n" if name in tokens else "#!/bin/sh\necho works\n")
        file.chmod(0o755)
        for path in (file, *file.parents[: len(Path(name).parents) - 1]):
            give(user, path)
    script = "; ".join([*(f"{user.home}/{name}" for name in programs), *(f"cat {user.home}/{name}" for name in tokens)])
    result = user.handrail("run", "--", "sh", "-c", script)
    assert result.stdout.decode() == "works\n" * 3


def test_an_unknown_command_is_named(user: PlainUser) -> None:
    result = user.handrail("run", "--", "no-such-program")
    assert (result.returncode, "Unknown command 'no-such-program'" in result.stderr.decode()) == (1, True)


def test_a_script_whose_interpreter_is_elsewhere_is_refused_with_the_folder_to_add(user: PlainUser) -> None:
    interpreter, script = user.home / "node-22" / "bin" / "node22", user.project / "tool.sh"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to("/bin/sh")
    script.write_text("#!/usr/bin/env -S node22\necho it ran\n")
    script.chmod(0o755)
    for path in (interpreter.parent.parent, interpreter.parent, script):
        give(user, path)
    environ = {"PATH": f"{user.environment['PATH']}:{interpreter.parent}"}
    refused = user.handrail("run", "--", str(script), env=environ)
    assert refused.returncode == 1
    assert f"--mount {interpreter.parent}" in refused.stderr.decode()
    allowed = user.handrail("run", "--mount", str(interpreter.parent), "--", str(script), env=environ)
    assert (allowed.returncode, b"it ran" in allowed.stdout) == (0, True), allowed.stderr


def test_descriptors_that_the_launcher_inherited_are_not_passed_on(user: PlainUser) -> None:
    folder = os.open(user.home, os.O_RDONLY)
    try:
        result = user.handrail("run", "--", "bash", "-c", "ls /proc/self/fd", pass_fds=[folder])
    finally:
        os.close(folder)
    assert result.stdout.split() == [b"0", b"1", b"2", b"3"]


@pytest.mark.trial("cage", is_long=True)
def test_links_in_the_agents_home_do_not_lead_a_later_run_elsewhere(user: PlainUser) -> None:
    """An earlier run has prepared the ground: its home is full of links, and so is the client's settings file."""
    target = user.home / "target.json"
    target.write_text("{}")
    give(user, target)
    script = f"ln -s {target} ~/.claude.json; ln -s / ~/shop; ln -s /etc ~/.nvm"
    assert user.handrail("run", "--client", "claude", "--", "bash", "-c", script).returncode == 0
    script = "cat /etc/claude-code/managed-settings.json; test -L ~/.claude.json || echo replaced"
    result = user.handrail("run", "--client", "claude", "--", "bash", "-c", script)
    assert "bypassPermissions" in result.stdout.decode(), result.stderr.decode()
    assert "replaced" in result.stdout.decode()
    assert target.read_text() == "{}"
    assert "handrail" in json.loads((user.state / "homes/claude/.claude.json").read_text())["mcpServers"]


@pytest.mark.parametrize(
    "script",
    first_of(
        "cage",
        ("mkdir -p ~/.claude.json/kept; chmod 0 ~/.claude.json ~",),
        ("printf '%0200000d' 0 | tr 0 '[' > ~/.claude.json",),
        ("truncate -s 1T ~/.claude.json",),
    ),
    ids=["closed folder", "nested", "huge"],
)
def test_an_agent_cannot_prevent_later_runs(user: PlainUser, script: str) -> None:
    """By what it leaves in its home, where handrail writes the client's settings before each run."""
    assert user.handrail("run", "--client", "claude", "--", "bash", "-c", script).returncode == 0
    result = user.handrail("run", "--client", "claude", "--", "bash", "-c", "cat ~/.claude.json; rm -f ~/.claude.json")
    assert result.returncode == 0, result.stderr.decode()
    assert "handrail" in json.loads(result.stdout)["mcpServers"]


def test_a_filter_that_was_changed_in_the_state_directory_ends_the_cage(user: PlainUser) -> None:
    """One that allows every call: nobody would see it in the cage's first line."""
    assert user.handrail("run", "--", "true").returncode == 0
    (files,) = (user.state / "cages").glob("filter-*.bpf")
    right = files.read_bytes()
    files.write_bytes(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
    result = user.handrail("run", "--", "sleep", "20")
    assert (result.returncode, b"had changed its filter" in result.stderr) == (1, True), result
    assert not files.exists()
    assert user.handrail("run", "--", "true").returncode == 0
    assert files.read_bytes() == right


def test_everything_in_the_cage_ends_when_the_launcher_is_killed(user: PlainUser) -> None:
    mark = f"98765.{os.getpid()}"
    script = f"setsid sleep {mark} & sleep {mark}"
    with user.start([str(HANDRAIL), "run", "--", "bash", "-c", script], stderr=subprocess.PIPE) as process:
        until(lambda: len(_running(mark)) >= 3, "the agent's processes")
        launcher = next(pid for pid in _running(mark) if b"handrail" in _command(pid))
        os.kill(launcher, signal.SIGKILL)
        until(lambda: not _running(mark), lambda: [_command(pid) for pid in _running(mark)])
        process.wait()


def test_a_launcher_that_is_killed_before_the_agent_starts_leaves_nothing_behind(user: PlainUser) -> None:
    """To bubblewrap, the end of the pipe that starts the agent means go."""
    mark = f"98764.{os.getpid()}"
    result = user.run(user.driver({"command": ["sleep", mark], "is_killed": True}), stdout=2, stderr=2)
    assert result.returncode == -signal.SIGKILL, result.stderr.decode()
    until(lambda: not _running(mark), lambda: [_command(pid) for pid in _running(mark)])


def _running(mark: str) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if mark.encode() in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


STREAMS_ATTACK = """
import os, sys
for number in (0, 1):
    for flags in (os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
        try:
            with open(os.open(f"/proc/self/fd/{number}", flags | os.O_NONBLOCK), "wb", buffering=0) as opened:
                os.pwrite(opened.fileno(), b"ruined", 0)
        except OSError:
            pass
print(sys.stdin.read() * 50_000, end="")
print("said at the end", file=sys.stderr)
"""


@pytest.mark.parametrize("barred", [[], BARRED], ids=["full", "narrow"])
def test_a_file_as_a_stream_can_only_be_read_or_appended_to(user: PlainUser, barred: list[str]) -> None:
    """Inside, /proc/self/fd would open it once more, for whatever the user may do with it."""
    prompt, log = user.home / "prompt.txt", user.home / "log.txt"
    prompt.write_text("the prompt\n")
    log.write_text("said before\n")
    for path in (prompt, log):
        give(user, path)
    words = [*barred, str(HANDRAIL), "run", *PYTHON_SHOWN, "--", PYTHON, "-c", STREAMS_ATTACK]
    with prompt.open("rb") as stdin, log.open("ab") as stdout:
        result = user.run(words, stdin=stdin, stdout=stdout, stderr=stdout)
    assert (result.returncode, prompt.read_text()) == (0, "the prompt\n")
    lines = log.read_text().splitlines()
    assert lines[0] == "said before"
    assert lines.count("the prompt") == 50_000
    assert lines.index("said at the end") > 50_000, "stderr is in its place"


FIRST_PROCESS_STOPPED = """
import ctypes, os, signal, sys
ready, attached = os.pipe()
if sys.argv[1] == "another" and os.fork():
    os.read(ready, 1)
    os._exit(5)
assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0  # attach
os.write(attached, b"x")
if sys.argv[1] == "another":
    signal.pause()
os._exit(5)
"""


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.parametrize("tracer", ["itself", "another"])
def test_the_launcher_notices_the_end_of_an_agent_that_stopped_the_cages_first_process(
    user: PlainUser, tracer: str
) -> None:
    words = [str(HANDRAIL), "run", *PYTHON_SHOWN, "--", PYTHON, "-c", FIRST_PROCESS_STOPPED, tracer]
    with user.start(words, stderr=subprocess.PIPE) as launcher:
        try:
            until(lambda: launcher.poll() is not None, "the launcher ends")
        finally:
            launcher.kill()
    assert (launcher.returncode, list_cages(user.state)[-1][1].exit_code) == (5, 5)
