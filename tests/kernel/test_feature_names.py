"""The kernel, the ports, the stores and the faces know no feature: they take what manifests declare."""

import re
from pathlib import Path

import pytest

import handrail
from handrail.features import built_in

_PACKAGE = Path(handrail.__file__).parent
_NAMED = re.compile(r"(?:offer\(|part\(|features\[|features\.get\()\s*\"(\w+)\"")


@pytest.mark.parametrize("layer", ["kernel", "ports", "stores", "faces"])
def test_a_layer_names_no_feature(layer: str) -> None:
    names = {feature.name for feature in built_in()}
    found = [
        f"{module.relative_to(_PACKAGE)}: {name}"
        for module in sorted((_PACKAGE / layer).rglob("*.py"))
        for name in _NAMED.findall(module.read_text(encoding="utf-8"))
        if name in names
    ]
    assert found == []
