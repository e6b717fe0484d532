"""Whose process this is."""

import os
import pwd


def user_name() -> str:
    """As the operating system knows it: the environment can be made to say anything."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
