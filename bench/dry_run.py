"""write_to_file as a dry run, 1 % of the lines changed, beside GNU diff on the same two files."""

import random
import subprocess
from pathlib import Path

from bench.comparison import Comparison, in_turns
from bench.house import opened


def measure() -> list[Comparison]:
    found = []
    for count in (20_000, 200_000):
        with opened() as bench:
            chance = random.Random(count)
            old = [f"line {number} {chance.random()}" for number in range(count)]
            new = [f"{line} changed" if chance.random() < 0.01 else line for line in old]
            before, after = bench.project / "old.txt", bench.project / "new.txt"
            before.write_text("\n".join(old) + "\n")
            content = "\n".join(new) + "\n"
            after.write_text(content)
            times = in_turns(
                lambda content=content: bench.call("write_to_file", path="old.txt", content=content, dryRun=True),  # type: ignore[misc]
                lambda before=before, after=after: _diff(before, after),  # type: ignore[misc]
                rounds=15,
            )
            found.append(Comparison(f"`write_to_file` dry run, {count:,} lines", "GNU diff", *times, reach=1.5))
    return found


def _diff(before: Path, after: Path) -> None:
    subprocess.run(["diff", before, after], stdout=subprocess.PIPE, check=False)
