"""Ctrl-C while a command is still being loaded."""

import sys
from pathlib import Path

import pytest

from handrail.faces.cli.group import Commands
from handrail.faces.cli.main import CommandList
from handrail.features import built_in
from handrail.wiring import Wiring

INTERRUPTED = 130
MODULE = """
class Field:
    def __set_name__(self, owner, name):
        raise {error}

class Made:
    field = Field()
"""


@pytest.mark.parametrize(("error", "status"), [("KeyboardInterrupt", INTERRUPTED), ("ValueError", None)])
def test_an_interrupt_in_the_making_of_a_class_ends_the_program_without_a_word(
    error: str, status: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_loaded.py").write_text(MODULE.format(error=error))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "half_loaded", raising=False)
    commands = Commands(CommandList(built_in()), lambda: Wiring(built_in()))
    monkeypatch.setattr(commands, "get_command", lambda *_: __import__("half_loaded"))
    with pytest.raises(SystemExit if status else RuntimeError) as caught:
        commands.main(["call"], prog_name="handrail")
    assert getattr(caught.value, "code", None) == status
