"""`handrail secrets`: names and places, never values."""

from handrail.app.secrets import secrets_in
from handrail.contract.secrets import Secret
from tests.faces.cli.machine import Machine

VALUE = "sk-tr0ub4dor"


def test_secrets_are_listed_by_name_and_forgotten_one_by_one_or_all(machine: Machine) -> None:
    for name in ("app:a.b:key", "app:c.d:key", "llm:one:key"):
        secrets_in(machine.state).put(name, Secret(VALUE))
    listed = machine.run("secrets", "list", "--json")
    assert [(one["name"], one["place"]) for one in listed.json["secrets"]] == [
        ("app:a.b:key", "file"),
        ("app:c.d:key", "file"),
        ("llm:one:key", "file"),
    ]
    assert VALUE not in listed.out
    assert machine.run("secrets", "forget", "app:a.b:key").out == "Forgotten: app:a.b:key\n"
    forgotten = machine.run("secrets", "forget", "--all")
    assert forgotten.out == "Forgotten: app:c.d:key\nForgotten: llm:one:key\n"
    assert VALUE not in (machine.state / "secrets.json").read_text()
