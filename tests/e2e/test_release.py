"""The contents of a release are known and licensed, and a commit always gives the same wheel."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from scripts import sbom
from scripts.licences import LicenceRefused, licence_of, page

ROOT = Path(__file__).parents[2]


def test_every_package_that_ships_has_an_allowed_licence_and_is_on_the_page() -> None:
    whole = sbom.sbom()  # refuses other licences
    assert sbom.PAGE.read_text(encoding="utf-8") == page(whole["components"], sbom.locked()), "run `make docs`"
    refs = {one["bom-ref"] for one in whole["components"]}
    names = {one["name"] for one in whole["components"]}
    assert {"mcp", "jaraco.classes", "preact", "socket.io-parser", "webgal-engine"} <= names
    assert not {"pytest", "mypy", "vite", "socket.io"} & names
    assert {needed for edge in whole["dependencies"] for needed in edge["dependsOn"]} <= refs


@pytest.mark.parametrize(
    "licenses",
    [[], [{"expression": "GPL-3.0-only"}], [{"license": {"name": "Free for all"}}]],
    ids=["none", "not allowed", "no SPDX name"],
)
def test_another_licence_is_refused(licenses: list[dict]) -> None:
    with pytest.raises(LicenceRefused, match="left-pad"):
        licence_of({"name": "left-pad", "licenses": licenses})


@pytest.mark.trial("wheel", is_long=True)
@pytest.mark.timeout(900)
def test_two_clean_checkouts_give_one_wheel(tmp_path: Path) -> None:
    hashes = {
        _built(tmp_path / "one", umask=0o022, zone="UTC"),
        _built(tmp_path / "two" / "further" / "down", umask=0o077, zone="Asia/Shanghai"),
    }
    assert len(hashes) == 1


@pytest.mark.trial("wheel", is_long=True)
@pytest.mark.timeout(300)
def test_the_list_of_what_ships_is_valid_and_the_same_each_time() -> None:
    lists = set()
    for _ in range(2):
        subprocess.run(["make", "sbom"], cwd=ROOT, check=True, capture_output=True, timeout=250)
        lists.add(sbom.FILE.read_bytes())
    assert len(lists) == 1


def _built(folder: Path, umask: int, zone: str) -> str:
    folder.mkdir(parents=True)
    environment = {**os.environ, "TMPDIR": str(folder), "TZ": zone}
    result = subprocess.run(
        [ROOT / "scripts/clean-wheel", folder],
        env=environment,
        umask=umask,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert result.returncode == 0, result.stderr
    (wheel,) = folder.glob("*.whl")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()
