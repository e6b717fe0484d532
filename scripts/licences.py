"""The allowed licences, each package's licence, and the page that lists them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

ALLOWED = {
    "Apache-2.0": "permissive; handrail's own",
    "MIT": "permissive",
    "MIT-0": "permissive",
    "ISC": "permissive",
    "BSD-2-Clause": "permissive",
    "BSD-3-Clause": "permissive",
    "PSF-2.0": "permissive",
    "Apache-2.0 AND BSD-2-Clause": "permissive",
    "Apache-2.0 AND CNRI-Python": "permissive",
    "Apache-2.0 OR BSD-3-Clause": "permissive",
    "MIT OR Apache-2.0": "permissive",
    "Unlicense OR MIT": "permissive",
    "MPL-2.0": "changes to its own files stay open; we change none",
    "LGPL-2.1-or-later": "only as a separate package that users can replace, never inside the wheel",
}

STATED = {
    # The metadata has no SPDX name, or two that differ: taken from the licence file or the metadata's text.
    "agent-client-protocol": "Apache-2.0",
    "distro": "Apache-2.0",
    "google-auth": "Apache-2.0",
    "google-re2": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "pyasn1-modules": "BSD-2-Clause",
    "pyopenssl": "Apache-2.0",
    "python-xlib": "LGPL-2.1-or-later",
    "rfc8785": "Apache-2.0",
    "tenacity": "Apache-2.0",
    "tiktoken": "MIT",
    "uvloop": "MIT OR Apache-2.0",
    "webgal-engine": "MPL-2.0",
    "xmlhttprequest-ssl": "MIT",
    # Not installed with every Python or on every system.
    "backports-tarfile": "MIT",
    "httpx2-jsfetch": "BSD-3-Clause",
    "importlib-metadata": "Apache-2.0",
    "jeepney": "MIT",
    "pywin32": "PSF-2.0",
    "pywin32-ctypes": "BSD-3-Clause",
    "secretstorage": "BSD-3-Clause",
    "zipp": "MIT",
}


class LicenceRefused(Exception):
    """A package whose licence is unknown or not allowed."""


def licence_of(component: Mapping[str, Any]) -> str:
    """Returns the SPDX expression of a component of an SBOM."""
    entries = component.get("licenses", ())
    names = {entry.get("expression") or entry["license"].get("id") for entry in entries} - {None}
    return _allowed(component["name"], STATED.get(normalize(component["name"])) or " and ".join(sorted(names)))


def page(components: Iterable[Mapping[str, Any]], locked: Iterable[tuple[str, str]]) -> str:
    """Makes docs/licences.md. It lists the lock's Python packages, even uninstalled ones, to be the same everywhere."""
    python, bundled = dict[str, str](), list[str]()
    for component in components:
        licence = component["licenses"][0]["expression"]
        if component["purl"].startswith("pkg:pypi/"):
            python[normalize(component["name"])] = licence
        elif not component["purl"].startswith("pkg:npm/%40handrail/"):
            name = component["purl"].removeprefix("pkg:npm/").rpartition("@")[0].replace("%40", "@")
            bundled.append(f"| {name} | {component['version']} | {licence} |")
    rows = [
        f"| {name} | {version} | {python.get(name) or _allowed(name, STATED.get(name, ''))} |"
        for name, version in locked
    ]
    return "\n".join(
        [
            "# Licences",
            "",
            "Written by `make docs` from the [SBOM](release.md#what-ships). A test fails if it is out of date or a",
            "licence isn't allowed. handrail itself is Apache-2.0.",
            "",
            "## Allowed",
            "| licence | why |",
            "|---|---|",
            *(f"| {name} | {why} |" for name, why in ALLOWED.items()),
            "",
            "## Inside the wheel",
            "The console and the extension are bundled from these. `webgal-engine` is included as npm has it, with its",
            "licence file. It was built from other packages and includes three fonts; its package doesn't name",
            "their versions or licences.",
            "",
            "| package | version | licence |",
            "|---|---|---|",
            *bundled,
            "",
            "## Installed with it",
            "With all extras; a few of them only on some systems or with some versions of Python.",
            "",
            "| package | version | licence |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _allowed(name: str, licence: str) -> str:
    if licence not in ALLOWED:
        raise LicenceRefused(f"{name}: {licence or 'no licence named'}. See ALLOWED and STATED in scripts/licences.py")
    return licence


def normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
