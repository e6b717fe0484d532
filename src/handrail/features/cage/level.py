"""How well an agent is confined."""

from typing import Literal

Level = Literal["full", "narrow", "none"]
