"""The reviews of one project: lists runs with pending changes, opens their reviews, and discards them."""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import msgspec

from handrail.features.cage.offers import CageFolder, CageSession, find_cage, list_cages
from handrail.features.review.agent_entries import copy_entries, upper_entries
from handrail.features.review.base import Base
from handrail.features.review.commits import Commits
from handrail.features.review.decisions import Decision, add_decisions, read_decisions
from handrail.features.review.review import Review
from handrail.features.workspace.offers import Changes
from handrail.kernel.project import Project
from handrail.ports.errors import Conflict, Failure, InvalidParams


class ListedReview(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A run and the number of its pending changes."""

    id: str
    client: str
    command: list[str]
    started_at: str
    ended_at: str | None = None
    is_running: bool = False
    changes: int = 0
    problem: str | None = None
    """Why it can't be reviewed."""


class Reviews:
    """The part that the feature's tools, commands and routes use. All methods block."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.changes: Changes = project.offer("workspace", "changes")

    def listed(self) -> list[ListedReview]:
        """The project's runs with pending changes, the newest first."""
        reviews = []
        for folder, session in reversed(list_cages(self._project.stores.path, self._project.location)):
            try:
                count, problem = self._count(session.id), None
            except Failure as failure:
                count, problem = 0, failure.message
            if count or problem or folder.is_running:
                reviews.append(_listed(folder, session, count, problem))
        return reviews

    def newest_repository(self) -> str | None:
        """The newest run in which the agent changed its repository."""
        for folder, session in reversed(list_cages(self._project.stores.path, self._project.location)):
            if os.path.isdir(_agents_folder(folder, session) / ".git"):
                return session.id
        return None

    def _count(self, cage_id: str) -> int:
        review = self.open(cage_id)
        try:
            return len(review.items)
        finally:
            review.close()

    def why_closed(self, path: str) -> str | None:
        """Why nothing can be written at a path; None if it can."""
        try:
            self._project.files.parse(path)
        except Failure as failure:
            return failure.message
        return None

    def session(self, cage_id: str) -> tuple[CageFolder, CageSession]:
        """Raises NotFound, or InvalidParams if the run was in another project."""
        folder = find_cage(self._project.stores.path, cage_id)
        session = folder.read()
        if session.project != self._project.location:
            raise InvalidParams(
                f"{cage_id} ran in {session.project}.", hint=f"Review it with --project {session.project}."
            )
        return folder, session

    def open(self, cage_id: str) -> Review:
        folder, session = self.session(cage_id)
        base = Base(folder.base, self._project.files)
        is_copy = session.level == "narrow"
        agents = self._project.machine.open_folder(str(_agents_folder(folder, session)))
        try:
            entries = list(copy_entries(agents, base, session.project) if is_copy else upper_entries(agents))
            return Review(entries, base, agents, self._project.files, read_decisions(folder.path))
        except BaseException:
            agents.close()
            raise

    def commits(self, cage_id: str) -> Commits:
        folder, session = self.session(cage_id)
        return Commits(cage_id, _agents_folder(folder, session), self._project.files)

    def settle(self, cage_id: str, more: dict[str, Decision]) -> None:
        """Stores decisions, so that these changes aren't shown again."""
        add_decisions(self.session(cage_id)[0].path, more)

    def discard(self, cage_id: str) -> None:
        """Deletes the cage with all changes. Raises Conflict while the agent is running."""
        folder, _ = self.session(cage_id)
        if folder.is_running:
            raise Conflict(f"{cage_id} is still running.", hint="Stop the agent first.")
        delete_cage(folder.path)


def delete_cage(path: Path) -> None:
    """Makes folders accessible first: overlayfs' `work/work` has mode 000, and an agent may have done the same."""
    for top, folders, _ in os.walk(path, topdown=True):
        for name in folders:
            inner = os.path.join(top, name)
            with suppress(OSError):
                status = os.lstat(inner)
                if stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) & 0o700 != 0o700:
                    os.chmod(inner, 0o700)
    shutil.rmtree(path)


def _agents_folder(folder: CageFolder, session: CageSession) -> Path:
    """The project as the agent has it. The agent may have closed it to its owner, which is the person."""
    path = folder.copy if session.level == "narrow" else folder.upper
    with suppress(OSError):
        path.chmod(0o700)
    return path


def _listed(folder: CageFolder, session: CageSession, count: int, problem: str | None) -> ListedReview:
    return ListedReview(
        session.id,
        session.client,
        list(session.command),
        session.started_at,
        session.ended_at,
        folder.is_running,
        count,
        problem,
    )


def open_reviews(project: Project) -> Reviews:
    return Reviews(project)
