"""`docs/reliability.md`: what all campaigns on a version have tried and found. A file beside it has the totals."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handrail import __version__
from tests.campaign.trials import Round

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
TOTALS = ROOT / "docs" / "reliability.json"
ABOUT = Path(__file__).with_name("about.toml")
_BEGIN, _END = "<!-- totals -->\n", "<!-- end of totals -->\n"


def write(rounds: Sequence[Round], page: Path = PAGE, totals: Path = TOTALS) -> None:
    kept = json.loads(totals.read_text()) if totals.exists() else {}
    kept[__version__] = added(kept.get(__version__, {}), rounds)
    totals.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    before, _, rest = page.read_text().partition(_BEGIN)
    page.write_text(before + _BEGIN + rendered(kept) + _END + rest.partition(_END)[2])


def added(total: Mapping[str, Mapping[str, Any]], rounds: Sequence[Round]) -> dict[str, dict[str, Any]]:
    """What one version had so far, and these rounds. A test that fails twice counts twice, and is named once."""
    sums = {name: {**one} for name, one in total.items()}
    for done in rounds:
        for name, outcome in done.outcomes.items():
            one = sums.setdefault(name, {"rounds": 0, "tried": 0, "failed": 0, "seconds": 0, "failures": []})
            one["rounds"] += 1
            one["tried"] += outcome.tried
            one["failed"] += len(outcome.failed)
            one["seconds"] = round(one["seconds"] + outcome.seconds)
            one["failures"] = sorted({*one["failures"], *outcome.failed})
    return sums


def rendered(totals: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    about = tomllib.loads(ABOUT.read_text())
    lines = list[str]()
    for version, trials in sorted(totals.items(), reverse=True):
        lines += ["", f"### Version {version}", "", "| trial | what is tried | tried | failed | rounds |"]
        lines.append("|---|---|---|---|---|")
        for name, one in sorted(trials.items()):
            lines.append(f"| {name} | {about.get(name, '')} | {one['tried']:,} | {one['failed']} | {one['rounds']} |")
        failures = sorted({test for one in trials.values() for test in one["failures"]})
        lines += ["", *(f"- failed at least once: `{test}`" for test in failures)]
    return "\n".join(lines).strip("\n") + "\n"
