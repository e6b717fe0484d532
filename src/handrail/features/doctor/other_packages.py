"""Features that other packages bring: which there are, and whether a person has enabled them."""

from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from typing import NamedTuple

from handrail.features import brought, built_in
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.feature import Feature
from handrail.kernel.settings import Settings, load_one
from handrail.ports.errors import InvalidParams
from handrail.ports.stores import Stores

_HOW = "`handrail features enable {name}` turns it on: it then runs with all of your rights."


class Known(NamedTuple):
    name: str
    title: str
    state: str
    package: str


def known(stores: Stores, running: Sequence[Feature]) -> list[Known]:
    on = load_one(Settings, stores.path).features
    titles = {feature.name: feature.title for feature in running}
    own = [Known(feature.name, feature.title, _state_of(feature), "handrail") for feature in built_in()]
    others = [
        Known(point.name, titles.get(point.name, ""), "on" if point.name in on else "off", _package(point))
        for point in _others()
    ]
    return [*own, *others]


def check_other(name: str) -> None:
    """InvalidParams for what no other package brings."""
    if name in [feature.name for feature in built_in()]:
        raise InvalidParams(f"{name!r} is a feature of handrail itself: it is always on.")
    if name not in [point.name for point in _others()]:
        found = ", ".join(point.name for point in _others()) or "none"
        raise InvalidParams(f"No installed package brings a feature {name!r}.", hint=f"There are: {found}.")


def switch(stores: Stores, name: str, *, is_on: bool) -> None:
    check_other(name)
    chosen = {*load_one(Settings, stores.path).features} | {name}
    stores.set_choice(features=sorted(chosen if is_on else chosen - {name}))


def checks(context: CheckContext) -> Iterator[Check]:
    if not (points := _others()):
        return
    on = load_one(Settings, context.program.open_stores(context.state).path).features
    for point in points:
        if point.name in on:
            yield Check(f"feature {point.name}", True, f"on, from {_package(point)}", required=False)
        else:
            detail = f"off, from {_package(point)}"
            yield Check(f"feature {point.name}", True, detail, _HOW.format(name=point.name), required=False)


def _others() -> list[EntryPoint]:
    taken = {feature.name for feature in built_in()}
    return [point for point in brought() if point.name not in taken]


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _state_of(feature: Feature) -> str:
    return "on" if feature.missing_extra is None else "not installed"
