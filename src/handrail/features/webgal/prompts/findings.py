"""What the checks say of scenes, as prompts tell it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from handrail.features.webgal.port import WebGal

if TYPE_CHECKING:
    from handrail.features.webgal.script.findings import Finding
    from handrail.features.webgal.script.project import Project


def told(webgal: WebGal, project: "Project", names: Iterable[str]) -> "Iterator[tuple[str, Finding, str, str | None]]":
    """The scene, what was found, how it is said, and the line as it should be."""
    from handrail.features.webgal.script.findings import fixed_line, message
    from handrail.features.webgal.script.parser import split_lines

    for name in names:
        lines = split_lines(project.scenes[name].text)
        for finding in project.findings(name):
            yield name, finding, message(finding, webgal.language), fixed_line(finding, lines)
