"""One folder per feature; each declares itself in its `feature.py`. Other packages may bring more."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from handrail.kernel.feature import Feature

GROUP = "handrail.features"
"""The entry points by which other packages bring features."""


def built_in() -> list[Feature]:
    """The manifests in this folder, in the order in which people meet them."""
    from importlib import import_module

    folder = os.path.dirname(__file__)
    names = [name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "feature.py"))]
    found: list[Feature] = [import_module(f"handrail.features.{name}.feature").FEATURE for name in sorted(names)]
    return sorted(found, key=lambda feature: feature.rank)


def brought() -> list[EntryPoint]:
    """What other packages bring; nothing of them is imported."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: point.name)


def enabled(names: Sequence[str]) -> list[Feature]:
    """Of other packages those that a person has enabled and that can be loaded. What is built in keeps its name."""
    if not names:
        return []
    taken = {feature.name for feature in built_in()}
    points = [point for point in brought() if point.name in names and point.name not in taken]
    return [point.load() for point in points if _manifest_fault(point) is None]


def usable(names: Sequence[str]) -> list[Feature]:
    """The enabled ones that can be loaded as a whole, with all that their manifests name."""
    features: list[Feature] = []
    for feature in enabled(names):
        if _fault_within(feature, features) is None:
            features.append(feature)
    return features


def fault_of(point: EntryPoint) -> str | None:
    """Why the feature of another package can't be used; None if it can."""
    fault = _manifest_fault(point)
    return _fault_within(point.load()) if fault is None else fault


def _manifest_fault(point: EntryPoint) -> str | None:
    from handrail.kernel.feature import Feature

    try:
        feature = point.load()
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - another package's code; reported to the person
        return f"{type(fault).__name__}: {fault}"
    if not isinstance(feature, Feature):
        return "its manifest isn't a Feature"
    return None if feature.name == point.name else f"its manifest is called {feature.name!r}, not {point.name!r}"


def _fault_within(feature: Feature, accepted: Sequence[Feature] = ()) -> str | None:
    """Imports everything that the manifest names. Its tools and commands must not be those of a feature before it."""
    from handrail.kernel.feature import load
    from handrail.kernel.registry import Registry, surface_of
    from handrail.ports.errors import Failure

    others = [*built_in(), *accepted]
    taken = {command.name for each in others for command in each.commands}
    if (same := next((each.name for each in feature.commands if each.name in taken), None)) is not None:
        return f"there is another command {same!r}"
    try:
        for where in feature.references:
            load(where)
        Registry([surface_of(each) for each in (*others, feature)])
    except Failure as failure:
        return failure.message
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - another package's code; reported to the person
        return f"{type(fault).__name__}: {fault}"
    return None
