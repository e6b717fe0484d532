"""`handrail apps new`: creates a folder with an app to start from. Never overwrites anything."""

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
Exit status: 0 if the folder was created; 2 if it exists and isn't empty, or a name is invalid."""

_TEMPLATES = Path(__file__).parent / "new_app"
_FILES = {
    "app.py.txt": "{module}.py",
    "test_app.py.txt": "test_{module}.py",
    "README.md.txt": "README.md",
    "pyproject.toml.txt": "pyproject.toml",
}


@click.command("new", epilog=EPILOG)
@click.argument("folder", type=Path, metavar="DIR", help="A new or empty folder.")
@click.option("--id", "app_id", metavar="ID", help="The app's id.  [default: com.example. and the folder's name]")
@click.option("--name", metavar="TEXT", help="Its name for people.  [default: from the folder's name]")
def new_app(folder: Path, app_id: str | None, name: str | None) -> None:
    """Create an app in Python.

    The new folder has a tool, its test and a README to start from.
    """
    from handrail.features.apps.descriptors.parts import is_app_id

    folder = folder.absolute()
    words = re.findall(r"[a-z0-9]+", folder.name.lower())
    if not words or not words[0][0].isalpha():
        raise click.BadParameter(f"{folder.name!r} can't become the name of a Python module.", param_hint="DIR")
    if app_id is None:
        app_id = f"com.example.{''.join(words)}"
    if not is_app_id(app_id) or any(part[0].isdigit() for part in app_id.split(".")):
        reason = (
            "isn't an app id: two or more parts of a-z and 0-9, each with a letter first, such as com.example.notes."
        )
        raise click.BadParameter(f"{app_id!r} {reason}", param_hint="--id")
    title = " ".join(words).capitalize() if name is None else name.strip()
    if not title or not title.isprintable() or set(title) & set('"\\'):
        raise click.BadParameter("A name is one line without quotes or backslashes.", param_hint="--name")
    values = {"id": app_id, "name": title, "module": "_".join(words), "package": "-".join(words)}
    _create(folder, values)
    say(f"Created {folder}. README.md says what to do next:")
    say(f"  python {folder / values['module']}.py --install")


def _create(folder: Path, values: dict[str, str]) -> None:
    """Creates the whole folder at once, by a rename that can replace only an empty folder."""
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise click.BadParameter(f"{folder} exists and isn't empty.", param_hint="DIR")
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    draft.mkdir()
    try:
        for template, file in _FILES.items():
            text = Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(values)
            (draft / file.format(**values)).write_text(text, encoding="utf-8")
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
