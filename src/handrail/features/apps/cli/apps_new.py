"""`handrail apps new`: a folder with an app to start from. Nothing that exists is ever written over."""

import re
import secrets
import shutil
from pathlib import Path
from string import Template

import click

from handrail.faces.cli.output import say

EPILOG = """\b
Examples:
  handrail apps new reading-list
  handrail apps new reading-list --id com.example.readinglist --name "Reading list"

\b
Exit status: 0 when the folder is there; 2 when it was there already with something in it, or a name is wrong."""

_TEMPLATES = Path(__file__).parent / "new_app"
_FILES = {
    "app.py.txt": "{module}.py",
    "test_app.py.txt": "test_{module}.py",
    "README.md.txt": "README.md",
    "pyproject.toml.txt": "pyproject.toml",
}


@click.command("new", epilog=EPILOG)
@click.argument("folder", type=Path, metavar="DIR", help="A folder that is not there yet, or is empty.")
@click.option("--id", "app_id", metavar="ID", help="The app's id.  [default: com.example. and the folder's name]")
@click.option("--name", metavar="TEXT", help="What people call it.  [default: from the folder's name]")
def new_app(folder: Path, app_id: str | None, name: str | None) -> None:
    """Make a folder with an app in Python: a tool, its test, a README."""
    from handrail.features.apps.descriptors.parts import is_app_id

    folder = folder.absolute()
    words = re.findall(r"[a-z0-9]+", folder.name.lower())
    if not words or not words[0][0].isalpha():
        raise click.BadParameter(f"{folder.name!r} makes no name for a Python module.", param_hint="DIR")
    if app_id is None:
        app_id = f"com.example.{''.join(words)}"
    if not is_app_id(app_id) or any(part[0].isdigit() for part in app_id.split(".")):
        reason = (
            "isn't an app id: two or more parts of a-z and 0-9, each with a letter first, such as com.example.notes."
        )
        raise click.BadParameter(f"{app_id!r} {reason}", param_hint="--id")
    shown = " ".join(words).capitalize() if name is None else name.strip()
    if not shown or not shown.isprintable() or set(shown) & set('"\\'):
        raise click.BadParameter("A name is one line without quotes and backslashes.", param_hint="--name")
    values = {"id": app_id, "name": shown, "module": "_".join(words), "package": "-".join(words)}
    _make(folder, values)
    say(f"Created {folder}. README.md says what to do next:")
    say(f"  python {folder / values['module']}.py --install")


def _make(folder: Path, values: dict[str, str]) -> None:
    """The whole folder appears at once: a rename takes the place of nothing but an empty one."""
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise click.BadParameter(f"{folder} is there already, and not empty.", param_hint="DIR")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    beside.mkdir()
    try:
        for template, file in _FILES.items():
            text = Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(values)
            (beside / file.format(**values)).write_text(text, encoding="utf-8")
        beside.rename(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
