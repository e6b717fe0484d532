"""Copies web/theme to pages that aren't built from web/: the page at `/`, reports, docs. `--check` lists stale ones."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
THEME = ROOT / "web" / "theme"
COPIES = {
    "tokens.css": (
        "src/handrail/faces/http/static/tokens.css",
        "src/handrail/features/history/report/tokens.css",
        "docs/theme/tokens.css",
    ),
    "logo.svg": ("src/handrail/faces/http/static/handrail.svg", "docs/images/icon.svg"),
}


def main() -> int:
    pairs = [(THEME / name, ROOT / copy) for name, copies in COPIES.items() for copy in copies]
    if "--check" not in sys.argv[1:]:
        for source, copy in pairs:
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(source.read_bytes())
        return 0
    stale = [copy for source, copy in pairs if not copy.is_file() or copy.read_bytes() != source.read_bytes()]
    for copy in stale:
        print(f"{copy.relative_to(ROOT)} differs from web/theme. Run `python scripts/theme.py`.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
