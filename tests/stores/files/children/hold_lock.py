"""Holds a lock until it is killed: project, path."""

import signal
import sys

from handrail.stores.local.files.folder import LocalFolder

with LocalFolder.open(sys.argv[1]).subfolder(".handrail").lock(sys.argv[2], 10):
    print("ready", flush=True)
    signal.pause()
