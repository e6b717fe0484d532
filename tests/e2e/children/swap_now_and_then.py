"""Swaps a folder and a link (two paths) at random moments, some milliseconds apart, until it is killed."""

import ctypes
import random
import sys
import time

one, other = (path.encode() for path in sys.argv[1:])
renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
if renameat2(-100, one, -100, other, 2):
    sys.exit("no RENAME_EXCHANGE here")
print("ready", flush=True)
while True:
    time.sleep(random.expovariate(200))
    renameat2(-100, one, -100, other, 2)
