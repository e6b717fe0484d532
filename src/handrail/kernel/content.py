"""What a tool may hand back beside its result: pictures, sound, files."""

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
    """`data` in place of the text where it isn't text."""

    uri: str
    text: str
    mime: str = "text/plain"
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """Where something can be read, with what is said about it there."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime: str = ""


Part = Text | Image | Audio | Resource | ResourceLink
