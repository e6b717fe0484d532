"""The engine's page as we serve it: with scripts of ours before its own."""

from functools import cache
from importlib.resources import files

SCRIPT_NAME = "handrail-preview.js"
_SCRIPTS = ("stage_size.js", "preview.js")
_TAG = f'<script src="./{SCRIPT_NAME}"></script>'.encode()


@cache
def script() -> bytes:
    return b"".join(files(__package__).joinpath(name).read_bytes() for name in _SCRIPTS)


def with_script(page: bytes) -> bytes:
    """Before everything else in the head; a page without one gets it at its start."""
    at = page.lower().find(b"<head")
    at = page.find(b">", at) + 1 if at >= 0 else 0
    return page[:at] + _TAG + page[at:]
