"""What lies in a state directory, whatever the project; and the policy that is in force for one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from handrail.kernel.audit import Audit
from handrail.ports.errors import NotFound
from handrail.stores.local.policy_source import POLICY_FILE, Trust
from handrail.stores.local.prompt_queue import LoggedPrompts
from handrail.stores.local.state import STEPS, open_state
from handrail.stores.local.watching import watching
from handrail.wiring.house import HANDRAIL_FOLDER, House


def open_queue(state_dir: Path | None) -> LoggedPrompts:
    """The questions to people of every project on this state directory."""
    return LoggedPrompts(open_state(state_dir).path)


def watching_queue(state_dir: Path | None) -> AbstractContextManager[None]:
    """While inside, a person looks at the queue, and nobody else is called to it."""
    return watching(open_state(state_dir).path)


def open_audit(state_dir: Path | None) -> Audit:
    """The record of every project on this state directory."""
    return Audit(open_state(state_dir).journal("audit"))


def policy_file(house: House) -> bytes | None:
    """The project's own policy as it stands there now."""
    try:
        return house.project.subfolder(HANDRAIL_FOLDER).read(POLICY_FILE)
    except NotFound:
        return None


def policy_in_force(house: House) -> dict[str, Any]:
    """What `handrail policy` and the console show."""
    from handrail.kernel.policy_summary import summary

    source = house.policy
    return summary(
        source.load(), path=source.where, exists=policy_file(house) is not None, is_trusted=source.is_trusted()
    )


def trust_policy(house: House, shown: bytes) -> None:
    """Trusts what a person was shown, whatever the file holds by now."""
    Trust(house.state.path).add(shown, house.policy.where)


def state_format(state_dir: Path | None) -> tuple[Path, int]:
    """The state directory, made or migrated, and the version of its format."""
    return open_state(state_dir).path, len(STEPS)
