"""Messages and attachments for the agent, from a person or from a program that holds a token."""

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
_MOST = 8
_LONGEST_TEXT = 400_000
_LARGEST_PICTURES = 20_000_000


@dataclass(frozen=True, slots=True)
class UserMessage:
    said: UserTurn
    speaker: str
    """The identity of who speaks."""
    choice: RunOptions
    trace_id: str | None = None

    @property
    def voice(self) -> Speaker:
        return "person" if is_persons_chat(self.speaker) else "program"

    def check_may_speak(self, run: Run) -> None:
        """A program may not write into a person's task, nor choose a model that the person pays for. Declined."""
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
    """The caller of the tools.

    A person's agent and a program's agent are different callers, so a yes to one isn't a yes to the other.
    """
    if run.voice == "person":
        return Caller("agent", model, "handrail", run.speaker if is_persons_chat(run.speaker) else PERSONS_CHAT)
    return Caller("agent", f"a program's {model}", "program", run.speaker or "chat:program")


def _declined(what: str, about: str) -> Declined:
    return Declined(
        f"{what} is the person's own business and can't be done with the token.", hint=_HINT, reason="person", id=about
    )


class Artifacts(Protocol):
    async def described(self, artifact_id: str) -> ArtifactRecord: ...

    async def fetch(self, artifact_id: str) -> Artifact: ...


async def with_attachments(said: UserTurn, artifacts: Artifacts, ids: Any) -> UserTurn:
    """Marks texts as untrusted. InvalidParams, TooLarge, NotFound."""
    if ids is None:
        return said
    if not isinstance(ids, list) or len(ids) > _MOST or not all(isinstance(id, str) for id in ids):
        raise InvalidParams(f"`attachments` must be a list of at most {_MOST} artifact ids.")
    texts, pictures, named = list[str](), list[Picture](), list[Attachment]()
    for id in ids:
        record, artifact = await artifacts.described(id), await artifacts.fetch(id)
        name, mime = record.name or id, artifact.content_type.partition(";")[0]
        named.append(Attachment(id, name, mime))
        if mime in PICTURE_TYPES:
            if len(artifact.data) > LARGEST_PICTURE:
                raise TooLarge(f"{name} is larger than {LARGEST_PICTURE:,} bytes, which no model reads.")
            pictures.append(Picture(mime, artifact.data))
            continue
        try:
            text = artifact.data.decode()
        except UnicodeDecodeError:
            raise InvalidParams(f"{name} is neither text nor a picture.") from None
        if len(text) > _LONGEST_TEXT:
            raise TooLarge(f"{name} is longer than {_LONGEST_TEXT:,} characters.")
        texts.append(untrusted(f"attachment {name}", text))
    if sum(len(picture.data) for picture in pictures) > _LARGEST_PICTURES:
        raise TooLarge(f"The pictures are larger than {_LARGEST_PICTURES:,} bytes together, which no model reads.")
    return msgspec.structs.replace(
        said, attached="\n\n".join(texts), pictures=tuple(pictures), attachments=tuple(named)
    )
