"""Settings of apps."""

import msgspec


class AppsSettings(msgspec.Struct, frozen=True):
    app_tools: bool = False
