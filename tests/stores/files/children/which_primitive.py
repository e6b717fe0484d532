"""Prints the primitive that this process uses, after reading a file with it: project, path."""

import sys

from handrail.stores.local.files.beneath import _best
from handrail.stores.local.files.folder import LocalFolder

LocalFolder.open(sys.argv[1]).read(sys.argv[2])
print(_best().__name__)
