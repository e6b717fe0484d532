"""Loaded by every Python program that a test starts: reports to the test what blocks an event loop there."""

import importlib.util
import os
from pathlib import Path

if _told := os.environ.get("HANDRAIL_TEST_WATCHDOG"):
    _spec = importlib.util.spec_from_file_location("handrail_watchdog", Path(__file__).parent.parent / "blocking.py")
    assert _spec is not None
    assert _spec.loader is not None
    _blocking = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_blocking)

    def _note(what: str, message: str = _told) -> None:
        descriptor = os.open(message, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, what.encode(errors="replace").replace(b"\n", b" ") + b"\n")
        os.close(descriptor)

    _blocking.watch(_note)
