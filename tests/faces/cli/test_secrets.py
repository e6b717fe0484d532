"""`handrail secrets`: shows names and places, never values."""

import asyncio
import json
from pathlib import Path

from click.testing import CliRunner, Result

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from handrail.ports.errors import NotFound
from handrail.ports.secrets import Secret
from handrail.wiring import Wiring

VALUE = "sk-tr0ub4dor"


def test_secrets_are_listed_by_name_and_deleted_one_by_one_or_all(tmp_path: Path) -> None:
    def run(*words: str) -> Result:
        return CliRunner().invoke(group(commands(), open_program), ["secrets", *words, "--state", str(tmp_path)])

    assert run("list").stdout == "No keys or tokens are stored.\n"
    for name in ("app:a.b:key", "app:c.d:key", "llm:one:key"):
        asyncio.run(Wiring().open_stores(tmp_path).secrets.put(name, Secret(VALUE)))
    result = run("list", "--json")
    assert [(one["name"], one["place"]) for one in json.loads(result.stdout)["secrets"]] == [
        ("app:a.b:key", "file"),
        ("app:c.d:key", "file"),
        ("llm:one:key", "file"),
    ]
    assert VALUE not in result.output + run("list").output
    assert run("forget", "app:a.b:key").stdout == "Removed: app:a.b:key\n"
    assert isinstance(run("forget", "app:a.b:key").exception, NotFound)
    assert run("forget").exit_code == 2
    assert run("forget", "--all").stdout == "Removed: app:c.d:key\nRemoved: llm:one:key\n"
    assert VALUE not in (tmp_path / "secrets.json").read_text()
