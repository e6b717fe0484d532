"""Unpacks archives of ours; Debian 12's Python has no filters for that."""

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
