"""The command `handrail.server.preview`: the engine's page at any line of an open text, and its variables there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from handrail.features.webgal.lsp.editor_state import EditorProject, FileView
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.preview_ports import Destination
from handrail.features.webgal.script.route import Route, first_event, route_to, whole_scene
from handrail.features.webgal.script.sync import State

if TYPE_CHECKING:
    from handrail.features.webgal.backends.game_site.screen import GameScreen
    from handrail.features.webgal.backends.game_site.server import LocalGameSite

ReportStage = Callable[["Stage"], None]


class PreviewParams(msgspec.Struct, frozen=True, rename="camel"):
    """`uri` names the text. `line` counts from 0, as everywhere in the protocol; without it, the scene starts."""

    uri: str
    line: Annotated[int, Meta(ge=0)] | None = None
    variables: dict[str, str | int | float | bool] = {}
    choices: list[Annotated[int, Meta(ge=1)]] = []


class PreviewPage(msgspec.Struct, frozen=True, rename="camel"):
    """`note` tells people about anything special."""

    url: str
    note: str | None = None


class Stage(msgspec.Struct, frozen=True, rename="camel"):
    """The engine's last report: the text and the line (from 0) that it is at, and the game's variables."""

    scene: str
    variables: dict[str, Any]
    uri: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class _SentScene:
    uri: str
    scene: str
    route: Route


class EditorPreviews:
    """One address per game: an open page there moves to the line that was requested last."""

    def __init__(self, report: ReportStage) -> None:
        self._report = report
        self._sites: dict[tuple[str, str], tuple[LocalGameSite, GameScreen]] = {}
        self._sent: dict[GameScreen, _SentScene] = {}

    async def show(self, project: EditorProject, plan: "Plan") -> PreviewPage:
        """Raises NotShown if there is no engine."""
        key = (project.reader.location, plan.game)
        if key not in self._sites:
            site = await project.reader.open_site(plan.game)
            screen = site.open_screen()
            screen.on_state = lambda state: self._handle_state(screen, state)
            self._sites[key] = site, screen
        screen = self._sites[key][1]
        self._sent[screen] = _SentScene(plan.uri, plan.destination.scene, plan.route)
        screen.send_to(plan.destination)
        return PreviewPage(screen.address, plan.note)

    async def close(self) -> None:
        for site, _ in self._sites.values():
            await site.close()
        self._sites.clear()

    def _handle_state(self, screen: "GameScreen", state: State) -> None:
        sent, scene = self._sent[screen], state.scene.partition("?")[0]
        variables = state.stage.get("GameVar")
        known_variables = dict(variables) if isinstance(variables, dict) else {}
        if scene != sent.scene:
            return self._report(Stage(scene, known_variables))
        line = sent.route.line_of(state.sentence)
        return self._report(Stage(scene, known_variables, sent.uri, max(line - 1, 0)))


@dataclass(frozen=True, slots=True)
class Plan:
    game: str
    uri: str
    destination: Destination
    route: Route
    note: str | None


def plan_preview(view: FileView, params: PreviewParams) -> Plan | None:
    """Plans how to reach the line in the unsaved text; returns None if it is not a scene. Raises InvalidParams."""
    name = view.game.scene_name(view.path)
    if name is None:
        return None
    text = "\n".join(view.lines)
    game, uri = view.game.prefix.rstrip("/") or ".", view.snapshot.uri(view.path)
    if params.line is None and not params.choices:
        first = first_event(text)
        route = whole_scene(text, first, params.variables)
        return Plan(game, uri, Destination(name, route.place_of(first), route.text), route, None)
    line = None if params.line is None else min(params.line + 1, len(view.lines))
    route = route_to(text, line, params.variables, params.choices)
    note = None if route.is_reached else phrase("not reached", view.language, line=route.origins[-1])
    return Plan(game, uri, Destination(name, len(route.origins), route.text), route, note)
