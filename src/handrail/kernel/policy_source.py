"""Where the policy comes from: the project's file, the user's rules, and what a person trusts.

All of it is looked at again at every call, and read again once it was changed, so a person's edit counts at once.
A file that breaks while the program runs refuses every call until it is mended.
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
"""Longer than any clock that files are stamped by takes for a step."""


class SharedRules(Protocol):
    """Rules that several servers have in common; another `stamp` after each change."""

    async def refresh(self) -> None: ...

    def stamp(self) -> object: ...

    def all(self) -> Sequence[Rule]:
        """Blocks."""
        ...


class PolicySource:
    """`closed` is kept in step with the policy: the sandbox shares it.

    `shared` are rules that a team's servers have in common, `node` those of the team that this machine is a node of.
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
        """At the start: a broken file stops the program. Blocks."""
        with self._turn:
            stamps, at = self._stamps(), time.time_ns()
            data = self._read()
            seen = (data, data is None or self.trusts.holds(data), self._user_rules(), self._team())
            if seen != self._seen:
                self._policy = self._composed(*seen)
                self._seen = seen
            # A file that has just been changed may change once more without another time of change.
            is_settled = all(not isinstance(each, Stamp) or at - each.changed_ns > _TICK_NS for each in stamps)
            self._loaded = stamps if is_settled else None
            return self._policy

    def current(self) -> Policy:
        """At every call: a broken file refuses it. Reads files only where one was changed."""
        if self._loaded is not None and self._stamps() == self._loaded:
            return self._policy
        try:
            return self.load()
        except (BrokenPolicy, BrokenSettings) as broken:
            raise Declined(broken.message, hint="Fix that file. Until then every call is refused.") from None

    def latest(self) -> Policy:
        """The one by which the gate decided last: for what runs behind it. Looks at no file."""
        return self._policy

    async def fetch(self) -> Policy:
        """`current` for an event loop."""
        if self._shared is not None:
            await self._shared.refresh()
        if self._loaded is not None and self._stamps() == self._loaded:
            return self._policy
        return await run_in_thread(self.current)

    def trust(self, shown: bytes) -> None:
        """What a person was shown, whatever the file holds by now; any later edit needs a new word."""
        read_document(shown, self.where)
        self.trusts.add(shown, self.where)

    @property
    def file(self) -> bytes | None:
        """The project's own policy as it stands there now. Blocks."""
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
    """The folder of the project whose own policy this is: the file is in its `.handrail`."""
    return os.path.dirname(os.path.dirname(policy_file))


def policy_file_of(project: str) -> str:
    return os.path.join(project, HANDRAIL_FOLDER, POLICY_FILE)


def _stamp(path: str, look: Callable[[str], os.stat_result] = os.stat) -> Stamp | None:
    """None where nothing is."""
    try:
        found = look(path)
    except OSError:
        return None
    return Stamp(found.st_size, max(found.st_mtime_ns, found.st_ctime_ns), found.st_ino)


def _below(project: str, state: Path) -> list[str]:
    """Where somebody keeps the state inside the project, no tool may touch it there."""
    inside = os.path.relpath(os.path.realpath(state), os.path.realpath(project))
    if inside == os.curdir:
        raise InvalidParams("The state directory is the project's folder itself.", hint="Name another with --state.")
    return [] if inside.split(os.sep)[0] == os.pardir else [inside]
