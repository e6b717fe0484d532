"""Loads the policy from the project's file, the user's rules, and the list of trusted files.

Every call checks whether one of them has changed and reloads it, so a person's edit takes effect at once. If a file
becomes invalid while the program runs, every call is refused until it is fixed.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import BrokenPolicy, PolicyDocument, read_document
from handrail.kernel.settings import Settings, load_one
from handrail.ports.errors import Declined, InvalidParams, NotFound
from handrail.ports.files import Folder, Stamp
from handrail.ports.node import Memberships, TeamPolicy
from handrail.ports.paths import ClosedFolders
from handrail.ports.policy import Rule, Trust
from handrail.ports.settings import CONFIG_FILE, BrokenSettings
from handrail.ports.waiting import run_in_thread

HANDRAIL_FOLDER = ".handrail"
POLICY_FILE = "policy.json"
_TICK_NS = 50_000_000
"""Longer than the resolution of any file system's time stamps."""


class SharedRules(Protocol):
    """Rules that several servers share; `stamp` changes with each change."""

    async def refresh(self) -> None: ...

    def stamp(self) -> object: ...

    def all(self) -> Sequence[Rule]:
        """Blocks."""
        ...


class PolicySource:
    """`closed` is updated with the policy; the sandbox uses it too.

    `shared` are the rules that a team's servers share, `node` the rules of the team that this machine belongs to.
    """

    def __init__(
        self,
        folder: Folder,
        state: Path,
        trusted: Trust,
        closed: ClosedFolders,
        shared: SharedRules | None = None,
        node: Memberships | None = None,
    ) -> None:
        self._folder = folder
        self._state = state
        self._config = str(state / CONFIG_FILE)
        self.trusts = trusted
        self._closed = closed
        self._shared = shared
        self._node = node
        self._state_inside = _below(os.path.dirname(folder.location), state)
        self._seen: tuple[bytes | None, bool, Sequence[Rule], TeamPolicy | None] | None = None
        self._policy = Policy(PolicyDocument(), ())
        self._loaded: Sequence[object] | None = None
        self._turn = threading.Lock()
        self.where = os.path.join(folder.location, POLICY_FILE)
        self.project = os.path.realpath(os.path.dirname(folder.location))

    def load(self) -> Policy:
        """For the start: raises if a file is invalid. Blocks."""
        with self._turn:
            stamps, at = self._stamps(), time.time_ns()
            data = self._read()
            seen = (data, data is None or self.trusts.holds(data), self._user_rules(), self._team())
            if seen != self._seen:
                self._policy = self._composed(*seen)
                self._seen = seen
            # A file that has just been changed may change again without a new time stamp.
            is_settled = all(not isinstance(each, Stamp) or at - each.changed_ns > _TICK_NS for each in stamps)
            self._loaded = stamps if is_settled else None
            return self._policy

    def current(self) -> Policy:
        """For every call: Declined if a file is invalid. Reads the files only if one has changed."""
        if self._loaded is not None and self._stamps() == self._loaded:
            return self._policy
        try:
            return self.load()
        except (BrokenPolicy, BrokenSettings) as broken:
            raise Declined(broken.message, hint="Fix that file. Until then every call is refused.") from None

    def latest(self) -> Policy:
        """The policy of the gate's last decision, for code that runs behind the gate. Reads no file."""
        return self._policy

    async def fetch(self) -> Policy:
        """Like `current`, for an event loop."""
        if self._shared is not None:
            await self._shared.refresh()
        if self._loaded is not None and self._stamps() == self._loaded:
            return self._policy
        return await run_in_thread(self.current)

    def trust(self, shown: bytes) -> None:
        """Trusts the content that a person was shown, not the file; any later edit has to be trusted again."""
        read_document(shown, self.where)
        self.trusts.add(shown, self.where)

    @property
    def file(self) -> bytes | None:
        """The current content of the project's own policy. Blocks."""
        return self._read()

    def distrust(self) -> bool:
        data = self._read()
        return data is not None and self.trusts.remove(data)

    def is_trusted(self) -> bool:
        data = self._read()
        return data is not None and self.trusts.holds(data)

    def _stamps(self) -> Sequence[object]:
        policy = _stamp(self.where, os.lstat) if os.access(self.where, os.F_OK, follow_symlinks=False) else None
        trusted = None if policy is None else _stamp(self.trusts.where)
        shared = None if self._shared is None else self._shared.stamp()
        return policy, _stamp(self._config), trusted, shared, None if self._node is None else self._node.stamp()

    def _read(self) -> bytes | None:
        try:
            return self._folder.read(POLICY_FILE)
        except NotFound:
            return None

    def _user_rules(self) -> Sequence[Rule]:
        own = load_one(Settings, self._state, environ={}).rules
        return own if self._shared is None else [*own, *self._shared.all()]

    def _team(self) -> TeamPolicy | None:
        membership = None if self._node is None else self._node.read()
        return None if membership is None else membership.policy

    def _composed(
        self, data: bytes | None, is_trusted: bool, user_rules: Sequence[Rule], team: TeamPolicy | None
    ) -> Policy:
        document = PolicyDocument() if data is None else read_document(data, self.where)
        policy = compose_policy(document, is_trusted=is_trusted, user_rules=user_rules, project=self.project, team=team)
        self._closed.replace(policy.closed_folders, rooted=self._state_inside, opened=policy.opens)
        return policy


def project_of(policy_file: str) -> str:
    """The project's folder; its policy file is in `.handrail`."""
    return os.path.dirname(os.path.dirname(policy_file))


def policy_file_of(project: str) -> str:
    return os.path.join(project, HANDRAIL_FOLDER, POLICY_FILE)


def _stamp(path: str, look: Callable[[str], os.stat_result] = os.stat) -> Stamp | None:
    """None if there is no file."""
    try:
        status = look(path)
    except OSError:
        return None
    return Stamp(status.st_size, max(status.st_mtime_ns, status.st_ctime_ns), status.st_ino)


def _below(project: str, state: Path) -> list[str]:
    """The state directory's path in the project, if it is there: no tool may touch it."""
    inside = os.path.relpath(os.path.realpath(state), os.path.realpath(project))
    if inside == os.curdir:
        raise InvalidParams("The state directory is the project's folder itself.", hint="Name another with --state.")
    return [] if inside.split(os.sep)[0] == os.pardir else [inside]
