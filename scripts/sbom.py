"""Writes build/handrail.cdx.json, the CycloneDX list of what ships, and docs/licences.md with `--page`.

Ships: what the wheel includes (console, extension, engine) and the Python packages that it needs with all extras.
cyclonedx-py and npm make the lists; here they are reduced to what ships, given one licence each, joined and validated.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handrail import __version__
from scripts.licences import licence_of, normal, page

ROOT = Path(__file__).parents[1]
FILE = ROOT / "build" / "handrail.cdx.json"
PAGE = ROOT / "docs" / "licences.md"
NPM = (ROOT / "web", ROOT / "web" / "engine")
HANDRAIL = f"handrail@{__version__}"
ENGINE = "webgal-engine"

Json = dict[str, Any]


def sbom() -> Json:
    parts = [_python(), *map(_npm, NPM)]
    components = sorted((one for part in parts for one in part["components"]), key=lambda one: one["bom-ref"])
    graph = [edge for part in parts for edge in part["dependencies"]]
    tops = [name for part in parts for name in part["tops"]]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _handrail(), **_time()},
        "components": components,
        "dependencies": sorted([{"ref": HANDRAIL, "dependsOn": sorted(tops)}, *graph], key=lambda edge: edge["ref"]),
        # The engine comes built; npm doesn't say which versions of which packages it was built from.
        "compositions": [
            {"aggregate": "incomplete", "assemblies": [one["bom-ref"] for one in components if one["name"] == ENGINE]}
        ],
    }


def locked() -> Iterator[tuple[str, str]]:
    """Every Python package that ships on any system, with its version."""
    for line in (ROOT / "requirements" / "run.lock").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)==(\S+)", line):
            yield match[1], match[2]


def _python() -> Json:
    """Of the packages in .venv those of the lock; on this system, so none that only Windows needs."""
    command = [
        sys.executable,
        "-m",
        "cyclonedx_py",
        "environment",
        sys.prefix,
        "--pyproject",
        str(ROOT / "pyproject.toml"),
    ]
    found = _run([*command, "--output-reproducible", "--spec-version=1.6", "--no-validate"], ROOT)
    return _reduced(found, {f"pkg:pypi/{name}@{version}" for name, version in locked()})


def _npm(folder: Path) -> Json:
    """`--omit dev` would leave out what a development dependency needs as well, so the lock says what ships."""
    found = _run(
        [str(ROOT / "scripts/npm"), "sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"],
        folder,
    )
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    shipped = set[str]()
    for path, its in lock.items():
        if path and not its.get("dev") and not its.get("link"):
            name = its.get("name") or path.rpartition("node_modules/")[2]
            shipped.add(f"pkg:npm/{name.replace('@', '%40')}@{its['version']}")
    return _reduced(found, shipped)


def _run(command: Sequence[str], folder: Path) -> Json:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        sys.exit(done.stderr)
    found: Json = json.loads(done.stdout)
    return found


def _reduced(found: Json, shipped: set[str]) -> Json:
    components = [_licensed(one) for one in found["components"] if _purl(one) in shipped]
    kept = {one["bom-ref"] for one in components}
    edges = {edge["ref"]: sorted(kept.intersection(edge.get("dependsOn", ()))) for edge in found["dependencies"]}
    tops = edges[found["metadata"]["component"]["bom-ref"]]
    graph = [{"ref": ref, "dependsOn": needed} for ref, needed in edges.items() if ref in kept]
    return {"components": components, "dependencies": graph, "tops": tops}


def _purl(component: Json) -> str:
    """Without qualifiers, and with the name as PyPI's locks spell it."""
    plain: str = component.get("purl", "").partition("?")[0]
    name, _, version = plain.rpartition("@")
    return f"pkg:pypi/{normal(name.removeprefix('pkg:pypi/'))}@{version}" if plain.startswith("pkg:pypi/") else plain


def _licensed(component: Json) -> Json:
    return component | {"licenses": [{"expression": licence_of(component)}]}


def _handrail() -> Json:
    return {
        "bom-ref": HANDRAIL,
        "type": "application",
        "name": "handrail",
        "version": __version__,
        "licenses": [{"expression": "Apache-2.0"}],
        "purl": f"pkg:pypi/{HANDRAIL}",
    }


def _time() -> Json:
    """The commit's, which make sets: the same source gives the same file."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return {"timestamp": datetime.fromtimestamp(int(seconds), UTC).isoformat()} if seconds else {}


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        PAGE.write_text(page(sbom()["components"], locked()), encoding="utf-8")
    else:
        from cyclonedx.schema import SchemaVersion  # takes seconds
        from cyclonedx.validation.json import JsonStrictValidator

        text = json.dumps(sbom(), indent=1, ensure_ascii=False) + "\n"
        if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
            sys.exit(f"The SBOM isn't valid CycloneDX: {error}")
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, encoding="utf-8")
        print(FILE.relative_to(ROOT))
