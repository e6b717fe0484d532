"""The browser's settings."""

import msgspec


class BrowserSettings(msgspec.Struct, frozen=True):
    legacy_events: bool = False
    read_during_takeover: bool = False
