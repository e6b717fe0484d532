"""An engine's built script says which version it is and which commands it knows, in every form that was released."""

from pathlib import Path

import pytest

from handrail.features.webgal.engines import ENGINE_FOLDER
from handrail.features.webgal.script.commands import COMMANDS
from handrail.features.webgal.script.engine import Engine, read_engine

NAMES = ["changeBg", "changeScene", "choose", "setVar", "setBgAni"]
FORMS = {
    "4.2": "switch(e){" + "".join(f'case"{name}":return t.{name};' for name in NAMES) + "}",
    "4.4": "[" + ",".join(f'{{scriptString:"{name}",scriptType:t.{name}}}' for name in NAMES) + "]",
    "4.5": "{" + ",".join(f"{name}:x(y.{name},z)" for name in NAMES) + "}",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_commands_of_older_engines_are_read(form: str) -> None:
    engine = read_engine(f'const v={{version:"WebGAL {form}.1.3"}};{FORMS[form]};a.key==="loop"'.encode())
    assert engine == Engine(f"{form}.1.3", frozenset(NAMES), frozenset({"loop"}))
    assert engine.number == (4, int(form[2]), 1)


def test_the_real_engine_names_its_version_and_every_command_that_it_runs() -> None:
    scripts = [Path(path).read_bytes() for path in (ENGINE_FOLDER / "assets").glob("index-*.js")]
    (engine,) = [engine for script in scripts if (engine := read_engine(script)) is not None]
    assert engine.version == "4.5.18"
    assert engine.commands >= {name for name, command in COMMANDS.items() if command.is_run}
    assert not engine.commands & {"if", "chooseLabel", "setBgAni"}


def test_a_script_other_than_the_engine_has_no_version() -> None:
    assert read_engine(b'const a={version:"1.2.3"}') is None
    assert read_engine(b'const v={version:"WebGAL 4.4.1"};') == Engine("4.4.1")
