"""Alternates a name between a regular file and a link until it is killed: path, the link's target, content."""

import os
import sys

path, target, content = sys.argv[1:]
spare = path + ".spare"
print("ready", flush=True)
while True:
    os.symlink(target, spare)
    os.rename(spare, path)
    with open(spare, "x") as file:
        file.write(content)
    os.rename(spare, path)
