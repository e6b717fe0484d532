"""`hold_a_lock.py flock|database PATH`: takes the lock, reports it, and keeps it until it is killed."""

import fcntl
import os
import sqlite3
import sys
import time

kind, path = sys.argv[1:]
if kind == "flock":
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fcntl.flock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
else:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
print("ready", flush=True)
time.sleep(1000)
