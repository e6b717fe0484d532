"""The web's own tests: units of its packages, and specs in real browsers. Each runs as `npm run` runs it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NPM = [str(ROOT / "scripts" / "npm"), "--prefix", str(ROOT / "web"), "run", "--silent"]
LEFT_TO_CAMPAIGN = {"sleep", "ui", "widgets"}
"""By the extension's `vitest.config.ts`, too; `tests/campaign/test_web.py` has them."""

pytestmark = [pytest.mark.apart, pytest.mark.timeout(900)]


@pytest.fixture
def web() -> None:
    """What asks for it takes long, and comes first: see `SLOW`."""


def run(script: str, package: str, *words: str) -> None:
    command = [*NPM, script, "--workspace", package, "--", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


def specs(package: str, ending: str) -> list[str]:
    return sorted(file.name.removesuffix(ending) for file in (ROOT / "web" / package / "e2e").glob(f"*{ending}"))


@pytest.mark.parametrize("package", ["@handrail/console", "@handrail/extension", "handrail-webgal"])
def test_units(web: None, package: str) -> None:
    run("test", package)


@pytest.mark.parametrize("spec", specs("console", ".spec.mjs"))
def test_a_spec_of_the_console(web: None, spec: str) -> None:
    run("e2e", "@handrail/console", spec)


@pytest.mark.parametrize("spec", [spec for spec in specs("extension", ".spec.ts") if spec not in LEFT_TO_CAMPAIGN])
def test_a_spec_of_the_extension(web: None, spec: str) -> None:
    run("e2e", "@handrail/extension", f"{spec}.spec.ts")
