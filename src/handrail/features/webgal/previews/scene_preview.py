"""Shows a scene as a player sees it: from its start, or at a line, with given variables and choices."""

import asyncio
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from handrail.features.webgal.games import Games
from handrail.features.webgal.preview_ports import Destination, ScenePreviews, ShownScene
from handrail.features.webgal.previews.scene_finder import SceneFile
from handrail.features.webgal.script.calls import with_quiet_scenes
from handrail.features.webgal.script.graph import ENTRY
from handrail.features.webgal.script.parser import Value, split_lines
from handrail.features.webgal.script.preview_log import PreviewLog, fetched_ahead, preview_log, scenes_named
from handrail.features.webgal.script.route import (
    Condition,
    Route,
    first_event,
    next_event,
    route_to,
    whole_scene,
)
from handrail.features.webgal.script.way import NoSuchOption, Turn
from handrail.ports.errors import Failure, InvalidParams

_MAX_TRIES = 3
_MAX_WAYS = 12
_MAX_SCENES = 50
Shown = tuple[ShownScene, PreviewLog]


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """`text` is what is shown, `content` the same if it is unsaved."""

    scene: SceneFile
    text: str
    content: str | None
    variables: Mapping[str, Value]
    choices: Sequence[int]
    as_jpeg: bool


class ScenePreview:
    """Shows one scene, at several lines if need be: what is known about its conditions holds for all of them."""

    def __init__(self, previews: ScenePreviews, games: Games, request: PreviewRequest) -> None:
        self._previews = previews
        self._games = games
        self._request = request
        self._expansion = with_quiet_scenes(request.text, self._scene_text)
        self._known: dict[Turn, bool] = {}

    async def show(self, line: int | None) -> Shown:
        """Without a line, shows the first thing that the player sees, after the choices."""
        if line is None and not self._request.choices:
            return await self._show_start()
        return await self._show_line(None if line is None else self._expansion.place_of(line))

    async def _show_start(self) -> Shown:
        """Lets the engine run the scene. If a condition skips the line, shows the next one that shows something."""
        text, variables = self._expansion.text, self._request.variables
        line = first_event(text)
        showing = await self._show(whole_scene(text, line, variables), line)
        for _ in range(_MAX_TRIES):
            position = showing.position
            next_line = next_event(text, position.line)
            if position.has_left or position.is_waiting or next_line <= max(position.line, line):
                break
            line = next_line
            showing = await self._show(whole_scene(text, line, variables), line)
        return await self._finished(showing, line)

    async def _show_line(self, line: int | None) -> Shown:
        """Takes another way as long as the engine finds that a condition on it is different."""
        known, note = self._known, None
        route, tries = self._route(line, known), 0
        while True:
            tries += 1
            shown_line = route.origins[-1]
            showing = await self._show(route, shown_line)
            wrong = None if showing.position.is_waiting else route.first_wrong(showing.position.stage)
            if wrong is None or wrong.turn in known:
                break
            if tries >= _MAX_WAYS:
                note = (
                    f"{self._decided_text(wrong)} on each of {tries} ways. Line {self._own(shown_line)} is still shown."
                )
                break
            if wrong.turn.state.line == line and not wrong.turn.option:
                note = f"line {self._own(line)} is skipped here, because {wrong.text} is false. It is still shown."
                break
            now_known = {**known, wrong.turn: not wrong.is_true}
            other_route = self._other_route(line, now_known)
            if other_route is None:
                note = self._blocked_text(shown_line, wrong)
                break
            route, known = other_route, now_known
        self._known |= known
        if not route.is_reached:
            with_choices = " with these choices" if self._request.choices else ""
            own_line = self._own(shown_line)
            note = f"line {own_line} can't be reached{with_choices}, so it is shown after the lines before it."
        return await self._finished(showing, shown_line, note, self._calls_text(route.calls))

    def _route(self, line: int | None, known: Mapping[Turn, bool]) -> Route:
        request = self._request
        try:
            return route_to(self._expansion.text, line, request.variables, request.choices, known, asks=True)
        except NoSuchOption as failure:
            raise NoSuchOption(self._own(failure.line), failure.count, failure.option) from None

    def _other_route(self, line: int | None, known: Mapping[Turn, bool]) -> Route | None:
        try:
            route = self._route(line, known)
        except InvalidParams:  # the conditions leave no way with these choices
            return None
        return route if route.is_reached else None

    async def _show(self, route: Route, line: int) -> ShownScene:
        """Returns the scene with the lines of the text that the route leads through."""
        scene, request = self._request.scene, self._request
        is_file = request.content is None and route.text == "\n".join(split_lines(request.text))
        destination = Destination(
            scene.name, route.place_of(line), None if is_file else route.text, as_jpeg=request.as_jpeg
        )
        showing = await self._previews.show(scene.game, destination, fetched_ahead(route.text))
        position = showing.position
        if not position.has_left:
            position = replace(position, line=route.line_of(position.line))
        return _with_trouble_lines(replace(showing, position=position), route.line_of)

    async def _finished(self, showing: ShownScene, line: int, *notes: str | None) -> Shown:
        """Returns what is shown and its log, with the lines of the scene itself."""
        scene, position = self._request.scene, showing.position
        if not position.has_left:
            position = replace(position, line=self._own(position.line))
        troubles = [
            each if each.line is None else replace(each, line=self._own(each.line)) for each in showing.troubles
        ]
        showing = replace(showing, position=position, troubles=troubles)
        requested, scenes = Destination(scene.name, self._own(line)), self._following_scenes()
        log = await asyncio.to_thread(preview_log, showing, requested, self._request.text, scene.game, scenes)
        return showing, PreviewLog([*log.lines, *filter(None, notes)], log.first_error_line)

    def _own(self, line: int) -> int:
        origins = self._expansion.origins
        return origins[min(line, len(origins)) - 1]

    def _blocked_text(self, line: int, wrong: Condition) -> str:
        turn, decided_in = wrong.turn, self._own(wrong.turn.state.line)
        if turn.option:
            return f"option {turn.option} in line {decided_in} can't be chosen here, because {wrong.text} is false."
        return f"a player doesn't come to line {self._own(line)} here, because {self._decided_text(wrong)}."

    def _calls_text(self, calls: Sequence[int]) -> str | None:
        if not calls:
            return None
        lines = ", ".join(str(self._own(line)) for line in calls)
        return (
            f"the scene called in line {lines} isn't run on the way: what it sets and leaves on the stage is missing."
        )

    def _decided_text(self, wrong: Condition) -> str:
        return f"{wrong.text} in line {self._own(wrong.turn.state.line)} is {'false' if wrong.is_true else 'true'}"

    def _following_scenes(self) -> Iterator[tuple[str, str]]:
        """Yields scenes that this one or the game's first leads to, directly or indirectly, with their texts.

        An engine reads the first one when its page is loaded. They are read on demand.
        """
        scene = self._request.scene
        pending, seen = [*scenes_named(self._request.text), ENTRY], {scene.name}
        while pending and len(seen) <= _MAX_SCENES:
            name = pending.pop(0)
            if name in seen:
                continue
            seen.add(name)
            if (inner := self._scene_text(name)) is not None:
                pending += scenes_named(inner)
                yield name, inner

    def _scene_text(self, name: str) -> str | None:
        """Returns None if there is no such scene, or a rule hides it."""
        path = posixpath.normpath(posixpath.join(self._request.scene.game, "scene", name))
        with suppress(Failure):
            if self._games.may_read(path):
                return self._games.text_of(path)
        return None


def _with_trouble_lines(showing: ShownScene, line_of: Callable[[int], int]) -> ShownScene:
    troubles = [each if each.line is None else replace(each, line=line_of(each.line)) for each in showing.troubles]
    return replace(showing, troubles=troubles)
