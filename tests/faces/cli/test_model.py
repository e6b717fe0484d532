"""`handrail model`: which model the chat uses, and keys that are stored and never shown."""

import json
import os
import subprocess
import sys
from pathlib import Path


def handrail(state: Path, *arguments: str, input_text: str = "") -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    command = [sys.executable, "-m", "handrail", "model", *arguments, "--state", str(state)]
    return subprocess.run(
        command, input=input_text, env=environ, capture_output=True, text=True, timeout=60, check=False
    )  # fmt: skip


def test_a_model_is_selected_and_its_key_stored_hidden_and_deleted(tmp_path: Path) -> None:
    assert "No model is connected" in handrail(tmp_path, "show").stdout
    result = handrail(tmp_path, "use", "anthropic:some-model")
    assert "handrail model key anthropic" in result.stdout
    completed = handrail(tmp_path, "key", "anthropic", input_text="sk-very-secret\n")
    assert (completed.returncode, "Stored in a file" in completed.stdout) == (0, True)
    output = handrail(tmp_path, "show", "--json")
    data = json.loads(output.stdout)
    assert data["current"] == "anthropic:some-model"
    assert data["models"][0] == {"name": "anthropic:some-model", "provider": "anthropic", "hasKey": True}
    assert (
        "sk-very-secret"
        not in completed.stdout + completed.stderr + output.stdout + (tmp_path / "config.toml").read_text()
    )
    assert handrail(tmp_path, "forget").stdout == "Deleted 1 key.\n"
    assert not json.loads(handrail(tmp_path, "show", "--json").stdout)["models"][0]["hasKey"]


def test_unknown_models_and_invalid_keys_are_refused(tmp_path: Path) -> None:
    compatible = ("use", "openai-compatible:any", "--base-url")
    for arguments, value in (
        (("use", "nonsense"), ""),
        (("key", "nobody"), "x\n"),
        (("key", "openai"), "\n"),
        ((*compatible, "localhost:11434"), ""),
        ((*compatible, "http://ada:hush@localhost/v1"), ""),
        ((*compatible, "http://localhost/v1?key=hush"), ""),
    ):
        refused = handrail(tmp_path, *arguments, input_text=value)
        assert refused.returncode != 0, arguments
        assert refused.stderr.startswith("handrail: "), refused.stderr
        assert "hush" not in refused.stderr
    assert not (tmp_path / "config.toml").exists()
