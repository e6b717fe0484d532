"""Settings of WebGAL."""

from typing import Literal

import msgspec


class WebGalSettings(msgspec.Struct, frozen=True):
    terre: Literal["auto", "required", "off"] = "auto"
    terre_port: int = 3001

    def __post_init__(self) -> None:
        if not 0 < self.terre_port <= 65535:
            raise ValueError("`terre_port` must be between 1 and 65535")
