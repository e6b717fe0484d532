"""What a person attaches to a message: artifacts, as material for the model and as a name for the person."""

from typing import Any, Protocol

import msgspec

from handrail.features.agent.texts import untrusted
from handrail.ports.browser import Artifact
from handrail.ports.browser_store import ArtifactRecord
from handrail.ports.errors import InvalidParams, TooLarge
from handrail.ports.model import Attachment, Picture, Said

_MOST = 8
_LONGEST_TEXT = 400_000
_LARGEST_PICTURE = 3_500_000
"""Bytes: providers take five million, spelled in base64."""
_LARGEST_PICTURES = 20_000_000
_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif")


class Artifacts(Protocol):
    async def described(self, artifact_id: str) -> ArtifactRecord: ...

    async def fetch(self, artifact_id: str) -> Artifact: ...


async def with_attachments(said: Said, artifacts: Artifacts, ids: Any) -> Said:
    """Texts are marked as untrusted. InvalidParams, TooLarge, NotFound."""
    if ids is None:
        return said
    if not isinstance(ids, list) or len(ids) > _MOST or not all(isinstance(id, str) for id in ids):
        raise InvalidParams(f"`attachments` must be a list of at most {_MOST} artifact ids.")
    texts, pictures, named = list[str](), list[Picture](), list[Attachment]()
    for id in ids:
        record, artifact = await artifacts.described(id), await artifacts.fetch(id)
        name, mime = record.name or id, artifact.content_type.partition(";")[0]
        named.append(Attachment(id, name, mime))
        if mime in _PICTURES:
            if len(artifact.data) > _LARGEST_PICTURE:
                raise TooLarge(f"{name} is larger than {_LARGEST_PICTURE:,} bytes, which no model reads.")
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
