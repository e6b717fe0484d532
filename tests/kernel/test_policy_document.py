"""The policy file: what it may say, and that every fault is named with its line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.policy_document import BrokenPolicy, Policies, PolicyDocument, as_json, read_document
from handrail.ports.effect import Effect

WHERE = "/project/.handrail/policy.json"


def read(text: str | bytes) -> PolicyDocument:
    return read_document(text.encode() if isinstance(text, str) else text, WHERE)


def fault(text: str | bytes) -> BrokenPolicy:
    with pytest.raises(BrokenPolicy) as caught:
        read(text)
    return caught.value


def test_an_empty_object_is_the_default_policy() -> None:
    assert read("{}") == PolicyDocument()
    assert read("{}").policies.forbidden_dirs == (".git", "node_modules", ".env")


def test_every_field_can_be_set() -> None:
    policies: dict[str, Any] = {
        "sandboxRoot": "${projectRoot}",
        "forbiddenDirs": ["a"],
        "writeRequiresDiff": False,
        "maxAutoFix": 2,
        "batchMaxLines": 3,
        "allowedCommands": ["dev"],
        "browserAllowedHosts": ["localhost"],
        "snapshotRetention": 0,
        "maxReadBytes": 1,
        "commandTimeoutMs": 1,
        "commandArgs": True,
        "redactEnv": ["TOKEN"],
        "lintOnWrite": True,
        "lintIgnore": ["WG101"],
    }
    assert set(policies) == set(Policies.__struct_encode_fields__)
    rules = [{"decision": "deny", "tool": "a*", "effect": "WRITE", "path": "b/**", "host": "c"}]
    text = json.dumps({"contractVersion": "1.2.3", "mode": "developer", "policies": policies, "rules": rules})
    document = read(text)
    assert json.loads(json.dumps(as_json(document)))["policies"] == policies
    assert (document.mode, document.rules[0].effect) == ("developer", Effect.WRITE)


RULE = '{\n  "rules": [\n    {"tool": "ok", "decision": "ask"},\n    {\n      %s\n    }\n  ]\n}'
POLICIES = '{\n  "mode": "cline",\n  "policies": {\n    "batchMaxLines": 5,\n    %s\n  }\n}'
TOP = '{\n  "mode": "cline",\n\n  %s\n}'

FAULTS = [
    # Syntax
    pytest.param("", 1, "", id="empty"),
    pytest.param("\n\n\n", 4, "", id="only line feeds"),
    pytest.param("{", 1, "", id="not closed"),
    pytest.param('{\n  "mode": "cline"\n  "rules": []\n}', 3, "", id="a missing comma"),
    pytest.param('{\n  "mode": "cline",\n}', 3, "", id="a comma too many"),
    pytest.param('{\n  // why\n  "mode": "cline"\n}', 2, "", id="a comment"),
    pytest.param("{\n  \"mode\": 'cline'\n}", 2, "", id="single quotes"),
    pytest.param('{}\n\n{"mode": "cline"}', 3, "", id="something after the end"),
    pytest.param(b'\xef\xbb\xbf{\n"mode": 1}', 1, "", id="a byte order mark"),
    pytest.param(b'{\n"mode": "\xff"}', 2, "UTF-8", id="no UTF-8"),
    pytest.param('{\n  "mode": "cline",\n  "mode": "developer"\n}', 3, "mode", id="a key twice"),
    pytest.param(
        '{"policies": {\n"maxReadBytes": 1,\n\n"maxReadBytes": 2}}', 4, "maxReadBytes", id="a key twice inside"
    ),
    pytest.param(POLICIES % '"maxReadBytes": NaN', 5, "NaN", id="NaN"),
    pytest.param(POLICIES % '"lintIgnore": ["semicolon"]', 5, "WG101", id="no code of a rule"),
    pytest.param(POLICIES % '"maxReadBytes": -Infinity', 5, "Infinity", id="infinity"),
    pytest.param(POLICIES % '"maxReadBytes": 9007199254740993', 5, "9007199254740993", id="beyond 2^53"),
    pytest.param(POLICIES % '"maxReadBytes": 1e999', 5, "1e999", id="beyond any double"),
    pytest.param(POLICIES % '"redactEnv": ["\\ud800"]', 5, "surrogate", id="a lone surrogate"),
    pytest.param('{\n"rules":\n' + "[" * 100_000, 3, "deep", id="100,000 deep"),
    # Structure
    pytest.param("[]", 1, "object", id="an array"),
    pytest.param('\n\n"text"', 3, "object", id="a text further down"),
    pytest.param("null", 1, "object", id="null"),
    pytest.param(TOP % '"policies": []', 4, "object", id="policies that are no object"),
    pytest.param(TOP % '"rules": {}', 4, "array", id="rules that are no array"),
    pytest.param(TOP % '"rules": [\n"x"]', 5, "object", id="a rule that isn't an object"),
    pytest.param('{\n"policies": null}', 2, "object", id="policies that are null"),
    # Types deep inside
    pytest.param(POLICIES % '"maxReadBytes": "1"', 5, "maxReadBytes", id="a text for a number"),
    pytest.param(POLICIES % '"maxReadBytes": 1.5', 5, "maxReadBytes", id="a fraction"),
    pytest.param(POLICIES % '"maxReadBytes": true', 5, "maxReadBytes", id="a truth for a number"),
    pytest.param(POLICIES % '"writeRequiresDiff": "no"', 5, "writeRequiresDiff", id="a text for a truth"),
    pytest.param(POLICIES % '"writeRequiresDiff": 0', 5, "writeRequiresDiff", id="a number for a truth"),
    pytest.param(POLICIES % '"forbiddenDirs": ".git"', 5, "forbiddenDirs", id="a text for a list"),
    pytest.param(POLICIES % '"forbiddenDirs": [\n".git",\n7]', 7, "forbiddenDirs", id="a number in a list of texts"),
    pytest.param(POLICIES % '"redactEnv": [\n"a",\n\n["b"]]', 8, "redactEnv", id="a list in a list"),
    pytest.param(RULE % '"tool": 7,\n"decision": "ask"', 5, "tool", id="a tool that isn't text"),
    pytest.param(RULE % '"tool": "x",\n"path": ["a"],\n"decision": "ask"', 6, "path", id="a path that is a list"),
    # Values
    pytest.param('{\n\n  "mode": "god"\n}', 3, "mode", id="an unknown mode"),
    pytest.param(POLICIES % '"maxReadBytes": 0', 5, "maxReadBytes", id="a limit of nothing"),
    pytest.param(POLICIES % '"commandTimeoutMs": 0', 5, "commandTimeoutMs", id="no time at all"),
    pytest.param(POLICIES % '"snapshotRetention": -1', 5, "snapshotRetention", id="less than nothing"),
    pytest.param(POLICIES % '"sandboxRoot": "/"', 5, "sandboxRoot", id="another root"),
    pytest.param(TOP % '"contractVersion": "2.0.0"', 4, "2.0.0", id="another major"),
    pytest.param(TOP % '"contractVersion": "10.0.0"', 4, "10.0.0", id="another major with the same beginning"),
    pytest.param(TOP % '"contractVersion": ""', 4, "contractVersion", id="no version"),
    pytest.param(TOP % '"contractVersion": 1', 4, "contractVersion", id="a version that is a number"),
    pytest.param(RULE % '"tool": "x",\n"decision": "maybe"', 6, "maybe", id="an unknown decision"),
    pytest.param(RULE % '"tool": "x",\n"decision": 1', 6, "decision", id="a decision that is a number"),
    pytest.param(RULE % '"effect": "WRITES",\n"decision": "ask"', 5, "WRITES", id="an unknown effect"),
    pytest.param(RULE % '"effect": "write",\n"decision": "ask"', 5, "write", id="an effect in lower case"),
    pytest.param(RULE % '"tool": "x"', 4, "decision", id="a rule without a decision"),
    pytest.param(RULE % '"decision": "deny"', 4, "tool", id="a rule about nothing"),
    pytest.param(RULE % '"path": "a/**",\n"decision": "deny"', 4, "tool", id="a rule about a path alone"),
    pytest.param(RULE % '"tool": "x",\n"path": "[z-a]",\n"decision": "deny"', 6, "z-a", id="a path pattern"),
    pytest.param(RULE % '"tool": "{a,{b}",\n"decision": "deny"', 5, "{a,{b}", id="a tool pattern"),
    pytest.param(RULE % '"tool": "x",\n"host": "[z-a]",\n"decision": "deny"', 6, "z-a", id="a host pattern"),
    pytest.param(
        RULE % f'"tool": "x",\n"path": "{"a" * 998}",\n"decision": "deny"', 6, "longer", id="an endless pattern"
    ),
    # Names
    pytest.param(TOP % '"policy": {}', 4, "did you mean `policies`", id="a near name at the top"),
    pytest.param(TOP % '"contract_version": "1.0.0"', 4, "`contractVersion`", id="snake case at the top"),
    pytest.param(POLICIES % '"maxReadByte": 1', 5, "did you mean `maxReadBytes`", id="a near name"),
    pytest.param(POLICIES % '"max_read_bytes": 1', 5, "did you mean `maxReadBytes`", id="snake case"),
    pytest.param(POLICIES % '"forbidden-dirs": []', 5, "did you mean `forbiddenDirs`", id="kebab case"),
    pytest.param(TOP % '"forbiddenDirs": []', 4, "belongs in `policies`", id="a limit at the top"),
    pytest.param(POLICIES % '"mode": "cline"', 5, "unknown field `mode`", id="a name of the top among the limits"),
    pytest.param(POLICIES % '"禁止": []', 5, "禁止", id="a name in another script"),
    pytest.param(POLICIES % '"x y": 1', 5, "x y", id="a name with a blank"),
    pytest.param(POLICIES % '"": 1', 5, "unknown", id="an empty name"),
    pytest.param(RULE % '"tool": "x",\n"descision": "ask"', 6, "did you mean `decision`", id="a near name in a rule"),
    pytest.param(RULE % '"tool": "x",\n"decision": "ask",\n"paths": "a"', 7, "did you mean `path`", id="a plural"),
]


@pytest.mark.parametrize(("text", "line", "word"), FAULTS)
def test_a_fault_is_named_with_its_file_and_line(text: str | bytes, line: int, word: str) -> None:
    broken = fault(text)
    assert broken.message.startswith(f"{WHERE}, line {line}: "), broken.message
    assert broken.details["line"] == line
    assert word in broken.message


def test_the_line_is_right_whatever_stands_before_it() -> None:
    padding = '"\\n{[\\"",\r\n\t "}]",' * 3
    text = f'{{"policies": {{"redactEnv": [{padding} "x"],\n"maxReadBytes": "1"}}}}'
    assert fault(text).details["line"] == 5


_names = st.sampled_from(["rules", "policies", "mode", "tool", "decision", "effect", "maxReadBytes", "x", "禁"])
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(_names, children, max_size=4),
    max_leaves=12,
)


def line_of_fault(data: str | bytes) -> int | None:
    try:
        read(data)
    except BrokenPolicy as broken:
        return int(broken.details["line"])
    return None


@given(json_values, st.sampled_from([None, 1]))
def test_any_json_is_a_policy_or_a_fault_with_a_line(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert line_of_fault(text) in (None, *range(1, text.count("\n") + 2))


@given(st.binary(max_size=60))
def test_any_bytes_are_a_policy_or_a_fault_with_a_line(data: bytes) -> None:
    assert line_of_fault(data) in (None, *range(1, data.count(b"\n") + 2))
