"""Features from other packages: lists them, and turns them on or off."""

from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from typing import NamedTuple

from handrail.features import brought, built_in
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.feature import Feature
from handrail.kernel.settings import Settings, load_one
from handrail.ports.errors import InvalidParams
from handrail.ports.stores import Stores

_HOW_TO_ENABLE = "`handrail features enable {name}` turns it on: it then runs with all of your rights."


class FeatureRow(NamedTuple):
    name: str
    title: str
    state: str
    package: str


def list_features(stores: Stores, running: Sequence[Feature]) -> list[FeatureRow]:
    on = load_one(Settings, stores.path).features
    titles = {feature.name: feature.title for feature in running}
    own = [FeatureRow(feature.name, feature.title, _state_of(feature), "handrail") for feature in built_in()]
    others = [
        FeatureRow(point.name, titles.get(point.name, ""), "on" if point.name in on else "off", _package(point))
        for point in _external_points()
    ]
    return [*own, *others]


def check_is_external(name: str) -> None:
    """InvalidParams unless another package provides this feature."""
    if name in [feature.name for feature in built_in()]:
        raise InvalidParams(f"{name!r} is a feature of handrail itself: it is always on.")
    if name not in [point.name for point in _external_points()]:
        names = ", ".join(point.name for point in _external_points()) or "none"
        raise InvalidParams(f"No installed package has a feature {name!r}.", hint=f"There are: {names}.")


def switch_feature(stores: Stores, name: str, *, is_on: bool) -> None:
    check_is_external(name)
    enabled = {*load_one(Settings, stores.path).features} | {name}
    stores.set_choice(features=sorted(enabled if is_on else enabled - {name}))


def checks(context: CheckContext) -> Iterator[Check]:
    if not (points := _external_points()):
        return
    on = load_one(Settings, context.program.open_stores(context.state).path).features
    for point in points:
        if point.name in on:
            yield Check(f"feature {point.name}", True, f"on, from {_package(point)}", required=False)
        else:
            detail = f"off, from {_package(point)}"
            yield Check(f"feature {point.name}", True, detail, _HOW_TO_ENABLE.format(name=point.name), required=False)


def _external_points() -> list[EntryPoint]:
    own_names = {feature.name for feature in built_in()}
    return [point for point in brought() if point.name not in own_names]


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _state_of(feature: Feature) -> str:
    return "on" if feature.missing_extra is None else "not installed"
