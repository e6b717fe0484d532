"""Results without a target: separate tables, and how much memory each participant uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.browser.chromium import Target
from bench.browser.participants import Participants


@dataclass(frozen=True, slots=True)
class Figures:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def row(self) -> str:
        """Several lines, because it is a table of its own."""
        lines = (self.header, ["---"] * len(self.header), *self.rows)
        return "\n" + "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def memory(participants: Participants) -> Figures:
    """Of the programs besides the browser, and of our part inside it."""
    rows = [
        (name, f"{_resident(pid) / 2**20:,.0f} MB")
        for driver in participants.drivers
        for name, pid in driver.processes().items()
    ]
    worker, extension = _worker_heap(participants), _extension_process(participants.our_browser.pid)
    ours = f"the extension: its worker's heap {worker / 2**20:.1f} MB, its process"
    return Figures(("memory after the run", "resident"), [*rows, (ours, f"{_resident(extension) / 2**20:,.0f} MB")])


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1]
    return int(status.split()[0]) * 1024


def _worker_heap(participants: Participants) -> int:
    worker = Target(participants.our_browser.targets("service_worker")[0])
    try:
        return int(worker.send("Runtime.getHeapUsage")["usedSize"])
    finally:
        worker.close()


def _extension_process(browser: int) -> int:
    """The renderer that Chromium uses only for extensions."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            parents = _ancestors(int(process.name))
        except OSError:  # it has ended in the meantime
            continue
        if b"--extension-process" in command and browser in parents:
            return int(process.name)
    raise SystemExit("The extension has no process.")


def _ancestors(pid: int) -> list[int]:
    pids: list[int] = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        pids.append(pid)
    return pids
