"""When started by a line, alternates two contents until it is killed: project, path, size, durable (1, 0), letters."""

import sys

from handrail.stores.local.files.folder import LocalFolder

project, path, size, durable, letters = sys.argv[1:]
folder = LocalFolder.open(project)
print("ready", flush=True)
sys.stdin.readline()
while True:
    for letter in letters:
        folder.write(path, letter.encode() * int(size), is_durable=durable == "1")
