"""Puts stores, kernel, features and faces together; only the wiring modules know them all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.face_wiring import FaceWiring
from handrail.features import built_in
from handrail.kernel import settings as settings_file
from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.evidence import Evidence
from handrail.kernel.feature import load
from handrail.kernel.policy_source import HANDRAIL_FOLDER, PolicySource
from handrail.kernel.project import Project
from handrail.kernel.project_gate import build_gate
from handrail.kernel.queue_approver import AskInQueue
from handrail.kernel.recorded_evidence import OpenEvidence
from handrail.kernel.registry import Registry, surface_of
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.files import EvidenceFolder
from handrail.ports.machine import Machine
from handrail.ports.paths import ClosedFolders
from handrail.ports.state_folder import state_path
from handrail.state_wiring import ReadOnlyProject, open_local_stores, open_project_folder
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.machine import this_machine
from handrail.stores.local.trust import TrustFile

if TYPE_CHECKING:
    from handrail.kernel.approval import Approver
    from handrail.kernel.feature import Feature
    from handrail.kernel.program import TeamProgram
    from handrail.kernel.settings import AllSettings
    from handrail.ports.stores import Stores


class Wiring(FaceWiring):
    """The program on this machine. Implements `kernel.program.Program`."""

    def __init__(self, features: Sequence[Feature] | None = None) -> None:
        self.features: Sequence[Feature] = built_in() if features is None else features

    @cached_property
    def machine(self) -> Machine:
        return this_machine()

    def describe(self) -> Registry:
        return Registry([surface_of(feature) for feature in self.features], not_installed=self._not_installed)

    def open_stores(self, state: Path | None) -> Stores:
        return open_local_stores(state)

    def open_project(
        self,
        folder: Path,
        state: Path | None,
        approver: Approver | AskInQueue,
        *,
        surfaces: Collection[str] | None = None,
        flags: Mapping[str, Any] | None = None,
        is_server: bool = False,
    ) -> Project:
        self._check(surfaces)
        stores = self.open_stores(state)
        kinds = [load(feature.settings) for feature in self.features if feature.settings]
        settings = settings_file.load(stores.path, flags or {}, kinds=kinds)
        audit = Audit(stores.audit, keeper=_checkpoint_maker(stores, self.open_evidence, is_server=is_server))
        project = self._project(folder, stores, settings, audit, is_server=is_server)
        if is_server and (feature := project.features.get("observability")) is not None:
            project.observer = load(feature.offers["observer"])(project)
        project.set_gate(build_gate(project, approver, surfaces, self._not_installed))
        return project

    def open_beside(self, project: Project, folder: str) -> Project:
        """Opens another folder with the stores, settings and audit of an open project; approvals go to the queue."""
        second = self._project(Path(folder), project.stores, project.all_settings, project.audit, is_server=False)
        second.observer = project.observer
        second.set_gate(build_gate(second, AskInQueue(), None, self._not_installed))
        return second

    def _project(
        self, folder: Path, stores: Stores, settings: AllSettings, audit: Audit, *, is_server: bool
    ) -> Project:
        closed = ClosedFolders(())
        files = open_project_folder(folder, closed)
        handrail_folder = files.subfolder(HANDRAIL_FOLDER)
        policy = PolicySource(
            handrail_folder, stores.path, TrustFile(stores.path), closed, stores.shared_rules, stores.node
        )
        policy.load()
        return Project(
            files=files,
            stores=stores,
            machine=self.machine,
            all_settings=settings,
            policy=policy,
            audit=audit,
            evidence=self._evidence(handrail_folder, self._open_evidence_folders(files)),
            features={feature.name: feature for feature in self.features},
            is_server=is_server,
        )

    def _evidence(self, folder: EvidenceFolder, elsewhere: Mapping[str, EvidenceFolder]) -> Evidence:
        return Evidence(folder, elsewhere)

    def open_evidence(self, folder: str) -> Evidence | None:
        try:
            files = open_project_folder(Path(folder), ClosedFolders(()))
        except Failure:
            return None
        return Evidence(files.subfolder(HANDRAIL_FOLDER), self._open_evidence_folders(files))

    def _open_evidence_folders(self, files: LocalFolder) -> dict[str, EvidenceFolder]:
        return {feature.name: files.subfolder(".") for feature in self.features if feature.keeps_evidence_openly}

    def open_for_reading(self, folder: Path, state: Path | None) -> ReadOnlyProject:
        return ReadOnlyProject(folder, state_path(state))

    def team(self) -> TeamProgram:
        from handrail.team_wiring import Team

        return Team(self.features)

    def _check(self, surfaces: Collection[str] | None) -> None:
        features = {feature.name: feature for feature in self.features if feature.tools}
        for name in surfaces or ():
            if name not in features:
                raise InvalidParams(f"Unknown surface {name!r}.", hint=f"Known surfaces: {', '.join(features)}.")
            if (extra := features[name].missing_extra) is not None:
                raise InvalidParams(f"The surface {name!r} isn't installed.", hint=extra.how_to_install)

    @property
    def _not_installed(self) -> dict[str, str]:
        return {
            feature.name: extra.how_to_install
            for feature in self.features
            if (extra := feature.missing_extra) is not None
        }


def _checkpoint_maker(stores: Stores, evidence: OpenEvidence, *, is_server: bool) -> CheckpointMaker:
    def is_left_to_server() -> bool:
        server = None if is_server else stores.running_server()
        return server is not None and server.is_running

    return CheckpointMaker(stores.audit, stores.record, evidence=evidence, is_left_to_another=is_left_to_server)
