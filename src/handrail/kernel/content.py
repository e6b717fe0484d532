"""What a tool may return in addition to its result: text, pictures, sound, files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    data: bytes
    mime: str = "image/png"


@dataclass(frozen=True, slots=True)
class Audio:
    data: bytes
    mime: str = "audio/wav"


@dataclass(frozen=True, slots=True)
class Resource:
    """`data` replaces `text` if the content isn't text."""

    uri: str
    text: str
    mime: str = "text/plain"
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """The address of a resource, with its description."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""


Part = Text | Image | Audio | Resource | ResourceLink
