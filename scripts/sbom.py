"""Writes build/handrail.cdx.json, the CycloneDX list of what ships, or docs/licences.md with `--page`.

What ships: the wheel's content (console, extension, engine) and its Python dependencies with all extras. cyclonedx-py
and npm make the lists; here they are reduced to what ships, completed with licences, joined and validated.
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
from scripts.licences import licence_of, normalize, page

ROOT = Path(__file__).parents[1]
FILE = ROOT / "build" / "handrail.cdx.json"
PAGE = ROOT / "docs" / "licences.md"
NPM = (ROOT / "web", ROOT / "web" / "engine")
HANDRAIL = f"handrail@{__version__}"
ENGINE = "webgal-engine"

Json = dict[str, Any]


def sbom() -> Json:
    parts = [_python(), *map(_npm, NPM)]
    components = sorted(
        (component for part in parts for component in part["components"]), key=lambda component: component["bom-ref"]
    )
    graph = [edge for part in parts for edge in part["dependencies"]]
    direct = [name for part in parts for name in part["tops"]]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _handrail(), **_timestamp()},
        "components": components,
        "dependencies": sorted([{"ref": HANDRAIL, "dependsOn": sorted(direct)}, *graph], key=lambda edge: edge["ref"]),
        # The engine comes built; npm doesn't say which versions of which packages it was built from.
        "compositions": [
            {
                "aggregate": "incomplete",
                "assemblies": [component["bom-ref"] for component in components if component["name"] == ENGINE],
            }
        ],
    }


def locked() -> Iterator[tuple[str, str]]:
    """Yields every Python package that ships on some system, with its version."""
    for line in (ROOT / "requirements" / "run.lock").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)==(\S+)", line):
            yield match[1], match[2]


def _python() -> Json:
    """Lists installed packages that are in the lock; on this system, so without those only for Windows."""
    command = [
        sys.executable,
        "-m",
        "cyclonedx_py",
        "environment",
        sys.prefix,
        "--pyproject",
        str(ROOT / "pyproject.toml"),
    ]
    listing = _run([*command, "--output-reproducible", "--spec-version=1.6", "--no-validate"], ROOT)
    return _reduce(listing, {f"pkg:pypi/{name}@{version}" for name, version in locked()})


def _npm(folder: Path) -> Json:
    """The lock says what ships, because `--omit dev` would drop packages that development dependencies also need."""
    listing = _run(
        [str(ROOT / "scripts/npm"), "sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"],
        folder,
    )
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    shipped = set[str]()
    for path, entry in lock.items():
        if path and not entry.get("dev") and not entry.get("link"):
            name = entry.get("name") or path.rpartition("node_modules/")[2]
            shipped.add(f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}")
    return _reduce(listing, shipped)


def _run(command: Sequence[str], folder: Path) -> Json:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    if result.returncode:
        sys.exit(result.stderr)
    content: Json = json.loads(result.stdout)
    return content


def _reduce(listing: Json, shipped: set[str]) -> Json:
    components = [_with_licence(component) for component in listing["components"] if _purl(component) in shipped]
    refs = {component["bom-ref"] for component in components}
    edges = {edge["ref"]: sorted(refs.intersection(edge.get("dependsOn", ()))) for edge in listing["dependencies"]}
    direct = edges[listing["metadata"]["component"]["bom-ref"]]
    graph = [{"ref": ref, "dependsOn": refs_needed} for ref, refs_needed in edges.items() if ref in refs]
    return {"components": components, "dependencies": graph, "tops": direct}


def _purl(component: Json) -> str:
    """Returns the package URL without qualifiers, and with the name as PyPI normalizes it."""
    url: str = component.get("purl", "").partition("?")[0]
    name, _, version = url.rpartition("@")
    return f"pkg:pypi/{normalize(name.removeprefix('pkg:pypi/'))}@{version}" if url.startswith("pkg:pypi/") else url


def _with_licence(component: Json) -> Json:
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


def _timestamp() -> Json:
    """The commit's time, set by make, so that the same source gives the same file."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return {"timestamp": datetime.fromtimestamp(int(seconds), UTC).isoformat()} if seconds else {}


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        PAGE.write_text(page(sbom()["components"], locked()), encoding="utf-8")
    else:
        from cyclonedx.schema import SchemaVersion  # importing it takes seconds
        from cyclonedx.validation.json import JsonStrictValidator

        text = json.dumps(sbom(), indent=1, ensure_ascii=False) + "\n"
        if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
            sys.exit(f"The SBOM isn't valid CycloneDX: {error}")
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, encoding="utf-8")
        print(FILE.relative_to(ROOT))
