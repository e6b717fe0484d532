"""What the system refused, in words for the person: which path, why, and what to do about it."""

import errno
import shutil
from pathlib import Path

_ELSEWHERE = 'or go elsewhere: make demo ARGS="--folder PATH".'
_ADVICE = {
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM),
        "It seems to be somebody else's, as after a `sudo make demo`: have them remove it,",
    ),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "Make room there,"),
    errno.EROFS: "Nothing can be written there: change that,",
}


def told(failure: OSError, folder: Path) -> str:
    """`folder` is where the tour takes place: whatever names no path is about it."""
    if isinstance(failure, shutil.Error):  # of a copy, of which each file may have failed
        _, path, why = failure.args[0][0]
        return f"{path} could not be written ({why}). Make room there, {_ELSEWHERE}"
    advice = _ADVICE.get(failure.errno or 0)
    if failure.filename is None and advice is None:
        return f"{str(failure) or type(failure).__name__}. The logs of what was started are in {folder / 'logs'}."
    advice = advice or "Move away what is in the way,"
    return f"{failure.filename or folder}: {failure.strerror}. {advice} {_ELSEWHERE}"
