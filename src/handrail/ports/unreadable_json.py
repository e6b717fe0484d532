"""What decoding JSON raises if it is damaged or written by others."""

import msgspec

UNREADABLE_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""UnicodeDecodeError: bytes that aren't UTF-8. RecursionError: values nested too deeply."""
