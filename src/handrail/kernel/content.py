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
    uri: str
    text: str
    mime: str = "text/plain"
