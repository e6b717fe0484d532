"""Gives the real program another time with libfaketime. Monotonic clocks are left alone, as on a real machine."""

from collections.abc import Mapping
from pathlib import Path

HOUR, DAY = 3_600, 86_400


class Clock:
    """The time of programs with this environment, as an offset from the real time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.offset = 0
        self.set(0)

    def set(self, offset: int) -> None:
        self.offset = offset
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{offset:+d}\n")
        fresh.replace(self._file)

    @property
    def environ(self) -> Mapping[str, str]:
        library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        # With a real monotonic clock, libfaketime makes every clock_nanosleep fail, which `time.sleep` uses.
        (self._file.parent / "sitecustomize.py").write_text(
            "import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds) and None\n"
        )
        return {
            "PYTHONPATH": str(self._file.parent),
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
