"""Messages and attachments for the agent, from a person or from a program with a token."""

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from handrail.features.agent.pictures import LARGEST_PICTURE, PICTURE_TYPES
from handrail.features.agent.texts import untrusted
from handrail.ports.agent import Run, RunOptions, Speaker
from handrail.ports.browser import Artifact
from handrail.ports.browser_store import ArtifactRecord
from handrail.ports.errors import Declined, InvalidParams, TooLarge
from handrail.ports.identity import PERSONS_CHAT, Caller, is_persons_chat
from handrail.ports.model import Attachment, Picture, UserTurn

_HINT = "Do it in the console (`handrail open`)."
_MAX_ATTACHMENTS = 8
_MAX_TEXT_LENGTH = 400_000
_MAX_PICTURE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class UserMessage:
    said: UserTurn
    speaker: str
    """The sender's identity."""
    choice: RunOptions
    trace_id: str | None = None

    @property
    def voice(self) -> Speaker:
        return "person" if is_persons_chat(self.speaker) else "program"

    def check_may_speak(self, run: Run) -> None:
        """Raises Declined: a program may not write in a person's task, nor choose a model that the person pays for."""
        if self.voice == "person":
            return
        if run.voice == "person":
            raise _declined("Speaking in a person's task", run.task_id)
        if run.speaker not in ("", self.speaker):
            raise _declined("Speaking in another agent's task", run.task_id)
        if self.choice != RunOptions(mode=self.choice.mode):
            raise _declined("Choosing a task's model and limits", run.task_id)

    def check_may_answer(self) -> None:
        if self.voice != "person":
            raise _declined("Answering the agent's questions", self.said.id)


def caller(run: Run, model: str) -> Caller:
    """The caller of a run's tools. A person's agent and a program's differ, so that they don't share approvals."""
    if run.voice == "person":
        return Caller("agent", model, "handrail", run.speaker if is_persons_chat(run.speaker) else PERSONS_CHAT)
    return Caller("agent", f"a program's {model}", "program", run.speaker or "chat:program")


def _declined(action: str, subject: str) -> Declined:
    return Declined(
        f"{action} is only for the person, and not possible with the token.", hint=_HINT, reason="person", id=subject
    )


class Artifacts(Protocol):
    async def find(self, artifact_id: str) -> ArtifactRecord: ...

    async def fetch(self, artifact_id: str) -> Artifact: ...


async def with_attachments(turn: UserTurn, artifacts: Artifacts, ids: Any) -> UserTurn:
    """The message with its attachments; texts are marked as untrusted. Raises InvalidParams, TooLarge or NotFound."""
    if ids is None:
        return turn
    if not isinstance(ids, list) or len(ids) > _MAX_ATTACHMENTS or not all(isinstance(id, str) for id in ids):
        raise InvalidParams(f"`attachments` must be a list of at most {_MAX_ATTACHMENTS} artifact ids.")
    texts, pictures, attachments = list[str](), list[Picture](), list[Attachment]()
    for id in ids:
        record, artifact = await artifacts.find(id), await artifacts.fetch(id)
        name, mime = record.name or id, artifact.content_type.partition(";")[0]
        attachments.append(Attachment(id, name, mime))
        if mime in PICTURE_TYPES:
            if len(artifact.data) > LARGEST_PICTURE:
                raise TooLarge(f"{name} is larger than {LARGEST_PICTURE:,} bytes, which no model reads.")
            pictures.append(Picture(mime, artifact.data))
            continue
        try:
            text = artifact.data.decode()
        except UnicodeDecodeError:
            raise InvalidParams(f"{name} is neither text nor a picture.") from None
        if len(text) > _MAX_TEXT_LENGTH:
            raise TooLarge(f"{name} is longer than {_MAX_TEXT_LENGTH:,} characters.")
        texts.append(untrusted(f"attachment {name}", text))
    if sum(len(picture.data) for picture in pictures) > _MAX_PICTURE_BYTES:
        raise TooLarge(f"The pictures are larger than {_MAX_PICTURE_BYTES:,} bytes together, which no model reads.")
    return msgspec.structs.replace(
        turn, attached="\n\n".join(texts), pictures=tuple(pictures), attachments=tuple(attachments)
    )
