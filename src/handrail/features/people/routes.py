"""The prompt queue in the console: `/api/prompts`, and news for everybody who is connected."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from handrail.faces.http.answers import success
from handrail.faces.http.context import Feed, HttpContext, Mount
from handrail.faces.http.credentials import caller, is_person, must_be_person, program_name
from handrail.faces.http.json_body import json_object, optional_text, page_before, page_limit, wrong_field
from handrail.faces.http.passkeys import proof_in
from handrail.faces.socketio.rooms import Rooms
from handrail.kernel.passkeys import assertion_options
from handrail.kernel.prompts.answer_rules import check_response
from handrail.kernel.prompts.foreign_prompts import check_foreign, is_for_a_person, posted
from handrail.ports.errors import Failure
from handrail.ports.presence import Presence, PresenceNeeded
from handrail.ports.prompts import Entry, Origin, Page, PromptQueue, QueuedPrompt, RequestEntry, ResponseEntry

State = Literal["pending", "answered", "all"]
Placed = tuple[int, Entry]
"""`offset` on the wire: where an entry begins in the log, so a page can be continued after a restart too."""
Json = dict[str, Any]

_RETRY_AFTER = 1.0
_MOST_LOOKED_AFTER = 200

logger = logging.getLogger(__name__)


class PromptBoard:
    def __init__(self, queue: PromptQueue, look_every: float = 1.0) -> None:
        self._queue = queue
        self._look_every = look_every
        self._is_gone: dict[str, bool] = {}
        self._unattributed: list[Placed] = []
        self._news: set[asyncio.Queue[Sequence[Json]]] = set()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        position = (await self._queue.entries(0)).position
        await self._changed_callers()
        tasks = [asyncio.create_task(self._follow_queue(position)), asyncio.create_task(self._look_after())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self) -> AsyncIterator[Sequence[Json]]:
        """Entries that are added from now on, and entries about which something else has become known."""
        news: asyncio.Queue[Sequence[Json]] = asyncio.Queue()
        self._news.add(news)
        try:
            while True:
                yield await news.get()
        finally:
            self._news.discard(news)

    async def page(self, state: State, limit: int, before: int | None) -> Json:
        """`limit` counts requests, or answers with their requests, or entries; `next` is where older ones begin."""
        shown, following = await self._shown(state, limit, before)
        page: Json = {"path": self._queue.location, "entries": await self._json(shown)}
        return page if following is None else {**page, "next": following}

    async def _shown(self, state: State, limit: int, before: int | None) -> tuple[list[Placed], int | None]:
        """One more than wanted is read, to know whether there is another page."""
        if state == "all":
            entries = _placed(await self._queue.entries(limit + 1, before))
            shown = entries[-limit:]
            return shown, shown[0][0] if len(entries) > limit else None
        if state == "pending":
            pending = await self._queue.pending(before, limit + 1)
            shown = [(each.place, each.request) for each in pending[-limit:]]
            return shown, shown[0][0] if len(pending) > limit else None
        answered = await self._queue.history(before, limit + 1)
        pairs = [pair for each in answered[-limit:] for pair in _pair(each)]
        return sorted(pairs, key=lambda placed: placed[0]), (
            answered[-limit].answer_place if len(answered) > limit else None
        )

    async def _json(self, entries: Sequence[Placed]) -> list[Json]:
        asked = [entry.request_id for _, entry in entries if isinstance(entry, RequestEntry)]
        answered = [entry.request_id for _, entry in entries if isinstance(entry, ResponseEntry)]
        found = await self._queue.find_all(asked) if asked else {}
        pending = [each for each, prompt in found.items() if prompt.is_pending]
        waiting = await self._queue.still_waiting(pending) if pending else ()
        by = await self._queue.answered_by(answered) if answered else {}
        origins = await self._queue.origins(asked) if asked else {}
        shown = []
        for offset, entry in entries:
            one: Json = {"offset": offset, **msgspec.to_builtins(entry)}
            if isinstance(entry, ResponseEntry):
                if entry.request_id in by:
                    one["answeredBy"] = by[entry.request_id]
            elif entry.request_id in pending:
                one["callerGone"] = entry.request_id not in waiting
            if isinstance(entry, RequestEntry):
                one |= posted(entry.prompt, origins.get(entry.request_id))
            shown.append(one)
        return shown

    async def _follow_queue(self, position: int) -> None:
        while True:
            try:
                async for page in self._queue.follow(position):
                    position = page.position
                    if not page.is_restart:
                        await self._publish(_placed(page))
            except Failure as failure:
                logger.warning("the prompt queue can't be followed: %s", failure.message)
            await asyncio.sleep(_RETRY_AFTER)

    async def _look_after(self) -> None:
        """What no entry of the log says: that a caller went away or came back, and who answered a moment ago.

        A process that is killed leaves its socket where it was, and no event: so somebody has to look.
        """
        while True:
            await asyncio.sleep(self._look_every)
            if not self._news:
                continue
            with suppress(Failure):  # there will be another look
                unattributed, self._unattributed = self._unattributed, []
                attributed = [one for one in await self._json(unattributed) if "answeredBy" in one]
                self._pass_on([*attributed, *await self._json(await self._changed_callers())])

    async def _changed_callers(self) -> list[Placed]:
        """The requests of callers that went away, or came back, since the last look."""
        pending = await self._queue.pending(limit=_MOST_LOOKED_AFTER)
        waiting = await self._queue.still_waiting([each.request_id for each in pending])
        before, self._is_gone = self._is_gone, {each.request_id: each.request_id not in waiting for each in pending}
        changed = {each for each, is_gone in self._is_gone.items() if before.get(each) is not is_gone}
        return [(each.place, each.request) for each in pending if each.request_id in changed]

    async def _publish(self, added: Sequence[Placed]) -> None:
        if not added or not self._news:
            return
        news = await self._json(added)
        self._pass_on(news)
        for placed, one in zip(added, news, strict=True):
            if one["action"] == "response" and "answeredBy" not in one:
                self._unattributed.append(placed)
            elif "callerGone" in one:
                self._is_gone[one["requestId"]] = one["callerGone"]

    def _pass_on(self, entries: Sequence[Json]) -> None:
        if entries:
            for news in self._news:
                news.put_nowait(entries)


def _placed(page: Page) -> list[Placed]:
    return list(zip(page.places, page.entries, strict=True))


def _pair(prompt: QueuedPrompt) -> list[Placed]:
    assert prompt.answer is not None
    assert prompt.answer_place is not None
    return [(prompt.place, prompt.request), (prompt.answer_place, prompt.answer)]


PATH = "/api/prompts"
_STATES: tuple[State, ...] = get_args(State)


def _routes(queue: PromptQueue, board: PromptBoard, person: str, presence: Presence) -> list[Route]:
    async def list_entries(request: Request) -> Response:
        return success(await board.page(_state(request), page_limit(request), page_before(request)))

    async def ask(request: Request) -> Response:
        given = await json_object(request, {"requestId", "runId", "prompt"})
        prompt, wanted_id = _member(given, "prompt"), optional_text(given, "requestId")
        check_foreign(prompt, wanted_id)
        request_id = await queue.request(
            _from_somewhere(prompt, request),
            request_id=wanted_id,
            run_id=optional_text(given, "runId"),
            origin=Origin(_poster(request, person)),
        )
        return success({"requestId": request_id})

    async def answer(request: Request) -> Response:
        request_id = request.path_params["request_id"]
        given = await json_object(request, {"runId", "response", "presence"})
        response, run_id = _member(given, "response"), optional_text(given, "runId")
        if not is_person(request) and await is_for_a_person(queue, request_id):
            must_be_person(request, "Answering what handrail asks a person")
        by = f"console:{person}" if is_person(request) else "program"
        proof = proof_in(request, given.get("presence"))
        try:
            receipt = await queue.respond(request_id, response, run_id=run_id, by=by, proof=proof)
        except PresenceNeeded as needed:
            raise await _with_options(needed, request_id, response) from None
        for warning in receipt.warnings:
            logger.warning("%s", warning)
        return success({"warnings": list(receipt.warnings)})

    async def _with_options(needed: PresenceNeeded, request_id: str, response: Mapping[str, Any]) -> PresenceNeeded:
        """What the page needs to ask for the passkey: the challenge is bound to this prompt and this answer."""
        found, passkeys = await queue.find(request_id), await asyncio.to_thread(presence.passkeys.all)
        if found is not None and passkeys:
            challenge = presence.challenge(found.request, check_response(found.prompt, response))
            needed.details["passkey"] = assertion_options(challenge, passkeys)
        return needed

    return [
        Route(PATH, list_entries),
        Route(PATH, ask, methods=["POST"]),
        Route(PATH + "/{request_id:path}/response", answer, methods=["POST"]),
    ]


def _member(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = given.get(name)
    if not isinstance(value, dict):
        raise wrong_field(name, "must be an object")
    return value


def _from_somewhere(prompt: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """Contract 5 §2: where no source is named, the host names the one who asks."""
    if prompt.get("source", "") != "":
        return prompt
    return {**prompt, "source": "console" if is_person(request) else f"http:{program_name(request.scope)}"}


def _poster(request: Request, person: str) -> str:
    who = caller(request, person)
    return f"{who.face}:{who.name} ({who.identity})"


def _state(request: Request) -> State:
    given = request.query_params.get("state", "all")
    for state in _STATES:
        if given == state:
            return state
    raise wrong_field("state", f"must be one of {', '.join(_STATES)}")


def mount(context: HttpContext) -> Mount:
    queue = context.project.stores.prompts
    board = PromptBoard(queue)

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        async with board.run():
            yield

    def is_for_programs(scope: Scope) -> bool:
        path: str = scope["path"]
        return path == PATH or path.startswith(f"{PATH}/")

    feeds = {"ui_prompts": Feed("entries", board.follow)}
    routes = _routes(queue, board, context.person, context.project.stores.presence)
    return Mount(routes, feeds, running, is_for_programs=is_for_programs)
