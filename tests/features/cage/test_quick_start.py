"""What `handrail run` loads before the agent starts: little, because a person waits for it."""

import subprocess
import sys
from typing import NamedTuple

import pytest

from handrail.ports.named_tuple import NamedTuple as QuickTuple

SLOW = ("asyncio", "click", "dataclasses", "inspect", "json", "msgspec", "pathlib", "re", "subprocess", "typing")
LOADED = """
import sys
before = set(sys.modules)
import handrail.features.cage.cli.quick
import handrail.features.cage.cli.launcher
print(*sorted(set(sys.modules) - before))
"""


class Quick(QuickTuple):
    name: str
    size: int = 3
    more: tuple[str, ...] = ()


class Usual(NamedTuple):
    name: str
    size: int = 3
    more: tuple[str, ...] = ()


class Below(Quick):
    """Without fields of its own."""

    @property
    def double(self) -> int:
        return self.size * 2


def test_nothing_slow_is_loaded_before_the_agent_starts() -> None:
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    assert "handrail.features.cage.launch" in loaded
    assert set(SLOW) & set(loaded) == set()


def test_its_named_tuple_is_like_that_of_typing() -> None:
    for given, named in ((("a",), {}), (("a", 4), {"more": ("b",)}), ((), {"name": "a", "size": 5})):
        quick, usual = Quick(*given, **named), Usual(*given, **named)
        assert tuple(quick) == tuple(usual)
        assert repr(quick) == repr(usual).replace("Usual", "Quick")
        assert (quick.name, quick.size, quick.more) == (usual.name, usual.size, usual.more)
        assert tuple(quick._replace(size=9)) == tuple(usual._replace(size=9))
    assert (Below("a").double, Below("a") == ("a", 3, ())) == (6, True)


@pytest.mark.parametrize(
    ("given", "named"), [((), {}), (("a", 1, (), 2), {}), (("a",), {"name": "b"}), (("a",), {"x": 1})]
)
def test_its_named_tuple_takes_no_others(given: tuple[object, ...], named: dict[str, object]) -> None:
    for made in (Quick, Usual):
        with pytest.raises(TypeError):
            made(*given, **named)  # type: ignore[arg-type]
