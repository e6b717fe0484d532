"""Runs a command that can't make user namespaces, as on a machine where they are switched off.

With `--no-landlock` first, as on a machine whose kernel doesn't have Landlock either.
"""

import errno
import os
import sys

import pyseccomp

_NEW_USER = 0x10000000


def main(command: list[str]) -> None:
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for call in ("unshare", "clone"):
        barred = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_USER, _NEW_USER)
        program.add_rule(pyseccomp.ERRNO(errno.EPERM), call, barred)
    if command[0] == "--no-landlock":
        program.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "landlock_create_ruleset")
        command = command[1:]
    program.load()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
