"""Settings of the desktop."""

import msgspec


class DesktopSettings(msgspec.Struct, frozen=True):
    desktop: bool = True
