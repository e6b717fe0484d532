"""Whether a person is watching is known in every process, and ends with the watching process."""

import subprocess
import sys
from pathlib import Path

from handrail.stores.local.viewers import is_watched, watching


def test_viewers_are_present_until_the_last_one_leaves(tmp_path: Path) -> None:
    assert not is_watched(tmp_path)
    with watching(tmp_path):
        with watching(tmp_path):
            assert is_watched(tmp_path)
        assert is_watched(tmp_path)
    assert not is_watched(tmp_path)


def test_a_killed_watcher_no_longer_counts(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib, handrail.stores.local.viewers as w\n"
        "with w.watching(pathlib.Path(sys.argv[1])):\n"
        "    print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert is_watched(tmp_path)
        child.kill()
        child.wait()
        assert not is_watched(tmp_path)
