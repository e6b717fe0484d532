"""A review of 10,000 changed files with every diff, compared with `git diff --no-index` on both folders; CPU time."""

import subprocess
import tempfile
from pathlib import Path
from random import Random

from bench.comparison import Comparison, cpu_seconds, in_turns
from handrail import wiring
from handrail.features.cage.offers import new_cage
from handrail.features.review.base import save_base
from handrail.kernel.approval import NoApprover

_COUNT = 10_000
_FOLDERS = 100


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder) / "project", Path(folder) / "state"
        _write(project, is_changed=False)
        person = ["-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "-A"], [*person, "commit", "-qm", "x"]):
            subprocess.run(["git", "-C", str(project), *words], check=True, capture_output=True)
        plain = Path(folder) / "plain"  # git would also compare its own folder
        _write(plain, is_changed=False)
        cage, _ = new_cage(state, str(project), "", ("true",), "full")
        _write(cage.upper, is_changed=True)
        save_times = in_turns(
            lambda: save_base(str(project), cage.base), lambda: _status(project), rounds=9, clock=cpu_seconds
        )
        project_opened = wiring.Wiring().open_project(project, state, NoApprover())
        try:
            reviews = project_opened.part("review")

            def review() -> None:
                review_opened = reviews.open(cage.path.name)
                assert len(review_opened.items) == _COUNT
                review_opened.close()

            times = in_turns(review, lambda: _git_diff(plain, cage.upper), rounds=3, clock=cpu_seconds)
        finally:
            project_opened.close()
    return [
        Comparison("review of 10,000 changed files, every diff", "`git diff --no-index`", *times, target=0.6),
        Comparison("base of a review saved, 10,000 tracked files", "`git status`", *save_times, target=4),
    ]


def _write(folder: Path, *, is_changed: bool) -> None:
    chance = Random(1)
    for number in range(_COUNT):
        lines = [f"  value{line} = compute({chance.random()})" for line in range(60)]
        if is_changed:
            lines[10] += " # changed"
            lines.insert(40, "  added = True")
            del lines[50]
        place = folder / f"folder{number % _FOLDERS}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"file{number}.py").write_text("\n".join(lines) + "\n")


def _git_diff(before: Path, after: Path) -> None:
    words = ["git", "diff", "--no-index", "--", str(before), str(after)]
    subprocess.run(words, stdout=subprocess.PIPE, check=False)


def _status(project: Path) -> None:
    subprocess.run(["git", "-C", str(project), "status", "--porcelain"], stdout=subprocess.PIPE, check=True)
