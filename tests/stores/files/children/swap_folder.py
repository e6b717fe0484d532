"""Swaps a folder and a link by renameat2(RENAME_EXCHANGE) as fast as possible, until it is killed: two paths."""

import ctypes
import sys

one, other = (path.encode() for path in sys.argv[1:])
renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
if renameat2(-100, one, -100, other, 2):
    sys.exit("no RENAME_EXCHANGE here")
print("ready", flush=True)
while True:
    renameat2(-100, one, -100, other, 2)
