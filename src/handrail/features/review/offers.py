"""Lets the cage save the project's state when an agent starts, for a later review."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.features.review.base import save_base as save_base


@contextmanager
def saving_base(project: str, folder: Path) -> Iterator[None]:
    """Saves it in a thread while the agent starts, and waits for that at the end."""
    saving = threading.Thread(target=save_base, args=(project, folder), name="base", daemon=True)
    saving.start()
    try:
        yield
    finally:
        saving.join()
