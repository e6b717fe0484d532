"""The docs match the code: every tool, setting, command and error code is documented."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement

from handrail.__main__ import commands
from handrail.faces.http import answers as http
from handrail.features import built_in
from handrail.features.apps import dialect as aai
from handrail.features.desktop import dialect as desktop
from handrail.features.desktop.host.methods import METHODS
from handrail.features.gateway import dialect as gateway
from handrail.features.webgal.script.findings import rule_catalogue
from handrail.kernel import dialect as webgal
from handrail.kernel.feature import load
from handrail.kernel.policy_document import Policies
from handrail.kernel.settings import FILE_ONLY, Settings
from handrail.ports import browser_errors
from handrail.wiring import Wiring

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_of_tools_matches_the_registry() -> None:
    page = runpy.run_path(str(ROOT / "scripts" / "tools_page.py"))["page"]
    assert (DOCS / "tools.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_page_of_commands_matches_the_commands() -> None:
    # In a separate process: a command that another test has called remembers other help options.
    page = subprocess.run([sys.executable, ROOT / "scripts" / "cli_page.py"], stdout=subprocess.PIPE, check=True).stdout
    assert (DOCS / "reference" / "cli.md").read_bytes() == page, "run `make docs`"


def test_no_summary_of_a_command_is_cut_off() -> None:
    cut = list[str]()
    for context in runpy.run_path(str(ROOT / "scripts" / "cli_page.py"))["all_commands"]():
        group = context.command
        if isinstance(group, click.Group):
            names = group.list_commands(context)
            room = 78 - 6 - max(map(len, names))  # in a terminal of 80 columns
            found = [group.get_command(context, name) for name in names]
            summaries = [each.get_short_help_str(room) for each in found if each is not None]
            cut += [f"{context.command_path}: {summary}" for summary in summaries if summary.endswith("...")]
    assert cut == []


SETTINGS = [Settings, *(load(feature.settings) for feature in built_in() if feature.settings)]


@pytest.mark.parametrize("name", [name for kind in SETTINGS for name in kind.__struct_fields__])
def test_every_setting_is_explained(name: str) -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{name}\b", text)
    if name not in FILE_ONLY:
        assert f"`HANDRAIL_{name.upper()}`" in text


@pytest.mark.parametrize("name", Policies.__struct_encode_fields__)
def test_every_field_of_the_policy_is_explained(name: str) -> None:
    assert f"`{name}`" in (DOCS / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "code",
    sorted(
        {
            *desktop.CODES.values(),
            *webgal.CODES.values(),
            *browser_errors.CODES.values(),
            *http.HTTP_CODES,
            *aai.CODES.values(),
            *gateway.CODES.values(),
        }
    ),
)
def test_every_error_code_is_explained(code: str) -> None:
    assert f"`{code}`" in (DOCS / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_of_the_desktops_host_is_explained(method: str) -> None:
    assert f"| `{method}` |" in (DOCS / "desktop.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", rule_catalogue())
def test_every_rule_for_scripts_is_explained_with_its_kind(code: str) -> None:
    assert f"| {code} | {rule_catalogue()[code].kind} |" in (DOCS / "webgal.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [entry.tool.name for entry in Wiring().describe().prompts])
def test_every_prompt_is_explained_with_its_arguments(name: str) -> None:
    (line,) = [line for line in (DOCS / "webgal.md").read_text(encoding="utf-8").split("\n") if f"| `{name}` |" in line]
    for argument in Wiring().describe().find(name).tool.input_schema["properties"]:
        assert f"`{argument}`" in line


@pytest.mark.parametrize("command", commands().installed_names)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"`handrail {command}" in README


def test_every_command_that_the_program_names_exists() -> None:
    existing = {
        context.command_path for context in runpy.run_path(str(ROOT / "scripts" / "cli_page.py"))["all_commands"]()
    }
    groups = {command.rpartition(" ")[0] for command in existing}
    unknown = [
        f"{module.relative_to(ROOT)}: handrail {command} {word}"
        for module in (ROOT / "src").rglob("*.py")
        for command, word in _COMMAND.findall(module.read_text(encoding="utf-8"))
        if (name := f"handrail {command}") not in existing
        or (name in groups and word and f"{name} {word}" not in existing)
    ]
    assert unknown == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_every_page_is_linked_from_the_readme(page: Path) -> None:
    assert f"({page.relative_to(ROOT).as_posix()})" in README


_COMMAND = re.compile(r"`handrail ([a-z][a-z-]+)(?: ([a-z][a-z-]+)\b)?")
_NAMED = re.compile(r"`([\w./@-]+(?:\.(?:py|pyi|ts|tsx|mjs|js)|/))`")
_MODULE = re.compile(r"`(handrail\.(?:ports|kernel|stores|features|faces|contract|core|store)\.[a-z_.]+)`")
_TREE = ("src", "tests", "web", "scripts", "demo", "bench", "examples")
_OURS = (*_TREE, "aai", "kernel", "ports", "stores", "features", "faces", "handrail")
_FENCED = re.compile(r"^### Add a feature.*?(?=^## )|^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


@cache
def _places() -> list[str]:
    """Every path in the repository's source, beginning with a slash; folders end with one."""
    result = ["/"]
    for top in _TREE:
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if name not in ("node_modules", "__pycache__")]
            place = "/" + Path(folder).relative_to(ROOT).as_posix() + "/"
            result += [place, *(place + name for name in files)]
    return result


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")], ids=lambda page: page.name
)
def test_every_module_and_folder_that_a_page_names_exists(page: Path) -> None:
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    matches = {name for name in _NAMED.findall(text) if not name.endswith("/") or name.split("/")[0] in _OURS}
    matches |= {name.replace(".", "/") + ".py" for name in _MODULE.findall(text)}
    assert [name for name in sorted(matches) if not any(place.endswith(f"/{name}") for place in _places())] == []


def _dependencies() -> list[str]:
    content = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = content["project"], content["dependency-groups"]
    its = [*project["dependencies"], *chain(*project["optional-dependencies"].values()), *chain(*groups.values())]
    return sorted({Requirement(each).name for each in its if isinstance(each, str)} - {"handrail"})


@pytest.mark.parametrize("package", _dependencies())
def test_every_dependency_has_its_reason(package: str) -> None:
    rows = [line.split("|") for line in (DOCS / "dependencies.md").read_text().splitlines() if line.startswith("| ")]
    names = {re.sub(r"\[.*\]", "", name.strip()) for row in rows for cell in row[1:-2] for name in cell.split(",")}
    assert package in names


def test_every_promise_of_the_security_page_names_tests_that_exist() -> None:
    page = (DOCS / "security.md").read_text(encoding="utf-8")
    matches = set(re.findall(r"`((?:tests|web)/[\w/.]+\.(?:py|mjs|ts))`", page))
    assert len(matches) > 50
    assert [name for name in sorted(matches) if not (ROOT / name).is_file()] == []
    promises = page[page.index("| promise | how | test |") : page.index("Tools may use previews.")].splitlines()[2:]
    assert [row for row in promises if row.startswith("|") and "`tests/" not in row] == []
