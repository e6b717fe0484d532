"""list_snapshots with 10,000 snapshots, compared with listing their folder."""

import json
import os

from bench.comparison import Comparison, in_turns
from bench.rig import open_bench

_COUNT = 10_000


def measure() -> list[Comparison]:
    with open_bench() as bench:
        folder = bench.project / ".webgal_agent" / "snapshots"
        folder.mkdir(parents=True)
        for number in range(_COUNT):
            name = f"snap_20260101T{number // 3600:02}{number // 60 % 60:02}{number % 60:02}_{number:08x}"
            (folder / f"{name}.txt").write_text("x")
            meta = {"id": name, "path": f"f{number % 500}.txt", "timestamp": 1_767_225_600_000 + number * 1000}
            (folder / f"{name}.meta.json").write_text(json.dumps({**meta, "contentHash": "2d711642"}))
        times = in_turns(lambda: bench.call("list_snapshots"), lambda: sorted(os.listdir(folder)), rounds=25)
        of_path = in_turns(
            lambda: bench.call("list_snapshots", path="f7.txt"), lambda: sorted(os.listdir(folder)), rounds=25
        )
    return [
        Comparison("`list_snapshots`, 10,000 kept", "listing the folder", *times, target=3),
        Comparison("the same, of one path", "listing the folder", *of_path, target=3),
    ]
