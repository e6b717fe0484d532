"""Every rule's kind and words, in two languages. The table itself is `rules.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from handrail.core.webgal.findings import Finding

Kind = Literal["syntax", "resource", "style"]
Language = Literal["zh", "en"]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    zh: str
    en: str
    grave: Kind | None = None


@cache
def rules() -> Mapping[str, Rule]:
    table = files("handrail.core.webgal").joinpath("rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(table), dict[str, Rule])


def kind_of(finding: Finding) -> Kind:
    rule = rules()[finding.code]
    return rule.grave if finding.is_grave and rule.grave is not None else rule.kind


def breaks(finding: Finding) -> bool:
    """Style alone never makes a script invalid."""
    return kind_of(finding) != "style"


def message(finding: Finding, language: Language) -> str:
    """With the code at its end, by which the rule is silenced."""
    rule = rules()[finding.code]
    near = finding.values.get("near", "")
    guess = (f"，是否想写 {near}？" if language == "zh" else f"; did you mean {near}?") if near else ""
    said = rule.zh if language == "zh" else rule.en
    return f"{said.format(**{**finding.values, 'near': near, 'guess': guess})} [{finding.code}]"


def language_of(wanted: str) -> Language:
    """Chinese unless English is asked for."""
    return "en" if wanted.strip().lower().startswith("en") else "zh"
