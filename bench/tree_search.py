"""search_files over 20,000 files and 350 MB, compared with ripgrep itself with the same options."""

import random
import subprocess
import sysconfig
from pathlib import Path

from bench.comparison import Comparison, in_turns
from bench.rig import open_bench

_FILES = 20_000
_FILE_BYTES = 17_500
_RARE = "needle-in-the-haystack"


def measure() -> list[Comparison]:
    rg = str(Path(sysconfig.get_path("scripts")) / "rg")
    with open_bench() as bench:
        _write_files(bench.project)
        rare = in_turns(
            lambda: bench.call("search_files", path=".", regex=_RARE),
            lambda: _ripgrep(rg, _RARE, bench.project),
            rounds=9,
        )
        pattern = r"\bneedle-[a-z-]+ [0-9]+000\b"
        regex = in_turns(
            lambda: bench.call("search_files", path=".", regex=pattern),
            lambda: _ripgrep(rg, pattern, bench.project),
            rounds=5,
        )
    return [
        Comparison("`search_files`, 20,000 files, 350 MB, a rare literal", "ripgrep", *rare, target=1.3),
        Comparison("the same, a regular expression", "ripgrep", *regex, target=1.3),
    ]


def _ripgrep(rg: str, pattern: str, project: Path) -> None:
    options = ["--no-config", "--no-ignore", "--hidden", "--line-number", "--regexp", pattern]
    subprocess.run([rg, *options, "."], cwd=project, stdout=subprocess.DEVNULL, check=False)


def _write_files(project: Path) -> None:
    chance = random.Random(1)
    words = [f"word{number}" for number in range(20_000)]
    lines = [" ".join(chance.choices(words, k=10)) for _ in range(5_000)]
    for number in range(_FILES):
        folder = project / f"d{number // 200:03}"
        folder.mkdir(exist_ok=True)
        text = "\n".join(chance.choices(lines, k=_FILE_BYTES // 85))
        if number % 1000 == 0:
            text += f"\n{_RARE} {number}\n"
        (folder / f"f{number}.txt").write_text(text.ljust(_FILE_BYTES, "."))
