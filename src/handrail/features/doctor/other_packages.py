"""Features from other packages: lists them, and turns them on or off."""

from collections.abc import Collection, Iterator, Sequence
from importlib.metadata import EntryPoint
from typing import NamedTuple

from handrail.features import brought, built_in, fault_of
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.feature import Feature, load
from handrail.kernel.settings import Settings, load_one
from handrail.kernel.settings import load as load_all
from handrail.ports.errors import InvalidParams
from handrail.ports.settings import BrokenSettings
from handrail.ports.stores import Stores

_HOW_TO_ENABLE = "`handrail features enable {name}` turns it on: it then runs with all of your rights."

_HOW_TO_DISABLE = "Update the package, or run `handrail features disable {name}`."


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
        FeatureRow(point.name, titles.get(point.name, ""), _state_of_external(point, on), _package(point))
        for point in _external_points()
    ]
    return [*own, *others]


def check_is_external(name: str) -> None:
    """InvalidParams unless another package provides this feature."""
    if name in [feature.name for feature in built_in()]:
        raise InvalidParams(f"{name!r} is a feature of handrail itself: it is always on.")
    if name not in [point.name for point in _external_points()]:
        names = ", ".join(point.name for point in _external_points())
        hint = f"Installed packages have: {names}." if names else "No installed package has features for handrail."
        raise InvalidParams(f"No installed package has a feature {name!r}.", hint=hint)


def switch_feature(stores: Stores, name: str, *, is_on: bool) -> None:
    """InvalidParams: there is no such feature, or it can't be loaded."""
    enabled = {*load_one(Settings, stores.path).features}
    if is_on or name not in enabled:  # it can be disabled after its package was removed
        check_is_external(name)
    if is_on:
        point = next(point for point in _external_points() if point.name == name)
        if (fault := fault_of(point)) is not None:
            raise InvalidParams(f"The feature {name!r} can't be loaded: {fault}", hint="Update its package.")
    stores.set_choice(features=sorted(enabled | {name} if is_on else enabled - {name}))


def settings_fault(stores: Stores, features: Sequence[Feature]) -> BrokenSettings | None:
    """What is wrong with config.toml if only these features run, such as a key of one that was just turned off."""
    kinds = [load(feature.settings) for feature in features if feature.settings]
    try:
        load_all(stores.path, {}, kinds=kinds)
    except BrokenSettings as fault:
        return fault
    return None


def checks(context: CheckContext) -> Iterator[Check]:
    if not (points := _external_points()):
        return
    on = load_one(Settings, context.program.open_stores(context.state).path).features
    for point in points:
        is_on = point.name in on
        fault = fault_of(point) if is_on else None
        state, fix = f"{'on' if is_on else 'off'}, from {_package(point)}", None if is_on else _HOW_TO_ENABLE
        if fault is not None:
            state, fix = f"{state}, but it can't be loaded: {fault}", _HOW_TO_DISABLE
        fix = None if fix is None else fix.format(name=point.name)
        yield Check(f"feature {point.name}", fault is None, state, fix, required=False)


def _external_points() -> list[EntryPoint]:
    own_names = {feature.name for feature in built_in()}
    return [point for point in brought() if point.name not in own_names]


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _state_of_external(point: EntryPoint, on: Collection[str]) -> str:
    if point.name not in on:
        return "off"
    return "on" if fault_of(point) is None else "broken"


def _state_of(feature: Feature) -> str:
    return "on" if feature.missing_extra is None else "not installed"
