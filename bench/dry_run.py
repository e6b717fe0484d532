"""write_to_file and edit_file as dry runs, compared with GNU diff on the files before and after."""

import subprocess
from collections.abc import Callable
from random import Random

from bench.comparison import Comparison, in_turns
from bench.rig import open_bench


def measure() -> list[Comparison]:
    return [
        _measure(f"`write_to_file` dry run, {count:,} lines, 1 % {how}", count, edit)
        for count in (20_000, 200_000)
        for how, edit in (("changed", _change_line), ("changed, added or removed", _change_add_or_remove))
    ] + [_edits()]


def _edits() -> Comparison:
    """100 edits in 20,000 lines, each naming its old line."""
    chance = Random(100)
    old = [f"line {number} {chance.random()}" for number in range(20_000)]
    sample = chance.sample(old, 100)
    edits = [{"oldText": f"{line}\n", "newText": f"{line} changed\nand one more\n"} for line in sample]
    changed = {edit["oldText"][:-1]: edit["newText"][:-1] for edit in edits}
    with open_bench() as bench:
        before, after = bench.project / "old.txt", bench.project / "new.txt"
        before.write_text("\n".join(old) + "\n")
        after.write_text("\n".join(changed.get(line, line) for line in old) + "\n")
        times = in_turns(
            lambda: bench.call("edit_file", path="old.txt", edits=edits, dryRun=True),
            lambda: subprocess.run(["diff", before, after], stdout=subprocess.PIPE, check=False),
            rounds=15,
        )
    return Comparison("`edit_file` dry run, 100 edits in 20,000 lines", "GNU diff", *times, target=1.5)


def _measure(what: str, count: int, edit: Callable[[str, Random], list[str]]) -> Comparison:
    chance = Random(count)
    old = [f"line {number} {chance.random()}" for number in range(count)]
    new = [piece for line in old for piece in (edit(line, chance) if chance.random() < 0.01 else [line])]
    with open_bench() as bench:
        before, after = bench.project / "old.txt", bench.project / "new.txt"
        before.write_text("\n".join(old) + "\n")
        content = "\n".join(new) + "\n"
        after.write_text(content)
        times = in_turns(
            lambda: bench.call("write_to_file", path="old.txt", content=content, dryRun=True),
            lambda: subprocess.run(["diff", before, after], stdout=subprocess.PIPE, check=False),
            rounds=15,
        )
    return Comparison(what, "GNU diff", *times, target=1.5)


def _change_line(line: str, chance: Random) -> list[str]:
    return [f"{line} changed"]


def _change_add_or_remove(line: str, chance: Random) -> list[str]:
    return chance.choice([[f"{line} changed"], [line, f"{line} added"], []])
