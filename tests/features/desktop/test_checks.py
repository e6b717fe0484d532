"""What `handrail doctor` reports about the desktop."""

from pathlib import Path

import pytest

from handrail.features.desktop.opening import checks
from handrail.kernel.checks import CheckContext
from handrail.wiring import Wiring


def test_on_macos_the_desktop_is_reported_as_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    [check] = checks(CheckContext(Wiring(), tmp_path, tmp_path / "state"))
    assert (check.ok, check.required) == (False, False)
    assert "never built or run" in check.detail
