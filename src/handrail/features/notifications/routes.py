"""`/api/notifications`: who is notified, and how. Only sends text; questions are not answered here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, person_of, require_person
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, text_field, wrong_field
from handrail.faces.socketio.rooms import Rooms
from handrail.features.notifications import push
from handrail.features.notifications.message import trial_message
from handrail.features.notifications.notifier import Notifier
from handrail.features.notifications.settings import NotificationSettings
from handrail.kernel.access import record_access
from handrail.kernel.evidence import utc_now
from handrail.ports.errors import Conflict, NotFound
from handrail.ports.push import PushSubscription
from handrail.ports.secrets import Secret

PATH = "/api/notifications"
_NO_KEY = "This team's servers have no push key."
_IN_FILE = "A team's channels are in the file that its servers are started with (--channels)."


def mount(context: HttpContext) -> Mount:
    stores = context.project.stores
    settings = context.project.settings_of(NotificationSettings)

    async def may_answer(request_id: str, members: Collection[str]) -> Collection[str]:
        prompts: Any = stores.prompts
        return members if stores.team is None else await prompts.may_answer(request_id, members)

    notifier = Notifier(stores, settings, may_answer, language=context.language or "en")

    async def member_of(request: Request) -> str:
        """The id of the signed-in member; empty without a team."""
        if stores.team is None:
            return ""
        member = await stores.team.members.current(person_of(request, ""))
        if member is None:
            raise NotFound("You are no longer a member of this team.")
        return member.id

    async def show(request: Request) -> Response:
        require_person(request, "Seeing who is notified")
        return success(await state(request))

    async def state(request: Request) -> dict[str, Any]:
        member = await member_of(request)
        key = await notifier.push_key()
        return {
            "channels": [{"name": name, "last": notifier.last.get(name)} for name in await notifier.channels.names()],
            "hasOwnChannels": stores.team is None,
            "canPush": stores.team is None or key is not None,
            "browsers": [
                {"id": one.id, "userAgent": one.user_agent, "createdAt": one.created_at}
                for one in await stores.push.all()
                if one.member == member
            ],
            "afterSeconds": settings.notify_after_seconds,
        }

    async def record(request: Request, action: str) -> None:
        await record_access(context.project.audit, caller(request, context.person), action)

    async def push_key(request: Request) -> Response:
        require_person(request, "Subscribing to notifications")
        key = await notifier.push_key()
        if key is None and stores.team is not None:
            hint = "Create one with `handrail team push-key FILE`, and start every server with --push-key FILE."
            raise NotFound(_NO_KEY, hint=hint)
        if key is None:
            key = Secret(push.new_key())
            await stores.secrets.put(push.KEY, key)
        return success({"publicKey": push.public_key(key)})

    async def subscribe(request: Request) -> Response:
        require_person(request, "Subscribing to notifications")
        body = await json_object(request, {"endpoint", "keys", "expirationTime"})
        keys = body.get("keys")
        if not isinstance(keys, dict):
            raise wrong_field("keys", "must be an object")
        subscription = PushSubscription(
            endpoint=text_field(body, "endpoint"),
            p256dh=text_field(keys, "p256dh"),
            auth=text_field(keys, "auth"),
            member=await member_of(request),
            user_agent=(header(request.scope, b"user-agent") or "")[:300],
            created_at=utc_now().isoformat(timespec="seconds"),
        )
        push.check(subscription, settings.push_services)
        await stores.push.add(subscription)
        await record(request, f"turned on notifications in a browser ({subscription.id})")
        return success({**await state(request), "id": subscription.id})

    async def unsubscribe(request: Request) -> Response:
        require_person(request, "Ending notifications")
        one = await own(request)
        await stores.push.remove(one.id)
        await record(request, f"turned off notifications in a browser ({one.id})")
        return success(await state(request))

    async def try_push(request: Request) -> Response:
        require_person(request, "Sending a notification")
        if not await notifier.push_to(await own(request), trial_message(notifier.url, notifier.language)):
            raise Conflict(
                "The push service did not accept the message.",
                hint="Turn notifications off and on again in that browser.",
            )
        return success(await state(request))

    async def own(request: Request) -> PushSubscription:
        id, member = request.path_params["id"], await member_of(request)
        for one in await stores.push.all():
            if one.id == id and one.member == member:
                return one
        raise NotFound("This browser isn't notified any more.")

    async def add_channel(request: Request) -> Response:
        require_person(request, "Adding a channel")
        check_no_team()
        body = await json_object(request, {"name", "url"})
        name = text_field(body, "name")
        await notifier.channels.add(name, text_field(body, "url"))
        await record(request, f"added the notification channel {name}")
        return success(await state(request))

    async def remove_channel(request: Request) -> Response:
        require_person(request, "Removing a channel")
        check_no_team()
        name = request.path_params["name"]
        await notifier.channels.remove(name)
        await record(request, f"removed the notification channel {name}")
        return success(await state(request))

    async def try_channel(request: Request) -> Response:
        require_person(request, "Sending a notification")
        await notifier.send_to(request.path_params["name"], trial_message(notifier.url, notifier.language))
        return success(await state(request))

    def check_no_team() -> None:
        if stores.team is not None:
            raise Conflict(_IN_FILE)

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        url = address if stores.team is None else stores.team.url or address
        async with notifier.running(url):
            yield

    return Mount(
        [
            Route(PATH, show),
            Route(f"{PATH}/push/key", push_key),
            Route(f"{PATH}/push", subscribe, methods=["POST"]),
            Route(f"{PATH}/push/{{id}}", unsubscribe, methods=["DELETE"]),
            Route(f"{PATH}/push/{{id}}/test", try_push, methods=["POST"]),
            Route(f"{PATH}/channels", add_channel, methods=["POST"]),
            Route(f"{PATH}/channels/{{name}}", remove_channel, methods=["DELETE"]),
            Route(f"{PATH}/channels/{{name}}/test", try_channel, methods=["POST"]),
        ],
        running=running,
    )
