"""Speakers that are commands by mistake, or nearly somebody else."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from handrail.core.webgal.company import Company
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.nearness import MOST_GUESSES, distance, folded
from handrail.core.webgal.rules.heads import guess, is_number, is_surely_no_name
from handrail.core.webgal.rules.line import Findings

if TYPE_CHECKING:
    from handrail.core.webgal.scene import Scene

_LONG = 4


def check(scene: "Scene", company: Company, characters: Collection[str]) -> Findings:
    spoken = company.spoken
    commands = set()
    for name, line in scene.suspects:
        if name in characters or (spoken[name] > 1 and (is_number(name) or not is_surely_no_name(name))):
            continue
        commands.add(name)
        start = max(scene.lines[line - 1].find(name), 0)
        if is_number(name):
            begun = Edit(start, start, ":", is_safe=False)
            yield Finding("WG306", line, start, start + len(name), {"name": name}, begun)
            continue
        near = guess(name) or []
        edit = Edit(start, start + len(name), near[0], is_safe=False) if near else None
        values = {"name": name, "near": ", ".join(near)}
        yield Finding("WG105", line, start, start + len(name), values, edit)
    strangers = [name for name in scene.speakers if spoken[name] == 1 and name not in commands]
    for name in strangers[:MOST_GUESSES]:
        if name in characters or (other := _meant(name, company.regulars)) is None:
            continue
        for line in scene.speaker_lines(name):
            start = max(scene.lines[line - 1].find(name), 0)
            edit = Edit(start, start + len(name), other, is_safe=False)
            yield Finding("WG315", line, start, start + len(name), {"name": name, "near": other}, edit)


def _meant(name: str, regulars: Mapping[str, str]) -> str | None:
    """Somebody who speaks often and is called nearly the same; in short names one letter makes another person."""
    plain = folded(name)
    for other, against in regulars.items():
        if other == name or abs(len(other) - len(name)) > _LONG:
            continue
        if against == plain or (len(plain) >= _LONG and _is_slip(plain, against)):
            return other
    return None


def _is_slip(one: str, other: str) -> bool:
    """A digit makes another person, too: guard1 and guard2."""
    if distance(one, other, 1) > 1:
        return False
    return not any(char.isdigit() for char in set(one) ^ set(other))
