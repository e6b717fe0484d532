"""Makes a name a regular file and a link in turns, until it is killed: path, where the link points, content."""

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
