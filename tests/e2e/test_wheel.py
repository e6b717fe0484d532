"""The wheel is complete: `uvx` starts it far from the checkout."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
CLIENT = {"name": "test", "version": "1"}


@pytest.mark.trial("wheel", is_long=True)
@pytest.mark.timeout(600)
def test_the_wheel_runs_without_the_repository(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "handrail/ports/schemas/webgal/write_to_file.request.json" in names
    assert "handrail/faces/http/console/index.html" in names
    assert any(name.startswith("handrail/faces/http/console/assets/") and name.endswith(".js") for name in names)

    project = tmp_path / "project"
    project.mkdir()
    initialize = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    result = subprocess.run(
        [UV, "tool", "run", "--from", wheel, "handrail", "mcp", "--project", project, "--state", tmp_path / "state"],
        input="".join(json.dumps(message) + "\n" for message in messages),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert result.returncode == 0, result.stderr
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, result.stdout.splitlines())}
    assert answers[1]["serverInfo"]["name"] == "handrail"
    assert {"read_file", "write_to_file", "search_files"} <= {tool["name"] for tool in answers[2]["tools"]}
