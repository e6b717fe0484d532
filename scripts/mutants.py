"""Changes the program in one place at a time and reports the changes that no test notices (`make mutants`).

mutmut makes the changes and runs the tests. Each group of `tests/mutants.toml` gets a folder in build/mutants with the
tracked files, because mutmut copies everything that it finds.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = ROOT / "tests" / "mutants.toml"
FOLDER = ROOT / "build" / "mutants"
MUTMUT = Path(sys.executable).parent / "mutmut"
COPIED_PATHS = ("src", "tests", "docs", "pyproject.toml")
# A busy machine blocks the event loop, too, which the watchdog would report.
PYTEST = ["-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:watchdog"]


def main() -> int:
    groups = tomllib.loads(GROUPS.read_text())
    parser = argparse.ArgumentParser(prog="make mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "groups", nargs="*", metavar="GROUP", help=f"of {', '.join(groups)}; all of them, if none is named"
    )
    parser.add_argument("--processes", type=int, default=1, help="how many mutants are tested at a time")
    options = parser.parse_args()
    if unknown := set(options.groups) - set(groups):
        parser.error(f"no group is called {', '.join(sorted(unknown))}")
    survivors = 0
    for name in options.groups or groups:
        folder = FOLDER / name
        _set_up(folder, **groups[name])
        status = subprocess.run([MUTMUT, "run", "--max-children", str(options.processes)], cwd=folder).returncode
        if status:
            return status
        survivors += _report(name, folder)
    return 1 if survivors else 0


def _set_up(folder: Path, modules: list[str], tests: list[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    paths = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COPIED_PATHS],
        cwd=ROOT,
        text=True,
    )
    for path in filter(None, paths.split("\0")):
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path)
    settings = {
        # A forked worker would inherit the caches of the first test run and not read a changed pattern again.
        "process_isolation": "forkserver",
        "source_paths": ["src"],
        "also_copy": ["docs"],
        "only_mutate": [f"src/handrail/{module}" for module in modules],
        "pytest_add_cli_args": PYTEST,
        "pytest_add_cli_args_test_selection": tests,
    }
    with (folder / "pyproject.toml").open("a") as file:
        file.write("\n[tool.mutmut]\n")
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())


def _report(name: str, folder: Path) -> int:
    """Returns the number of mutants that no test noticed."""
    output = subprocess.check_output([MUTMUT, "results", "--all", "1"], cwd=folder, text=True)
    results = dict(line.strip().rsplit(": ", 1) for line in output.splitlines())
    counts = Counter(results.values())
    print(f"{name}: {len(results)} mutants, {', '.join(f'{count} {status}' for status, count in counts.items())}")
    alive = [mutant for mutant, status in results.items() if status not in ("killed", "timeout")]
    for mutant in alive:
        print(subprocess.check_output([MUTMUT, "show", mutant], cwd=folder, text=True))
    return len(alive)


if __name__ == "__main__":
    sys.exit(main())
