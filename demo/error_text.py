"""Explains operating system errors to the person: which path, why, and what to do."""

import errno
import shutil
from pathlib import Path

_ELSEWHERE = 'or use another folder: make demo ARGS="--folder PATH".'
_ADVICE = {
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM),
        "It may belong to another user, as after `sudo make demo`: have it removed,",
    ),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "Free some space there,"),
    errno.EROFS: "It is read-only: change that,",
}


def describe_error(failure: OSError, folder: Path) -> str:
    """`folder` is the tour's folder, which errors without a path are about."""
    if isinstance(failure, shutil.Error):  # from a copy, with an entry for each file that failed
        _, path, reason = failure.args[0][0]
        return f"{path} could not be written ({reason}). Free some space there, {_ELSEWHERE}"
    advice = _ADVICE.get(failure.errno or 0)
    if failure.filename is None and advice is None:
        return f"{str(failure) or type(failure).__name__}. The programs' logs are in {folder / 'logs'}."
    advice = advice or "Move away what is in the way,"
    return f"{failure.filename or folder}: {failure.strerror}. {advice} {_ELSEWHERE}"
