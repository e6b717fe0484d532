"""What the cage needs for a later review: the project's state when the agent starts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.features.review.base import save_base as save_base


@contextmanager
def base_being_saved(project: str, folder: Path) -> Iterator[None]:
    """Saves it beside the running agent, whose changes can't reach the project, and ends when that is done."""
    saving = threading.Thread(target=save_base, args=(project, folder), name="base", daemon=True)
    saving.start()
    try:
        yield
    finally:
        saving.join()
