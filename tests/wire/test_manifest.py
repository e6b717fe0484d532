"""The manifest itself: every rule has tests, every named test exists, and every test here belongs to a rule."""

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MANIFESTS = (HERE / "rules.toml", *sorted((HERE / "rules").glob("*.toml")))
RULES: list[dict[str, Any]] = [
    rule for manifest in MANIFESTS for rule in tomllib.loads(manifest.read_text(encoding="utf-8"))["rule"]
]


@cache
def declared_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(f"{file}::{function.name}" for function in functions if function.name.startswith("test_"))


@pytest.mark.parametrize("rule", RULES, ids=[rule.get("id") for rule in RULES])
def test_a_rule_has_an_id_a_source_a_sentence_and_tests_that_exist(rule: dict[str, Any]) -> None:
    assert set(rule) == {"id", "source", "rule", "tests"}
    assert rule["id"]
    assert rule["source"]
    assert rule["rule"].endswith(".")
    assert rule["tests"], "a rule without a test is a wish"
    assert len(set(rule["tests"])) == len(rule["tests"])
    for test in rule["tests"]:
        file, separator, _ = test.partition("::")
        assert separator
        assert (ROOT / file).is_file(), f"there is no file {file}"
        assert test in declared_in(file), f"there is no test {test}"


def test_there_are_not_fewer_rules_than_there_were() -> None:
    """The number of version 0.1; raise it when rules are added."""
    assert len(RULES) >= 460


def test_ids_are_unique() -> None:
    ids = [rule["id"] for rule in RULES]
    assert len(set(ids)) == len(ids), sorted(id for id in ids if ids.count(id) > 1)


def test_every_test_of_this_folder_belongs_to_a_rule() -> None:
    test_names = {test for rule in RULES for test in rule["tests"]}
    files = [file for file in HERE.glob("test_*.py") if file.name != Path(__file__).name]
    here = {test for file in files for test in declared_in(str(file.relative_to(ROOT)))}
    assert here - test_names == set()
