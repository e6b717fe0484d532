"""Adds one to a number in a file, under a lock, many times: project, rounds."""

import sys

from handrail.stores.local.files.folder import LocalFolder

own = LocalFolder.open(sys.argv[1]).subfolder(".handrail")
for _ in range(int(sys.argv[2])):
    with own.lock("lock", 30):
        own.write("count", b"%d" % (int(own.read("count")) + 1), is_durable=False)
